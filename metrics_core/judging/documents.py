"""The listed documents themselves, judged or not, for measures of their price or category.

Most measures need only where the judged documents stand. The few that look at every document of
the first k ranks take those rows here, on request, and look at most twice as deep as was asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.errors import LackingDataError
from metrics_core.base.memo import Memo
from metrics_core.judging.hits import Hits
from metrics_core.judging.ranking import top_ranks
from metrics_core.tables import Documents, Run
from metrics_core.tables.arrays import as_array, as_column, as_text_column
from metrics_core.tables.columns import ID

_MOST_KEPT = 16


@dataclass(frozen=True)
class TopResults:
    """The first documents of each query's list, sorted by query and rank: t rows.

    `hits` has their queries and ranks, its relevance is NaN; `document_row` int64[t] is the row of
    each document in the documents table, -1 where it has none.
    """

    hits: Hits
    document_row: Ints


@dataclass(frozen=True)
class ListedDocuments:
    """What the lists of one run hold, and the documents with their columns.

    run          the run, or None where the lists stand in `lists`
    query        int32, per query of the run its position among the Q judged ones; -1 if not judged
    judged_docs  the doc_ids of the qrels, by row
    judged_rows  int64[j], rows of the qrels in the order of JudgedRanks.judged_query
    documents    the documents table, if there is one
    lists        query, rank and row in `judged_docs` of all that is listed, where the lists are not
                 the run's own: condensed ones, plain lists
    """

    run: Run | None
    query: npt.NDArray[np.int32]
    n_queries: int
    judged_docs: pa.ChunkedArray
    judged_rows: Ints
    documents: Documents | None
    lists: tuple[Ints, Ints, Ints] | None = None
    # Shared by all parts of one run: what is kept depends on run, qrels and documents alone.
    _memo: Memo = field(default_factory=lambda: Memo(_MOST_KEPT), repr=False)

    def top(self, cutoff: int) -> TopResults:
        """The first `cutoff` documents of each judged query."""
        if self.lists is not None:
            query, rank, row = self.lists
            inside = rank <= cutoff
            return self._top(query[inside], rank[inside], self.judged_document_rows(row[inside]))
        code, rank, document_row = self._cached_first_rows(cutoff)
        inside = rank <= cutoff
        code, rank, document_row = code[inside], rank[inside], document_row[inside]
        query = self.query[code].astype(np.int64)
        judged = np.flatnonzero(query >= 0)
        order = judged[np.lexsort((rank[judged], query[judged]))]
        return self._top(query[order], rank[order], document_row[order])

    def _top(self, query: Ints, rank: Ints, document_row: Ints) -> TopResults:
        return TopResults(
            Hits(query, rank, np.full(len(query), np.nan), self.n_queries), document_row
        )

    def _cached_first_rows(self, cutoff: int) -> tuple[Ints, Ints, Ints]:
        """`_first_rows` of this cutoff or of a deeper one: a depth serves all cutoffs up to it."""
        depth = 1 << (cutoff - 1).bit_length()
        return self._memo(("first", depth), lambda: self._first_rows(depth))

    def _first_rows(self, cutoff: int) -> tuple[Ints, Ints, Ints]:
        """Of the rows in the first ranks of any query: its query in the run, its rank, its
        document."""
        assert self.run is not None
        run = self.run.leading(cutoff)
        rows, rank = top_ranks(run, cutoff)
        return (
            run.query_codes[rows].astype(np.int64),
            rank,
            self._document_rows(run.doc_ids.take(as_column(rows))),
        )

    def judged_document_rows(self, qrels_rows: Ints) -> Ints:
        """The rows of judged documents in the documents table, by their rows in the qrels."""
        return self._memo("judged", lambda: self._document_rows(self.judged_docs))[qrels_rows]

    def numbers(self, document_row: Ints, column: str) -> Floats:
        """The number that each document has in a column; NaN where it has none. Raises
        LackingDataError where there is no such column, or a text in it is no number."""
        make = lambda: _column_numbers(column, self._column(column), self._ids)  # noqa: E731
        return np.where(
            document_row >= 0, self._memo(("numbers", column), make)[document_row], np.nan
        )

    def codes(self, document_row: Ints, column: str) -> Ints:
        """A number for each value of a column, the same for the same value; -1 where a document
        has none. Raises LackingDataError where there is no such column."""
        make = lambda: _column_codes(self._column(column))  # noqa: E731
        return np.where(document_row >= 0, self._memo(("codes", column), make)[document_row], -1)

    @property
    def n_documents(self) -> int:
        """How many documents the table has."""
        return 0 if self.documents is None else len(self.documents)

    def lacks(self, column: str | None) -> LackingDataError | None:
        """The error for a missing documents table, or a column that it does not have."""
        if self.documents is None:
            what = f"a column {column!r}" if column else "the whole catalogue"
            return LackingDataError("No documents are loaded.", f"Load the documents, with {what}.")
        columns = [c for c in self.documents.table.column_names if c not in ("doc_id",)]
        if column is not None and column not in columns:
            return LackingDataError(
                f"The documents have no column {column!r}.", f"Their columns: {', '.join(columns)}."
            )
        return None

    def among(self, queries: Mask, judged: Mask) -> ListedDocuments:
        """The same for some of the queries (bool[Q]) and some of the judged documents (bool[j])."""
        new_position = np.cumsum(queries) - 1
        lists = self.lists
        if lists is not None:
            query, rank, row = lists
            in_queries = queries[query]
            lists = (new_position[query[in_queries]], rank[in_queries], row[in_queries])
        is_left = (self.query >= 0) & queries[self.query]
        return replace(
            self,
            query=np.where(is_left, new_position[self.query], -1).astype(np.int32),
            n_queries=int(queries.sum()),
            judged_rows=self.judged_rows[judged],
            lists=lists,
        )

    def condensed(self, query: Ints, rank: Ints, qrels_rows: Ints) -> ListedDocuments:
        """The same with lists of these judged documents only."""
        return replace(self, lists=(query, rank, qrels_rows))

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

    def _document_rows(self, doc_ids: pa.ChunkedArray) -> Ints:
        indices = pc.fill_null(pc.index_in(doc_ids, value_set=self._ids.combine_chunks()), -1)
        return np.asarray(as_array(indices), dtype=np.int64)


def plain_list_documents(
    retrieved: Sequence[str], judged: Sequence[str], columns: Mapping[str, Mapping[str, Any]]
) -> ListedDocuments:
    """One plain list: ids in rank order, the judged ids in falling grade, and for each column what
    a document has in it."""
    column_ids = (doc for values in columns.values() for doc in values)
    doc_ids = list(dict.fromkeys([*judged, *retrieved, *column_ids]))
    row = {doc: i for i, doc in enumerate(doc_ids)}
    table = {name: _to_column([v.get(d) for d in doc_ids]) for name, v in columns.items()}
    rank = np.arange(1, len(retrieved) + 1)
    return ListedDocuments(
        run=None,
        query=np.zeros(0, dtype=np.int32),
        n_queries=1,
        judged_docs=pa.chunked_array([as_text_column(doc_ids)]),
        judged_rows=np.arange(len(judged)),
        documents=Documents.from_columns({"doc_id": doc_ids, **table}),
        lists=(
            np.zeros(len(rank), dtype=np.int64),
            rank,
            np.array([row[d] for d in retrieved], int),
        ),
    )


def _to_column(values: Sequence[str | float | None]) -> pa.Array:
    """Texts, or numbers, as a column; Arrow refuses some mixtures of whole and other ones."""
    if any(isinstance(value, str) for value in values):
        return pa.array(values, ID)
    return pa.array([None if v is None else float(v) for v in values], pa.float64())


def _column_codes(column: pa.ChunkedArray) -> Ints:
    texts = column.cast(ID).combine_chunks()
    present = pc.if_else(pc.equal(texts, ""), None, texts).dictionary_encode()
    codes = as_array(pc.fill_null(present.indices, -1))
    return np.asarray(codes, dtype=np.int64)


def _column_numbers(name: str, column: pa.ChunkedArray, doc_ids: pa.ChunkedArray) -> Floats:
    """A column as finite numbers; NaN where it is empty."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = pc.utf8_trim_whitespace(column)
        column = pc.if_else(pc.equal(column, ""), None, column)
    empty = as_array(column.is_null())
    try:
        values = as_array(column.cast(pa.float64()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        values = pd.to_numeric(column.to_pandas(), errors="coerce").to_numpy(dtype=np.float64)
    bad_rows = np.flatnonzero(~empty & ~np.isfinite(values))
    if len(bad_rows):
        row = int(bad_rows[0])
        first = f"{doc_ids[row].as_py()} has {column[row].as_py()!r}"
        raise LackingDataError(
            f"The column {name!r} has values that are not numbers, {len(bad_rows):,} in all:"
            f" {first}.",
            "Write plain numbers such as 1234.5, without a currency, or leave the cell empty.",
        )
    return np.asarray(values, dtype=np.float64)
