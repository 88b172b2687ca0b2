"""Rows by query and score: what compiled code does with many rows is what numpy does with few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.tables import score_order

SCORES = st.one_of(
    st.sampled_from([-0.0, 0.0, 1.0, 1.5, 5e-324, -1e308, 1.7e308]),
    st.floats(allow_nan=False, allow_infinity=False),
)
ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), SCORES), min_size=1, max_size=60)


def columns(
    rows: list[tuple[int, int, float]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes as the rows of a table have them, each below the highest there; ranks; scores."""
    codes, ranks, scores = zip(*rows, strict=True)
    _, dense = np.unique(codes, return_inverse=True)
    return dense.astype(np.int32), np.array(ranks, np.float32), np.array(scores)


def test_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.array([1, 0, 1, 0, 1], np.int32)
    scores = np.array([2.0, 1.0, 3.0, 4.0, 2.0])
    ranks = np.array([2, 1, 1, 2, 3], np.float32)
    for many in (1_000_000, 1):
        monkeypatch.setattr(score_order, "_MANY", many)
        order = score_order.order_by_score(codes, scores)
        assert order is not None and order.tolist() == [3, 1, 2, 0, 4]
        # The first query names its lower score first; in the second equal scores may have any rank.
        assert score_order.find_contradictions(codes, ranks, scores).tolist() == [0]
        assert score_order.order_by_score(np.sort(codes), np.array([5.0, 4, 9, 9, 1])) is None


@given(rows=ROWS)
def test_many_rows_are_ordered_as_few_are(rows: list[tuple[int, int, float]]) -> None:
    codes, ranks, scores = columns(rows)
    with pytest.MonkeyPatch.context() as patched:
        few = score_order.order_by_score(codes, scores)
        told = score_order.find_contradictions(codes, ranks, scores)
        patched.setattr(score_order, "_MANY", 1)
        many = score_order.order_by_score(codes, scores)
        assert score_order.find_contradictions(codes, ranks, scores).tolist() == told.tolist()
    assert (few is None) == (many is None)
    if few is not None and many is not None:
        assert many.dtype == few.dtype and many.tolist() == few.tolist()
