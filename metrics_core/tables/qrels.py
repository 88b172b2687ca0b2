"""Relevance judgments, by document or by subtopic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa

from metrics_core.base.arrays import AnyArray, Floats, Ints
from metrics_core.base.errors import RowProblem
from metrics_core.base.notes import Note
from metrics_core.tables.arrays import as_array, as_column
from metrics_core.tables.columns import (
    drop_rows,
    encode_ids,
    raise_row_problems,
    refuse_missing_ids,
    to_text_column,
)
from metrics_core.tables.damaged_ids import MERGED, explain_damaged_id
from metrics_core.tables.finite_numbers import to_finite_numbers
from metrics_core.tables.judgable import Judgable, format_pair, rename_queries
from metrics_core.tables.repeats import find_repeated_rows


@dataclass(frozen=True)
class Qrels(Judgable):
    """Relevance judgments: query_id, doc_id, relevance (int64, or float64 for real-valued grades).

    A negative grade means that the document was pooled but not judged, so it is never relevant.
    Judgments by subtopic are in `subtopics` (query_id, subtopic, doc_id, relevance: one row per
    judged subtopic); `table` then has the highest grade of each document."""

    subtopics: pa.Table | None = None

    @classmethod
    def from_columns(
        cls,
        query_id: Any,
        doc_id: Any,
        relevance: Any,
        subtopic: Any = None,
        *,
        distinct: bool = False,
    ) -> Qrels:
        """Build and check judgments. If a judgment is repeated with the same grade, it is kept
        once, with a note.

        If `distinct` is true, rows are known to be distinct and are not searched for repetitions.
        Raises TableError for a missing or empty id, a grade that is not a finite number, and
        different grades for the same query and document (with subtopics: for the same query,
        document and subtopic)."""
        columns, doc_ids = {"query_id": encode_ids(query_id)}, to_text_column(doc_id)
        refuse_missing_ids("query_id", columns["query_id"])
        refuse_missing_ids("doc_id", doc_ids)
        pair = partial(format_pair, columns["query_id"], doc_ids)
        grades = to_finite_numbers(relevance, "grade", pair)
        if subtopic is not None:
            columns["subtopic"] = encode_ids(subtopic)
        table = pa.table({**columns, "doc_id": doc_ids, "relevance": as_column(grades)})
        qrels = cls(table=table)
        qrels = qrels if distinct else qrels._drop_duplicates()
        return qrels if subtopic is None else qrels._split_subtopics()

    @property
    def relevance(self) -> AnyArray:
        """Grade of each row, int64[row], or float64[row] for real-valued grades."""
        return as_array(self.table["relevance"])

    @cached_property
    def best_first(self) -> Ints:
        """Row indexes sorted by query and, within a query, by grade, highest first, int64[row].

        The array is read-only and shared by all runs that are joined with these judgments."""
        order = np.lexsort((-self.relevance.astype(np.float64), self.query_codes.astype(np.int64)))
        order.flags.writeable = False
        return order

    @cached_property
    def judged_best_first(self) -> tuple[Ints, Floats]:
        """Query index, int64[row], and grade, float64[row], of each row in the order of
        `best_first`.

        The arrays are read-only and shared by all runs that are joined with these judgments."""
        query = self.query_codes.astype(np.int64)[self.best_first]
        grade = self.relevance.astype(np.float64)[self.best_first]
        for array in (query, grade):
            array.flags.writeable = False
        return query, grade

    @property
    def input_table(self) -> pa.Table:
        """The judgments in the form in which they were read. Judgments by subtopic have the column
        subtopic."""
        return self.table if self.subtopics is None else self.subtopics

    def with_query_ids(self, names: Mapping[str, str]) -> Qrels:
        """Return the same judgments with new query ids.

        `names` maps each old id to a distinct new id."""
        subtopics = self.subtopics and rename_queries(self.subtopics, names)
        return replace(super().with_query_ids(names), subtopics=subtopics)

    def _drop_duplicates(self) -> Qrels:
        """Return the judgments without repeated rows. Rows for the same document and different
        subtopics are not repetitions.

        Raises TableError if a repeated row has a different grade."""
        by_subtopic = "subtopic" in self.table.column_names
        codes = self.query_codes
        if by_subtopic:
            subtopic = as_array(encode_ids(self.table["subtopic"]).indices)
            pairs = np.stack([codes, subtopic], axis=1)
            codes = np.unique(pairs, axis=0, return_inverse=True)[1].ravel().astype(np.int32)
        repeated, first = find_repeated_rows(codes, self.doc_ids)
        if not len(repeated):
            return self
        grades = self.relevance
        first_rows = dict(zip(repeated.tolist(), first.tolist(), strict=True))
        scope_text = "each subtopic of a query" if by_subtopic else "each query"
        raise_row_problems(
            f"A document may have only one grade for {scope_text}.",
            repeated[grades[repeated] != grades[first]],
            lambda row: RowProblem(
                row,
                f"{self.pair(row)} has grade {grades[row]}, but an earlier row has grade"
                f" {grades[first_rows[row]]}",
                "one grade for each document of a query",
            ),
            hint=explain_damaged_id([self.doc_ids[int(repeated[0])].as_py()], MERGED)
            or "Keep the correct grade and delete the other row.",
        )
        note = Note(
            "duplicates",
            f"rows repeated with the same grade: {len(repeated):,}; each judgment counts once",
            count=len(repeated),
            examples=tuple(self.pair(int(row)) for row in repeated[:3]),
        )
        return replace(self, table=drop_rows(self.table, repeated)).with_notes(note)

    def _split_subtopics(self) -> Qrels:
        """Return the judgments with the rows by subtopic moved to `subtopics`. `table` then has the
        highest grade of each document."""
        repeated, first = find_repeated_rows(self.query_codes, self.doc_ids)
        highest = self.relevance.copy()
        np.maximum.at(highest, first, self.relevance[repeated])
        table = self.table.drop_columns(["subtopic", "relevance"])
        table = table.append_column("relevance", as_column(highest))
        return replace(self, table=drop_rows(table, repeated), subtopics=self.table)


def find_subtopic_column(query_id: Any, second_column: Any) -> pa.DictionaryArray | None:
    """Return the second column of TREC judgments if it contains subtopics, otherwise None.

    The column contains subtopics if it varies within a query; otherwise it is an unused
    constant."""
    column, query = encode_ids(second_column), encode_ids(query_id)
    codes = as_array(column.indices)
    query_codes = as_array(query.indices)
    last_codes = np.zeros(len(query.dictionary), dtype=codes.dtype)
    last_codes[query_codes] = codes
    return column if (last_codes[query_codes] != codes).any() else None
