"""Many pairs walked through in all draws, from the smallest statistic on.

In each draw the farthest pair so far is what a step-down asks for, and it changes only here and
there. So single precision tells nearly all (`certified`): what is too close to a limit, or to the
farthest so far, is worked out again pair by pair and draw by draw, and the rest follows from these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics_core.base.parallel import PRODUCTS_ON_ONE_CORE, on_all_cores
from metrics_core.comparing.all_pairs.pair_columns import PairColumns
from metrics_core.scoring.certified import Undecided, rounding
from metrics_core.scoring.random_groups import drawn_at_a_time
from metrics_core.scoring.resampling import Counts, draws_in_parts
from metrics_core.scoring.studentised import Farthest

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]

_VALUES = 125_000
"""Values of a block of pairs and draws: they stay in a core's own memory."""
_AT_ONCE = 500
"""Draws of a block."""
_WEIGHTS = 2_000_000
"""Weights of a block of draws."""
_ROWS = 10
_MOST_CELLS = 16
"""Where more than one in so many values is asked for exactly, its whole block is."""
_GATHERED = 2_000_000
"""Weights of the values that are worked out exactly at a time."""
_DIFFERENCES = 4_000_000
"""Differences of a block of pairs."""


class _Cells(NamedTuple):
    """Values that were worked out in double precision: of which place, in which draw."""

    place: Ints
    draw: Ints
    squared: Floats


