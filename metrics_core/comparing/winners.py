"""Which of two runs is better: the only rule that decides whether two runs are tied."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

ROUNDING = 1e-12
"""A difference of 0 may be off by this much, depending on the order of a sum."""


def find_better_sides(differences: npt.ArrayLike, direction: int = 1) -> npt.NDArray[np.int64]:
    """Return the better side of each of `differences` float64[…] (run minus baseline), int64[…]: 1
    for the run, -1 for the baseline, 0 if they are tied or the difference is undefined. `direction`
    is -1 for a measure for which lower is better."""
    defined = np.nan_to_num(np.asarray(differences, dtype=np.float64), nan=0.0)
    return np.where(np.abs(defined) > ROUNDING, np.sign(defined) * direction, 0).astype(np.int64)


def better_side(difference: float, direction: int = 1) -> int:
    """Return `find_better_sides` of one difference."""
    return int(find_better_sides(difference, direction))
