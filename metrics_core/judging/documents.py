"""The listed documents themselves, judged or not, for measures that use their price or category.

Most measures need only the ranks of the judged documents. The few measures that need every document
of the first k ranks get these documents here, on request; at most twice the requested number of
ranks is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Int32s, Ints, Mask
from metrics_core.base.errors import LackingDataError
from metrics_core.base.memo import Memo
from metrics_core.judging.hits import Hits
from metrics_core.judging.ranking import top_ranks
from metrics_core.tables import Documents, Run
from metrics_core.tables.arrays import as_array, as_column, as_text_column, is_text_type
from metrics_core.tables.columns import ID

_MOST_KEPT = 16


@dataclass(frozen=True)
class TopResults:
    """The first documents of each query's list, sorted by query and rank.

    `hits` has the queries and ranks of the documents; its relevance is NaN. `document_row`
    int64[document] is the row of each document in the documents table; -1 if it is not in the
    table."""

    hits: Hits
    document_row: Ints


@dataclass(frozen=True)
class ListedDocuments:
    """The lists of one run, and the documents with their columns.

    run          the run; None if the lists are in `lists`
    query        int32[query of the run], the position of each query among the judged queries; -1 if
                 it is not judged
    judged_docs  the doc_ids of the qrels, by row
    judged_rows  int64[judgment], rows of the qrels in the order of JudgedRanks.judged_query
    documents    the documents table; None if there is none
    lists        for condensed lists and plain lists: query, rank and row in `judged_docs` of all
                 listed documents, int64[document] each. None if the lists are in `run`"""

    run: Run | None
    query: Int32s
    n_queries: int
    judged_docs: pa.ChunkedArray
    judged_rows: Ints
    documents: Documents | None
    lists: tuple[Ints, Ints, Ints] | None = None
    # Shared by all parts of one run: cached values depend only on run, qrels and documents.
    _memo: Memo = field(default_factory=lambda: Memo(_MOST_KEPT), repr=False)

    def top_documents(self, cutoff: int) -> TopResults:
        """Return the first `cutoff` documents of each judged query."""
        if self.lists is not None:
            query, rank, row = self.lists
            inside = rank <= cutoff
            return self._make_top_results(
                query[inside], rank[inside], self.judged_document_rows(row[inside])
            )
        code, rank, document_row = self._cached_first_rows(cutoff)
        inside = rank <= cutoff
        code, rank, document_row = code[inside], rank[inside], document_row[inside]
        query = self.query[code].astype(np.int64)
        judged = np.flatnonzero(query >= 0)
        order = judged[np.lexsort((rank[judged], query[judged]))]
        return self._make_top_results(query[order], rank[order], document_row[order])

    def _make_top_results(self, query: Ints, rank: Ints, document_row: Ints) -> TopResults:
        return TopResults(
            Hits(query, rank, np.full(len(query), np.nan), self.n_queries), document_row
        )

    def _cached_first_rows(self, cutoff: int) -> tuple[Ints, Ints, Ints]:
        """Return the result of `_first_rows` for the smallest power of two that is at least
        `cutoff`.

        The result is cached. Because of the rounding to a power of two, similar cutoffs share
        it."""
        depth = 1 << (cutoff - 1).bit_length()
        return self._memo(("first", depth), lambda: self._first_rows(depth))

    def _first_rows(self, cutoff: int) -> tuple[Ints, Ints, Ints]:
        """Return three arrays int64[document] for the documents in the first `cutoff` ranks of all
        queries: the query's position in the run, the rank, and the row in the documents table."""
        assert self.run is not None
        run = self.run.select_top(cutoff)
        rows, rank = top_ranks(run, cutoff)
        return (
            run.query_codes[rows].astype(np.int64),
            rank,
            self._document_rows(run.doc_ids.take(as_column(rows))),
        )

    def judged_document_rows(self, qrels_rows: Ints) -> Ints:
        """Return the rows of judged documents in the documents table, int64[n]. `qrels_rows`
        int64[n] are their rows in the qrels."""
        return self._memo("judged", lambda: self._document_rows(self.judged_docs))[qrels_rows]

    def column_values(self, document_row: Ints, column: str) -> Floats:
        """Return the number in a column for each document, float64[n]; NaN if a document has no
        number.

        `document_row` int64[n] are the documents' rows in the documents table. Raises
        LackingDataError if the column does not exist, or if it contains text that is not a
        number."""
        make = lambda: _column_numbers(column, self._column(column), self._ids)  # noqa: E731
        return np.where(
            document_row >= 0, self._memo(("numbers", column), make)[document_row], np.nan
        )

    def value_codes(self, document_row: Ints, column: str) -> Ints:
        """Return a code for the value in a column of each document, int64[n].

        Equal values have equal codes; a document without a value has the code -1. `document_row`
        int64[n] are the documents' rows in the documents table. Raises LackingDataError if the
        column does not exist."""
        make = lambda: _column_codes(self._column(column))  # noqa: E731
        return np.where(document_row >= 0, self._memo(("codes", column), make)[document_row], -1)

    @property
    def n_documents(self) -> int:
        """The number of documents in the documents table."""
        return 0 if self.documents is None else len(self.documents)

    def missing_data_error(self, column: str | None) -> LackingDataError | None:
        """Return the error for a missing documents table or a missing column; None if nothing is
        missing."""
        if self.documents is None:
            what = f"a column {column!r}" if column else "the whole catalogue"
            return LackingDataError(
                "No documents are loaded.", f"Load the documents, including {what}."
            )
        columns = [c for c in self.documents.table.column_names if c not in ("doc_id",)]
        if column is not None and column not in columns:
            return LackingDataError(
                f"The documents have no column {column!r}.", f"Their columns: {', '.join(columns)}."
            )
        return None

    def select_queries(self, queries: Mask, is_judged: Mask) -> ListedDocuments:
        """Return the lists of the queries for which `queries`, bool[query], is true.

        `is_judged` bool[judgment] selects the judgments that are kept."""
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
            judged_rows=self.judged_rows[is_judged],
            lists=lists,
        )

    def condensed(self, query: Ints, rank: Ints, qrels_rows: Ints) -> ListedDocuments:
        """Return a copy whose lists contain only judged documents. The arguments are the query, the
        rank and the row in the qrels of each of these documents, int64[document] each."""
        return replace(self, lists=(query, rank, qrels_rows))

    @property
    def _ids(self) -> pa.ChunkedArray:
        assert self.documents is not None
        return self.documents.table["doc_id"]

    def _column(self, column: str) -> pa.ChunkedArray:
        lacking = self.missing_data_error(column)
        if lacking is not None:
            raise lacking
        assert self.documents is not None
        return self.documents.table[column]

    def _document_rows(self, doc_ids: pa.ChunkedArray) -> Ints:
        indices = pc.fill_null(pc.index_in(doc_ids, value_set=self._ids.combine_chunks()), -1)
        return np.asarray(as_array(indices), dtype=np.int64)


