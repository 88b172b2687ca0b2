"""Decide which of two runs is better. Only this module decides whether two runs are tied."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Ints

ROUNDING = 1e-12
"""Differences of at most this absolute value count as 0, because they may be rounding errors, which
depend on the order in which values are summed."""


def better_run_signs(differences: npt.ArrayLike, direction: int = 1) -> Ints:
    """Return which side is better for each difference, int64[…].

    `differences` float64[…] is run minus baseline. The result is 1 for the run, -1 for the
    baseline, and 0 if they are tied or the difference is undefined. `direction` is -1 for a measure
    for which lower is better."""
    defined = np.nan_to_num(np.asarray(differences, dtype=np.float64), nan=0.0)
    return np.where(np.abs(defined) > ROUNDING, np.sign(defined) * direction, 0).astype(np.int64)


def better_run_sign(difference: float, direction: int = 1) -> int:
    """Return the result of `better_run_signs` for a single difference."""
    return int(better_run_signs(difference, direction))
