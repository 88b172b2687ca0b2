"""Is a difference smaller than matters? Two one-sided t-tests against a margin.

Schuirmann, A comparison of the two one-sided tests procedure and the power approach, 1987: the
difference is within the margin where it is shown to be both above -margin and below +margin.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from metrics_core.errors import ParameterError
from metrics_core.measures import GivenMeasure, parse_measure
from metrics_core.scoring.intervals import LEVEL

Floats = npt.NDArray[np.float64]

_OF_THE_SCALE = 0.01


def equivalence_p(
    mean: npt.ArrayLike, error: npt.ArrayLike, queries: npt.ArrayLike, margin: float
) -> Floats:
    """p-values of "the mean difference is as large as the margin", of the shape of the arguments
    together: the larger of the two one-sided ones. NaN below two queries.

    `error` is the standard error of the mean difference; where it is 0 the difference is known.
    Raises ParameterError where the margin is not above 0.
    """
    from scipy import stats

    if not 0 < margin < math.inf:
        raise ParameterError(
            f"A margin of {margin:g} is none.",
            "It is the smallest difference that matters, and greater than 0.",
        )
    mean, error, n = np.broadcast_arrays(
        np.asarray(mean, np.float64), np.asarray(error, np.float64), np.asarray(queries)
    )
    free = np.where(n >= 2, n - 1, np.nan)
    # The farther of the two margins decides nothing: the nearer one has the larger p-value.
    left = margin - np.abs(mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = left / error
    # A difference of just the margin is not smaller than it.
    distance = np.where(error == 0, np.where(left > 0, np.inf, -np.inf), distance)
    return np.asarray(stats.t.sf(distance, free))


def within(
    mean: npt.ArrayLike,
    error: npt.ArrayLike,
    queries: npt.ArrayLike,
    margin: float,
    level: float = LEVEL,
) -> npt.NDArray[np.bool_]:
    """Whether mean differences are shown to be smaller than the margin, at this level: just where
    the t interval at 1 - 2 * (1 - level) lies inside it. Raises ParameterError."""
    return equivalence_p(mean, error, queries, margin) <= 1 - level


def suggested_margin(measure: GivenMeasure) -> float | None:
    """A margin to begin with: a hundredth of the measure's scale, None where that has no end.

    It is taken from the scale alone and never from the data, which would choose the margin that
    suits them. On a scale of 0 to 1 it is 0.01, as is the band in which two scores of a query count
    as the same, and a step that a table of three decimals shows clearly. Whether less matters is
    for those to say who know the searches.
    """
    low, high = parse_measure(measure).declaration.range
    return _OF_THE_SCALE * (high - low) if math.isfinite(high - low) else None
