"""Draws of queries with replacement: how often each query is in each resample, made once.

Of many queries random groups are drawn in their place (`random_groups`); what is drawn is called a
unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Thread

import numpy as np

from metrics_core.base.arrays import Bytes, Floats, Ints, SingleOrDouble
from metrics_core.base.compiled.machine import compiled
from metrics_core.base.compiled.signatures import COLUMNS
from metrics_core.base.memo import Memo
from metrics_core.base.parallel import PRODUCTS_ON_ONE_CORE, on_all_cores
from metrics_core.scoring.random_groups import drawn_at_a_time, in_groups

_SEED = 20_260
_CELLS = 20_000_000
"""Draws times units: a set of weights that is multiplied within a page's time."""
_FEWEST, _MOST, _MOST_TESTED = 2_000, 5_000, 10_000
_BLOCK = 2_000_000
_FEW_COLUMNS = 40
"""Of so many the library's product, which needs the counts in their precision, takes longer."""
_NEAR, _PART, _FEWEST_ROWS = 40_000, 1_000_000, 16
"""Weights that stay close to the processor; those of a part of the work."""
_HELD = 4_000_000
"""Values in all draws."""
_TOGETHER = 600
"""Columns of matrices that are put side by side."""
_MOST_KEPT = 450_000_000
"""Bytes of counts that are kept, those of the numbers of units that were asked for last."""
_CELLS_AT = 4_000_000
"""Weights of some draws in one product."""

_kept = Memo(_MOST_KEPT, lambda blocks: sum(block.nbytes for block in blocks))


def resamples_of(n_queries: int) -> int:
    """How many resamples of so many queries an interval of a mean is read off."""
    return min(draws_of(n_queries), _MOST)


