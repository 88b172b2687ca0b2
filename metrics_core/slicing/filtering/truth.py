"""What a test says of whole columns: where it is true, and where it is false."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Mask

Columns = Mapping[str, Floats | npt.NDArray[np.object_]]
"""Columns by name, all of one length: float64 with NaN where a number is missing, or texts as
objects with None."""

Truth = tuple[Mask, Mask]
"""Where something is true and where it is false; where it is neither, a value is missing."""
Test = Callable[[Columns], Truth]

_COMPARE = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def joined_by(tests: list[Test], *, either: bool) -> Test:
    """Whether any of the tests holds, or all of them."""
    if len(tests) == 1:
        return tests[0]

    def joined(columns: Columns) -> Truth:
        found = [test(columns) for test in tests]
        some, every = np.logical_or.reduce, np.logical_and.reduce
        true, false = [t for t, _ in found], [f for _, f in found]
        return (some(true), every(false)) if either else (every(true), some(false))

    return joined


def turned_if(test: Test, contrary: bool) -> Test:
    """The test, or its contrary."""

    def turned(columns: Columns) -> Truth:
        true, false = test(columns)
        return false, true

    return turned if contrary else test


def _known(values: Floats | npt.NDArray[np.object_]) -> Mask:
    return np.asarray(pd.notna(values))


def _told(true: Mask, known: Mask) -> Truth:
    return known & true, known & ~true


def with_value(column: str, operator: str, value: str | float) -> Test:
    """A column against one value."""

    def compared(columns: Columns) -> Truth:
        values = columns[column]
        return _told(_COMPARE[operator](values, value).astype(np.bool_), _known(values))

    return compared


def with_column(column: str, operator: str, other: str) -> Test:
    """A column against another of its kind."""

    def compared(columns: Columns) -> Truth:
        one, two = columns[column], columns[other]
        return _told(_COMPARE[operator](one, two).astype(np.bool_), _known(one) & _known(two))

    return compared


def one_of(column: str, wanted: list[str | float]) -> Test:
    """Whether a column's value is one of these."""

    def listed(columns: Columns) -> Truth:
        values = columns[column]
        return _told(pd.Series(values).isin(wanted).to_numpy(), _known(values))

    return listed


def containing(column: str, part: str | float) -> Test:
    """Whether a column's text holds this one, in whatever case."""
    wanted = str(part).casefold()

    def inside(columns: Columns) -> Truth:
        values = pd.Series(columns[column], dtype=object)
        known = _known(columns[column])
        found = values.where(known, "").str.casefold().str.contains(wanted, regex=False)
        return _told(found.to_numpy(dtype=np.bool_), known)

    return inside
