"""On which side of a limit numbers are that single precision tells nearly.

At half the cost it tells that of nearly all. Those that lie closer to a limit than it may be off
are worked out again in double precision, so that all comes out as if every one had been.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Mask

_NEAR = 1e-4
"""How far single precision may be off, in standard errors, of up to ten thousand queries: the
rounding of a sum grows with the root of their number. Some ten times what was seen."""
_HUGE = 30.0
"""Times the root of the number of queries: so many standard errors off, a spread is some thousandth
of the mean, and its square is lost in single precision."""


def rounding_error(n_queries: int) -> float:
    """How far single precision may be off, in standard errors."""
    return _NEAR * max(1.0, float(np.sqrt(n_queries / 10_000)))


def mean_rounding_error(values: Floats, n_queries: int) -> Floats:
    """How far it may be off at these means in standard errors of their own: the farther off a mean
    is, the more its spread is a difference of nearly equal sums."""
    error = rounding_error(n_queries)
    return np.asarray(error * (1 + np.abs(values)) * (1 + np.square(values) / max(n_queries, 1)))


@dataclass(frozen=True)
class RoundingBand:
    """Around each limit, from where to where single precision does not tell whether a number
    reaches it; both ends belong to it."""

    below: Floats
    above: Floats

    @classmethod
    def from_limits(cls, limits: Floats, error: Any) -> RoundingBand:
        """Where it may be `error` so far."""
        return cls(limits - error, limits + error)

    @classmethod
    def for_means(cls, limits: Floats, n_queries: int) -> RoundingBand:
        """For the sizes of means in standard errors of their own. A limit of 0 is always reached,
        and one without bound, of what does not vary, by none but what varies so little in a draw
        that its spread cannot be told."""
        unbounded = np.isinf(limits)
        bounded = np.where(unbounded, 0.0, limits)
        band = cls.from_limits(bounded, mean_rounding_error(bounded, n_queries))
        below = np.where(unbounded, _HUGE * np.sqrt(n_queries), band.below)
        above = np.where(unbounded, np.inf, band.above)
        above[limits <= 0] = -np.inf
        return cls(below, above)

    def contains(self, values: npt.NDArray[Any]) -> Mask:
        """Which numbers are to be worked out again."""
        return np.asarray((values >= self.below) & (values <= self.above))
