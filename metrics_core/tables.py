"""The four tables: Run, Qrels, Queries, Documents. Columns, checks, notes on odd input.

Ids are text, always, and stay byte for byte what the user gave. The large tables (Run, Qrels,
Documents) are Arrow tables, because seven million rows of Python strings are not affordable;
Queries is a pandas frame, because people look at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.arrow import ID, all_but_best, coded, drop_rows, float_array, refuse, text_column
from metrics_core.errors import RowProblem
from metrics_core.notes import Note
from metrics_core.pairs import repeated_rows

Duplicates = Literal["error", "best", "first"]


@dataclass(frozen=True)
class _Judgable:
    """What Run and Qrels share: a table whose rows belong to (query_id, doc_id) pairs."""

    table: pa.Table
    notes: tuple[Note, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return self.table.num_rows

    @property
    def query_ids(self) -> list[str]:
        """The distinct query ids, in the order of their first row."""
        return coded(self.table["query_id"]).dictionary.to_pylist()

    @property
    def query_codes(self) -> npt.NDArray[np.int32]:
        """Per row the position of its query in `query_ids`; int32, read-only."""
        return coded(self.table["query_id"]).indices.to_numpy(zero_copy_only=False)

    @property
    def doc_ids(self) -> pa.ChunkedArray:
        """Per row the doc_id, text."""
        return self.table["doc_id"]

    def _pair(self, row: int) -> str:
        """A row's pair in words, for messages."""
        query_id = self.table["query_id"][row].as_py()
        return f"document {self.doc_ids[row].as_py()} of query {query_id}"

    def noting(self, *notes: Note) -> Self:
        """The same table with further notes."""
        return replace(self, notes=(*self.notes, *notes))

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame with text ids; for people and exports, not for large runs."""
        plain = self.table.set_column(0, "query_id", self.table["query_id"].cast(ID))
        return plain.to_pandas()


@dataclass(frozen=True)
class Run(_Judgable):
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
        """Build and check a run. Raises TableError for a score that is not finite and, unless
        `duplicates` says "best" (highest score) or "first", for a document twice in a query."""
        scores = float_array(score)
        table = pa.table(
            {
                "query_id": coded(query_id),
                "doc_id": text_column(doc_id),
                "score": pa.array(scores, from_pandas=False),
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
                    row, f"{self._pair(row)} a second time", "each document once for a query"
                ),
                hint="Keep one of the rows, or read the run with duplicates=best"
                " (the highest score counts) or duplicates=first.",
            )
        dropped = repeated
        if duplicates == "best":
            dropped = all_but_best(repeated, first, self.table["score"].to_numpy())
        kept = "the highest score" if duplicates == "best" else "the first row"
        note = Note(
            "duplicates",
            f"{len(repeated):,} repeated documents; {kept} of each counts",
            count=len(repeated),
            examples=tuple(self._pair(int(row)) for row in repeated[:3]),
            loud=True,
        )
        return replace(self, table=drop_rows(self.table, dropped)).noting(note)

    def renamed(self, name: str) -> Run:
        """The same run under another name."""
        return replace(self, name=name)


@dataclass(frozen=True)
class Qrels(_Judgable):
    """Relevance judgments: query_id, doc_id, relevance (int64, or float64 for real grades).

    A negative grade means: seen by the pool but not judged relevant; it is never relevant.
    """

    @classmethod
    def from_columns(cls, query_id: Any, doc_id: Any, relevance: Any) -> Qrels:
        """Build and check qrels. Raises TableError where a pair is judged twice with different
        grades; the same grade twice is counted once, with a note."""
        grades = relevance
        if isinstance(relevance, (pa.Array, pa.ChunkedArray)):
            grades = relevance.to_numpy()
        grades = np.asarray(grades)
        grades = grades.astype(np.float64 if grades.dtype.kind == "f" else np.int64)
        refuse(
            "A grade must be a finite number.",
            np.flatnonzero(~np.isfinite(grades)),
            lambda row: RowProblem(row, f"{grades[row]}", "a finite grade"),
        )
        table = pa.table(
            {
                "query_id": coded(query_id),
                "doc_id": text_column(doc_id),
                "relevance": pa.array(grades),
            }
        )
        return cls(table=table)._without_duplicates()

    @property
    def relevance(self) -> npt.NDArray[Any]:
        """Per row the grade."""
        return self.table["relevance"].to_numpy()

    def _without_duplicates(self) -> Qrels:
        repeated, first = repeated_rows(self.query_codes, self.doc_ids)
        if not len(repeated):
            return self
        grades = self.relevance
        first_of = dict(zip(repeated.tolist(), first.tolist(), strict=True))
        refuse(
            "A document has one grade for each query.",
            repeated[grades[repeated] != grades[first]],
            lambda row: RowProblem(
                row,
                f"{self._pair(row)} judged {grades[row]}, earlier judged {grades[first_of[row]]}",
                "one grade for each document of a query",
            ),
            hint="Keep the grade that is right and delete the other row.",
        )
        note = Note(
            "duplicates",
            f"{len(repeated):,} rows twice with the same grade, counted once",
            count=len(repeated),
            examples=tuple(self._pair(int(row)) for row in repeated[:3]),
        )
        return replace(self, table=drop_rows(self.table, repeated)).noting(note)


@dataclass(frozen=True)
class Queries:
    """What people asked: a pandas frame with query_id, text and any metadata columns, all text.

    A missing value is None in the frame; breakdowns show it as the slice "(none)".
    """

    frame: pd.DataFrame
    notes: tuple[Note, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.frame)

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> Queries:
        """Build and check queries from columns of equal length; query_id is required, text is
        added empty where absent. Raises TableError where a query_id stands twice."""
        frame = pd.DataFrame(
            {name: pd.Series(list(values), dtype="object") for name, values in columns.items()}
        )
        if "text" not in frame:
            frame.insert(1, "text", "")
        ids = frame["query_id"]
        refuse(
            "A query stands once in the queries.",
            np.flatnonzero(ids.duplicated().to_numpy()),
            lambda row: RowProblem(
                row, f"query {ids.iloc[row]} a second time", "each query_id once"
            ),
            hint="Keep one row for each query; two categories of one query need two columns.",
        )
        first = ["query_id", "text"]
        return cls(frame[first + [c for c in frame.columns if c not in first]])

    @property
    def columns(self) -> list[str]:
        """The metadata columns: everything but query_id and text."""
        return [c for c in self.frame.columns if c not in ("query_id", "text")]

    @property
    def groupings(self) -> list[str]:
        """The metadata columns fit for a breakdown: some value repeats and there are at most 50."""
        few = []
        for column in self.columns:
            distinct = self.frame[column].nunique()
            if 0 < distinct <= 50 and distinct < self.frame[column].notna().sum():
                few.append(column)
        return few

    def noting(self, *notes: Note) -> Queries:
        """The same table with further notes."""
        return replace(self, notes=(*self.notes, *notes))


@dataclass(frozen=True)
class Documents:
    """Titles and texts: an Arrow table with doc_id, title, text and any other column."""

    table: pa.Table
    notes: tuple[Note, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return self.table.num_rows

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> Documents:
        """Build and check documents; doc_id is required, title and text are added empty where
        absent. Raises TableError where a doc_id stands twice."""
        table = pa.table(dict(columns))
        table = table.set_column(
            table.schema.get_field_index("doc_id"), "doc_id", text_column(table["doc_id"])
        )
        repeated, _ = repeated_rows(np.zeros(len(table), dtype=np.int32), table["doc_id"])
        refuse(
            "A document stands once in the documents.",
            repeated,
            lambda row: RowProblem(
                row, f"document {table['doc_id'][row].as_py()} a second time", "each doc_id once"
            ),
            hint="Keep one row for each document.",
        )
        for name in ("title", "text"):
            if name not in table.column_names:
                table = table.append_column(name, pa.array([""] * len(table), ID))
        first = ["doc_id", "title", "text"]
        return cls(table.select(first + [c for c in table.column_names if c not in first]))

    def lookup(self, doc_ids: Iterable[str]) -> pd.DataFrame:
        """The rows of these documents, indexed by doc_id; ids without a row are absent."""
        wanted = pa.array(list(dict.fromkeys(doc_ids)), ID)
        rows = self.table.filter(pc.is_in(self.table["doc_id"], value_set=wanted))
        return rows.to_pandas().set_index("doc_id")

    def known(self, doc_ids: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.bool_]:
        """Per given id whether there is a row for it."""
        found = pc.is_in(doc_ids, value_set=self.table["doc_id"].combine_chunks())
        return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.bool_)

    def noting(self, *notes: Note) -> Documents:
        """The same table with further notes."""
        return replace(self, notes=(*self.notes, *notes))


Table = Run | Qrels | Queries | Documents
