"""Statistical power: the smallest detectable difference, and the number of queries needed to detect
a difference.

For normally distributed differences, the test statistic has a noncentral t distribution (Sakai,
Topic set size design, IRJ 2016), which is averaged over the likely values of the standard
deviation. On differences of real runs, a nominal power of 80% is reached in 76 to 80 of 100 cases
from 20 queries on (benchmarks/simulations.py); below 20 queries no power is reported. The
distributions come directly from scipy.special, because importing scipy.stats takes half a
second."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats
from metrics_core.comparing.verdicts import FEWEST_QUERIES

POWER = 0.8
"""The power that is required of a test."""

FEWEST_FOR_POWER = 20
"""Minimum number of queries for a statement on power. With fewer queries the standard deviation is
too uncertain."""

_NORMAL = 10_000
"""From this number of queries on, the t distribution is replaced by the normal distribution."""
_DEVIATIONS = 40
"""Number of equally likely values of the standard deviation over which power is averaged."""
_MOST = 10**12
_NEARLY = 1e-9
_LARGEST = 1e6
_TWO_FIGURES = 1e-4
"""Relative precision of a loss, enough for two displayed figures."""


def detection_chance(
    difference: float, standard_error: npt.ArrayLike, critical_value: float, n_queries: int
) -> Floats:
    """Return the probability that a true mean difference is found significant, float64[…] of the
    shape of `standard_error`.

    `standard_error`, a number or an array float64[…], is the standard error of the mean difference.
    The difference is significant if it is more than `critical_value` standard errors from zero."""
    from scipy import special

    shift = abs(difference) / np.asarray(standard_error, dtype=np.float64)
    if n_queries >= _NORMAL:
        return np.asarray(
            special.ndtr(shift - critical_value) + special.ndtr(-critical_value - shift)
        )
    near_tail = special.nctdtr(n_queries - 1, -shift, -critical_value)
    far_tail = special.nctdtr(n_queries - 1, shift, -critical_value)
    # scipy returns NaN if almost nothing is left on the far side.
    return np.asarray(near_tail + np.nan_to_num(far_tail))


def _deviation_quantiles(n_queries: int) -> Floats:
    """Return equally likely values of the true standard deviation, float64[value], as multiples of
    the standard deviation observed on this number of queries.

    The differences are assumed to be normally distributed."""
    from scipy import special

    if n_queries >= _NORMAL:
        return np.ones(1)
    shares = (np.arange(_DEVIATIONS) + 0.5) / _DEVIATIONS
    return np.sqrt((n_queries - 1) / special.chdtri(n_queries - 1, shares))


def smallest_detectable_difference(
    standard_error: float, critical_value: float, n_queries: int
) -> float:
    """Return the smallest true mean difference that these queries detect with probability `POWER`.

    `standard_error` is the standard error of the mean difference. `critical_value` is the number of
    standard errors from zero at which a difference becomes significant (`ComparisonResults.width`,
    which includes the correction). Returns NaN if `standard_error` or `critical_value` is not
    finite, or if there are fewer than `FEWEST_FOR_POWER` queries."""
    if n_queries < FEWEST_FOR_POWER or not (
        math.isfinite(standard_error) and math.isfinite(critical_value)
    ):
        return math.nan
    if not standard_error:
        return 0.0

    deviations = _deviation_quantiles(n_queries)

    def is_shift_detected(shift: float) -> bool:
        return bool(detection_chance(shift, deviations, critical_value, n_queries).mean() >= POWER)

    low, enough = 0.0, critical_value + 1
    if is_shift_detected(low):
        return low
    while not is_shift_detected(enough):
        enough *= 2
    # Bisection: scipy.optimize would take a fifth of a second to import.
    while enough - low > _NEARLY * enough:
        middle = (low + enough) / 2
        low, enough = (low, middle) if is_shift_detected(middle) else (middle, enough)
    return standard_error * enough


def failure_chance(
    loss: float,
    standard_error: float,
    critical_value: float,
    n_queries: int,
    allowed_loss: float,
    differing_share: float = 1.0,
) -> float:
    """Return the probability that a true loss of `loss` is found significant with an estimate above
    `allowed_loss`.

    Returns NaN if there are too few queries, if `standard_error` or `critical_value` is not finite,
    or if `standard_error` is 0. The loss is assumed to occur only on the `differing_share` of
    queries that differ. The differences therefore vary more than the observed `standard_error`
    says."""
    if n_queries < FEWEST_FOR_POWER or not (
        math.isfinite(standard_error) and math.isfinite(critical_value) and standard_error > 0
    ):
        return math.nan
    from scipy import special

    deviations = _deviation_quantiles(n_queries)
    spread = np.hypot(
        standard_error * deviations, loss * math.sqrt((1 / differing_share - 1) / n_queries)
    )
    beyond_chance = special.ndtr((loss - allowed_loss) / spread)
    # One condition almost always implies the other, so the less likely of the two decides.
    return float(
        np.minimum(detection_chance(loss, spread, critical_value, n_queries), beyond_chance).mean()
    )


def smallest_failing_loss(
    standard_error: float,
    critical_value: float,
    n_queries: int,
    allowed_loss: float,
    differing_share: float = 1.0,
) -> float:
    """Return the smallest true loss with a `failure_chance` of at least `POWER`. The other
    arguments are the same as for `failure_chance`. Returns NaN if `failure_chance` is NaN or never
    reaches `POWER`."""

    def is_failure_likely(loss: float) -> bool:
        return (
            failure_chance(
                loss, standard_error, critical_value, n_queries, allowed_loss, differing_share
            )
            >= POWER
        )

    low, enough = allowed_loss, allowed_loss + (critical_value + 1) * standard_error
    while not is_failure_likely(enough):
        enough *= 2
        if not enough < _LARGEST * (allowed_loss + standard_error):
            return math.nan
    while enough - low > _TWO_FIGURES * enough:
        middle = (low + enough) / 2
        low, enough = (low, middle) if is_failure_likely(middle) else (middle, enough)
    return enough


def detectable_loss(scores: Floats, share: float) -> float:
    """Return the smallest true mean loss that a gate on these queries detects with a probability of
    at least `POWER`; NaN if `failure_chance` is NaN.

    `scores`, float64[query], are the scores of one run. The loss is assumed to come from a change
    that affects a `share` of the queries. On these queries, the scores before and after the change
    are assumed to differ as much as the scores of two random queries."""
    from scipy import special

    scores = scores[~np.isnan(scores)]
    queries = scores.size
    if queries < FEWEST_FOR_POWER:
        return math.nan
    error = float(scores.std(ddof=1)) * math.sqrt(2 * share / queries)
    width = float(special.stdtrit(queries - 1, 0.975))
    return smallest_failing_loss(error, width, queries, 0.0, share)


def single_test_level(critical_value: float, n_queries: int) -> float:
    """Return the confidence level at which a t-test of a single difference requires
    `critical_value` standard errors. If several tests are corrected together, this is the level of
    each single test."""
    from scipy import special

    return 1 - 2 * float(special.stdtr(n_queries - 1, -critical_value))


def find_query_count_needed(difference: float, deviation: float, level: float) -> float:
    """Return the number of queries needed to detect a true mean difference with probability
    `POWER`; inf if no number is enough.

    `deviation` is the standard deviation of the paired differences, and `level` is the confidence
    level of the test of a single difference (`single_test_level`). The result is at least
    `FEWEST_QUERIES`, the minimum for a verdict. It is NaN if the deviation or the difference is
    unknown."""
    if math.isnan(deviation) or math.isnan(difference):
        return math.nan
    if not difference:
        return math.inf
    if not deviation:
        return FEWEST_QUERIES

    from scipy import special

    def is_difference_detected(n_queries: int) -> bool:
        width = float(special.stdtrit(n_queries - 1, (1 + level) / 2))
        error = deviation / math.sqrt(n_queries)
        return bool(detection_chance(difference, error, width, n_queries) >= POWER)

    high = FEWEST_QUERIES
    while not is_difference_detected(high):
        low, high = high, 2 * high
        if high > _MOST:
            return math.inf
    if high == FEWEST_QUERIES:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_difference_detected(middle) else (middle, high)
    return high
