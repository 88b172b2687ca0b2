"""What a file of another tool holds, gathered in columns: results, grades, queries, documents, each
with its line; and the table of a kind made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from metrics_core.base.errors import FileFormatError, LineProblem, TableError
from metrics_core.base.notes import Note
from metrics_core.base.wording import listing, plural
from metrics_core.formats.parsing.checking import check_ids, qrels_table, refuse_values
from metrics_core.formats.parsing.columns import DOCUMENT_IDS, DOCUMENT_TEXTS, fold
from metrics_core.formats.parsing.json_values import JsonValue
from metrics_core.formats.parsing.systems import (
    FormatDetails,
    System,
    check_runs,
    load_runs,
    load_systems,
    rows_at,
)
from metrics_core.formats.registry import (
    KIND_TITLES,
    KINDS,
    Kind,
    Loaded,
    NothingOfKindError,
    Request,
)
from metrics_core.formats.source.lines import LineIndex, refuse_rows
from metrics_core.formats.source.source import Source, shortened
from metrics_core.formats.values import A_SCORE
from metrics_core.tables import Documents, Qrels, Queries
from metrics_core.tables.columns import ID, coded_texts

_IDS = DOCUMENT_IDS
_ROWS_BETWEEN_CHECKS = 4096
_TEXTS = ("segment", *DOCUMENT_TEXTS, "page_content")
"""Keys of a document's text: castorini's, then what it is called elsewhere."""


@dataclass
class _Pairs:
    """Rows of a query and a document: a score, or None, and its rank, or a grade; in which run."""

    queries: list[str] = field(default_factory=list)
    docs: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    @property
    def ids(self) -> pa.Table:
        """The columns query_id and doc_id."""
        return pa.table({"query_id": coded_texts(self.queries), "doc_id": pa.array(self.docs, ID)})

    @property
    def index(self) -> LineIndex | None:
        """The line of each row; None where records have no lines of their own."""
        return LineIndex.of(self.lines) if self.lines and all(self.lines) else None


@dataclass
class _Texts:
    """Rows of queries or of documents by id: their columns, and where each was first."""

    id_name: str
    rows: dict[str, dict[str, str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    other: list[str] = field(default_factory=list)

    def add(self, own_id: str, text: str | None, columns: Mapping[str, str | None]) -> None:
        known = self.rows.setdefault(own_id, {})
        named = {self._named(name): value for name, value in columns.items()}
        for name, value in {"text": text, **named}.items():
            if value is not None and known.setdefault(name, value) != value:
                self.other.append(own_id)

    def _named(self, name: str) -> str:
        """A column's name; one that is called as ours are is told apart."""
        ours = name in ("text", self.id_name)
        return self.names.setdefault(name, f"record.{name}" if ours else name)


