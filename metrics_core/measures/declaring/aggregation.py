"""How the scores of queries become one score: the only place that knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Ints

Aggregation = Literal["mean", "sum", "geometric"]

LEAST_SCORE = 0.00001
"""A score of 0 would make every geometric mean 0; trec_eval counts it as this (MIN_GEO_MEAN)."""


@dataclass(frozen=True)
class Combination:
    """A sum of scores, or their mean on some scale.

    `to_scale` takes scores to the scale on which they are averaged and `from_scale` returns; both
    rise, so an interval's ends go back as its middle does. On a `linear` scale the difference of
    two combined scores is the combined difference.
    """

    to_scale: Callable[[Floats], Floats]
    from_scale: Callable[[Floats], Floats]
    averaged: bool = True
    linear: bool = True

    def combine(self, scores: npt.ArrayLike) -> Floats:
        """The combined score over the first axis; undefined scores (NaN) are left out, and the
        result is NaN where none is defined."""
        scaled = self.to_scale(np.asarray(scores, dtype=np.float64))
        total = scaled.sum(axis=0)
        counts: Ints = np.full(np.shape(total), len(scaled))
        # A sum tells whether anything in it is undefined: mostly nothing is.
        if np.isnan(total).any():
            defined = ~np.isnan(scaled)
            total, counts = np.where(defined, scaled, 0.0).sum(axis=0), defined.sum(axis=0)
        divisor = counts if self.averaged else np.minimum(counts, 1)
        combined = np.full(np.shape(total), np.nan)
        np.divide(total, divisor, out=combined, where=counts > 0)
        return self.from_scale(combined)


def _identity(scores: Floats) -> Floats:
    return scores


def _logarithm(scores: Floats) -> Floats:
    return np.log(np.maximum(scores, LEAST_SCORE))


MEAN = Combination(_identity, _identity)
COMBINATIONS: dict[Aggregation, Combination] = {
    "mean": MEAN,
    "sum": Combination(_identity, _identity, averaged=False),
    "geometric": Combination(_logarithm, np.exp, linear=False),
}
