"""How far off the farthest slice is by chance: when the differences are dealt out anew over the
queries, and when each stays where it is and changes sides or not.

Nearly in all of these moves at once, exactly where one lies close to a slice of the data
(`make_scorer.certified`). Of more than 20,000 queries what is moved are parcels of queries
(`Parcels` of `make_parcels`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metrics_core.base.arrays import AnyArray, Floats, Ints
from metrics_core.base.memo import Memo
from metrics_core.base.parallel import PRODUCTS_ON_ONE_CORE, map_on_all_cores
from metrics_core.scoring.random_groups import MOST_SINGLE
from metrics_core.scoring.rounding import RoundingBand, rounding_error
from metrics_core.slicing.slice_members import SliceMembers

_PARCELS = 10_000
_PARCEL_SEED = 20_263


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


def make_parcels(members: SliceMembers) -> Parcels | None:
    """The parcels of queries in slices; None where there are so few queries that each is dealt by
    itself."""
    n_queries = len(members.kind)
    if n_queries <= MOST_SINGLE:
        return None
    size = -(-n_queries // _PARCELS)
    row_number = _number_rows(members.slices)[members.kind]
    order = np.random.default_rng((_PARCEL_SEED, n_queries)).permutation(n_queries)
    order = order[np.argsort(row_number[order], kind="stable")]
    counts = np.bincount(row_number)
    position = np.arange(n_queries) - np.repeat(np.cumsum(counts) - counts, counts)
    is_full = position < np.repeat(counts // size * size, counts)
    order = np.concatenate([order[is_full], order[~is_full]])
    n_full = int(is_full.sum())
    starts = np.concatenate([np.arange(0, n_full, size), np.arange(n_full, n_queries)])
    inside = members.slices[members.kind[order[starts]]]
    return Parcels(order, starts, n_full // size, inside, members.queries[:, None])


def _number_rows(slices: Floats) -> Ints:
    """A number for each row of float64[K, S], the same for those of the same slices."""
    bits = np.packbits(slices > 0, axis=1)
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    words = np.ascontiguousarray(padded).view(np.uint64)
    numbers = np.zeros(len(slices), dtype=np.int64)
    for word in words.T:
        distinct, code = np.unique(word, return_inverse=True)
        numbers = np.unique(numbers * len(distinct) + code, return_inverse=True)[1]
    return numbers


ALIKE = 1e-9
"""Differences that vary by less than this share of themselves are one and the same."""

PRIOR = 5
"""The variance of a slice, and of the rest, is drawn towards the common one by so many queries."""

_SEED = 20_261
_FEWEST_TIMES, _MOST_TIMES, _WORK = 299, 1_999, 2_000_000_000
_AT_ONCE = 250
_SMALL = 50_000_000
"""Queries times slices times moves: so few are worked out in double precision at once."""
_MOST_KEPT = 60_000_000
"""Bytes of deals that are kept, those of the numbers of queries that were asked for last."""


def permuted_maxima(members: SliceMembers, gaps: Floats, limits: Floats) -> Floats:
    """How far off the farthest slice is in each deal of the differences, float64[Q], over their
    queries; float64[deals]: on the right side of each of the limits, float64[S], and nearly what it
    is."""
    units = _Units.from_differences(members, gaps)

    def make_block(block: int) -> AnyArray:
        if units.parcels is None:
            return _permute(len(gaps), block)
        return _permute_parcels(units.parcels, block)

    def move(part: _Units, places: AnyArray) -> tuple[Any, Any]:
        sums = part.sums[places]
        return sums, np.square(sums) if part.parcels is None else part.squares[places]

    return _find_maxima(units, limits, make_block, move)


def flipped_maxima(members: SliceMembers, gaps: Floats, limits: Floats) -> Floats:
    """The same where every difference stays with its query, and changes sides of their mean or not:
    so a query that varies more does so in each of them. A parcel changes sides as a whole."""
    units = _Units.from_differences(members, gaps)

    def make_block(block: int) -> AnyArray:
        generator = np.random.default_rng((_SEED + 2, block))
        return generator.integers(0, 2, (_AT_ONCE, len(units.sums)), dtype=np.int8) * 2 - 1

    # A square is the same on either side.
    return _find_maxima(
        units, limits, make_block, lambda u, signs: (u.sums * signs, u.squares[None])
    )


@dataclass(frozen=True)
class _Units:
    """What is moved, single queries or parcels of them: `sums` of the differences about their mean,
    in units of their spread, and of the `squares` of those, both [U]; `members` [U, S] of 0 and 1
    says in which slices each lies, `n` [S] how many queries these hold of so many in `total`."""

    members: Any
    sums: Any
    squares: Any
    n: Any
    total: int
    parcels: Parcels | None

    @classmethod
    def from_differences(cls, members: SliceMembers, gaps: Floats) -> _Units:
        scaled = gaps - gaps.mean()
        spread = float(np.sqrt(np.square(scaled).mean()))
        is_constant = spread <= ALIKE * float(np.abs(gaps).max(initial=0.0))
        scaled = np.zeros_like(gaps) if is_constant else scaled / spread
        squares, parcels, n = np.square(scaled), make_parcels(members), members.queries
        if parcels is None:
            return cls(members.slices_by_query, scaled, squares, n, len(gaps), None)
        sums, squares = parcels.sums(scaled), parcels.sums(squares)
        return cls(parcels.members, sums, squares, n, len(gaps), parcels)

    def to_single_precision(self) -> _Units:
        """The same as float32."""
        numbers = ("members", "sums", "squares", "n")
        return replace(self, **{name: getattr(self, name).astype(np.float32) for name in numbers})

    def farthest_distances(self, sums: Any, squares: Any) -> Floats:
        """How far off the farthest slice is in each row of moved sums and squares, [moves, U]."""
        inside, inside_squares = sums @ self.members, squares @ self.members
        total_sums, all_squares = (each.sum(axis=1, keepdims=True) for each in (sums, squares))
        distances = _studentise(inside, inside_squares, total_sums, all_squares, self.n, self.total)
        return np.asarray(np.abs(distances).max(axis=1), dtype=np.float64)


def _find_maxima(
    units: _Units,
    limits: Floats,
    make_block: Callable[[int], AnyArray],
    move: Callable[[_Units, AnyArray], tuple[Any, Any]],
) -> Floats:
    """The farthest slice of every move: `make_block` are those of a block, `move` the sums and
    squares after them."""
    n_moves = int(np.clip(_WORK // (6 * units.members.size), _FEWEST_TIMES, _MOST_TIMES))
    single_units = units.to_single_precision() if units.members.size * n_moves > _SMALL else None
    undecided = RoundingBand.from_limits(limits, rounding_error(units.total) * (1 + limits))

    def find_maximum(block: int) -> Floats:
        moves = make_block(block)[: n_moves - block * _AT_ONCE]
        if single_units is None:
            return units.farthest_distances(*move(units, moves))
        distances = single_units.farthest_distances(*move(single_units, moves))
        is_uncertain = undecided.contains(distances[:, None]).any(axis=1)
        if is_uncertain.any():
            distances[is_uncertain] = units.farthest_distances(*move(units, moves[is_uncertain]))
        return distances

    map_blocks = map_on_all_cores if PRODUCTS_ON_ONE_CORE else map
    return np.concatenate(list(map_blocks(find_maximum, range(-(-n_moves // _AT_ONCE)))))


def studentise_slices(members: SliceMembers, gaps: Floats) -> Floats:
    """How many standard errors the mean inside each slice is off that of the rest, float64[S], for
    one float64[Q] of differences: on the normal scale, so that small slices and large ones
    compare."""
    centred = gaps - gaps.mean()
    squares = np.square(centred)
    inside = members.sums(centred), members.sums(squares)
    distances = _studentise(*inside, centred.sum(), squares.sum(), members.queries, len(gaps))
    return np.asarray(distances)


def _studentise(
    inside: Any, inside_squares: Any, total_sum: Any, all_squares: Any, n: Any, total: int
) -> Any:
    """The same from sums of differences and of their squares inside each slice and over all; `n`
    counts the queries of each slice. 0 where all differences are the same."""
    m, rest = total - n, total_sum - inside
    common = (all_squares - total_sum**2 / total) / (total - 1)
    own_error = _squared_error(inside, inside_squares, n, common)
    rest_error = _squared_error(rest, all_squares - inside_squares, m, common)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (inside / n - rest / m) / np.sqrt(own_error + rest_error)
        scaled = _to_normal_scale(np.square(t), own_error, rest_error, n, m)
    return np.where(common * total > ALIKE * all_squares, np.copysign(scaled, t), 0.0)


def _to_normal_scale(t_squared: Any, own_error: Any, rest_error: Any, n: Any, m: Any) -> Any:
    """The size of a normal deviate that says as much as Student's t with the degrees of freedom of
    two errors (Wallace, Bounds on normal approximations to Student's distribution, 1959)."""
    freedom = (own_error + rest_error) ** 2 / (
        own_error**2 / (n + PRIOR - 1) + rest_error**2 / (m + PRIOR - 1)
    )
    return np.sqrt(freedom * np.log1p(t_squared / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)


def _squared_error(sums: Any, squares: Any, n: Any, common: Any) -> Any:
    """The squared standard error of a mean of n, its variance drawn towards the common one."""
    squares_within = np.maximum(squares - sums**2 / n, 0.0)
    return (squares_within + PRIOR * common) / (n - 1 + PRIOR) / n


_memo = Memo(_MOST_KEPT, lambda block: block.nbytes)


def _permute_parcels(parcels: Parcels, block: int) -> AnyArray:
    """A block of deals of parcels among themselves, and of single queries among themselves."""
    large, small = _permute(parcels.full, block), _permute(parcels.single, block, _SEED + 1)
    return np.hstack([large.astype(np.int32), small.astype(np.int32) + parcels.full])


def _permute(n_queries: int, block: int, seed: int = _SEED) -> AnyArray:
    """The orders in which so many differences are dealt out, a block of them: [deals, Q]. The same
    ones each time; made once where all blocks can be kept."""

    def make_block() -> AnyArray:
        order: AnyArray = np.arange(n_queries, dtype=_index_type(n_queries))
        # Every block by itself, so that several are dealt at a time.
        generator = np.random.default_rng((seed, block))
        return generator.permuted(np.tile(order, (_AT_ONCE, 1)), axis=1)

    if np.dtype(_index_type(n_queries)).itemsize * n_queries * _MOST_TIMES > _MOST_KEPT:
        return make_block()
    return _memo((n_queries, block, seed), make_block)


def _index_type(n_queries: int) -> type:
    return np.uint16 if n_queries < 2**16 else np.int32
