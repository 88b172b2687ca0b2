"""Many queries in parcels of queries of the same slices, which are dealt out in their place.

If differences are no other in a slice than elsewhere, any two queries may change theirs, and so may
any two parcels of as many queries: those changes are some of all that deal single queries, and a
test by some of them that make a group keeps its level as one by all does (Hemerik and Goeman, Exact
testing with random permutations, TEST 2018). A parcel lies in the very same slices with all of its
queries, so that a deal says of every slice exactly what it holds; queries that are left over are
dealt among themselves. Which queries are together does not depend on the differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.scoring.random_groups import MOST_SINGLE
from metrics_core.slicing.slice_members import SliceMembers

_PARCELS = 10_000
_SEED = 20_263


@dataclass(frozen=True)
class Parcels:
    """U units: the `full` parcels first, as large as each other, then `single` queries. `order`
    int64[Q] are the queries of one after the other, `starts` int64[U] where each begins; `members`
    float64[U, S] of 0 and 1 says in which slices it lies, `queries` float64[S, 1] how many queries
    those hold."""

    order: Ints
    starts: Ints
    full: int
    members: Floats
    queries: Floats

    @property
    def single(self) -> int:
        """How many queries are left over."""
        return len(self.starts) - self.full

    def sums(self, values: Floats) -> Floats:
        """The sum of float64[Q] in each unit; float64[U]."""
        return np.asarray(np.add.reduceat(values[self.order], self.starts))


def parcels_of(members: SliceMembers) -> Parcels | None:
    """The parcels of queries in slices; None where there are so few queries that each is dealt by
    itself."""
    n_queries = len(members.kind)
    if n_queries <= MOST_SINGLE:
        return None
    size = -(-n_queries // _PARCELS)
    alike = _alike(members.slices)[members.kind]
    order = np.random.default_rng((_SEED, n_queries)).permutation(n_queries)
    order = order[np.argsort(alike[order], kind="stable")]
    counts = np.bincount(alike)
    place = np.arange(n_queries) - np.repeat(np.cumsum(counts) - counts, counts)
    whole = place < np.repeat(counts // size * size, counts)
    order = np.concatenate([order[whole], order[~whole]])
    together = int(whole.sum())
    starts = np.concatenate([np.arange(0, together, size), np.arange(together, n_queries)])
    inside = members.slices[members.kind[order[starts]]]
    return Parcels(order, starts, together // size, inside, members.queries[:, None])


def _alike(slices: Floats) -> Ints:
    """A number for each row of float64[K, S], the same for those of the same slices."""
    bits = np.packbits(slices > 0, axis=1)
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    words = np.ascontiguousarray(padded).view(np.uint64)
    alike = np.zeros(len(slices), dtype=np.int64)
    for word in words.T:
        distinct, code = np.unique(word, return_inverse=True)
        alike = np.unique(alike * len(distinct) + code, return_inverse=True)[1]
    return alike
