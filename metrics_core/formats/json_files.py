"""Read and write JSON: `{query: {doc: score}}`, lists of records, and JSON Lines with one record
per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import pyarrow as pa

from metrics_core.base.errors import RanklensError
from metrics_core.formats.output_tables import ROWS_AT_ONCE, to_arrow
from metrics_core.formats.parsing.blocks import skipped_line_notes
from metrics_core.formats.parsing.chosen_columns import recognise_assigned_columns
from metrics_core.formats.parsing.columns import are_small_grades, are_whole_grades
from metrics_core.formats.parsing.json_maps import load_nested_object
from metrics_core.formats.parsing.json_text import (
    parse_file,
    parse_first_object,
    parse_json_lines,
)
from metrics_core.formats.parsing.named import load_named
from metrics_core.formats.parsing.records import to_named_columns
from metrics_core.formats.registry import (
    ALL_KINDS,
    CERTAIN,
    IF_REQUESTED,
    KINDS,
    LIKELY,
    UNCLEAR,
    FirstRows,
    Loaded,
    Request,
    Sample,
    Sureness,
    reader,
)
from metrics_core.formats.source.lines import line_error
from metrics_core.formats.source.source import Source
from metrics_core.tables import Qrels, Run, Table
from metrics_core.tables.arrays import group_rows

_MAP = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')
_VALUE = re.compile(r'"\s*:\s*(-?[0-9][0-9.eE+-]*)\s*[,}]')


def recognise_json(sample: Sample) -> Sureness:
    """Recognise JSON files. The kind of table is inferred from the numbers in an object of objects,
    or from the keys of the records in a list."""
    text = sample.text.lstrip()
    if not text.startswith(("{", "[")) or _is_json_lines(sample):
        return {}
    if text.startswith("["):
        return recognise_assigned_columns(_first_list_rows(sample), sample.columns) or UNCLEAR
    if not _MAP.match(text):
        return UNCLEAR
    values = _VALUE.findall(text[:65536])
    if are_small_grades(values):
        return {"qrels": LIKELY + 1, "run": LIKELY}
    return {"run": CERTAIN, "qrels": LIKELY if are_whole_grades(values) else IF_REQUESTED}


def recognise_jsonl(sample: Sample) -> Sureness:
    """Recognise JSON Lines, and infer the kind of table from the keys of the first record."""
    if not _is_json_lines(sample):
        return {}
    return recognise_assigned_columns(_first_line_rows(sample), sample.columns) or UNCLEAR


def _first_list_rows(sample: Sample) -> FirstRows | None:
    """Return the first records of a JSON list as rows."""
    text = sample.text.lstrip()
    return _to_first_rows([parse_first_object(text[1:].lstrip())] if text.startswith("[") else [])


def _first_line_rows(sample: Sample) -> FirstRows | None:
    """Return the first records of JSON Lines as rows."""
    records = (
        [parse_first_object(line) for line in sample.lines[:20]] if _is_json_lines(sample) else []
    )
    return _to_first_rows([record for record in records if record])


def _to_first_rows(records: Sequence[Mapping[str, Any]]) -> FirstRows | None:
    """Return a table of records whose columns are the keys of the first record; None if there is no
    record."""
    names = list(records[0]) if records else []
    rows = [[str(record.get(name, "")) for name in names] for record in records]
    return FirstRows(names, rows) if names else None


def write_json(table: Run | Qrels, file: BinaryIO) -> None:
    """Write JSON that pytrec_eval and ranx can read: `{query: {document: number}}`.

    Raises RanklensError for judgments by subtopic."""
    if isinstance(table, Qrels) and table.subtopics is not None:
        raise RanklensError(
            "JSON stores one grade per document of a query, but these judgments have one per"
            " subtopic.",
            "Write them as TREC, CSV, TSV, JSON Lines or Parquet.",
        )
    separator = b"{\n"
    for query_id, documents in _documents_by_query(table):
        entry = f"{json.dumps(query_id, ensure_ascii=False)}: "
        entry += json.dumps(documents, ensure_ascii=False)
        file.write(separator + entry.encode())
        separator = b",\n"
    file.write(b"\n}\n" if separator == b",\n" else b"{}\n")


def _documents_by_query(table: Run | Qrels) -> Iterator[tuple[str, dict[str, float]]]:
    codes, names = table.query_codes, table.query_ids
    for row_numbers in group_rows(codes):
        rows = table.table.take(pa.array(row_numbers))
        documents = zip(rows["doc_id"].to_pylist(), rows.column(2).to_pylist(), strict=True)
        yield names[int(codes[row_numbers[0]])], dict(documents)


@reader(
    "json",
    title="JSON",
    kinds=KINDS,
    endings=(".json",),
    explanation="Scores or grades by query and document (as written by pytrec_eval, ranx and BEIR),"
    " or a list of records.",
    example='{"q1": {"doc-7": 14.2, "doc-3": 11.9}}',
    recognise=recognise_json,
    write={"run": write_json, "qrels": write_json},
    first_rows=_first_list_rows,
)
def read_json(source: Source, request: Request) -> Loaded:
    """Read a JSON file: `{query: {document: number}}`, or a list of records."""
    if source.head.lstrip().startswith(b"{") and request.kind in ("run", "qrels"):
        if request.columns:
            raise line_error(
                source,
                1,
                "an object with one entry per query",
                "records with named columns",
                "Omit the columns option, because this file has no named columns.",
            )
        return load_nested_object(source, request)
    content = parse_file(source)
    if not isinstance(content, list):
        hint = 'Records look like [{"query_id": "q1", "text": "…"}, …].'
        raise line_error(source, 1, "JSON with a different structure", "a list of records", hint)
    records = ((None, record) for record in content)
    named = to_named_columns(source, records, request.kind, known_lines=False)
    return load_named(source, request, named, "json", "JSON records")


def write_jsonl(table: Table, file: BinaryIO) -> None:
    """Write JSON Lines: one record per row, with Ranklens' column names as keys."""
    arrow = to_arrow(table)
    for batch in arrow.to_batches(max_chunksize=ROWS_AT_ONCE):
        for record in batch.to_pylist():
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


