"""Decide which quantity is tested for a measure: mean difference, typical ratio or sign.

    mean difference   the mean of the paired differences; for all measures that are not costs
    typical ratio     the geometric mean of the paired ratios, tested on logarithms; for costs
    sign              which run has the higher value more often; for costs with a value of 0 or
                      below

No other module decides this. A cost has no verdict on the difference of its means: the values of
a long tail may be missing from the sample, and with equal true means, every test that was tried
was wrong in 9 to 48% of cases (20 and 50 queries). A measure whose direction is not declared
is not tested."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Objects
from metrics_core.measures import Measure

MEAN_DIFFERENCE, TYPICAL_RATIO, SIGN = "mean difference", "typical ratio", "sign"
NOT_TESTED = ""


def is_mean_tested(measure: Measure) -> bool:
    """Return whether the verdict on a measure is based on the mean difference."""
    return measure.declaration.scale != "cost" and measure.declaration.direction != 0


def find_tested_quantities(measure: Measure, values: Floats, baseline: Floats) -> Objects:
    """Return the quantity that is tested for each column, object[column]: one of the constants of
    this module.

    `values` and `baseline` are float64[query, column], NaN if undefined. Each column of `values` is
    compared with the same column of `baseline`."""
    if measure.declaration.direction == 0 or is_mean_tested(measure):
        word = MEAN_DIFFERENCE if is_mean_tested(measure) else NOT_TESTED
        return np.full(values.shape[1], word, dtype=object)
    is_defined = ~np.isnan(values + baseline)
    is_positive = ((np.minimum(values, baseline) > 0) | ~is_defined).all(axis=0)
    return np.where(is_positive, TYPICAL_RATIO, SIGN).astype(object)


def find_tested_differences(values: Floats, baseline: Floats, tested: Objects) -> Floats:
    """Return the differences whose mean is tested, float64[query, column].

    For the typical ratio they are differences of logarithms, and for the sign they are 1, 0 or
    -1."""
    values, baseline = np.broadcast_arrays(values, baseline)
    differences = values - baseline
    is_ratio, is_sign = tested == TYPICAL_RATIO, tested == SIGN
    if is_ratio.any():
        differences[:, is_ratio] = np.log(values[:, is_ratio]) - np.log(baseline[:, is_ratio])
    differences[:, is_sign] = np.sign(differences[:, is_sign])
    return differences


def to_tested_scale(measure: Measure, scores: Floats) -> Floats:
    """Convert scores to the scale on which differences of means are tested, float64[…]. For costs
    this is the logarithmic scale.

    All results are NaN if a cost is 0 or below, or if no direction is declared, because such a
    measure is not tested on this scale."""
    if is_mean_tested(measure):
        return np.asarray(measure.declaration.combination.to_scale(scores), dtype=np.float64)
    if measure.declaration.direction == 0 or not np.nanmin(scores, initial=np.inf) > 0:
        return np.full(scores.shape, np.nan)
    return np.log(scores)


@dataclass(frozen=True)
class TestedCosts:
    """Test results for a cost. The test is about its typical ratio or its sign, not about its mean
    difference. Each field has the shape [column].

    `tested` contains constants of this module, such as `TYPICAL_RATIO`. `estimate` is positive if
    the run has the higher values: it is the mean logarithm of the ratio, or the mean sign. `ratio`
    is the typical ratio of run to baseline, `low` and `high` are its interval, and `inner_low` and
    `inner_high` are the interval of two one-sided tests. The ratio and both intervals are NaN if
    another quantity is tested."""

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
        """Create the results from a mean on the tested scale and the bounds of its intervals."""
        ratios = (
            np.where(tested == TYPICAL_RATIO, np.exp(np.minimum(end, 700)), np.nan)
            for end in logarithms
        )
        return cls(tested, logarithms[0], *ratios)
