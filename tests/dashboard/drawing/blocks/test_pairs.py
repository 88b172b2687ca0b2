"""The table of all pairs: what a cell says, when it is coloured, how brackets pass the rows."""

from __future__ import annotations

import re

import numpy as np

from dashboard.drawing.blocks.pairs import pair_table, place, place_table
from dashboard.drawing.theme import RunStyle
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from tests.metrics_core.comparing.all_pairs.test_all_pairs import found_in, runs_like


def drawn(found: AllPairs) -> str:
    styles = {run: RunStyle(run, i) for i, run in enumerate(found.runs)}
    return str(pair_table(found, styles, lambda run, base: f"./?{run}-{base}", label="Pairs"))


def cells(html: str) -> list[str]:
    return re.findall(r'<td class="pair-cell.*?</td>', html)


def test_a_cell_is_coloured_only_where_its_pair_is_clear() -> None:
    found = found_in(runs_like([0.1, 0.2, 0.0, 0.201]))
    shown = cells(drawn(found))
    assert len(shown) == 12
    for cell, kind in zip(shown, found.verdict[~np.eye(4, dtype=bool)], strict=True):
        word = {"better": "ahead", "worse": "behind", "cannot tell": "may be chance"}[kind]
        assert ("--part" in cell) == (word in ("ahead", "behind"))
        assert f"<small>{word}</small>" in cell
    assert 'href="./?' in shown[0] and "queries" in shown[0] and "minus" in shown[0]
    # The largest clear difference is the fullest.
    assert shown[2].count("--part:100.00%") or shown[1].count("--part:100.00%")


def test_brackets_pass_the_rows_they_join() -> None:
    html = drawn(found_in(runs_like([0.1, 0.2, 0.0, 0.201])))
    assert re.findall(r'<i class="(\w*)"></i>', html) == ["from", "to", "", ""]
    assert drawn(found_in(runs_like([0.0, 0.2, 0.4]))).count("lanes") == 1  # the number alone


def test_many_runs_have_small_cells_and_one_key_stop_a_pair() -> None:
    html = drawn(found_in(runs_like(np.linspace(0, 0.3, 9))))
    assert "all-pairs many" in html and "<small>" not in html
    assert html.count('tabindex="-1"') == 36 and len(cells(html)) == 72


def test_names_are_text_and_shortened_in_their_middle() -> None:
    found = found_in(runs_like([0.0, 0.1, 0.2]))
    long = "rerank-large-on-the-top-100-of-bm25-with-titles"
    html = drawn(AllPairs(**{**found.__dict__, "runs": ("<b>x", long, "c")}))
    assert "<b>x" not in html and "&lt;b&gt;x" in html
    assert f'title="{long}"' in html and "…" in html


def test_places_are_ranges() -> None:
    assert place(1, 4) == "1–4" and place(3, 3) == "3"
    found = found_in(runs_like([0.1, 0.2, 0.0, 0.201]))
    styles = {run: RunStyle(run, i) for i, run in enumerate(found.runs)}
    html = str(place_table(found, found.runs, styles, "a", lambda run, base: f"./?{run}-{base}"))
    assert "left:0.00%;width:50.00%" in html and "left:50.00%;width:25.00%" in html
    assert html.count('class="change better clear"') == 2 and html.count("worse clear") == 1
