"""Tables to files. What is written reads back as the same table, ids and numbers to the last digit.

JSON groups the rows by query; every other format keeps their order.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from metrics_core.errors import ParameterError, RanklensError
from metrics_core.formats.registry import KIND_TITLES, kind_of, writer, writers
from metrics_core.tables import Qrels, Queries, Run, Table
from metrics_core.tables.columns import ID

_ROWS_AT_ONCE = 100_000
_NEEDS_QUOTES = re.compile(r'[",\r\n]')


def write(table: Table, target: str | Path | BinaryIO, format: str) -> None:
    """Write a table to a path or an open binary file, in the format of that short name.

    Runs and qrels can be written as trec, csv, tsv, json, jsonl and parquet, queries and documents
    as csv, tsv, jsonl and parquet. Raises ParameterError for a format that cannot hold the kind of
    table, and RanklensError for an id or a text that the format cannot hold.
    """
    kind = kind_of(table)
    function = writers().get((format, kind))
    if function is None:
        able = ", ".join(name for name, its_kind in writers() if its_kind == kind)
        raise ParameterError(
            f"There is no way to write {KIND_TITLES[kind]} as {format!r}.", f"There are: {able}."
        )
    if isinstance(target, (str, Path)):
        with Path(target).open("wb") as file:
            function(table, file)
    else:
        function(table, target)


def table_bytes(table: Table, format: str) -> bytes:
    """A table written in a format, as bytes; raises as `write` does."""
    buffer = io.BytesIO()
    write(table, buffer, format)
    return buffer.getvalue()


@writer("trec", "run")
def write_trec_run(run: Run, file: BinaryIO) -> None:
    """A TREC run; the rank column says what the scores say, ties by position."""
    _check(run.table, r"[ \t\r\n\x00]", "TREC", first="#\ufeff")
    table = run.table.append_column("rank", pa.array(_ranks(run)))
    name = " ".join(run.name.split()) or "run"
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        query, doc, score, rank = (batch[c].cast(ID) for c in range(4))
        _write_lines(file, query, "Q0", doc, rank, score, name)


@writer("trec", "qrels")
def write_trec_qrels(qrels: Qrels, file: BinaryIO) -> None:
    """TREC qrels, with the subtopic in the second column, 0 where there is none."""
    table = qrels.given
    _check(table, r"^$|[ \t\r\n\x00]", "TREC", first="#\ufeff")
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        query, doc, grade = (batch[c].cast(ID) for c in ("query_id", "doc_id", "relevance"))
        second = "0" if qrels.subtopics is None else batch["subtopic"].cast(ID)
        _write_lines(file, query, second, doc, grade)


@writer("csv", "run", "qrels", "queries", "documents")
def write_csv(table: Table, file: BinaryIO) -> None:
    """CSV with a header, quoted where needed. For spreadsheets there is `spreadsheet_csv`."""
    arrow = _texts(table)
    _check(arrow, r"[\r\n\x00]" if isinstance(table, (Run, Qrels)) else r"\x00", "CSV")
    _write_rows(arrow, file, ",", _csv_field)


@writer("tsv", "run", "qrels", "queries", "documents")
def write_tsv(table: Table, file: BinaryIO) -> None:
    """TSV with a header; refuses tabs and line breaks inside values."""
    arrow = _texts(table)
    _check(arrow, r"[\t\r\n\x00]", "TSV")
    _write_rows(arrow, file, "\t", _tsv_field)


@writer("json", "run", "qrels")
def write_json(table: Run | Qrels, file: BinaryIO) -> None:
    """JSON: an object by query of objects by document, as pytrec_eval and ranx read it."""
    if isinstance(table, Qrels) and table.subtopics is not None:
        raise RanklensError(
            "JSON has one grade for each document of a query, and these have one by subtopic.",
            "Write them as TREC, CSV, TSV, JSON Lines or Parquet.",
        )
    separator = b"{\n"
    for query_id, documents in _by_query(table):
        entry = f"{json.dumps(query_id, ensure_ascii=False)}: "
        entry += json.dumps(documents, ensure_ascii=False)
        file.write(separator + entry.encode())
        separator = b",\n"
    file.write(b"\n}\n" if separator == b",\n" else b"{}\n")


@writer("jsonl", "run", "qrels", "queries", "documents")
def write_jsonl(table: Table, file: BinaryIO) -> None:
    """JSON Lines: one record a row, named as our columns are."""
    arrow = _arrow(table)
    for batch in arrow.to_batches(max_chunksize=_ROWS_AT_ONCE):
        for record in batch.to_pylist():
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


@writer("parquet", "run", "qrels", "queries", "documents")
def write_parquet(table: Table, file: BinaryIO) -> None:
    """Parquet, compressed with Zstandard."""
    pq.write_table(_arrow(table), file, compression="zstd")


def _arrow(table: Table) -> pa.Table:
    """Any of our tables as an Arrow table; a missing value is null."""
    if isinstance(table, Qrels):
        return table.given
    if not isinstance(table, Queries):
        return table.table
    frame = table.frame
    return pa.table(
        {
            name: pa.array([None if v is None else str(v) for v in frame[name]], ID)
            for name in frame.columns
        }
    )


def _texts(table: Table) -> pa.Table:
    """Any of our tables with all columns as text."""
    arrow = _arrow(table)
    return pa.table({name: arrow[name].cast(ID) for name in arrow.column_names})


def _check(table: pa.Table, pattern: str, format: str, first: str = "") -> None:
    """Refuse texts with characters that a format cannot hold, and ids it would take for a mark."""
    for name in table.column_names:
        column = table[name]
        if pa.types.is_dictionary(column.type):
            column = pa.chunked_array([chunk.dictionary for chunk in column.chunks], ID)
        if column.type != ID:
            continue
        bad = pc.match_substring_regex(column, pattern)
        for mark in first if name == "query_id" else "":
            bad = pc.or_(bad, pc.starts_with(column, mark))
        at = pc.index(pc.fill_null(bad, False), True).as_py()
        if at >= 0:
            raise RanklensError(
                f"{format} cannot hold the {name} {column[at].as_py()!r}.",
                "Write it as JSON Lines or Parquet, which hold any text.",
            )


def _ranks(run: Run) -> Any:
    """Per row its 1-based rank within its query, by score; equal scores by position."""
    codes = run.query_codes
    order = np.lexsort((-run.table["score"].to_numpy(), codes))
    ordered = codes[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    lengths = np.diff(starts, append=len(ordered))
    ranks = np.empty(len(codes), dtype=np.int64)
    ranks[order] = np.arange(len(codes)) - np.repeat(starts, lengths) + 1
    return ranks


def _write_lines(file: BinaryIO, *fields: pa.Array | str) -> None:
    lines = pc.binary_join_element_wise(*fields, " ").to_pylist()
    file.write(("\n".join(lines) + "\n").encode() if lines else b"")


def _write_rows(
    table: pa.Table, file: BinaryIO, separator: str, field: Callable[[str], str]
) -> None:
    """A header and the rows of a table of texts; null is written as an empty field."""
    file.write((separator.join(map(field, table.column_names)) + "\n").encode())
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            file.write((separator.join(field(value or "") for value in row) + "\n").encode())


def _csv_field(text: str) -> str:
    # Python's csv module leaves a lone CR unquoted, which readers take for a line end.
    return _quoted(text) if _NEEDS_QUOTES.search(text) else text


def _tsv_field(text: str) -> str:
    return _quoted(text) if text.startswith('"') else text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _by_query(table: Run | Qrels) -> Iterator[tuple[str, dict[str, float]]]:
    codes = table.query_codes
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    ends: Sequence[int] = [*starts[1:].tolist(), len(order)]
    names = table.query_ids
    for start, end in zip(starts.tolist(), ends, strict=True):
        rows = table.table.take(pa.array(order[start:end]))
        documents = zip(rows["doc_id"].to_pylist(), rows.column(2).to_pylist(), strict=True)
        yield names[int(codes[order[start]])], dict(documents)
