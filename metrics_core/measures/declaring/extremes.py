"""How the extremes of a score are found over all grades that unjudged documents could have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Residual = Literal[
    "monotone",
    "count",
    "recall",
    "precisions",
    "at relevant",
    "normalised",
    "unaffected",
    "range",
]
"""How `residuals` finds what the unjudged documents could make of a score; explained there."""

Reach = Literal["additive", "first", "apart"]
"""How `comparing.reach` finds what they could make of a difference; explained there."""

Whole = Callable[[npt.NDArray[np.int64]], npt.NDArray[np.float64]]
"""A divisor, float64[Q], by how many further documents of V grades are judged, int64[Q, V]."""


@dataclass(frozen=True)
class Share:
    """The score is that of the measure `part`, with the same parameters, by a divisor:
    `whole(ranks, grades, **parameters)` gives it for V rising grades."""

    part: str
    whole: Callable[..., Whole]
