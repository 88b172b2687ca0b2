"""Which of two does better: the one rule by which two are level."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

ROUNDING = 1e-12
"""What the order of a sum may make of a difference that is 0."""


def better_sides(differences: npt.ArrayLike, direction: int = 1) -> npt.NDArray[np.int64]:
    """1 where the run does better than its baseline, -1 where the baseline does, 0 where the two
    are level or the difference is undefined. `differences` are float64 of any shape, run minus
    baseline; `direction` is -1 for a measure of which less is better."""
    defined = np.nan_to_num(np.asarray(differences, dtype=np.float64), nan=0.0)
    return np.where(np.abs(defined) > ROUNDING, np.sign(defined) * direction, 0).astype(np.int64)


def better_side(difference: float, direction: int = 1) -> int:
    """`better_sides` of one difference."""
    return int(better_sides(difference, direction))
