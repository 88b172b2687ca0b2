"""How far off the farthest slice is when the differences are dealt out anew over the queries.

Nearly in all deals at once, exactly where a deal lies close to a slice of the data
(`scoring.certified`). Of more than 20,000 queries what is dealt are parcels of queries (`Parcels`
of `exchangeable_blocks`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.base.memo import Memo
from metrics_core.base.parallel import PRODUCTS_ON_ONE_CORE, on_all_cores
from metrics_core.scoring.certified import Undecided, rounding
from metrics_core.slicing.exchangeable_blocks import Parcels, parcels_of
from metrics_core.slicing.members import Members

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Places = npt.NDArray[Any]
"""Whole numbers, as small as can be."""

FEWEST = 5
"""A slice has at least so many queries, and so has the rest."""

_SEED = 20_261
_FEWEST_DEALS, _MOST_DEALS, _WORK = 499, 1_999, 5_000_000_000
_AT_ONCE = 250
_SMALL = 50_000_000
"""Queries times slices times deals: so few are worked out in double precision at once."""
_MOST_KEPT = 60_000_000
"""Bytes of deals that are kept, those of the numbers of queries that were asked for last."""


def farthest_dealt(members: Members, gaps: Floats, limits: Floats) -> Floats:
    """How far off the farthest slice is in each deal of the differences, float64[Q], over their
    queries; float64[deals]: on the right side of each of the limits, float64[S], and nearly what it
    is."""
    centred = gaps - gaps.mean()
    spread = float(np.sqrt(np.square(centred).mean()))
    parcels = parcels_of(members)
    inside = members.of_each if parcels is None else parcels.members
    deals = int(np.clip(_WORK // (4 * inside.size), _FEWEST_DEALS, _MOST_DEALS))
    varied = spread > 1e-9 * float(np.abs(gaps).max(initial=0.0))
    nearly = varied and inside.size * deals > _SMALL
    near = _Near.of(members, centred / spread, parcels) if nearly else None
    undecided = Undecided.around(limits, rounding(len(gaps)) * (1 + limits))

    def exactly(places: Places) -> Floats:
        if parcels is None:
            return np.asarray(np.abs(studentised(inside, gaps[places].T)).max(axis=0))
        sums, squares = (parcels.sums(v)[places].T for v in (centred, np.square(centred)))
        dealt = inside.T @ sums, inside.T @ squares, squares.sum(axis=0)
        return np.asarray(np.abs(_studentised(*dealt, parcels.queries, len(gaps))).max(axis=0))

    def farthest(block: int) -> Floats:
        places = _dealt(len(gaps), block) if parcels is None else _dealt_parcels(parcels, block)
        places = places[: deals - block * _AT_ONCE]
        if near is None:
            return exactly(places)
        found = near.farthest(places)
        unsure = undecided.holds(found[:, None]).any(axis=1)
        if unsure.any():
            found[unsure] = exactly(places[unsure])
        return found

    several = on_all_cores if PRODUCTS_ON_ONE_CORE else map
    return np.concatenate(list(several(farthest, range(-(-deals // _AT_ONCE)))))


@dataclass(frozen=True)
class _Near:
    """What is dealt, in single precision, in units of the spread of single differences: `sums` of
    each and of its `squares`, both float32[U], and `members` float32[U, S]."""

    members: Singles
    sums: Singles
    squares: Singles
    n: Singles
    total: int

    @classmethod
    def of(cls, members: Members, scaled: Floats, parcels: Parcels | None) -> _Near:
        n, total = members.queries.astype(np.float32), len(scaled)
        if parcels is None:
            single = scaled.astype(np.float32)
            return cls(members.of_each.astype(np.float32), single, np.square(single), n, total)
        sums, squares = parcels.sums(scaled), parcels.sums(np.square(scaled))
        inside = parcels.members.astype(np.float32)
        return cls(inside, sums.astype(np.float32), squares.astype(np.float32), n, total)

    def farthest(self, places: Places) -> Floats:
        """The farthest slice in each of some deals, [deals, U]; nearly."""
        total, n = np.float32(self.total), self.n
        m, common = total - n, total / (total - 1)
        inside = self.sums[places] @ self.members
        squares = self.squares[places] @ self.members
        own = _error(inside, squares, n, common)
        rest = _error(-inside, total - squares, m, common)
        t_squared = np.square(inside * (1 / n + 1 / m)) / (own + rest)
        found = _on_normal_scale(t_squared, own, rest, n, m)
        return np.asarray(found.max(axis=1), dtype=np.float64)


def studentised(members: Floats, gaps: Floats) -> Floats:
    """How many standard errors the mean inside each slice is off that of the rest, on the normal
    scale, so that small slices and large ones compare; float64[S, deals] of float64[Q, deals]."""
    centred = gaps - gaps.mean(axis=0)
    squares = np.square(centred)
    inside, inside_squares = members.T @ centred, members.T @ squares
    n = members.sum(axis=0)[:, None]
    return _studentised(inside, inside_squares, squares.sum(axis=0), n, len(members))


def studentised_inside(members: Members, gaps: Floats) -> Floats:
    """The same of one float64[Q] of differences; float64[S]."""
    centred = gaps - gaps.mean()
    squares = np.square(centred)
    inside = members.sums(centred)[:, None], members.sums(squares)[:, None]
    return _studentised(*inside, squares.sum(), members.queries[:, None], len(gaps))[:, 0]


def _studentised(
    inside: Floats, inside_squares: Floats, all_squares: Any, n: Floats, total: int
) -> Floats:
    """The same from sums of centred differences and of their squares inside each slice and over
    all; `n` float64[S, 1] counts the queries of each slice."""
    m = total - n
    # The centred differences sum to zero, so the rest is what the inside is not.
    common = all_squares / (total - 1)
    own = _error(inside, inside_squares, n, common)
    rest = _error(-inside, all_squares - inside_squares, m, common)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (inside / n + inside / m) / np.sqrt(own + rest)
        scaled = _on_normal_scale(t**2, own, rest, n, m)
    return np.where(common > 0, np.copysign(np.nan_to_num(scaled), inside), 0.0)


def _on_normal_scale(t_squared: Any, own: Any, rest: Any, n: Any, m: Any) -> Any:
    """The size of a normal deviate that says as much as Student's t with the degrees of freedom of
    two errors (Wallace, Bounds on normal approximations to Student's distribution, 1959)."""
    freedom = (own + rest) ** 2 / (own**2 / (n + FEWEST - 1) + rest**2 / (m + FEWEST - 1))
    return np.sqrt(freedom * np.log1p(t_squared / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)


def _error(sums: Any, squares: Any, n: Any, common: Any) -> Any:
    """The squared standard error of a mean of n, its variance drawn towards the common one."""
    within = np.maximum(squares - sums**2 / n, 0.0)
    return (within + FEWEST * common) / (n - 1 + FEWEST) / n


_kept = Memo(_MOST_KEPT, lambda block: block.nbytes)


def _dealt_parcels(parcels: Parcels, block: int) -> Places:
    """A block of deals of parcels among themselves, and of single queries among themselves."""
    large, small = _dealt(parcels.full, block), _dealt(parcels.single, block, _SEED + 1)
    return np.hstack([large.astype(np.int32), small.astype(np.int32) + parcels.full])


def _dealt(n_queries: int, block: int, seed: int = _SEED) -> Places:
    """The orders in which so many differences are dealt out, a block of them: [deals, Q]. The same
    ones each time; made once where all blocks can be kept."""

    def made() -> Places:
        order: Places = np.arange(n_queries, dtype=_kind(n_queries))
        # Every block by itself, so that several are dealt at a time.
        generator = np.random.default_rng((seed, block))
        return generator.permuted(np.tile(order, (_AT_ONCE, 1)), axis=1)

    if np.dtype(_kind(n_queries)).itemsize * n_queries * _MOST_DEALS > _MOST_KEPT:
        return made()
    return _kept((n_queries, block, seed), made)


def _kind(n_queries: int) -> type:
    return np.uint16 if n_queries < 2**16 else np.int32
