"""Simulate the distance of the farthest slice from all other queries under chance: with permuted
differences, and with flipped signs.

Distances are computed in single precision, and again exactly if one is close to the distance of a
slice of the data (`scoring.rounding`). Above 20,000 queries, chunks of queries are moved instead of
single queries (`make_query_chunks`)."""

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
class QueryChunks:
    """Units that are permuted as a whole: chunks of equal size, followed by single queries.

    full     number of chunks
    order    int64[query], the queries, unit by unit
    starts   int64[unit], position in `order` at which the unit begins
    members  float64[unit, slice], 1 if the unit is in the slice, else 0
    queries  float64[slice, 1], number of queries in the slice"""

    order: Ints
    starts: Ints
    full: int
    members: Floats
    queries: Floats

    @property
    def n_single(self) -> int:
        """The number of single queries."""
        return len(self.starts) - self.full

    def sum_by_unit(self, values: Floats) -> Floats:
        """Return the sum of `values`, float64[query], in each unit, float64[unit]."""
        return np.asarray(np.add.reduceat(values[self.order], self.starts))


def make_query_chunks(members: SliceMembers) -> QueryChunks | None:
    """Return chunks of queries that are in the same slices. Returns None if there are few enough
    queries to permute each of them separately."""
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
    return QueryChunks(order, starts, n_full // size, inside, members.queries[:, None])


def _number_rows(slices: Floats) -> Ints:
    """Return the number of each row, int64[kind]. Equal rows have equal numbers. `slices` is
    float64[kind, slice]."""
    bits = np.packbits(slices > 0, axis=1)
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    words = np.ascontiguousarray(padded).view(np.uint64)
    numbers = np.zeros(len(slices), dtype=np.int64)
    for word in words.T:
        distinct, code = np.unique(word, return_inverse=True)
        numbers = np.unique(numbers * len(distinct) + code, return_inverse=True)[1]
    return numbers


ALIKE = 1e-9
"""Differences that vary by less than this share of their size are treated as equal."""

PRIOR = 5
"""Number of further queries by which variances are shrunk: the variance of a slice, and that of all
other queries, move towards the common variance as if this many queries had it."""

_SEED = 20_261
_FEWEST_TIMES, _MOST_TIMES, _WORK = 299, 1_999, 2_000_000_000
_AT_ONCE = 250
_SMALL = 50_000_000
"""Maximum number of queries times slices times moves for which everything is computed in double
precision."""
_MOST_KEPT = 60_000_000
"""Maximum size of the cache of permutations in bytes. The least recently used are dropped."""


def largest_permuted_distances(members: SliceMembers, gaps: Floats, limits: Floats) -> Floats:
    """Return the largest distance of any slice in each permutation of the differences,
    float64[permutation]. The distance of a slice is its absolute studentised difference.

    `gaps` float64[query] are the differences. The distances are approximate, but each is on the
    correct side of each of `limits` float64[slice]."""
    units = _Units.from_differences(members, gaps)

    def make_permutation_block(block_number: int) -> AnyArray:
        if units.chunks is None:
            return _permute_queries(len(gaps), block_number)
        return _permute_chunks(units.chunks, block_number)

    def permute_units(part: _Units, places: AnyArray) -> tuple[Any, Any]:
        sums = part.sums[places]
        return sums, np.square(sums) if part.chunks is None else part.squares[places]

    return _largest_distances(units, limits, make_permutation_block, permute_units)


def largest_flipped_distances(members: SliceMembers, gaps: Floats, limits: Floats) -> Floats:
    """Return the largest distance of any slice after each sign flip, float64[flip]. Distance,
    arguments and accuracy are the same as for `largest_permuted_distances`.

    Every difference stays with its query and is randomly reflected at the mean, so a query keeps
    its variance. A chunk is reflected as a whole."""
    units = _Units.from_differences(members, gaps)

    def make_sign_block(block_number: int) -> AnyArray:
        generator = np.random.default_rng((_SEED + 2, block_number))
        return generator.integers(0, 2, (_AT_ONCE, len(units.sums)), dtype=np.int8) * 2 - 1

    # Squares do not change.
    return _largest_distances(
        units, limits, make_sign_block, lambda u, signs: (u.sums * signs, u.squares[None])
    )


@dataclass(frozen=True)
class _Units:
    """The units that permutations and sign flips move: single queries or chunks of queries.

    sums     float64[unit], sum of the standardised differences (with mean 0 and deviation 1)
    squares  float64[unit], sum of the squared standardised differences
    members  float64[unit, slice], 1 if the unit is in the slice, else 0
    n        float64[slice], number of queries in the slice, out of `total` queries"""

    members: Any
    sums: Any
    squares: Any
    n: Any
    total: int
    chunks: QueryChunks | None

    @classmethod
    def from_differences(cls, members: SliceMembers, gaps: Floats) -> _Units:
        scaled = gaps - gaps.mean()
        spread = float(np.sqrt(np.square(scaled).mean()))
        is_constant = spread <= ALIKE * float(np.abs(gaps).max(initial=0.0))
        scaled = np.zeros_like(gaps) if is_constant else scaled / spread
        squares, chunks, n = np.square(scaled), make_query_chunks(members), members.queries
        if chunks is None:
            return cls(members.slices_by_query, scaled, squares, n, len(gaps), None)
        sums, squares = chunks.sum_by_unit(scaled), chunks.sum_by_unit(squares)
        return cls(chunks.members, sums, squares, n, len(gaps), chunks)

    def to_single_precision(self) -> _Units:
        """Return the units as float32."""
        numbers = ("members", "sums", "squares", "n")
        return replace(self, **{name: getattr(self, name).astype(np.float32) for name in numbers})

    def farthest_distances(self, sums: Any, squares: Any) -> Floats:
        """Return the largest distance of any slice after each move (a permutation or sign flip),
        float64[move]. `sums` and `squares`, [move, unit], are the values of the units after the
        moves."""
        inside, inside_squares = sums @ self.members, squares @ self.members
        total_sums, all_squares = (each.sum(axis=1, keepdims=True) for each in (sums, squares))
        distances = _studentise_from_sums(
            inside, inside_squares, total_sums, all_squares, self.n, self.total
        )
        return np.asarray(np.abs(distances).max(axis=1), dtype=np.float64)


def _largest_distances(
    units: _Units,
    limits: Floats,
    make_block: Callable[[int], AnyArray],
    move_units: Callable[[_Units, AnyArray], tuple[Any, Any]],
) -> Floats:
    """Return the largest distance of any slice after every move (a permutation or sign flip),
    float64[move].

    `make_block` is a function that returns a block of moves. `move_units` is a function that
    applies moves to the sums and squares."""
    n_moves = int(np.clip(_WORK // (6 * units.members.size), _FEWEST_TIMES, _MOST_TIMES))
    single_units = units.to_single_precision() if units.members.size * n_moves > _SMALL else None
    undecided = RoundingBand.from_limits(limits, rounding_error(units.total) * (1 + limits))

    def largest_distances_of_block(block_number: int) -> Floats:
        moves = make_block(block_number)[: n_moves - block_number * _AT_ONCE]
        if single_units is None:
            return units.farthest_distances(*move_units(units, moves))
        distances = single_units.farthest_distances(*move_units(single_units, moves))
        is_uncertain = undecided.contains(distances[:, None]).any(axis=1)
        if is_uncertain.any():
            distances[is_uncertain] = units.farthest_distances(
                *move_units(units, moves[is_uncertain])
            )
        return distances

    map_blocks = map_on_all_cores if PRODUCTS_ON_ONE_CORE else map
    return np.concatenate(
        list(map_blocks(largest_distances_of_block, range(-(-n_moves // _AT_ONCE))))
    )


def studentise_slices(members: SliceMembers, gaps: Floats) -> Floats:
    """Return the distance of each slice's mean from the mean of all other queries, in standard
    errors, float64[slice].

    `gaps` float64[query] are the differences. The distances are converted to quantiles of the
    standard normal distribution, so that small and large slices are comparable."""
    centred = gaps - gaps.mean()
    squares = np.square(centred)
    inside = members.sum_by_slice(centred), members.sum_by_slice(squares)
    distances = _studentise_from_sums(
        *inside, centred.sum(), squares.sum(), members.queries, len(gaps)
    )
    return np.asarray(distances)


def _studentise_from_sums(
    inside: Any, inside_squares: Any, total_sum: Any, all_squares: Any, n: Any, total: int
) -> Any:
    """Return the result of `studentise_slices`, computed from the sums of differences and of
    squared differences inside each slice and in total.

    `n` is the number of queries of each slice. The result is 0 if all differences are equal."""
    m, rest = total - n, total_sum - inside
    common = (all_squares - total_sum**2 / total) / (total - 1)
    own_error = _squared_error(inside, inside_squares, n, common)
    rest_error = _squared_error(rest, all_squares - inside_squares, m, common)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (inside / n - rest / m) / np.sqrt(own_error + rest_error)
        scaled = _to_normal_scale(np.square(t), own_error, rest_error, n, m)
    return np.where(common * total > ALIKE * all_squares, np.copysign(scaled, t), 0.0)


def _to_normal_scale(t_squared: Any, own_error: Any, rest_error: Any, n: Any, m: Any) -> Any:
    """Return the absolute normal deviate equivalent to Student's t with the degrees of freedom of
    the two errors (Wallace, Bounds on normal approximations to Student's distribution, 1959)."""
    freedom = (own_error + rest_error) ** 2 / (
        own_error**2 / (n + PRIOR - 1) + rest_error**2 / (m + PRIOR - 1)
    )
    return np.sqrt(freedom * np.log1p(t_squared / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)


def _squared_error(sums: Any, squares: Any, n: Any, common: Any) -> Any:
    """Return the squared standard error of a mean of n differences. The variance of the differences
    is shrunk towards the common variance."""
    squares_within = np.maximum(squares - sums**2 / n, 0.0)
    return (squares_within + PRIOR * common) / (n - 1 + PRIOR) / n


_memo = Memo(_MOST_KEPT, lambda block: block.nbytes)


def _permute_chunks(chunks: QueryChunks, block_number: int) -> AnyArray:
    """Return a block of permutations. Chunks are exchanged only with chunks, single queries only
    with single queries."""
    large = _permute_queries(chunks.full, block_number)
    small = _permute_queries(chunks.n_single, block_number, _SEED + 1)
    return np.hstack([large.astype(np.int32), small.astype(np.int32) + chunks.full])


def _permute_queries(n_queries: int, block_number: int, seed: int = _SEED) -> AnyArray:
    """Return a block of permutations, int[permutation, query]. The same arguments always result in
    the same block. Blocks are cached if all of them fit into the cache."""

    def make_permutations() -> AnyArray:
        order: AnyArray = np.arange(n_queries, dtype=_index_type(n_queries))
        # Each block has its own seed, so that several can be made in parallel.
        generator = np.random.default_rng((seed, block_number))
        return generator.permuted(np.tile(order, (_AT_ONCE, 1)), axis=1)

    if np.dtype(_index_type(n_queries)).itemsize * n_queries * _MOST_TIMES > _MOST_KEPT:
        return make_permutations()
    return _memo((n_queries, block_number, seed), make_permutations)


def _index_type(n_queries: int) -> type:
    return np.uint16 if n_queries < 2**16 else np.int32
