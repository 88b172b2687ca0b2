"""What is known of the rows of a long run without reading them: worked out once, kept in the cache.
No Streamlit here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from dashboard.workspace.long_runs.cache import LAYOUTS, Cache, Kept
from metrics_core.base.arrays import Ints, Mask
from metrics_core.judging.ranking import top_rows
from metrics_core.tables import Run
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.by_score import order_by_score
from metrics_core.tables.columns import coded

HEADS = (10, 32)
"""Ranks of every query whose documents are kept beside the rows: the depths that people ask for, of
very many queries also those of nearly all, which are read in a third of the time."""


@dataclass(frozen=True)
class RowPlaces:
    """Where the rows of a file stand: its queries in their order, whose rows stand together, and
    how many each has, int64[q]. `plain` and `first_ties` are as in Run."""

    query_ids: list[str]
    counts: Ints
    plain: bool
    first_ties: Ints

    @classmethod
    def of(cls, run: Run) -> RowPlaces | None:
        """That of a run in memory; None where rows of one query stand apart."""
        codes, query_ids = run.query_codes, run.query_ids
        if not stand_together(run):
            return None
        counts = np.bincount(codes, minlength=len(query_ids))
        return cls(query_ids, counts, run.plain, run.first_ties())

    @classmethod
    def joined(cls, parts: Sequence[RowPlaces]) -> RowPlaces:
        """That of rows of which each part holds the rows of other queries."""
        return cls(
            [query_id for part in parts for query_id in part.query_ids],
            np.concatenate([part.counts for part in parts]),
            all(part.plain for part in parts),
            np.concatenate([part.first_ties for part in parts]),
        )


def known_layout(cache: Cache, table: str, whole: Callable[[], Run]) -> RowPlaces | None:
    """The layout of the rows that are kept under this name, found once; None where the rows of a
    query stand apart."""
    known = cache.get(LAYOUTS, table)
    if known is not None:
        told = known.told
        if told is None:
            return None
        of_queries = (known.arrays["counts"], told["plain"], known.arrays["first_ties"])
        return RowPlaces(told["query_ids"], *of_queries)
    found = RowPlaces.of(whole())
    keep_layout(cache, table, found)
    return found


def keep_layout(cache: Cache, table: str, layout: RowPlaces | None) -> None:
    """Keep what `known_layout` then knows."""
    if layout is None:
        cache.put(LAYOUTS, table, kept=Kept())
        return
    arrays = {"counts": layout.counts, "first_ties": layout.first_ties}
    told = {"query_ids": layout.query_ids, "plain": layout.plain}
    cache.put(LAYOUTS, table, kept=Kept(arrays, told))


def stand_together(run: Run) -> bool:
    """Whether the rows of each query stand together, and the queries in the order of their ids."""
    steps = np.diff(run.query_codes)
    return bool((steps >= 0).all()) and len(run.query_ids) == np.count_nonzero(steps) + 1


def known_heads(cache: Cache, table: str, depth: int, whole: Callable[[], Run]) -> pa.Table:
    """The rows in the first ranks of every query, at least to this depth, which is one of `HEADS`
    at most, of the run that is kept under this name; found once, and in memory while somebody holds
    them."""
    for ranks in HEADS:
        found = _known_heads(cache, table, ranks) if depth <= ranks else None
        if found is not None:
            return found
    rows = heads_of(whole())
    keep_heads(cache, table, rows)
    return _holding(cache, _heads_of(table, HEADS[-1]), rows)


def _known_heads(cache: Cache, table: str, ranks: int) -> pa.Table | None:
    of = _heads_of(table, ranks)
    held: pa.Table | None = cache.held.get(" ".join(of))
    if held is not None:
        return held
    kept = cache.get(*of)
    if kept is None:
        return None
    rows = pa.ipc.open_stream(pa.py_buffer(kept.arrays["rows"])).read_all()
    return _holding(cache, of, rows)


def _holding(cache: Cache, of: tuple[str, ...], rows: pa.Table) -> pa.Table:
    # In one piece, for what asks for the query of each row.
    rows = rows.set_column(0, "query_id", coded(rows["query_id"]))
    cache.held[" ".join(of)] = rows
    return rows


def keep_heads(cache: Cache, table: str, rows: pa.Table) -> None:
    """Keep what `known_heads` then knows, by the most rows that it may give."""
    cache.put(*_heads_of(table, HEADS[-1]), kept=_packed(rows))
    few = heads_of(Run(table=rows), HEADS[0])
    if 2 * len(few) <= len(rows):
        cache.put(*_heads_of(table, HEADS[0]), kept=_packed(few))


def _heads_of(table: str, ranks: int) -> tuple[str, str, str]:
    return ("heads", table, str(ranks))


def heads_of(run: Run, ranks: int | None = None) -> pa.Table:
    """The rows in so many first ranks of every query, whose rows stand together; without it in the
    most that are kept."""
    ranks = ranks or HEADS[-1]
    # One dictionary for all rows: a query has the same number here as in the run.
    table = run.table.set_column(0, "query_id", coded(run.table["query_id"]))
    few = Run(table=table.filter(column_of(_may_lead(run, ranks))).combine_chunks())
    return few.table.take(column_of(top_rows(few, ranks)))


def _may_lead(run: Run, ranks: int) -> Mask:
    """The rows of no lower score than the one at this rank of their query, bool[n]; the rows of
    each query stand together."""
    codes, scores = run.query_codes, values_of(run.table["score"])
    order = order_by_score(codes, scores)
    best = scores if order is None else scores[order]
    counts = np.bincount(codes, minlength=len(run.query_ids))
    last = best[np.cumsum(counts) - counts + np.minimum(ranks, counts) - 1]
    return np.asarray(scores >= np.repeat(last, counts), dtype=np.bool_)


def _packed(table: pa.Table) -> Kept:
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)
    return Kept({"rows": np.frombuffer(out.getvalue(), dtype=np.uint8)})
