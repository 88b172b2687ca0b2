"""The listed documents themselves, judged or not, for measures of their price or category.

Most measures need only where the judged documents stand. The few that look at every document of
the first k ranks take those rows here, on request and once for each k, never the whole run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.arrow import ID
from metrics_core.errors import LackingDataError
from metrics_core.hits import Hits
from metrics_core.ranking import top_ranks
from metrics_core.tables import Documents, Qrels, Run

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Top:
    """The first documents of each query's list, sorted by query and rank: t rows.

    `hits` has their queries and ranks, its relevance is NaN; `doc_ids` are their ids.
    """

    hits: Hits
    doc_ids: pa.Array


@dataclass(frozen=True)
class Listed:
    """What the lists of one run hold, and the documents with their columns.

    run          the run, or None where the lists stand in `lists`
    place        int32, per query of the run its position among the Q judged ones; -1 if not judged
    judged_docs  the doc_ids of the qrels, by row
    judged_rows  int64[j], rows of the qrels in the order of JudgedRanks.judged_query
    documents    the documents table, if there is one
    lists        the lists where they are not the run's own: condensed ones, plain lists
    """

    run: Run | None
    place: npt.NDArray[np.int32]
    n_queries: int
    judged_docs: pa.ChunkedArray
    judged_rows: Ints
    documents: Documents | None
    lists: Top | None = None
    # Shared by all parts of one run: what is kept depends on run and documents alone.
    _kept: dict[tuple[str, Any], Any] = field(default_factory=dict, repr=False)

    def top(self, cutoff: int) -> Top:
        """The first `cutoff` documents of each judged query."""
        if self.lists is not None:
            inside = self.lists.hits.rank <= cutoff
            return _part(self.lists, inside)
        run = self.run
        assert run is not None
        rows, ranks = self._once("rows", cutoff, lambda: top_ranks(run, cutoff))
        query = self.place[run.query_codes[rows]].astype(np.int64)
        judged = query >= 0
        order = np.lexsort((ranks[judged], query[judged]))
        shown = _hits(query[judged][order], ranks[judged][order], self.n_queries)
        return Top(shown, _taken(run.doc_ids, rows[judged][order]))

    def judged_ids(self, qrels_rows: Ints) -> pa.Array:
        """The doc_ids of judged documents, by their row in the qrels."""
        return _taken(self.judged_docs, qrels_rows)

    def numbers(self, doc_ids: pa.Array, column: str) -> Floats:
        """The number that each document has in a column; NaN where it has none. Raises
        LackingDataError where there is no such column, or a text in it is no number."""
        values = self._once(
            "numbers", column, lambda: _numbers(column, self._column(column), self._ids)
        )
        at = self._position(doc_ids)
        return np.where(at >= 0, values[at], np.nan)

    def codes(self, doc_ids: pa.Array, column: str) -> Ints:
        """A number for each value of a column, the same for the same value; -1 where a document
        has none. Raises LackingDataError where there is no such column."""

        def make() -> Ints:
            texts = self._column(column).cast(ID).combine_chunks()
            present = pc.if_else(pc.equal(texts, ""), None, texts).dictionary_encode()
            return pc.fill_null(present.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)

        values = self._once("codes", column, make)
        at = self._position(doc_ids)
        return np.where(at >= 0, values[at], -1)

    def in_catalogue(self, doc_ids: pa.Array) -> Ints:
        """Per document its row in the documents table; -1 where it is not there."""
        return self._position(doc_ids)

    @property
    def n_documents(self) -> int:
        """How many documents the table has."""
        return 0 if self.documents is None else len(self.documents)

    def lacks(self, column: str | None) -> LackingDataError | None:
        """The error for a missing documents table, or a column that it does not have."""
        if self.documents is None:
            what = f"a column {column!r}" if column else "the whole catalogue"
            return LackingDataError(
                "There is no documents table.", f"Load the documents, with {what}."
            )
        known = [c for c in self.documents.table.column_names if c not in ("doc_id",)]
        if column is not None and column not in known:
            return LackingDataError(
                f"The documents have no column {column!r}.", f"Their columns: {', '.join(known)}."
            )
        return None

    def among(self, queries: npt.NDArray[np.bool_], judged: npt.NDArray[np.bool_]) -> Listed:
        """The same for some of the queries (bool[Q]) and some of the judged documents (bool[j])."""
        number = np.cumsum(queries) - 1
        count = int(queries.sum())
        kept = queries[self.place] & (self.place >= 0)
        lists = self.lists
        if lists is not None:
            part = _part(lists, queries[lists.hits.query])
            lists = Top(_hits(number[part.hits.query], part.hits.rank, count), part.doc_ids)
        return replace(
            self,
            place=np.where(kept, number[self.place], -1).astype(np.int32),
            n_queries=count,
            judged_rows=self.judged_rows[judged],
            lists=lists,
        )

    def with_lists(self, query: Ints, rank: Ints, qrels_rows: Ints) -> Listed:
        """The same with lists of these judged documents only."""
        top = Top(_hits(query, rank, self.n_queries), self.judged_ids(qrels_rows))
        return replace(self, lists=top)

    @property
    def _ids(self) -> pa.ChunkedArray:
        assert self.documents is not None
        return self.documents.table["doc_id"]

    def _column(self, column: str) -> pa.ChunkedArray:
        lacking = self.lacks(column)
        if lacking is not None:
            raise lacking
        assert self.documents is not None
        return self.documents.table[column]

    def _position(self, doc_ids: pa.Array) -> Ints:
        found = pc.index_in(doc_ids, value_set=self._ids.combine_chunks())
        return pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int64)

    def _once(self, what: str, key: Any, make: Callable[[], Kept]) -> Kept:
        if (what, key) not in self._kept:
            self._kept[what, key] = make()
        kept: Kept = self._kept[what, key]
        return kept


def listed_in(
    run: Run,
    place: npt.NDArray[np.int32],
    qrels: Qrels,
    best_first: Ints,
    documents: Documents | None,
) -> Listed:
    """What a judged run lists; `place` and `best_first` as in Listed's place and judged_rows."""
    n_queries = len(qrels.query_ids)
    return Listed(run, place, n_queries, qrels.doc_ids, best_first, documents)


