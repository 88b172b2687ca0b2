"""Read and write CSV and TSV with a header, and read TSV of ids and texts without one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import BinaryIO

import pyarrow as pa

from metrics_core.formats.output_tables import ROWS_AT_ONCE, check_texts, to_text_columns
from metrics_core.formats.parsing.chosen_columns import (
    are_columns_numbered,
    column_numbers,
    recognise_assigned_columns,
)
from metrics_core.formats.parsing.columns import fold_name, infer_header_roles, is_column_name
from metrics_core.formats.parsing.delimited import (
    read_named_columns,
    read_table,
    read_tsv_records,
    split_csv,
    split_tsv,
)
from metrics_core.formats.parsing.named import load_named
from metrics_core.formats.registry import (
    ALL_KINDS,
    KINDS,
    LIKELY,
    POSSIBLE,
    FirstRows,
    Kind,
    Loaded,
    Request,
    Sample,
    Sureness,
    build_sample,
    reader,
)
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import is_number
from metrics_core.tables import Qrels, Run, Table

_SEPARATORS = ",;|"
_NEEDS_QUOTES = re.compile(r'[",\r\n]')


def recognise_csv(sample: Sample) -> Sureness:
    """Recognise CSV by column names in the first line, separated by comma, semicolon or bar."""
    return recognise_assigned_columns(_read_csv_rows(sample), sample.columns)


def recognise_tsv(sample: Sample) -> Sureness:
    """Recognise TSV by column names in the first line, or by an id and a text in every line."""
    rows = _read_tsv_rows(sample)
    sureness = recognise_assigned_columns(rows, sample.columns)
    if (
        sureness
        or rows is None
        or sample.columns
        or not all(_is_id_and_text(split_tsv(line)) for line in sample.lines)
    ):
        return sureness
    texts = [split_tsv(line)[1] for line in sample.lines]
    if all(text[:1] == "[" and text[-1:] == "]" for text in texts):
        return sureness
    if sum(map(len, texts)) > 200 * len(texts):
        return {"documents": LIKELY, "queries": POSSIBLE}
    return {"queries": LIKELY, "documents": POSSIBLE}


def _read_csv_rows(sample: Sample) -> FirstRows | None:
    separator = detect_separator(sample)
    return _build_first_rows(sample, lambda line: split_csv(line, separator)) if separator else None


def _read_tsv_rows(sample: Sample) -> FirstRows | None:
    has_tabs = sample.lines and "\t" in sample.lines[0]
    return _build_first_rows(sample, split_tsv) if has_tabs else None


def _build_first_rows(sample: Sample, fields: Callable[[str], list[str]]) -> FirstRows:
    first, *others = [fields(line) for line in sample.lines]
    if are_columns_numbered(sample.columns):
        return FirstRows(column_numbers(first), [first, *others])
    return FirstRows(first, others)


def read_csv_columns(sample: Sample) -> FirstRows | None:
    """Return the named columns of CSV with the first rows; None if the sample is not CSV."""
    return _number_columns(_read_csv_rows(sample))


def read_tsv_columns(sample: Sample) -> FirstRows | None:
    """Return the named columns of TSV with the first rows; None if the sample is not TSV."""
    return _number_columns(_read_tsv_rows(sample))


def _number_columns(first_rows: FirstRows | None) -> FirstRows | None:
    """Return the columns and rows of a file. If the first line contains a number and no recognised
    column name, it is data, not a header; the columns are then named by their numbers."""
    if first_rows is None or not any(map(is_number, first_rows.names)):
        return first_rows
    # "q0" may be a query id or the name of a TREC column.
    if any(
        is_column_name(name) and fold_name(name) not in ("0", "q0") for name in first_rows.names
    ):
        return first_rows
    return FirstRows(column_numbers(first_rows.names), [first_rows.names, *first_rows.rows])


def write_csv(table: Table, file: BinaryIO) -> None:
    """Write CSV with a header. Values are quoted if needed. For files that are opened in
    spreadsheets, use `spreadsheet_csv`."""
    arrow = to_text_columns(table)
    check_texts(arrow, r"[\r\n\x00]" if isinstance(table, (Run, Qrels)) else r"\x00", "CSV")
    _write_rows(arrow, file, ",", _quote_csv_field)


def write_tsv(table: Table, file: BinaryIO) -> None:
    """Write TSV with a header. Raises RanklensError for a tab or line break in a value."""
    arrow = to_text_columns(table)
    check_texts(arrow, r"[\t\r\n\x00]", "TSV")
    _write_rows(arrow, file, "\t", _quote_tsv_field)


def _write_rows(
    table: pa.Table, file: BinaryIO, separator: str, format_field: Callable[[str], str]
) -> None:
    """Write a header and the rows of a table of strings; null becomes an empty field."""
    file.write((separator.join(map(format_field, table.column_names)) + "\n").encode())
    for batch in table.to_batches(max_chunksize=ROWS_AT_ONCE):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            file.write((separator.join(format_field(value or "") for value in row) + "\n").encode())


def _quote_csv_field(text: str) -> str:
    # Python's csv module leaves a lone CR unquoted, which readers treat as the end of a line.
    return _quote(text) if _NEEDS_QUOTES.search(text) else text


def _quote_tsv_field(text: str) -> str:
    return _quote(text) if text.startswith('"') else text


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@reader(
    "csv",
    title="CSV",
    kinds=KINDS,
    endings=(".csv",),
    explanation="Columns named in the header line, separated by comma, semicolon or bar.",
    example="query_id,doc_id,score\nq1,doc-7,14.2\nq1,doc-3,11.9",
    recognise=recognise_csv,
    write=dict.fromkeys(ALL_KINDS, write_csv),
    first_rows=read_csv_columns,
)
def read_csv(source: Source, request: Request) -> Loaded:
    """Read CSV with the quoting of RFC 4180."""
    separator = detect_separator(build_sample(source, request.columns)) or ","
    return load_named(source, request, read_table(source, request, separator), "csv", "CSV")


@reader(
    "tsv",
    title="TSV",
    kinds=KINDS,
    endings=(".tsv",),
    explanation="Columns named in the header line, separated by tabs. Queries and documents with"
    " only an id and a text need no header.",
    example="query-id\tcorpus-id\tscore\nq1\tdoc-7\t2\nq1\tdoc-3\t0",
    recognise=recognise_tsv,
    write=dict.fromkeys(ALL_KINDS, write_tsv),
    first_rows=read_tsv_columns,
)
def read_tsv(source: Source, request: Request) -> Loaded:
    """Read TSV.

    A quoted field must end on its line, so that a stray quote never makes the following lines part
    of the field."""
    lines = build_sample(source, request.columns).lines
    are_texts = request.kind in ("queries", "documents") and not request.columns
    if are_texts and lines and _is_id_and_text(split_tsv(lines[0])):
        names = ["query_id" if request.kind == "queries" else "doc_id", "text"]
        named = read_named_columns(source, request, read_tsv_records(source), names)
        return load_named(source, request, named, "tsv", "TSV without a header")
    return load_named(source, request, read_table(source, request, "\t"), "tsv", "TSV")


def _is_id_and_text(first_row: Sequence[str]) -> bool:
    """Return whether a line consists of an id and a text, rather than of two column names."""
    kinds: tuple[Kind, ...] = ("queries", "documents")
    return len(first_row) == 2 and all(
        infer_header_roles(first_row, kind).missing for kind in kinds
    )


def detect_separator(sample: Sample) -> str:
    """Return the separator with which the first line has the most columns; "" if it contains no
    separator."""
    first = sample.first_line
    # Blanks separate columns only if they are assigned by number: then there is no header.
    separators = f"{_SEPARATORS} " if are_columns_numbered(sample.columns) else _SEPARATORS
    counts = {separator: len(split_csv(first, separator)) for separator in separators}
    best = max(counts, key=lambda separator: counts[separator])
    return best if counts[best] > 1 else ""
