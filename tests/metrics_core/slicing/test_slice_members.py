"""Slices told once for all queries that are in the very same ones."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.slicing.slice_members import SliceMembers, assign_query_kinds


@given(st.integers(1, 4), st.integers(1, 40), st.integers(0, 99))
def test_queries_of_a_kind_have_the_same_codes(columns: int, n: int, seed: int) -> None:
    codes = np.random.default_rng(seed).integers(-1, 3, (columns, n))
    kind, first = assign_query_kinds(iter(codes))
    np.testing.assert_array_equal(codes[:, first][:, kind], codes)
    assert len(first) == len(np.unique(codes, axis=1).T)


def test_what_slices_hold() -> None:
    members = SliceMembers(np.array([1, 0, 1, 2]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    np.testing.assert_array_equal(members.slices_by_query, [[0, 1], [1, 0], [0, 1], [1, 1]])
    np.testing.assert_array_equal(members.queries, [2, 3])
    np.testing.assert_array_equal(members.sum_by_slice(np.array([1.0, 2.0, 4.0, 8.0])), [10, 13])
    np.testing.assert_array_equal(members.query_mask(0), [False, True, False, True])