@reader(
    "jsonl",
    title="JSON Lines",
    kinds=KINDS,
    endings=(".jsonl", ".ndjson"),
    explanation="One record of named values per line; also BEIR's queries and corpus.",
    example='{"_id": "doc-7", "title": "Refunds", "text": "Ask within 30 days."}',
    recognise=recognise_jsonl,
    write=dict.fromkeys(ALL_KINDS, write_jsonl),
    first_rows=_first_line_rows,
)
def read_jsonl(source: Source, request: Request) -> Loaded:
    """Read JSON Lines. Blank lines are skipped with a note."""
    blanks = 0

    def number_lines() -> Iterator[tuple[int, str]]:
        nonlocal blanks
        for number, line in enumerate(source.text_lines(), start=1):
            blanks += not line.strip()
            yield number, line

    records = parse_json_lines(source, number_lines())
    named = to_named_columns(source, records, request.kind, known_lines=True)
    named.notes += skipped_line_notes(blanks)
    return load_named(source, request, named, "jsonl", "JSON Lines")


def _is_json_lines(sample: Sample) -> bool:
    """Return whether each line of the sample is a separate JSON object."""
    if not sample.text.lstrip().startswith("{"):
        return False
    objects = [line for line in sample.lines if line.startswith("{")]
    if sample.path.endswith((".jsonl", ".ndjson")):
        return True
    complete_count = sum(bool(parse_first_object(line)) for line in objects[:20])
    if len(objects) > 1:
        return complete_count > 0
    return complete_count == 1 and len(sample.lines) == 1 and not _MAP.match(sample.lines[0])
