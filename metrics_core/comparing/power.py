"""What so many queries can show: the smallest difference, and how many queries a difference needs.

Of normal differences the statistic has a noncentral t distribution, which is exact where a t-test
decides and near enough where the draws do (Sakai, Topic set size design, IRJ 2016). The functions
are those behind scipy.stats, which takes half a second to load.
"""

from __future__ import annotations

import math

import numpy as np

from metrics_core.comparing.verdicts import FEWEST_QUERIES

POWER = 0.8
"""What is asked of a test: to show a difference that is there four times out of five."""

_NORMAL = 10_000
"""From so many queries on a t distribution is taken as normal."""
_MOST = 10**12


def chance_to_show(difference: float, error: float, width: float, queries: int) -> float:
    """How likely a true mean difference is shown, where the mean of so many queries has this
    standard error and must be more than `width` of them from zero."""
    from scipy import special

    shift = abs(difference) / error
    if queries >= _NORMAL:
        return float(special.ndtr(shift - width) + special.ndtr(-width - shift))
    near = special.nctdtr(queries - 1, -shift, -width)
    far = special.nctdtr(queries - 1, shift, -width)
    # scipy gives NaN where hardly anything is left on the far side.
    return float(near + np.nan_to_num(far))


def smallest_shown(error: float, width: float, queries: int, power: float = POWER) -> float:
    """The smallest true mean difference that these queries show with probability `power`.

    `error` is the standard error of the mean difference and `width` how many of them its interval
    reaches to either side (`Resampled.width`, which holds what a correction costs). About
    error * (width + the `power` quantile of t). NaN where there is no error or no width, as with
    one query.
    """
    if queries < 2 or not (math.isfinite(error) and math.isfinite(width)):
        return math.nan
    if not error:
        return 0.0

    def shows(shift: float) -> bool:
        return chance_to_show(shift, 1.0, width, queries) >= power

    low, enough = 0.0, width + 1
    if shows(low):
        return low
    while not shows(enough):
        enough *= 2
    # Halved until no number lies between: scipy.optimize would take a fifth of a second to load.
    while low < (middle := (low + enough) / 2) < enough:
        low, enough = (low, middle) if shows(middle) else (middle, enough)
    return error * enough


def level_of_one(width: float, queries: int) -> float:
    """The level at which a t-test of one difference is as strict as an interval so many standard
    errors wide: what a correction for several leaves to each."""
    from scipy import special

    return 1 - 2 * float(special.stdtr(queries - 1, -width))


def queries_needed(
    difference: float, deviation: float, level: float, power: float = POWER
) -> float:
    """How many queries show a true mean difference with probability `power`; inf where none do.

    `deviation` is the standard deviation of the paired differences, `level` that of the test of one
    of them (`level_of_one`). Never fewer than those without which there is no verdict. NaN where
    the deviation is not known.
    """
    if math.isnan(deviation) or math.isnan(difference):
        return math.nan
    if not difference:
        return math.inf
    if not deviation:
        return FEWEST_QUERIES

    def shows(queries: int) -> bool:
        return _shown_by(difference, deviation, level, queries) >= power

    high = FEWEST_QUERIES
    while not shows(high):
        low, high = high, 2 * high
        if high > _MOST:
            return math.inf
    if high == FEWEST_QUERIES:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def _shown_by(difference: float, deviation: float, level: float, queries: int) -> float:
    from scipy import special

    width = float(special.stdtrit(queries - 1, (1 + level) / 2))
    return chance_to_show(difference, deviation / np.sqrt(queries), width, queries)
