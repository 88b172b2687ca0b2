"""The triangle of pairs: coloured where two are told apart, numbers where they fit."""

from __future__ import annotations

import numpy as np

from dashboard.drawing.figures.matrix import pair_matrix
from dashboard.drawing.theme import LIGHT, run_styles
from metrics_core.comparing.all_pairs.all_pairs import all_pairs
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import Scores
from tests.dashboard.drawings import drawing_of

NAMES = ("a", "b", "c")
MEASURE = parse_measure("nDCG@10")
DRAWING = drawing_of(
    run_styles(NAMES, {n: i for i, n in enumerate(NAMES)}, focus="c", baseline="a")
)


def scores(n: int) -> Scores:
    """c is better than a and b, which are alike."""
    noise = np.random.default_rng(7).uniform(0, 0.2, (3, n, 1))
    values = noise + np.array([0.2, 0.2, 0.6])[:, None, None]
    ids = [f"q{i}" for i in range(n)]
    return Scores(NAMES, ids, (MEASURE,), values, np.zeros((3, n), dtype=np.bool_))


def test_what_is_told_apart_is_coloured_and_bold() -> None:
    found = all_pairs(scores(40), MEASURE)
    (cells,) = pair_matrix(found, DRAWING, width=412).data
    assert list(cells.x) == [1, 2, 2]
    of_c, other = list(cells.marker.color)[:2], cells.marker.color[2]
    assert other == LIGHT.wash and LIGHT.wash not in of_c
    assert [text.startswith("<b>+") for text in cells.text] == [True, True, False]
    assert cells.customdata[0][0].startswith("c minus ")


def test_narrow_cells_have_colours_alone() -> None:
    (cells,) = pair_matrix(all_pairs(scores(40), MEASURE), DRAWING, width=150).data
    assert list(cells.text) == ["", "", ""] and len(set(cells.marker.color)) > 1


def test_few_queries_colour_nothing() -> None:
    (cells,) = pair_matrix(all_pairs(scores(5), MEASURE), DRAWING, width=412).data
    assert set(cells.marker.color) == {LIGHT.wash}