def plain_list_documents(
    retrieved: Sequence[str], judged_ids: Sequence[str], columns: Mapping[str, Mapping[str, Any]]
) -> ListedDocuments:
    """Return a plain Python list as ListedDocuments.

    `retrieved` has ids in rank order, and `judged_ids` has ids sorted by descending grade.
    `columns` maps the name of each column to a dictionary from document id to value."""
    column_ids = (doc for values in columns.values() for doc in values)
    doc_ids = list(dict.fromkeys([*judged_ids, *retrieved, *column_ids]))
    row = {doc: i for i, doc in enumerate(doc_ids)}
    table = {name: _to_column([v.get(d) for d in doc_ids]) for name, v in columns.items()}
    rank = np.arange(1, len(retrieved) + 1)
    return ListedDocuments(
        run=None,
        query=np.zeros(0, dtype=np.int32),
        n_queries=1,
        judged_docs=pa.chunked_array([as_text_column(doc_ids)]),
        judged_rows=np.arange(len(judged_ids)),
        documents=Documents.from_columns({"doc_id": doc_ids, **table}),
        lists=(
            np.zeros(len(rank), dtype=np.int64),
            rank,
            np.array([row[d] for d in retrieved], int),
        ),
    )


def _to_column(values: Sequence[str | float | None]) -> pa.Array:
    """Convert strings or numbers to a column. All numbers become floats, because Arrow refuses some
    mixtures of int and float."""
    if any(isinstance(value, str) for value in values):
        return pa.array(values, ID)
    return pa.array([None if v is None else float(v) for v in values], pa.float64())


def _column_codes(column: pa.ChunkedArray) -> Ints:
    texts = column.cast(ID).combine_chunks()
    present = pc.if_else(pc.equal(texts, ""), None, texts).dictionary_encode()
    codes = as_array(pc.fill_null(present.indices, -1))
    return np.asarray(codes, dtype=np.int64)


def _column_numbers(name: str, column: pa.ChunkedArray, doc_ids: pa.ChunkedArray) -> Floats:
    """Return a column as finite numbers, float64[row]. An empty value becomes NaN."""
    if is_text_type(column.type):
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
            f"The column {name!r} has values that are not numbers ({len(bad_rows):,} in total):"
            f" {first}.",
            "Write plain numbers such as 1234.5, without a currency, or leave the cell empty.",
        )
    return np.asarray(values, dtype=np.float64)
