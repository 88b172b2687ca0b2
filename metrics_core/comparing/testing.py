"""Columns of paired differences, tested and corrected the way that was chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from metrics_core.comparing.method import BOOTSTRAP, MAX_T, Method
from metrics_core.comparing.resampled import Resampled, resampled
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.measures import Combination

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Tested:
    """What a method says of C mean differences; each float64[C], NaN where there is no test.

    `low` and `high` are the interval that agrees with `p_corrected`; `inner_low` and `inner_high`
    are the one by which two one-sided tests find a difference smaller than a margin. `sample` is
    what the draws say of the same columns, whatever the method.
    """

    sample: Resampled
    mean: Floats
    p: Floats
    p_corrected: Floats
    low: Floats
    high: Floats
    inner_low: Floats
    inner_high: Floats

    @property
    def effect(self) -> Floats:
        """The mean in standard deviations of the differences; 0 where no query differs, NaN where
        all differ alike."""
        effect = self.sample.statistic / np.sqrt(np.maximum(self.sample.queries, 1))
        return np.where(np.isinf(effect), np.nan, effect)

    def within(self, margin: float | None) -> npt.NDArray[np.bool_]:
        """Which differences are smaller than the margin; none where nobody has said one."""
        if margin is None:
            return np.zeros(len(self.mean), dtype=bool)
        return np.maximum(-self.inner_low, self.inner_high) < margin


_ENDS = ("mean", "low", "high", "inner_low", "inner_high")


def tested_scores(
    values: Floats, baseline: Floats, combination: Combination, method: Method
) -> Tested:
    """Test the combined scores of float64[Q, C] against those of a baseline, float64[Q, C] or
    float64[Q, 1], over the queries that both define, on the scale on which they are combined."""
    own, other = np.broadcast_arrays(combination.onto(values), combination.onto(baseline))
    found = tested(own - other, method)
    if combination.linear:
        return found
    # Ends of such a scale are taken back from where the baseline stands on it.
    start = means(np.where(np.isnan(own), np.nan, other))
    mean, low, high, inner_low, inner_high = (
        combination.back(start + getattr(found, end)) - combination.back(start) for end in _ENDS
    )
    return replace(found, mean=mean, low=low, high=high, inner_low=inner_low, inner_high=inner_high)


def means(values: Floats) -> Floats:
    """Means of the defined values of each column of float64[Q, C]; NaN where there is none."""
    defined = ~np.isnan(values)
    found, counts = np.full(values.shape[1], np.nan), defined.sum(axis=0)
    np.divide(np.where(defined, values, 0.0).sum(axis=0), counts, out=found, where=counts > 0)
    return found


def tested(differences: Floats, method: Method) -> Tested:
    """Test the means of the columns of float64[Q, C]; NaN where a query has no difference.

    Columns with fewer than `FEWEST_QUERIES` differences are not tested, and are no part of the
    correction of the others.
    """
    sample = resampled(differences, fewest=FEWEST_QUERIES)
    if method.test == BOOTSTRAP:
        if method.corrected_by == MAX_T:
            return _by_draws(sample, method)
        return _side_by_side(sample, [_by_draws(one, method) for one in _each(differences)])
    raise NotImplementedError


def _by_draws(sample: Resampled, method: Method) -> Tested:
    outer, inner = sample.intervals(method.level), sample.intervals(_inner(method))
    p = sample.single, sample.corrected
    return Tested(sample, sample.mean, *p, outer.low, outer.high, inner.low, inner.high)


def _inner(method: Method) -> float:
    """The level of the interval that two one-sided tests at this level amount to (Schuirmann, A
    comparison of the two one-sided tests procedure, 1987)."""
    return 1 - 2 * (1 - method.level)


def _each(differences: Floats) -> list[Resampled]:
    columns = np.split(differences, differences.shape[1], axis=1)
    return [resampled(column, fewest=FEWEST_QUERIES) for column in columns]


def _side_by_side(sample: Resampled, parts: list[Tested]) -> Tested:
    names = ("mean", "p", "p_corrected", *_ENDS[1:])
    joined = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return Tested(sample, *joined)
