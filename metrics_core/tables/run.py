"""Runs: what systems returned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from metrics_core.errors import RowProblem
from metrics_core.notes import Note
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.columns import (
    all_but_best,
    coded,
    drop_rows,
    float_array,
    refuse,
    refuse_without_ids,
    text_column,
)
from metrics_core.tables.judgable import Judgable
from metrics_core.tables.repeats import repeated_rows

Duplicates = Literal["error", "best", "first"]


@dataclass(frozen=True)
class Run(Judgable):
    """What one system returned: query_id, doc_id, score (float64, finite), a row per document.

    Rows may come in any order; rank follows from the score, in `judging`. `name` tells runs apart.
    """

    name: str = "run"

    @classmethod
    def from_columns(
        cls,
        name: str,
        query_id: Any,
        doc_id: Any,
        score: Any,
        *,
        duplicates: Duplicates = "error",
    ) -> Run:
        """Build and check a run. Raises TableError for a missing or empty id, a score that is not
        finite and, unless `duplicates` says "best" (highest score) or "first", for a document twice
        in a query."""
        scores = float_array(score)
        query_ids, doc_ids = coded(query_id), text_column(doc_id)
        refuse_without_ids("query_id", query_ids)
        refuse_without_ids("doc_id", doc_ids)
        table = pa.table(
            {
                "query_id": query_ids,
                "doc_id": doc_ids,
                "score": column_of(scores),
            }
        )
        refuse(
            "A score must be a finite number.",
            np.flatnonzero(~np.isfinite(scores)),
            lambda row: RowProblem(row, f"{scores[row]}", "a finite score"),
        )
        run = cls(table=table, name=name)
        return run._without_duplicates(duplicates)

    def _without_duplicates(self, duplicates: Duplicates) -> Run:
        repeated, first = repeated_rows(self.query_codes, self.doc_ids)
        if not len(repeated):
            return self
        if duplicates == "error":
            refuse(
                "A run lists a document once for each query.",
                repeated,
                lambda row: RowProblem(
                    row, f"{self.pair(row)} a second time", "each document once for a query"
                ),
                hint="Keep one of the rows, or read the run with duplicates=best"
                " (the highest score counts) or duplicates=first.",
                offer="duplicates=best",
            )
        dropped = repeated
        if duplicates == "best":
            dropped = all_but_best(repeated, first, values_of(self.table["score"]))
        kept = "the highest score" if duplicates == "best" else "the first row"
        note = Note(
            "duplicates",
            f"{len(repeated):,} repeated documents; {kept} of each counts",
            count=len(repeated),
            examples=tuple(self.pair(int(row)) for row in repeated[:3]),
            loud=True,
        )
        return replace(self, table=drop_rows(self.table, dropped)).noting(note)

    def renamed(self, name: str) -> Run:
        """The same run under another name."""
        return replace(self, name=name)
