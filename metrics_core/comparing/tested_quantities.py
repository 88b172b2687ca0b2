"""What is tested for a measure: the only place that decides between mean difference, typical ratio
and sign.

    mean difference   the mean of the paired differences; all measures that are not costs
    typical ratio     the geometric mean of the paired ratios, tested on logarithms; costs
    sign              which run has the higher value more often; costs with a value of 0 or below

A cost has no verdict on the difference of its means: a long tail that was not seen is not in the
data, and with equal means every test tried was wrong in 9 to 48 % of cases (20 and 50 queries). A
measure whose direction is not declared is not tested.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Objects
from metrics_core.measures import Measure

MEAN_DIFFERENCE, TYPICAL_RATIO, SIGN = "mean difference", "typical ratio", "sign"
NOT_TESTED = ""


def tests_means(measure: Measure) -> bool:
    """Whether the verdict on a measure concerns its mean difference."""
    return measure.declaration.scale != "cost" and measure.declaration.direction != 0


def find_tested_quantities(measure: Measure, values: Floats, baseline: Floats) -> Objects:
    """Return what is tested of each pair, object[column]: one of this module's words. `values` and
    `baseline` are float64[query, column], NaN if undefined."""
    if measure.declaration.direction == 0 or tests_means(measure):
        word = MEAN_DIFFERENCE if tests_means(measure) else NOT_TESTED
        return np.full(values.shape[1], word, dtype=object)
    is_defined = ~np.isnan(values + baseline)
    is_positive = ((np.minimum(values, baseline) > 0) | ~is_defined).all(axis=0)
    return np.where(is_positive, TYPICAL_RATIO, SIGN).astype(object)


def find_tested_differences(values: Floats, baseline: Floats, tested: Objects) -> Floats:
    """Return the differences whose mean is tested, float64[query, column]: of logarithms for the
    typical ratio, 1 or -1 for the sign."""
    values, baseline = np.broadcast_arrays(values, baseline)
    differences = values - baseline
    is_ratio, is_sign = tested == TYPICAL_RATIO, tested == SIGN
    if is_ratio.any():
        differences[:, is_ratio] = np.log(values[:, is_ratio]) - np.log(baseline[:, is_ratio])
    differences[:, is_sign] = np.sign(differences[:, is_sign])
    return differences


def to_tested_scale(measure: Measure, scores: Floats) -> Floats:
    """Return scores whose differences are tested by their means, float64[…]: for costs the
    logarithms. All NaN if a cost is 0 or below, or no direction is declared: not tested."""
    if tests_means(measure):
        return np.asarray(measure.declaration.combination.to_scale(scores), dtype=np.float64)
    if measure.declaration.direction == 0 or not np.nanmin(scores, initial=np.inf) > 0:
        return np.full(scores.shape, np.nan)
    return np.log(scores)


@dataclass(frozen=True)
class TestedCosts:
    """What was tested instead of a mean difference, each field [column].

    `tested` has the words of this module. `estimate` is positive if the run has the higher values:
    the mean logarithm of the ratio, or the mean sign. `ratio` is the typical ratio of run to
    baseline, `low` and `high` its interval, `inner_low` and `inner_high` that of two one-sided
    tests; NaN if another quantity is tested.
    """

    __test__ = False  # not a test for pytest

    tested: Objects
    estimate: Floats
    ratio: Floats
    low: Floats
    high: Floats
    inner_low: Floats
    inner_high: Floats

    @classmethod
    def from_logarithms(cls, tested: Objects, *logarithms: Floats) -> TestedCosts:
        """Return the results for a mean on the tested scale and the bounds of its intervals."""
        ratios = (
            np.where(tested == TYPICAL_RATIO, np.exp(np.minimum(end, 700)), np.nan)
            for end in logarithms
        )
        return cls(tested, logarithms[0], *ratios)
