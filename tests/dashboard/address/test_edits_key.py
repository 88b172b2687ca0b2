"""Edits in an address: each reads back as it was written, and what is none is left out."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.address.edits_key import format_edit, read_edits
from metrics_core.explaining.what_if import Edit, Grade, Move, Remove

IDS = st.text(min_size=1, max_size=12)
EDITS = st.one_of(
    st.builds(Move, IDS, st.integers(1, 10**9)),
    st.builds(Remove, IDS),
    st.builds(Grade, IDS, st.none() | st.sampled_from([0.0, 0.5, 2.0, 3.0, 10.0])),
)


@settings(max_examples=60)
@given(edits=st.lists(EDITS, max_size=4))
def test_what_is_written_reads_back(edits: list[Edit]) -> None:
    assert read_edits([format_edit(edit) for edit in edits]) == tuple(edits)


def test_the_first_colon_ends_the_edit() -> None:
    assert read_edits(["3:a:b", "g2.5:c"]) == (Move("a:b", 3), Grade("c", 2.5))


@settings(max_examples=60)
@given(text=st.text(max_size=12))
def test_no_text_breaks_it(text: str) -> None:
    assert len(read_edits([text])) <= 1


def test_what_is_no_edit_is_left_out() -> None:
    bad = ["", ":", "3", "0:a", "-1:a", "up:a", "3:", "gx:a", "gnan:a", "ginf:a", "9" * 5000 + ":a"]
    assert read_edits(bad) == ()