def walked(
    columns: Callable[[Ints], PairColumns], limits: Floats, n_queries: int, n_draws: int
) -> tuple[Ints, Ints, Farthest]:
    """For pairs in falling order of their limits, float64[P], in standard errors: in how many draws
    each reaches its own, in how many one of it and its successors does, and how far off the
    farthest is in each draw. `columns` gives those at some of these places."""
    n_pairs = len(limits)
    rising = np.ascontiguousarray(limits[::-1])
    together = max(1, min(_AT_ONCE, _WEIGHTS // drawn_at_a_time(n_queries)))
    pieces = list(draws_in_parts(n_queries, together, n_draws))
    size = min(_VALUES // max(len(counts) for _, counts in pieces), _DIFFERENCES // n_queries)
    size = max(_ROWS, size // _ROWS * _ROWS)
    farthest = np.zeros(n_draws, dtype=np.float32)
    off, kept = np.zeros(n_pairs, dtype=np.int64), []
    for begun in range(0, n_pairs, size):
        places = np.arange(begun, min(begun + size, n_pairs))
        block = _Block.of(columns(n_pairs - 1 - places), rising[places])

        def through(piece: tuple[int, Counts], block: _Block = block) -> tuple[Ints, _Cells]:
            first, counts = piece
            return block.through(counts, farthest[first : first + len(counts)])

        made = on_all_cores(through, pieces) if PRODUCTS_ON_ONE_CORE else map(through, pieces)
        for (first, _), (reached, cells) in zip(pieces, made, strict=True):
            off[places] += reached
            kept.append(_Cells(cells.place + begun, cells.draw + first, cells.squared))
    found = _Cells(*(np.concatenate(each) for each in zip(*kept, strict=True)))
    steps, largest = _stepped(found, np.square(rising), n_draws)
    return off[::-1], steps[::-1], Farthest(np.sqrt(largest))


@dataclass(frozen=True)
class _Block:
    """Some pairs, in rising order of their limits: what is summed over the draws, and between which
    bounds single precision does not tell whether one is reached, all squared."""

    columns: PairColumns
    parts: Singles
    limits: Floats
    below: Singles
    above: Singles

    @classmethod
    def of(cls, columns: PairColumns, limits: Floats) -> _Block:
        undecided = Undecided.of_means(limits, columns.centred.shape[1])
        with np.errstate(over="ignore"):
            below, above = (
                np.square(np.maximum(edge, 0.0)).astype(np.float32)[:, None]
                for edge in (undecided.below, undecided.above)
            )
        return cls(
            columns, np.vstack(columns.parts).astype(np.float32), np.square(limits), below, above
        )

    def through(self, counts: Counts, farthest: Singles) -> tuple[Ints, _Cells]:
        """In how many of these draws each pair reaches its limit, int64[p]; and all values that may
        be farther than those before them. `farthest`, float32[draws], is nearly how far off the
        farthest is of those before this block, and then of these as well."""
        weight = counts.astype(np.float32)
        sums = np.split(self.parts @ weight.T, len(self.columns.parts))
        far = self.columns.squared(sums)
        surely = far >= self.above
        unsure = (far >= self.below) ^ surely
        rising = self._rising(far, farthest)
        asked = np.flatnonzero(unsure | rising)
        if len(asked) * _MOST_CELLS > far.size:
            return self._exactly(counts)
        place, draw = np.divmod(asked, len(counts))
        squared = self._exactly_at(place, draw, counts)
        reached = np.bitwise_count(np.packbits(surely, axis=1)).sum(axis=1, dtype=np.int64)
        own = unsure.ravel()[asked]
        beyond = squared[own] >= self.limits[place[own]]
        np.add.at(reached, place[own], beyond)
        own = rising.ravel()[asked]
        return reached, _Cells(place[own], draw[own], squared[own])

    def _rising(self, far: Singles, farthest: Singles) -> npt.NDArray[np.bool_]:
        """Which values may be farther than all before them; bool[p, draws]. Looked at are a few
        pairs at a time, against the farthest before these."""
        whole = len(far) // _ROWS * _ROWS
        some = far[:whole].reshape(-1, _ROWS, far.shape[1])
        before = np.concatenate([farthest[None], some.max(axis=1)])
        np.maximum.accumulate(before, axis=0, out=before)
        np.maximum(before[-1], far[whole:].max(axis=0, initial=0.0), out=farthest)
        # Both may be off by `slack`, which is a share of at most 4e-4 up to the root of n standard
        # errors; what is farther than that may all be.
        n = self.columns.centred.shape[1]
        most = rounding(n)
        bar = np.minimum(before, np.float32(n)) * np.float32(1 - 12 * most) - np.float32(4 * most)
        rising = np.empty(far.shape, dtype=np.bool_)
        np.greater_equal(some, bar[:-1, None], out=rising[:whole].reshape(some.shape))
        np.greater_equal(far[whole:], bar[-1], out=rising[whole:])
        return rising

    def _exactly(self, counts: Counts) -> tuple[Ints, _Cells]:
        """What `through` gives, all in double precision."""
        weight = counts.T.astype(np.float64)
        every = self.columns.squared([part @ weight for part in self.columns.parts])
        farther = np.ones(every.shape, dtype=np.bool_)
        np.greater(every[1:], np.maximum.accumulate(every, axis=0)[:-1], out=farther[1:])
        place, draw = np.nonzero(farther)
        reached = (every >= self.limits[:, None]).sum(axis=1)
        return reached, _Cells(place, draw, every[farther])

    def _exactly_at(self, place: Ints, draw: Ints, counts: Counts) -> Floats:
        """Single values in double precision."""
        size = max(1, _GATHERED // counts.shape[1])
        squared = np.empty(len(place))
        for start in range(0, len(place), size):
            some = slice(start, start + size)
            weight = counts[draw[some]].astype(np.float64)
            sums = [np.einsum("cu,cu->c", part[place[some]], weight) for part in self.columns.parts]
            squared[some] = self.columns.squared(sums)
        return squared


def _stepped(found: _Cells, limits: Floats, n_draws: int) -> tuple[Ints, Floats]:
    """From what may be farthest: for each limit, rising and squared, in how many draws one of its
    place and those before it reaches it, int64[P]; and the farthest of all, float64[draws]."""
    order = np.lexsort((found.place, found.draw))
    place, draw, squared = (each[order] for each in found)
    # The farthest so far in each draw, by ranks, among which those of a later draw are higher.
    ordered = np.argsort(squared, kind="stable")
    rank = np.empty(len(ordered), dtype=np.int64)
    rank[ordered] = np.arange(len(ordered))
    farthest = squared[ordered[np.maximum.accumulate(draw * len(rank) + rank) % len(rank)]]
    last = np.append(draw[1:] != draw[:-1], True)
    until = np.where(last, len(limits), np.append(place[1:], 0))
    # From its place up to the next one, a value reaches the limits that are not above it.
    ends = np.clip(np.searchsorted(limits, farthest, side="right"), place, until)
    changes = np.bincount(place, minlength=len(limits) + 1)
    changes -= np.bincount(ends, minlength=len(limits) + 1)
    largest = np.zeros(n_draws)
    largest[draw[last]] = farthest[last]
    return np.cumsum(changes)[:-1], largest
