"""JSON as pytrec_eval and ranx hold it, `{query: {document: number}}`, read a query at a time.

Held at once are the text, one query as Python's values, and columns of all that came before.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.parsing.checking import (
    check_ids,
    qrels_table,
    refuse_values,
    run_table,
)
from metrics_core.formats.parsing.columns import whole_grades
from metrics_core.formats.parsing.json_text import (
    MOST_DIGITS,
    check_strings,
    entries_from,
    entries_of,
    holds_surrogates,
    line_at,
    strings_in,
    too_long,
)
from metrics_core.formats.parsing.order_notes import rising_notes
from metrics_core.formats.registry import Loaded, Request
from metrics_core.formats.source.lines import counted, refuse
from metrics_core.formats.source.source import Source, shortened
from metrics_core.formats.values import A_SCORE, parse_scores, why_not_a_number
from metrics_core.tables import Table
from metrics_core.tables.columns import ID

_ROWS_AT_ONCE = 1 << 18
_NUMBERS = frozenset((bytes,))


@dataclass
class _Rows:
    """The rows of a map of maps, in columns; `starts` is where each query's documents begin in the
    text, `counts` how many they are, `wrong` has the rows whose values are no numbers."""

    text: str
    queries: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    wrong: dict[int, Any] = field(default_factory=dict)
    docs: list[pa.Array] = field(default_factory=list)
    texts: list[pa.Array] = field(default_factory=list)
    _docs: list[str] = field(default_factory=list)
    _texts: list[bytes] = field(default_factory=list)
    _found: tuple[int, list[int]] = (-1, [])
    rows: int = 0

    def add(self, query_id: str, start: int, documents: dict[str, Any]) -> None:
        """The documents of one more query."""
        self.queries.append(query_id)
        self.starts.append(start)
        self.counts.append(len(documents))
        self._docs += documents
        values = list(documents.values())
        if not _NUMBERS.issuperset(map(type, values)):
            for row, value in enumerate(values):
                if type(value) is not bytes:
                    self.wrong[self.rows + row] = value
                    values[row] = b""
        self._texts += values
        self.rows += len(values)
        if len(self._docs) >= _ROWS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Make columns of what has been gathered."""
        self.docs.append(pa.array(self._docs, ID))
        self.texts.append(pa.array(self._texts, ID))
        self._docs.clear()
        self._texts.clear()

    @property
    def ids(self) -> dict[str, pa.Array | pa.ChunkedArray]:
        """The columns query_id and doc_id."""
        codes = np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)
        queries = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(self.queries, ID))
        return {"query_id": queries, "doc_id": pa.chunked_array(self.docs, ID)}

    def line(self, row: int) -> int:
        """The physical line of a row's number."""
        ends = np.cumsum(self.counts)
        query = int(np.searchsorted(ends, row, side="right"))
        start = self.starts[query]
        end = self.starts[query + 1] if query + 1 < len(self.starts) else len(self.text)
        if self.text.find("\n", start, end) < 0:
            return line_at(self.text, start)
        if self._found[0] != query:
            self._found = (query, [entry.value_at for entry in entries_from(self.text, start)])
        return line_at(self.text, self._found[1][row - int(ends[query]) + self.counts[query]])


def load_map(source: Source, request: Request) -> Loaded:
    """A run or judgments from `{query: {document: number}}`. Raises FileFormatError."""
    rows = _read(source)
    if not rows.rows:
        problem = LineProblem(None, "no documents for any query", "at least one")
        raise refuse(source, [problem], hint="Is the file complete?")
    if rows.wrong:

        def problem_of(row: int) -> tuple[str, str, str]:
            shown = shortened(
                json.dumps(rows.wrong[row], ensure_ascii=False, default=bytes.decode)
            )[:60]
            return f"`{shown}`", A_SCORE if request.kind == "run" else "a number as grade", ""

        wrong = np.array(list(rows.wrong), dtype=np.int64)
        raise refuse_values(source, rows, wrong, problem_of)
    table = _table(source, request, rows)
    empty = rows.counts.count(0)
    if empty:
        message = f"{counted(empty, 'query')} without documents".replace("querys", "queries")
        table = table.noting(Note("empty", message, empty))
    shape = "score" if request.kind == "run" else "grade"
    return Loaded(table, "json", f"JSON: query, document, {shape}", source.name)


_HINT = (
    'Example: {"q1": {"doc-7": 14.2}}. For other structures, name the paths with columns such'
    " as query=results[].q,doc=results[].hits[].id,score=results[].hits[].score."
)


def _read(source: Source) -> _Rows:
    text = source.content()
    rows, surrogates = _Rows(text), holds_surrogates(text)
    for query_id, _, start, documents in entries_of(source, text):
        if not isinstance(documents, dict):
            found = f"`{shortened(query_id)}` without an object of documents"
            problem = LineProblem(None, found, "{query: {document: number}}")
            raise refuse(source, [problem], hint=_HINT)
        if surrogates:
            check_strings(source, text, (query_id, *strings_in(documents)), None)
        rows.add(query_id, start, documents)
    rows.flush()
    lengths = pc.binary_length(pa.chunked_array(rows.texts, ID))
    if (pc.max(lengths).as_py() or 0) > MOST_DIGITS:
        row = pc.index(pc.greater(lengths, MOST_DIGITS), True).as_py()
        problem = LineProblem(rows.line(row), *too_long(lengths[row].as_py()))
        raise refuse(source, [problem])
    return rows


def _table(source: Source, request: Request, rows: _Rows) -> Table:
    texts = pa.chunked_array(rows.texts, ID)
    if request.kind == "qrels":
        table = pa.table({**rows.ids, "relevance": texts})
        qrels = qrels_table(source, request, table, rows)
        message = "all numbers are small integers, so they are read as grades, not scores"
        whole = whole_grades(texts.slice(0, 1000).to_pylist())
        return qrels.noting(Note("kind", message, rows.rows)) if whole else qrels
    scores: Floats = np.concatenate([parse_scores(t) for t in texts.chunks])
    bad = np.flatnonzero(np.isnan(scores))
    if len(bad):

        def problem_of(row: int) -> tuple[str, str, str]:
            score = texts[row].as_py()
            return f"`{score}`", A_SCORE, why_not_a_number(score)

        raise refuse_values(source, rows, bad, problem_of)
    ids = rows.ids
    table = pa.table({**ids, "score": scores})
    check_ids(source, table, rows)
    run = run_table(source, request, table, rows)
    return run.noting(*rising_notes(ids["query_id"], scores))
