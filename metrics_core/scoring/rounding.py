"""Find numbers so close to a limit that single precision cannot decide on which side they are.

Single precision costs half as much and decides almost all comparisons. Numbers whose distance from
a limit is smaller than the rounding error are recomputed in double precision, so the result is the
same as with double precision for all numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_core.base.arrays import AnyArray, Floats, Mask

_NEAR = 1e-4
"""Largest error of single precision, in standard errors, for up to ten thousand queries.

It is about ten times the observed error. The rounding error of a sum grows with the square root of
the number of queries."""
_HUGE = 30.0
"""Limit of a mean in standard errors, divided by the square root of the number of queries.

Beyond it, the standard deviation is less than a thirtieth of the mean, and its square may be lost
in single precision."""


def rounding_error(n_queries: int) -> float:
    """Return the largest error, in standard errors, that single precision causes in a test
    statistic over this number of queries."""
    return _NEAR * max(1.0, float(np.sqrt(n_queries / 10_000)))


def mean_rounding_error(values: Floats, n_queries: int) -> Floats:
    """Return the largest rounding error of each mean in `values`, float64[…]. The means and the
    errors are in standard errors of the mean.

    A large mean has a large error, because its variance is the difference of two nearly equal
    sums."""
    error = rounding_error(n_queries)
    return np.asarray(error * (1 + np.abs(values)) * (1 + np.square(values) / max(n_queries, 1)))


@dataclass(frozen=True)
class RoundingBand:
    """The range around each limit in which single precision cannot decide whether a number reaches
    the limit.

    The range extends from `below` to `above` inclusive, float64[limit] each."""

    below: Floats
    above: Floats

    @classmethod
    def from_limits(cls, limits: Floats, error: Any) -> RoundingBand:
        """Return the band of half-width `error` around `limits` float64[limit]."""
        return cls(limits - error, limits + error)

    @classmethod
    def from_mean_limits(cls, limits: Floats, n_queries: int) -> RoundingBand:
        """Return the band for absolute means divided by their standard errors. `limits` is
        float64[column].

        For a limit of 0 the band is empty, because every number reaches this limit. An infinite
        limit (of a column that does not vary) is reached only by a draw whose spread is too small
        to compute in single precision."""
        unbounded = np.isinf(limits)
        bounded = np.where(unbounded, 0.0, limits)
        band = cls.from_limits(bounded, mean_rounding_error(bounded, n_queries))
        below = np.where(unbounded, _HUGE * np.sqrt(n_queries), band.below)
        above = np.where(unbounded, np.inf, band.above)
        above[limits <= 0] = -np.inf
        return cls(below, above)

    def contains(self, values: AnyArray) -> Mask:
        """Return which elements of `values` [draw, limit] are within the band, bool[draw, limit].
        These must be recomputed in double precision."""
        return np.asarray((values >= self.below) & (values <= self.above))
