"""How few queries hold a difference up: the fewest whose removal turns the sign of its mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask

_ROUNDING = 1e-12
"""A sum of less than this share of its terms' sizes is zero: they cancel."""


@dataclass(frozen=True)
class Fragility:
    """What a mean difference over Q queries rests on.

    `order` int64[Q'] are the places of the defined differences, those that carry the mean's sign
    furthest first. `turning` is how many of the first must go until the mean has the other sign,
    None where none can turn it: nothing speaks against the sign, or there is no sign. `queries`
    counts the defined differences, `total` is their sum, 0 where they cancel but for rounding.
    """

    order: Ints
    turning: int | None
    queries: int
    total: float

    def deciding_queries(self, query_ids: Sequence[str], most: int | None = None) -> list[str]:
        """The queries whose removal turns the sign, those that carry most first."""
        return [query_ids[i] for i in self.order[: self.turning or 0][:most]]


def find_fragility(differences: Floats) -> Fragility:
    """The fewest queries whose removal turns the sign of the mean of float64[Q], NaN undefined.

    Taking the largest differences of the mean's own sign first is exact. Removing a query changes
    the number that the sum is divided by, but not the sign of the quotient, so only the sum counts.
    Of all sets of m queries, the m largest signed differences take most from the sum; if they do
    not turn it, no m do; and if some m turn it, these do. So the first m at which they turn it is
    the fewest.
    """
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
    return Fragility(order, turning, len(defined), total if sign else 0.0)


def carried_share(differences: Floats, queries: Mask) -> float:
    """The share of the sum of differences that some queries carry, bool[Q]: above 1 where others
    take some of it away again, NaN where the sum is 0."""
    total = float(np.nansum(differences))
    if abs(total) <= _ROUNDING * float(np.nansum(np.abs(differences))):
        return float("nan")
    return float(np.nansum(differences[queries]) / total)
