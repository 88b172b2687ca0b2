"""Read JSON in the form that pytrec_eval and ranx write, `{query: {document: number}}`, query by
query.

Only the text, the current query as Python values, and the columns of earlier queries are in
memory."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import content_error
from metrics_core.base.notes import Note
from metrics_core.base.wording import format_query_count
from metrics_core.formats.parsing.checking import (
    ProblemTexts,
    build_qrels_table,
    build_run_table,
    check_ids,
    refuse_rows,
)
from metrics_core.formats.parsing.columns import are_whole_grades
from metrics_core.formats.parsing.json_text import (
    MAX_DIGITS,
    check_strings,
    describe_long_number,
    find_line,
    find_strings,
    has_surrogates,
    read_entries,
    scan_entries,
)
from metrics_core.formats.parsing.order_notes import rising_score_notes
from metrics_core.formats.registry import Loaded, Request
from metrics_core.formats.source.lines import line_error
from metrics_core.formats.source.source import Source, shorten_line
from metrics_core.formats.values import A_SCORE, explain_bad_number, parse_scores
from metrics_core.tables import Table
from metrics_core.tables.columns import ID

_ROWS_AT_ONCE = 1 << 18
_NUMBERS = frozenset((bytes,))


@dataclass
class _MapRows:
    """The rows of an object of objects, collected in columns.

    queries         query ids
    starts          position in the text at which the documents of each query start
    counts          number of documents of each query
    invalid_values  row -> value that is not a number
    docs            document ids, in chunks
    texts           numbers of the documents as text, in chunks"""

    text: str
    queries: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    invalid_values: dict[int, Any] = field(default_factory=dict)
    docs: list[pa.Array] = field(default_factory=list)
    texts: list[pa.Array] = field(default_factory=list)
    _docs: list[str] = field(default_factory=list)
    _texts: list[bytes] = field(default_factory=list)
    _last_positions: tuple[int, list[int]] = (-1, [])
    rows: int = 0

    def add(self, query_id: str, start: int, documents: dict[str, Any]) -> None:
        """Add the documents of a query."""
        self.queries.append(query_id)
        self.starts.append(start)
        self.counts.append(len(documents))
        self._docs += documents
        values = list(documents.values())
        if not _NUMBERS.issuperset(map(type, values)):
            for row, value in enumerate(values):
                if type(value) is not bytes:
                    self.invalid_values[self.rows + row] = value
                    values[row] = b""
        self._texts += values
        self.rows += len(values)
        if len(self._docs) >= _ROWS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Convert the collected values to columns."""
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
        """Return the physical line that contains the number of this row."""
        ends = np.cumsum(self.counts)
        query = int(np.searchsorted(ends, row, side="right"))
        start = self.starts[query]
        end = self.starts[query + 1] if query + 1 < len(self.starts) else len(self.text)
        if self.text.find("\n", start, end) < 0:
            return find_line(self.text, start)
        if self._last_positions[0] != query:
            self._last_positions = (
                query,
                [entry.value_start for entry in scan_entries(self.text, start)],
            )
        return find_line(
            self.text, self._last_positions[1][row - int(ends[query]) + self.counts[query]]
        )


def load_nested_object(source: Source, request: Request) -> Loaded:
    """Read a run or judgments from `{query: {document: number}}`.

    Raises FileFormatError for another structure, an invalid number or repeated keys."""
    rows = _read_rows(source)
    if not rows.rows:
        raise content_error(
            source.name, "no documents for any query", "at least one", "Is the file complete?"
        )

    def describe_problem(row: int) -> ProblemTexts:
        value = json.dumps(rows.invalid_values[row], ensure_ascii=False, default=bytes.decode)
        expected = A_SCORE if request.kind == "run" else "a number as the grade"
        return f"`{shorten_line(value)[:60]}`", expected, ""

    invalid_rows = np.array(list(rows.invalid_values), dtype=np.int64)
    refuse_rows(source, rows, invalid_rows, describe_problem)
    table = _build_table(source, request, rows)
    empty_count = rows.counts.count(0)
    if empty_count:
        message = f"{format_query_count(empty_count)} without documents"
        table = table.with_notes(Note("empty", message, empty_count))
    shape = "score" if request.kind == "run" else "grade"
    return Loaded(table, "json", f"JSON: query, document, {shape}", source.name)


_HINT = (
    'Example: {"q1": {"doc-7": 14.2}}. For other structures, name the paths with columns such'
    " as query=results[].q,doc=results[].hits[].id,score=results[].hits[].score."
)


def _read_rows(source: Source) -> _MapRows:
    text = source.content()
    rows, surrogates = _MapRows(text), has_surrogates(text)
    for query_id, _, start, documents in read_entries(source, text):
        if not isinstance(documents, dict):
            actual = f"`{shorten_line(query_id)}`, whose value is not an object"
            raise content_error(source.name, actual, "{query: {document: number}}", _HINT)
        if surrogates:
            check_strings(source, text, (query_id, *find_strings(documents)), None)
        rows.add(query_id, start, documents)
    rows.flush()
    lengths = pc.binary_length(pa.chunked_array(rows.texts, ID))
    if (pc.max(lengths).as_py() or 0) > MAX_DIGITS:
        row = pc.index(pc.greater(lengths, MAX_DIGITS), True).as_py()
        raise line_error(source, rows.line(row), *describe_long_number(lengths[row].as_py()))
    return rows


def _build_table(source: Source, request: Request, rows: _MapRows) -> Table:
    texts = pa.chunked_array(rows.texts, ID)
    if request.kind == "qrels":
        table = pa.table({**rows.ids, "relevance": texts})
        qrels = build_qrels_table(source, request, table, rows)
        message = "all numbers are small integers, so they are read as grades, not scores"
        are_whole = are_whole_grades(texts.slice(0, 1000).to_pylist())
        return qrels.with_notes(Note("kind", message, rows.rows)) if are_whole else qrels
    scores: Floats = np.concatenate([parse_scores(t) for t in texts.chunks])

    def describe_problem(row: int) -> ProblemTexts:
        score = texts[row].as_py()
        return f"`{score}`", A_SCORE, explain_bad_number(score)

    refuse_rows(source, rows, np.flatnonzero(np.isnan(scores)), describe_problem)
    ids = rows.ids
    table = pa.table({**ids, "score": scores})
    check_ids(source, table, rows)
    run = build_run_table(source, request, table, rows)
    return run.with_notes(*rising_score_notes(ids["query_id"], scores))
