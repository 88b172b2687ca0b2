"""What so many queries can show: the smallest difference, and how many queries a difference needs.

Of normal differences the statistic has a noncentral t distribution (Sakai, Topic set size design,
IRJ 2016), taken over what their deviation may be after so many. On the differences of real runs
what is said to show four times out of five does so in 76 to 80 of 100 cases from 20 queries on
(benchmarks/simulations.py); under 20 it is not said. The functions are those behind scipy.stats,
which takes half a second to load.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats
from metrics_core.comparing.verdicts import FEWEST_QUERIES

POWER = 0.8
"""What is asked of a test: to show a difference that is there four times out of five."""

FEWEST_FOR_POWER = 20
"""Of fewer queries nothing is said of what they could show: their deviation is too little known."""

_NORMAL = 10_000
"""From so many queries on a t distribution is taken as normal."""
_DEVIATIONS = 40
"""Values that the deviation may have, equally likely ones."""
_MOST = 10**12
_NEARLY = 1e-9
_LARGEST = 1e6
_TWO_FIGURES = 1e-4
"""How near a loss is found of which two figures are told."""


def detection_chance(difference: float, error: npt.ArrayLike, width: float, queries: int) -> Floats:
    """How likely a true mean difference is shown, where the mean of so many queries has this
    standard error, one or several, and must be more than `width` of them from zero."""
    from scipy import special

    shift = abs(difference) / np.asarray(error, dtype=np.float64)
    if queries >= _NORMAL:
        return np.asarray(special.ndtr(shift - width) + special.ndtr(-width - shift))
    near_tail = special.nctdtr(queries - 1, -shift, -width)
    far_tail = special.nctdtr(queries - 1, shift, -width)
    # scipy gives NaN where hardly anything is left on the far side.
    return np.asarray(near_tail + np.nan_to_num(far_tail))


def _likely_deviations(queries: int) -> Floats:
    """What the deviation of normal differences may be, in units of that of so many of them."""
    from scipy import special

    if queries >= _NORMAL:
        return np.ones(1)
    shares = (np.arange(_DEVIATIONS) + 0.5) / _DEVIATIONS
    return np.sqrt((queries - 1) / special.chdtri(queries - 1, shares))


def smallest_detectable(error: float, width: float, queries: int) -> float:
    """The smallest true mean difference that these queries show with probability `POWER`.

    `error` is the standard error of the mean difference and `width` how many of them it must be
    from zero (`Tested.width`, which holds what a correction costs). NaN where there is no error or
    no width, and of fewer than `FEWEST_FOR_POWER` queries.
    """
    if queries < FEWEST_FOR_POWER or not (math.isfinite(error) and math.isfinite(width)):
        return math.nan
    if not error:
        return 0.0

    deviations = _likely_deviations(queries)

    def is_detected(shift: float) -> bool:
        return bool(detection_chance(shift, deviations, width, queries).mean() >= POWER)

    low, enough = 0.0, width + 1
    if is_detected(low):
        return low
    while not is_detected(enough):
        enough *= 2
    # Halved: scipy.optimize would take a fifth of a second to load.
    while enough - low > _NEARLY * enough:
        middle = (low + enough) / 2
        low, enough = (low, middle) if is_detected(middle) else (middle, enough)
    return error * enough


def failure_chance(
    loss: float, error: float, width: float, queries: int, beyond: float, share: float = 1.0
) -> float:
    """How likely a true loss is found to be one, and larger than `beyond`; NaN where
    `smallest_detectable` is, and without an error.

    The loss is on the `share` of queries that differ, and so makes differences vary more than they
    do by their standard error without it.
    """
    if queries < FEWEST_FOR_POWER or not (
        math.isfinite(error) and math.isfinite(width) and error > 0
    ):
        return math.nan
    from scipy import special

    deviations = _likely_deviations(queries)
    spread = np.hypot(error * deviations, loss * math.sqrt((1 / share - 1) / queries))
    beyond_chance = special.ndtr((loss - beyond) / spread)
    # The one nearly always brings the other along, so that the rarer of the two counts.
    return float(np.minimum(detection_chance(loss, spread, width, queries), beyond_chance).mean())


def smallest_failing_loss(
    error: float, width: float, queries: int, beyond: float, share: float = 1.0
) -> float:
    """The smallest true loss that is found to be one, and larger than `beyond`, with probability
    `POWER`; NaN where `failure_chance` is, and where none is found so often."""

    def fails(loss: float) -> bool:
        return failure_chance(loss, error, width, queries, beyond, share) >= POWER

    low, enough = beyond, beyond + (width + 1) * error
    while not fails(enough):
        enough *= 2
        if not enough < _LARGEST * (beyond + error):
            return math.nan
    while enough - low > _TWO_FIGURES * enough:
        middle = (low + enough) / 2
        low, enough = (low, middle) if fails(middle) else (middle, enough)
    return enough


def single_test_level(width: float, queries: int) -> float:
    """The level at which a t-test of one difference is as strict as an interval so many standard
    errors wide: what a correction for several leaves to each."""
    from scipy import special

    return 1 - 2 * float(special.stdtr(queries - 1, -width))


def find_queries_needed(difference: float, deviation: float, level: float) -> float:
    """How many queries show a true mean difference with probability `POWER`; inf where none do.

    `deviation` is the standard deviation of the paired differences, `level` that of the test of one
    of them (`single_test_level`). Never fewer than those without which there is no verdict. NaN
    where the deviation is not known.
    """
    if math.isnan(deviation) or math.isnan(difference):
        return math.nan
    if not difference:
        return math.inf
    if not deviation:
        return FEWEST_QUERIES

    def is_detected(queries: int) -> bool:
        return _power_with(difference, deviation, level, queries) >= POWER

    high = FEWEST_QUERIES
    while not is_detected(high):
        low, high = high, 2 * high
        if high > _MOST:
            return math.inf
    if high == FEWEST_QUERIES:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_detected(middle) else (middle, high)
    return high


def _power_with(difference: float, deviation: float, level: float, queries: int) -> float:
    from scipy import special

    width = float(special.stdtrit(queries - 1, (1 + level) / 2))
    return float(detection_chance(difference, deviation / np.sqrt(queries), width, queries))
