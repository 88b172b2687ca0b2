"""Where texts stand among others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metrics_core.tables.arrays import places_among

IDS = st.lists(st.sampled_from(["1", "01", "é", "", "q1", "q2"]), max_size=6)


@given(texts=IDS, known=IDS.map(dict.fromkeys).map(list))
def test_each_text_stands_where_the_same_text_stands(texts: list[str], known: list[str]) -> None:
    expected = [known.index(text) if text in known else -1 for text in texts]
    assert places_among(texts, known).tolist() == expected
    assert places_among(known, known).tolist() == list(range(len(known)))
    assert places_among(known, known[::-1]).tolist() == list(range(len(known)))[::-1]
