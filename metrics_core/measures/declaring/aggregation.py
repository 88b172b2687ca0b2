"""Aggregate the scores of queries into one score. The aggregation is defined only here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Ints

Aggregation = Literal["mean", "sum", "geometric"]

LEAST_SCORE = 0.00001
"""For geometric means, lower scores are raised to this value, like in trec_eval (MIN_GEO_MEAN).
Otherwise a score of 0 would make the mean 0."""


@dataclass(frozen=True)
class Combination:
    """The way in which scores are combined: their sum, or their mean on some scale.

    `to_scale` transforms scores to the scale on which they are averaged, and `from_scale` is the
    inverse function. Both functions are increasing, so the bounds of an interval are transformed in
    the same way as its mean. On a `linear` scale, the difference of two combined scores equals the
    combined difference."""

    to_scale: Callable[[Floats], Floats]
    from_scale: Callable[[Floats], Floats]
    averaged: bool = True
    linear: bool = True

    def combine(self, scores: npt.ArrayLike) -> Floats:
        """Return the aggregated score over the first axis, float64[…] for scores of shape [query,
        …]. Undefined scores (NaN) are excluded; NaN if no score is defined."""
        scaled = self.to_scale(np.asarray(scores, dtype=np.float64))
        total = scaled.sum(axis=0)
        counts: Ints = np.full(np.shape(total), len(scaled))
        # The sum is NaN if any score is undefined; usually none is.
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
