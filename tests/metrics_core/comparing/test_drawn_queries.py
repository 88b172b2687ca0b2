"""Queries drawn at random: their order, which of them count, and how sure a verdict must be."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metrics_core.base.errors import ParameterError
from metrics_core.comparing.drawn_queries import (
    EARLY_LEVEL,
    QueryDraw,
    count_leading_finished_queries,
    detectable_difference,
)

QUERIES = [f"q{i}" for i in range(104)]


def test_a_draw_is_reproducible_and_drawing_more_keeps_what_was_drawn() -> None:
    draw = QueryDraw(7, (50,))
    order = draw.judging_order(QUERIES)
    assert len(order) == len({*order}) == 50 and order == draw.judging_order(QUERIES[::-1])
    assert QueryDraw(7, (50, 20)).judging_order(QUERIES)[:50] == order
    assert len(QueryDraw(7, (50, 100)).judging_order(QUERIES)) == 104
    left_out = QueryDraw(7, (50,), tuple(order[3:5]))
    assert left_out.judging_order(QUERIES) == order[:3] + order[5:]
    assert QueryDraw(8, (50,)).judging_order(QUERIES) != order
    for sizes in ((), (0,), (50, -1)):
        with pytest.raises(ParameterError, match="not valid sizes of a random sample"):
            QueryDraw(7, sizes)


def test_queries_count_up_to_the_first_unfinished_one() -> None:
    assert count_leading_finished_queries(np.array([True, True, False, True])) == 2
    assert count_leading_finished_queries(np.array([True, True])) == 2
    assert count_leading_finished_queries(np.array([False, True])) == 0
    assert count_leading_finished_queries(np.array([], dtype=bool)) == 0


def test_a_verdict_must_be_surer_before_an_end_and_after_drawing_more() -> None:
    draw = QueryDraw(7, (50,))
    more = QueryDraw(7, (50, 25))
    assert [draw.level(n, 104) for n in (10, 49, 50)] == [EARLY_LEVEL, EARLY_LEVEL, 0.95]
    assert [more.level(n, 104) for n in (50, 74, 75)] == [EARLY_LEVEL, EARLY_LEVEL, 0.98]
    assert QueryDraw(7, (50, 25, 5)).level(80, 104) == 0.98
    # Queries that are left out belong to the draw.
    short = QueryDraw(7, (50,), ("q1", "q2"))
    assert [short.level(n, 104) for n in (47, 48)] == [EARLY_LEVEL, 0.95]
    # All queries of a small collection are an end, however many more are drawn.
    assert draw.level(31, 31) == QueryDraw(7, (50, 50)).level(31, 31) == 0.95


def test_the_guess_of_what_a_draw_would_detect() -> None:
    # 2.85 standard errors: t for 5% two-sided, and 80% power, on 50 queries.
    assert detectable_difference(50, 45 / 104) == pytest.approx(0.067, abs=0.002)
    assert detectable_difference(200, 45 / 104) < 0.6 * detectable_difference(50, 45 / 104)
    assert math.isnan(detectable_difference(5, 0.5)) and math.isnan(detectable_difference(1, 0.5))