def listed_alone(
    retrieved: Sequence[str], judged: Sequence[str], columns: Mapping[str, Mapping[str, Any]]
) -> Listed:
    """One plain list: ids in rank order, the judged ids in falling grade, and for each column what
    a document has in it."""
    doc_ids = list(dict.fromkeys([*retrieved, *judged, *(d for c in columns.values() for d in c)]))
    table = {name: [values.get(d) for d in doc_ids] for name, values in columns.items()}
    return Listed(
        run=None,
        place=np.zeros(0, dtype=np.int32),
        n_queries=1,
        judged_docs=pa.chunked_array([pa.array(judged, ID)]),
        judged_rows=np.arange(len(judged)),
        documents=Documents.from_columns({"doc_id": doc_ids, **table}),
        lists=Top(
            _hits(np.zeros(len(retrieved), np.int64), np.arange(1, len(retrieved) + 1), 1),
            pa.array(retrieved, ID),
        ),
    )


def _hits(query: Ints, rank: Ints, n_queries: int) -> Hits:
    return Hits(query, rank, np.full(len(query), np.nan), n_queries)


def _part(top: Top, rows: npt.NDArray[np.bool_]) -> Top:
    hits = top.hits
    return Top(_hits(hits.query[rows], hits.rank[rows], hits.n_queries), top.doc_ids.filter(rows))


def _taken(doc_ids: pa.ChunkedArray, rows: Ints) -> pa.Array:
    taken = doc_ids.take(pa.array(rows))
    return taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken


def _numbers(name: str, column: pa.ChunkedArray, doc_ids: pa.ChunkedArray) -> Floats:
    """A column as finite numbers; NaN where it is empty."""
    given: Any = pd.Series(column.to_pandas())
    empty = given.isna() | (given.astype(str).str.strip() == "")
    values = pd.to_numeric(given.where(~empty), errors="coerce").to_numpy(dtype=np.float64)
    bad = np.flatnonzero(~empty.to_numpy() & ~np.isfinite(values))
    if len(bad):
        first = f"{doc_ids[int(bad[0])].as_py()} has {given.iloc[int(bad[0])]!r}"
        raise LackingDataError(
            f"The column {name!r} has texts that are no number, {len(bad):,} of them: {first}.",
            "Write numbers with a point and without a currency, 1234.5, or leave the cell empty.",
        )
    return values
