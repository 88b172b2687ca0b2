"""Fragility of a difference: the smallest number of queries whose removal reverses its sign."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask

_ROUNDING = 1e-12
"""A sum smaller than this share of the sum of absolute values is treated as zero."""


@dataclass(frozen=True)
class Fragility:
    """The queries on which the sign of a mean difference depends.

    order    int64[defined query], positions of the queries with a defined difference, sorted by
             their contribution to the mean's sign, largest first
    turning  number of queries at the beginning of `order` that must be removed to reverse the sign;
             None if the mean is 0 or no removal reverses the sign
    holding  number of queries at the beginning of `order` that can be removed while the mean keeps
             its sign, 0 if the mean is 0
    queries  number of defined differences
    total    sum of the differences, 0 if they cancel except for rounding"""

    order: Ints
    turning: int | None
    holding: int
    queries: int
    total: float


def find_fragility(differences: Floats) -> Fragility:
    """Find the smallest set of queries whose removal reverses the sign of the mean of
    `differences`, float64[query]. Undefined differences (NaN) are excluded.

    The queries with the largest differences in the direction of the mean are removed first. The
    result is exact: the divisor of a mean has no effect on its sign, so only the sum matters. Among
    all sets of m queries, the m largest signed differences reduce the sum most, so the smallest m
    for which these differences reverse the sign is the minimum."""
    places = np.flatnonzero(~np.isnan(differences))
    defined = differences[places]
    total = float(defined.sum())
    size = _ROUNDING * float(np.abs(defined).sum())
    sign = 0 if abs(total) <= size else (1 if total > 0 else -1)
    by_size = np.argsort(-defined * (sign or 1), kind="stable")
    order = places[by_size]
    remaining = sign * (total - np.cumsum(defined[by_size]))
    turning_places = np.flatnonzero(remaining < -size)
    turning = int(turning_places[0]) + 1 if sign and len(turning_places) else None
    # Removing all queries leaves a sum of 0, so some entry is always at most `size`.
    holding = int(np.argmax(remaining <= size)) if sign else 0
    return Fragility(order, turning, holding, len(defined), total if sign else 0.0)


def share_of_mean_difference(differences: Floats, queries: Mask) -> float:
    """Return the share of the sum of all differences that comes from the selected queries.
    `differences` is float64[query], and `queries` bool[query] selects the queries.

    The share is above 1 if the other queries partly cancel this contribution. It is NaN if the sum
    is 0."""
    total = float(np.nansum(differences))
    if abs(total) <= _ROUNDING * float(np.nansum(np.abs(differences))):
        return float("nan")
    return float(np.nansum(differences[queries]) / total)
