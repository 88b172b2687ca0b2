"""Facts about the rows of a long run. They are computed once and cached, so that the rows need not
be read again. This module does not import Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from dashboard.workspace.long_runs.cache import LAYOUTS, Cache, CachedValue
from metrics_core.base.arrays import Ints, Mask
from metrics_core.judging.ranking import top_rows
from metrics_core.tables import Run
from metrics_core.tables.arrays import as_array, as_column
from metrics_core.tables.columns import encode_ids
from metrics_core.tables.score_order import order_by_score

HEAD = 32
"""Depth to which the first ranks of every query are cached."""


@dataclass(frozen=True)
class RowLayout:
    """The layout of rows that are grouped by query. `query_ids` are the queries in the order of
    their rows, and `counts` is the number of rows of each query, int64[query]. `plain` and
    `first_ties` (int64[query]) have the same meaning as in Run."""

    query_ids: list[str]
    counts: Ints
    plain: bool
    first_ties: Ints

    @classmethod
    def from_run(cls, run: Run) -> RowLayout | None:
        """Return the layout of a run in memory. Returns None if the rows of a query are not
        contiguous."""
        codes, query_ids = run.query_codes, run.query_ids
        if not has_grouped_queries(run):
            return None
        counts = np.bincount(codes, minlength=len(query_ids))
        return cls(query_ids, counts, run.plain, run.first_ties())

    @classmethod
    def join_parts(cls, parts: Sequence[RowLayout]) -> RowLayout:
        """Return the layout of rows that are concatenated from several parts. No query may occur in
        two parts."""
        return cls(
            [query_id for part in parts for query_id in part.query_ids],
            np.concatenate([part.counts for part in parts]),
            all(part.plain for part in parts),
            np.concatenate([part.first_ties for part in parts]),
        )


def cached_layout(cache: Cache, table_name: str, read_run: Callable[[], Run]) -> RowLayout | None:
    """Return the layout of the rows that are stored under the name `table_name`. It is computed
    only once. Returns None if the rows of a query are not contiguous."""
    cached = cache.get(LAYOUTS, table_name)
    if cached is not None:
        metadata = cached.metadata
        if metadata is None:
            return None
        of_queries = (cached.arrays["counts"], metadata["plain"], cached.arrays["first_ties"])
        return RowLayout(metadata["query_ids"], *of_queries)
    layout = RowLayout.from_run(read_run())
    cache_layout(cache, table_name, layout)
    return layout


def cache_layout(cache: Cache, table_name: str, layout: RowLayout | None) -> None:
    """Store a layout in the cache, where `cached_layout` finds it."""
    if layout is None:
        cache.put(LAYOUTS, table_name, value=CachedValue())
        return
    arrays = {"counts": layout.counts, "first_ties": layout.first_ties}
    metadata = {"query_ids": layout.query_ids, "plain": layout.plain}
    cache.put(LAYOUTS, table_name, value=CachedValue(arrays, metadata))


def has_grouped_queries(run: Run) -> bool:
    """Return whether the rows of each query are contiguous, and the queries are in the order of
    their numbers in `query_codes`."""
    steps = np.diff(run.query_codes)
    return bool((steps >= 0).all()) and len(run.query_ids) == np.count_nonzero(steps) + 1


def load_top_rows(cache: Cache, table_name: str, read_run: Callable[[], Run]) -> pa.Table:
    """Return the rows in the first `HEAD` ranks of every query of the run that is stored under the
    name `table_name`. They are computed once, and stay in memory as long as another object refers
    to them."""
    key = _top_rows_key(table_name)
    in_memory: pa.Table | None = cache.tables_in_memory.get(" ".join(key))
    if in_memory is not None:
        return in_memory
    cached = cache.get(*key)
    if cached is not None:
        rows = pa.ipc.open_stream(pa.py_buffer(cached.arrays["rows"])).read_all()
    else:
        rows = select_top_rows(read_run())
        cache_top_rows(cache, table_name, rows)
    # In one piece, for code that needs the query of each row.
    rows = rows.set_column(0, "query_id", encode_ids(rows["query_id"]))
    cache.tables_in_memory[" ".join(key)] = rows
    return rows


def cache_top_rows(cache: Cache, table_name: str, rows: pa.Table) -> None:
    """Store the rows of `select_top_rows` in the cache, where `load_top_rows` finds them."""
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, rows.schema) as stream:
        stream.write_table(rows)
    packed = {"rows": np.frombuffer(out.getvalue(), dtype=np.uint8)}
    cache.put(*_top_rows_key(table_name), value=CachedValue(packed))


def _top_rows_key(table_name: str) -> tuple[str, str, str]:
    return ("heads", table_name, str(HEAD))


def select_top_rows(run: Run) -> pa.Table:
    """Return the rows in the first `HEAD` ranks of every query. The rows of each query must be
    contiguous."""
    # One dictionary for all rows, so that a query has the same number as in the run.
    table = run.table.set_column(0, "query_id", encode_ids(run.table["query_id"]))
    candidates = Run(table=table.filter(as_column(_mark_candidate_rows(run))).combine_chunks())
    return candidates.table.take(as_column(top_rows(candidates, HEAD)))


def _mark_candidate_rows(run: Run) -> Mask:
    """Mark the rows whose score is at least that of rank `HEAD` of the same query, bool[row]. The
    rows of each query must be contiguous."""
    codes, scores = run.query_codes, as_array(run.table["score"])
    order = order_by_score(codes, scores)
    best = scores if order is None else scores[order]
    counts = np.bincount(codes, minlength=len(run.query_ids))
    last = best[np.cumsum(counts) - counts + np.minimum(HEAD, counts) - 1]
    return np.asarray(scores >= np.repeat(last, counts), dtype=np.bool_)
