"""Tests of whole columns. The result of a test is the rows in which it is true and the rows in
which it is false."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Mask, Objects

FilterColumns = Mapping[str, Floats | Objects]
"""Columns by name, all of the same length: float64[row] for numbers, with NaN for missing ones, or
object[row] for texts, with None for missing ones."""

Truth = tuple[Mask, Mask]
"""The rows in which a test is true, and the rows in which it is false, bool[row] each.

In all other rows a value is missing, so that the test is neither true nor false."""
Test = Callable[[FilterColumns], Truth]

_COMPARE = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def combine_tests(tests: list[Test], *, any_suffices: bool) -> Test:
    """Return a test that combines several tests. If `any_suffices` is true, they are joined by
    "or", otherwise by "and"."""
    if len(tests) == 1:
        return tests[0]

    def test_combined(columns: FilterColumns) -> Truth:
        truths = [test(columns) for test in tests]
        any_of, all_of = np.logical_or.reduce, np.logical_and.reduce
        true, false = [t for t, _ in truths], [f for _, f in truths]
        return (any_of(true), all_of(false)) if any_suffices else (all_of(true), any_of(false))

    return test_combined


def negate_test_if(test: Test, is_negated: bool) -> Test:
    """Return the negated test if `is_negated` is true, otherwise the test itself."""

    def test_negated(columns: FilterColumns) -> Truth:
        true, false = test(columns)
        return false, true

    return test_negated if is_negated else test


def _is_known(values: Floats | Objects) -> Mask:
    return np.asarray(pd.notna(values))


def _make_truth(is_true: Mask, is_known: Mask) -> Truth:
    return is_known & is_true, is_known & ~is_true


def make_value_test(column: str, operator: str, value: str | float) -> Test:
    """Return a test that compares a column with one value."""

    def test_value(columns: FilterColumns) -> Truth:
        values = columns[column]
        return _make_truth(_COMPARE[operator](values, value).astype(np.bool_), _is_known(values))

    return test_value


def make_column_test(column: str, operator: str, other_column: str) -> Test:
    """Return a test that compares a column with another column of the same kind."""

    def find_truth(columns: FilterColumns) -> Truth:
        values, other_values = columns[column], columns[other_column]
        return _make_truth(
            _COMPARE[operator](values, other_values).astype(np.bool_),
            _is_known(values) & _is_known(other_values),
        )

    return find_truth


def make_membership_test(column: str, choices: list[str | float]) -> Test:
    """Return a test that checks whether a column's value is in a list of values."""

    def test_membership(columns: FilterColumns) -> Truth:
        values = columns[column]
        return _make_truth(pd.Series(values).isin(choices).to_numpy(), _is_known(values))

    return test_membership


def make_substring_test(column: str, substring: str | float) -> Test:
    """Return a test that checks whether a column's text contains `substring`, ignoring case."""
    lower_part = str(substring).casefold()

    def test_substring(columns: FilterColumns) -> Truth:
        values = pd.Series(columns[column], dtype=object)
        is_known = _is_known(columns[column])
        contains_part = (
            values.where(is_known, "").str.casefold().str.contains(lower_part, regex=False)
        )
        return _make_truth(contains_part.to_numpy(dtype=np.bool_), is_known)

    return test_substring
