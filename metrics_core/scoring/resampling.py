"""Resample queries. How often each query occurs in each resample is computed once.

The queries or groups that are drawn are called units. With very many queries, random groups are
drawn instead of single queries (`random_groups`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Thread

import numpy as np

from metrics_core.base.arrays import Bytes, Floats, Ints, SingleOrDouble
from metrics_core.base.compiled.machine import compiled_functions
from metrics_core.base.compiled.signatures import COLUMNS
from metrics_core.base.memo import Memo
from metrics_core.base.parallel import PRODUCTS_ON_ONE_CORE, map_on_all_cores
from metrics_core.scoring.random_groups import choose_n_units, sum_by_unit

_SEED = 20_260
_CELLS = 20_000_000
"""Maximum number of draws times units. This many weights can be multiplied without making a page
slow."""
_FEWEST, _MOST, _MOST_TESTED = 2_000, 5_000, 10_000
_BLOCK = 2_000_000
_FEW_COLUMNS = 40
"""Maximum number of columns for which compiled code is faster than the BLAS product, which needs
the counts converted to float."""
_NEAR, _PART, _FEWEST_ROWS = 40_000, 1_000_000, 16
"""Number of weights that fit into the processor's cache, number of weights in one part of the work,
and minimum number of draws in a part."""
_MOST_CELLS = 4_000_000
"""Maximum number of values over all draws that are in memory at once."""
_TOGETHER = 600
"""Maximum total number of columns of the matrices that are multiplied in one product."""
_MOST_KEPT = 450_000_000
"""Maximum size of the cached counts in bytes. If it is exceeded, the least recently used counts are
dropped."""
_CELLS_AT = 4_000_000
"""Maximum number of weights that one product of selected draws uses."""

_memo = Memo(_MOST_KEPT, lambda blocks: sum(block.nbytes for block in blocks))


def choose_n_resamples(n_queries: int) -> int:
    """Return how many resamples of this number of queries are used for an interval of a mean."""
    return min(choose_n_draws(n_queries), _MOST)


def choose_n_draws(n_queries: int) -> int:
    """Return the number of resamples that are computed for this number of queries. The test of a
    difference uses all of them. The number is 10,000 for up to 2,000 queries, then decreases, and
    is 2,000 for 10,000 queries or more. With 2,000 resamples, a share of 0.05 has a standard error
    of 0.005."""
    return int(np.clip(_CELLS // max(choose_n_units(n_queries), 1), _FEWEST, _MOST_TESTED))


def iterate_draws(n_queries: int, max_draws: int | None = None) -> Iterator[Bytes]:
    """Yield the number of times that each resampled unit (a query or a group of queries) occurs in
    each resample, uint8[draw in block, unit], block by block.

    The resamples are always the same, and are not computed again as long as they are cached. If
    `max_draws` is given, only the first `max_draws` resamples are yielded."""
    remaining = choose_n_draws(n_queries) if max_draws is None else max_draws
    for counts in _draw_blocks(choose_n_units(n_queries)):
        yield counts[:remaining]
        remaining -= len(counts)
        if remaining <= 0:
            return


def prepare_draws(n_queries: int) -> None:
    """Compute the resamples for this number of queries in the background, so that the first
    comparison need not wait for them."""
    Thread(target=_draw_blocks, args=(choose_n_units(n_queries),), daemon=True).start()


def _draw_blocks(n_units: int) -> list[Bytes]:
    return _memo(n_units, lambda: _make_draws(n_units))


def _make_draws(n_units: int) -> list[Bytes]:
    n_draws, size = choose_n_draws(n_units), _block_size(n_units)

    def make_block(start: int) -> Bytes:
        return _count_drawn_units(n_units, start, min(size, n_draws - start))

    return map_on_all_cores(make_block, range(0, n_draws, size))


def sum_each_draw(columns: SingleOrDouble, max_draws: int | None = None) -> SingleOrDouble:
    """Return the sum of each column in each resample, [draw, column].

    `columns` is float32 or float64[query, column], and the result has the same dtype. If
    `max_draws` is given, only the first `max_draws` resamples are used."""
    columns = sum_by_unit(columns)
    units, n_columns = columns.shape
    few = n_columns <= _FEW_COLUMNS
    width = -(-n_columns // COLUMNS) * COLUMNS if few else n_columns
    totals = np.empty((max_draws or choose_n_draws(units), width), columns.dtype)
    product = _make_compiled_product(columns, width) if few else _make_blas_product(columns)

    def add_block_sums(part: tuple[int, Bytes]) -> None:
        first, counts = part
        product(counts, totals[first : first + len(counts)])

    # If the library already uses all cores for one product, do not run several at once.
    is_single = few or PRODUCTS_ON_ONE_CORE
    in_parallel = is_single and totals.shape[0] * units > _PART
    parts = split_draws(units, max(_FEWEST_ROWS, _PART // max(units, 1)), max_draws)
    for _ in map_on_all_cores(add_block_sums, parts) if in_parallel else map(add_block_sums, parts):
        pass
    return totals[:, :n_columns]


def _make_compiled_product(
    columns: SingleOrDouble, width: int
) -> Callable[[Bytes, SingleOrDouble], None]:
    """Return a function that multiplies the counts by a few columns. The function is compiled code
    that uses the counts without converting them."""
    units, n_columns = columns.shape
    rows = np.zeros((width, units), columns.dtype)
    rows[:n_columns] = columns.T
    functions = compiled_functions("sums")
    weigh = functions.weigh_singles if columns.dtype == np.float32 else functions.weigh_doubles

    def multiply_counts(counts: Bytes, totals: SingleOrDouble) -> None:
        weigh(counts, rows, totals)

    return multiply_counts


def _make_blas_product(columns: SingleOrDouble) -> Callable[[Bytes, SingleOrDouble], None]:
    """Return a function that multiplies the counts by many columns. It uses BLAS, and processes so
    few draws at a time that they stay in the cache."""
    size = max(8 * _FEWEST_ROWS, 5 * _NEAR // len(columns))

    def multiply_counts(counts: Bytes, totals: SingleOrDouble) -> None:
        for start in range(0, len(counts), size):
            weight = counts[start : start + size].astype(columns.dtype)
            np.matmul(weight, columns, out=totals[start : start + size])

    return multiply_counts


def sum_draws_of_matrices(
    matrices: Sequence[SingleOrDouble], max_draws: int | None = None
) -> list[SingleOrDouble]:
    """Return the result of `sum_each_draw`, [draw, column], for each of several matrices, as a
    list.

    The matrices, [query, column], may have different queries. Matrices with the same number of
    units have the same draws, so one matrix product computes the sums of several such matrices."""
    matrices = [sum_by_unit(columns) for columns in matrices]
    sums_by_place: dict[int, SingleOrDouble] = {}
    for places in _group_by_units(matrices):
        joined = np.hstack([matrices[i] for i in places])
        ends = np.cumsum([matrices[i].shape[1] for i in places])[:-1]
        sums_by_place |= zip(
            places, np.split(sum_each_draw(joined, max_draws), ends, axis=1), strict=True
        )
    return [sums_by_place[i] for i in range(len(matrices))]


def split_by_memory(shapes: Sequence[tuple[int, int]]) -> Iterator[slice]:
    """Split a sequence of matrices so that the sums of each part over all draws fit into memory
    together. Yields the parts as slices. `shapes` are the shapes of the matrices, (queries,
    columns)."""
    start, total = 0, 0
    for i, (n_queries, columns) in enumerate(shapes):
        cells = choose_n_draws(n_queries) * columns
        if i > start and total + cells > _MOST_CELLS:
            yield slice(start, i)
            start, total = i, 0
        total += cells
    if start < len(shapes):
        yield slice(start, len(shapes))


def _group_by_units(matrices: Sequence[SingleOrDouble]) -> Iterator[list[int]]:
    """Yield groups of matrices whose sums can be computed in one product, because the matrices have
    the same number of units. Each group is a list of positions in `matrices`."""
    groups: dict[int, list[int]] = {}
    for i, columns in enumerate(matrices):
        group = groups.setdefault(len(columns), [])
        if sum(matrices[j].shape[1] for j in group) + columns.shape[1] > _TOGETHER and group:
            yield group
            group = groups[len(columns)] = []
        group.append(i)
    yield from groups.values()


def split_draws(n_queries: int, size: int, max_draws: int | None) -> Iterator[tuple[int, Bytes]]:
    """Yield the draws of `iterate_draws` in parts of at most `size`. Each part has the index of its
    first draw and the counts uint8[draw, unit]."""
    first = 0
    for counts in iterate_draws(n_queries, max_draws):
        for start in range(0, len(counts), size):
            yield first + start, counts[start : start + size]
        first += len(counts)


def sum_draws_at(columns: Floats, draw_positions: Ints) -> Floats:
    """Return the rows of `sum_each_draw` for some of the draws, float64[n, column].
    `draw_positions` int64[n] are the positions of these draws.

    `columns` is float64[query, column]."""
    columns = sum_by_unit(columns)
    size, blocks = _block_size(len(columns)), _draw_blocks(len(columns))
    totals = np.empty((len(draw_positions), columns.shape[1]))
    step = max(1, _CELLS_AT // max(len(columns), 1))
    for start in range(0, len(draw_positions), step):
        part = draw_positions[start : start + step]
        weight = np.empty((len(part), len(columns)))
        for number in np.unique(part // size):
            inside = part // size == number
            weight[inside] = blocks[int(number)][part[inside] - number * size]
        totals[start : start + step] = weight @ columns
    return totals


def _block_size(n_units: int) -> int:
    return min(max(1, _BLOCK // n_units), choose_n_draws(n_units))


def _count_drawn_units(n_units: int, start: int, size: int) -> Bytes:
    """Count how often each unit is in each of `size` consecutive draws, uint8[draw, unit]. `start`
    is the number of the first draw. Each block has a separate seed, so that blocks can be drawn in
    parallel."""
    generator = np.random.default_rng((_SEED, start))
    # uint16 needs half the random bits of the default.
    drawn_units = generator.integers(0, n_units, (size, n_units), dtype=np.uint16)
    # A unit is drawn about once per resample, so 255 is never reached.
    counts = np.zeros((size, n_units), np.uint8)
    compiled_functions("sums").count_drawn(drawn_units, counts)
    return counts