def draws_of(n_queries: int) -> int:
    """How many resamples of so many queries there are, and a difference is tested by: 10,000, and
    fewer beyond 2,000 queries, 2,000 from 10,000 on: there a share of 0.05 is off by 0.005 in two
    thirds of all cases."""
    return int(np.clip(_CELLS // max(drawn_at_a_time(n_queries), 1), _FEWEST, _MOST_TESTED))


def draws(n_queries: int, most: int | None = None) -> Iterator[Bytes]:
    """How often each unit of so many queries is in each resample, block by block:
    uint8[resamples in block, units].

    The same ones each time, the first `most` of all; made once while they are kept.
    """
    left = draws_of(n_queries) if most is None else most
    for counts in _blocks(drawn_at_a_time(n_queries)):
        yield counts[:left]
        left -= len(counts)
        if left <= 0:
            return


def prepare_draws(n_queries: int) -> None:
    """Make the draws of so many queries in the background, so that the first comparison need not
    wait for them."""
    Thread(target=_blocks, args=(drawn_at_a_time(n_queries),), daemon=True).start()


def _blocks(units: int) -> list[Bytes]:
    return _kept(units, lambda: _drawn(units))


def _drawn(units: int) -> list[Bytes]:
    n_draws, size = draws_of(units), _block_size(units)

    def block(start: int) -> Bytes:
        return _counts(units, start, min(size, n_draws - start))

    return on_all_cores(block, range(0, n_draws, size))


def sums(columns: SingleOrDouble, most: int | None = None) -> SingleOrDouble:
    """The sum of every column of float32 or float64[Q, C] in each draw, or in the first `most`;
    [draws, C] in the precision of the columns."""
    columns = in_groups(columns)
    units, n_columns = columns.shape
    few = n_columns <= _FEW_COLUMNS
    room = -(-n_columns // COLUMNS) * COLUMNS if few else n_columns
    found = np.empty((most or draws_of(units), room), columns.dtype)
    weighed = _compiled_product(columns, room) if few else _library_product(columns)

    def add(part: tuple[int, Bytes]) -> None:
        begun, counts = part
        weighed(counts, found[begun : begun + len(counts)])

    # Where the library would use all cores for one product, it is not asked for several at once.
    alone = few or PRODUCTS_ON_ONE_CORE
    several = alone and found.shape[0] * units > _PART
    parts = draws_in_parts(units, max(_FEWEST_ROWS, _PART // max(units, 1)), most)
    for _ in on_all_cores(add, parts) if several else map(add, parts):
        pass
    return found[:, :n_columns]


def _compiled_product(
    columns: SingleOrDouble, room: int
) -> Callable[[Bytes, SingleOrDouble], None]:
    """Of few columns: the counts are weighed as they stand, without a copy in their precision."""
    units, n_columns = columns.shape
    rows = np.zeros((room, units), columns.dtype)
    rows[:n_columns] = columns.T
    functions = compiled("sums")
    weigh = functions.weigh_singles if columns.dtype == np.float32 else functions.weigh_doubles

    def product(counts: Bytes, found: SingleOrDouble) -> None:
        weigh(counts, rows, found)

    return product


def _library_product(columns: SingleOrDouble) -> Callable[[Bytes, SingleOrDouble], None]:
    """Of many columns, few enough draws at a time that they stay close to the processor."""
    size = max(8 * _FEWEST_ROWS, 5 * _NEAR // len(columns))

    def product(counts: Bytes, found: SingleOrDouble) -> None:
        for start in range(0, len(counts), size):
            weight = counts[start : start + size].astype(columns.dtype)
            np.matmul(weight, columns, out=found[start : start + size])

    return product


def sums_each(several: Sequence[SingleOrDouble], most: int | None = None) -> list[SingleOrDouble]:
    """`sums` of several matrices, each of queries of its own. Those of as many units have the same
    draws and are multiplied together."""
    several = [in_groups(columns) for columns in several]
    found: dict[int, SingleOrDouble] = {}
    for places in _side_by_side(several):
        together = np.hstack([several[i] for i in places])
        ends = np.cumsum([several[i].shape[1] for i in places])[:-1]
        found |= zip(places, np.split(sums(together, most), ends, axis=1), strict=True)
    return [found[i] for i in range(len(several))]


def portions(shapes: Sequence[tuple[int, int]]) -> Iterator[slice]:
    """Neighbouring matrices of these shapes, [queries, columns], of which all draws are held at a
    time without taking much memory."""
    begun, held = 0, 0
    for i, (n_queries, columns) in enumerate(shapes):
        cells = draws_of(n_queries) * columns
        if i > begun and held + cells > _HELD:
            yield slice(begun, i)
            begun, held = i, 0
        held += cells
    if begun < len(shapes):
        yield slice(begun, len(shapes))


def _side_by_side(several: Sequence[SingleOrDouble]) -> Iterator[list[int]]:
    """The places of matrices that are multiplied together."""
    waiting: dict[int, list[int]] = {}
    for i, columns in enumerate(several):
        before = waiting.setdefault(len(columns), [])
        if sum(several[j].shape[1] for j in before) + columns.shape[1] > _TOGETHER and before:
            yield before
            before = waiting[len(columns)] = []
        before.append(i)
    yield from waiting.values()


def draws_in_parts(
    n_queries: int, size: int, most: int | None = None
) -> Iterator[tuple[int, Bytes]]:
    """`draws`, at most `size` at a time, each part with where it begins."""
    begun = 0
    for counts in draws(n_queries, most):
        for start in range(0, len(counts), size):
            yield begun + start, counts[start : start + size]
        begun += len(counts)


def sums_at(columns: Floats, places: Ints) -> Floats:
    """`sums` in some of all draws, by their places; float64[places, C]."""
    columns = in_groups(columns)
    size, blocks = _block_size(len(columns)), _blocks(len(columns))
    found = np.empty((len(places), columns.shape[1]))
    step = max(1, _CELLS_AT // max(len(columns), 1))
    for start in range(0, len(places), step):
        part = places[start : start + step]
        weight = np.empty((len(part), len(columns)))
        for number in np.unique(part // size):
            inside = part // size == number
            weight[inside] = blocks[int(number)][part[inside] - number * size]
        found[start : start + step] = weight @ columns
    return found


def _block_size(units: int) -> int:
    return min(max(1, _BLOCK // units), draws_of(units))


def _counts(units: int, start: int, size: int) -> Bytes:
    """Each block has a seed of its own, so that several are drawn at a time."""
    generator = np.random.default_rng((_SEED, start))
    # Half the random bits of usual numbers.
    drawn = generator.integers(0, units, (size, units), dtype=np.uint16)
    # A unit is drawn about once; 255 times in one resample does not happen.
    counts = np.zeros((size, units), np.uint8)
    compiled("sums").count_drawn(drawn, counts)
    return counts