class GatheredTables:
    """What is found in a file, kind by kind. Where it is `tagged`, the names of runs may also be
    those of parts, and it is to be found out which (`parsing.systems`). Of kinds other than the one
    `wanted` it only knows that they are there: a file of several tables is read once for each."""

    def __init__(self, source: Source, wanted: Kind, *, tagged: bool = False) -> None:
        self.source, self._wanted, self._tagged = source, wanted, tagged
        self.ranked = False
        """Whether the file has the ranks of its results, rather than their order."""
        self._others: set[Kind] = set()
        self._results, self._grades = _Pairs(), _Pairs()
        self._queries, self._documents = _Texts("query_id"), _Texts("doc_id")
        self._notes: dict[Kind, list[Note]] = {}
        self._last: tuple[str, str] | None = None
        self._empty: dict[str, None] = {}
        self._lists: set[tuple[str, str]] = set()
        self._left: dict[str, None] = {}

    def begin(self, record: JsonValue, query_id: str, run: str = "") -> None:
        """The one list that a run has for a query. Raises FileFormatError for a second."""
        if (run, query_id) in self._lists:
            of = f" of run {shortened(run)}" if run else ""
            found = f"query {shortened(query_id)}{of} a second time"
            hint = "Are these the results of several runs? Give each a file of its own."
            raise record.refused("each query once", found=found, hint=hint)
        self._lists.add((run, query_id))

    def result(
        self,
        query_id: str,
        doc_id: str,
        score: str | None = None,
        *,
        run: str = "",
        line: int | None = None,
        rank: float | None = None,
    ) -> None:
        """A document that a run has for a query, in its order where there is no score."""
        if self._is_other("run"):
            return
        rows = self._results
        begun = (run, query_id) == self._last
        self._last = run, query_id
        rows.ranks.append(rank if rank is not None else rows.ranks[-1] + 1 if begun else 1)
        rows.queries.append(query_id)
        rows.docs.append(doc_id)
        rows.values.append(score)
        rows.runs.append(run)
        rows.lines.append(line or 0)
        self._check(len(rows.docs), line)

    def nothing_retrieved(self, query_id: str) -> None:
        """A query whose list is empty."""
        self._empty[query_id] = None

    def grade(self, query_id: str, doc_id: str, grade: str, *, line: int | None = None) -> None:
        """A judgment."""
        if self._is_other("qrels"):
            return
        rows = self._grades
        rows.queries.append(query_id)
        rows.docs.append(doc_id)
        rows.values.append(grade)
        rows.lines.append(line or 0)
        self._check(len(rows.docs), line)

    def query(self, query_id: str, text: str | None = None, /, **columns: str | None) -> None:
        """A query, with what else is said of it; what was said first counts."""
        if not self._is_other("queries"):
            self._add(self._queries, query_id, text, columns)

    def document(self, doc_id: str, text: str | None = None, /, **columns: str | None) -> None:
        """A document, with what else is said of it; what was said first counts."""
        if not self._is_other("documents"):
            self._add(self._documents, doc_id, text, columns)

    def document_as(self, doc_id: str, value: JsonValue | None) -> None:
        """A document that is a text, or an object with one: what else it says by single values
        becomes columns."""
        if value is None or not isinstance(value.value, (str, dict)):
            if value is not None:
                raise value.refused("a text, or an object with one")
            return
        if self._is_other("documents"):
            return
        if isinstance(value.value, str):
            self.document(doc_id, value.text())
            return
        text = next((name for name in _TEXTS if isinstance(value.value.get(name), str)), None)
        columns = {}
        for name, own in value.items():
            if isinstance(own.value, (dict, list)):
                self._left[name] = None
            elif name != text and own.value is not None:
                columns[name] = own.text()
        own_id = next((name for name in columns if fold(name) in _IDS), None)
        if own_id is not None and columns[own_id] == doc_id:
            del columns[own_id]
        self.document(doc_id, value.value[text] if text is not None else None, **columns)

    def _is_other(self, kind: Kind) -> bool:
        """Whether another kind is wanted; that there is this one is remembered."""
        if kind == self._wanted:
            return False
        self._others.add(kind)
        return True

    def _add(
        self, texts: _Texts, own_id: str, text: str | None, columns: Mapping[str, str | None]
    ) -> None:
        known = len(texts.names)
        texts.add(own_id, text, columns)
        if len(texts.names) > known or not len(texts.rows) % _ROWS_BETWEEN_CHECKS:
            self.source.check_cells(len(texts.rows), 2 + len(texts.names))

    def note(
        self,
        kind: Kind,
        code: str,
        message: str,
        count: int,
        examples: Sequence[str] = (),
        *,
        loud: bool = False,
    ) -> None:
        """Something odd about the table of a kind; `loud` as in `Note`."""
        noted = Note(code, message, count, tuple(examples[:3]), loud=loud)
        self._notes.setdefault(kind, []).append(noted)

    def note_ids(
        self,
        kind: Kind,
        code: str,
        ids: Sequence[str],
        what: str,
        *,
        one: str = "query",
        many: str = "queries",
        loud: bool = False,
    ) -> None:
        """Note that some ids are odd in this way, as in "2 queries without a rating", where there
        are any."""
        if ids:
            message = f"{len(ids):,} {plural(len(ids), one, many)} {what}"
            self.note(kind, code, message, len(ids), tuple(ids[:3]), loud=loud)

    def load(self, request: Request, format: str, title: str) -> Loaded:
        """The table of the kind that is asked for. Raises FileFormatError, NothingOfKindError where
        the file has none of it."""
        make = {
            "run": self._run,
            "qrels": self._qrels,
            "queries": self._query_table,
            "documents": self._document_table,
        }
        return make[request.kind](request, format, title)

    def _check(self, rows: int, line: int | None) -> None:
        if not rows % _ROWS_BETWEEN_CHECKS:
            self.source.check_cells(rows, 4, line)

    def _nothing(self, kind: Kind, title: str) -> FileFormatError:
        problem = LineProblem(None, f"none in this file ({title})", KIND_TITLES[kind])
        kinds = listing(KIND_TITLES[own] for own in KINDS if own in self._others)
        hint = f"It has {kinds}." if kinds else "Was it written to the end?"
        return NothingOfKindError(self.source.name, [problem], hint=hint)

    def _run(self, request: Request, format: str, title: str) -> Loaded:
        rows = self._results
        if not rows.docs:
            raise self._nothing("run", title)
        scored = any(value is not None for value in rows.values)
        self.note_ids("run", "empty", list(self._empty), "with an empty list")
        if not scored:
            message = "there are no scores; the order of each list gives the rank"
            if self.ranked:
                message = "there is a rank but no score; the rank gives the order"
            self.note("run", "rank", message, len(rows.docs))
            scores = [-float(rank) for rank in rows.ranks]
        else:
            without = np.array([i for i, value in enumerate(rows.values) if value is None])
            if len(without):
                problem = ("nothing", A_SCORE, "Give a score to all documents, or to none.")
                raise refuse_values(self.source, rows.index, without, lambda row: problem)
            scores = [float(value or 0) for value in rows.values]
        table = rows.ids.append_column("score", pa.array(scores))
        check_ids(self.source, table, rows.index)
        reading, notes = FormatDetails(format, title, scored=scored), self._notes.get("run", [])
        if self._tagged:
            table = table.append_column("tag", coded_texts(rows.runs))
            return load_runs(self.source, request, table, rows.index, reading, notes)
        check_runs(self.source, len(set(rows.runs)))
        systems = _systems(table, rows.runs)
        return load_systems(self.source, request, systems, rows.index, reading, notes)

    def _qrels(self, request: Request, format: str, title: str) -> Loaded:
        rows = self._grades
        if not rows.docs:
            raise self._nothing("qrels", title)
        table = rows.ids.append_column("relevance", coded_texts(rows.values))
        qrels: Qrels = qrels_table(self.source, request, table, rows.index)
        noted = qrels.noting(*self._notes.get("qrels", ()))
        return Loaded(noted, format, title, self.source.name)

    def _query_table(self, request: Request, format: str, title: str) -> Loaded:
        table = self._table(self._queries, "queries", Queries.from_columns, title)
        return Loaded(table, format, title, self.source.name)

    def _document_table(self, request: Request, format: str, title: str) -> Loaded:
        if self._left:
            names = list(self._left)
            message = f"lists and objects of documents not used: {shortened(', '.join(names))}"
            self.note("documents", "columns", message, len(names), names)
        table = self._table(self._documents, "documents", Documents.from_columns, title)
        return Loaded(table, format, title, self.source.name)

    def _table(self, texts: _Texts, kind: Kind, make: Any, title: str) -> Any:
        if not texts.rows:
            raise self._nothing(kind, title)
        names = dict.fromkeys(name for row in texts.rows.values() for name in row)
        columns: dict[str, Any] = {texts.id_name: list(texts.rows)}
        columns |= {name: [row.get(name) for row in texts.rows.values()] for name in names}
        for name in columns.keys() & {"text", "title"}:
            columns[name] = [text or "" for text in columns[name]]
        try:
            table = make(columns)
        except TableError as error:
            raise refuse_rows(self.source, error, None) from error
        notes = list(self._notes.get(kind, ()))
        if texts.other:
            differing = tuple(dict.fromkeys(texts.other))
            one, many = ("query", "queries") if kind == "queries" else ("document", "documents")
            stand = plural(len(differing), "stands", "stand")
            what = f"{len(differing):,} {plural(len(differing), one, many)} {stand}"
            message = f"{what} again with other texts; the first count"
            notes.append(Note("other_texts", message, len(differing), differing[:3]))
        return table.noting(*notes)


def _systems(table: pa.Table, runs: list[str]) -> list[System]:
    """The rows of each run, in the order in which they begin."""
    names = list(dict.fromkeys(runs))
    if len(names) == 1:
        return [System(names[0], table)]
    number = {name: i for i, name in enumerate(names)}
    codes = np.array([number[name] for name in runs])
    parts = [np.flatnonzero(codes == code) for code in range(len(names))]
    return [
        System(name, rows_at(table, places), places)
        for name, places in zip(names, parts, strict=True)
    ]
