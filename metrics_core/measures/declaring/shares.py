"""Scores that are the score of another measure, divided by what judgments raise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Whole = Callable[[npt.NDArray[np.int64]], npt.NDArray[np.float64]]
"""A divisor, float64[Q], by how many further documents of V grades are judged, int64[Q, V]."""


@dataclass(frozen=True)
class Share:
    """The score is that of the measure `part`, with the same parameters, by a divisor:
    `whole(ranks, grades, **parameters)` gives it for V rising grades."""

    part: str
    whole: Callable[..., Whole]
