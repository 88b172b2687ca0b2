"""CSV and TSV with a header, and TSV of ids and texts without one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO

import pyarrow as pa

from metrics_core.formats.outgoing import ROWS_AT_ONCE, check_texts, texts_of
from metrics_core.formats.parsing.chosen_columns import by_number, numbered, recognise_named
from metrics_core.formats.parsing.columns import fold, is_known, understand
from metrics_core.formats.parsing.delimited import (
    csv_fields,
    csv_records,
    named_from,
    quickly_named,
    tsv_fields,
    tsv_records,
)
from metrics_core.formats.parsing.named import load_named
from metrics_core.formats.registry import (
    KINDS,
    LIKELY,
    POSSIBLE,
    Columns,
    FirstRows,
    Kind,
    Loaded,
    Request,
    Sample,
    reader,
)
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import is_number
from metrics_core.tables import Qrels, Run, Table

_SEPARATORS = ",;|"
_NEEDS_QUOTES = re.compile(r'[",\r\n]')


def recognise_csv(sample: Sample) -> Mapping[Kind, int]:
    """By the column names in the first line, separated by comma, semicolon or bar."""
    return recognise_named(_csv_rows(sample), sample.columns)


def recognise_tsv(sample: Sample) -> Mapping[Kind, int]:
    """By the column names in the first line, separated by tabs; or by two columns in every line,
    which are an id and a text."""
    rows = _tsv_rows(sample)
    found = recognise_named(rows, sample.columns)
    if (
        found
        or rows is None
        or sample.columns
        or not all(_bare(tsv_fields(line)) for line in sample.lines)
    ):
        return found
    texts = [tsv_fields(line)[1] for line in sample.lines]
    if sum(map(len, texts)) > 200 * len(texts):
        return {"documents": LIKELY, "queries": POSSIBLE}
    return {"queries": LIKELY, "documents": POSSIBLE}


def _csv_rows(sample: Sample) -> FirstRows | None:
    separator = _separator(sample)
    return _first_rows(sample, lambda line: csv_fields(line, separator)) if separator else None


def _tsv_rows(sample: Sample) -> FirstRows | None:
    tabs = sample.lines and "\t" in sample.lines[0]
    return _first_rows(sample, tsv_fields) if tabs else None


def _first_rows(sample: Sample, fields: Callable[[str], list[str]]) -> FirstRows:
    first, *others = [fields(line) for line in sample.lines]
    if by_number(sample.columns):
        return FirstRows(numbered(first), [first, *others])
    return FirstRows(first, others)


def csv_columns(sample: Sample) -> FirstRows | None:
    """The columns of CSV by their names, with the first rows; None where it is none."""
    return _with_names(_csv_rows(sample))


def _tsv_columns(sample: Sample) -> FirstRows | None:
    return _with_names(_tsv_rows(sample))


def _with_names(found: FirstRows | None) -> FirstRows | None:
    """The columns by their numbers where the first line has a number and no name that is known."""
    if found is None or not any(map(is_number, found.names)):
        return found
    # "q0" is a query's id as well as a column of TREC files.
    if any(is_known(name) and fold(name) not in ("0", "q0") for name in found.names):
        return found
    return FirstRows(numbered(found.names), [found.names, *found.rows])


def write_csv(table: Table, file: BinaryIO) -> None:
    """CSV with a header, quoted where needed. For spreadsheets there is `spreadsheet_csv`."""
    arrow = texts_of(table)
    check_texts(arrow, r"[\r\n\x00]" if isinstance(table, (Run, Qrels)) else r"\x00", "CSV")
    _write_rows(arrow, file, ",", _csv_field)


def write_tsv(table: Table, file: BinaryIO) -> None:
    """TSV with a header; refuses tabs and line breaks inside values."""
    arrow = texts_of(table)
    check_texts(arrow, r"[\t\r\n\x00]", "TSV")
    _write_rows(arrow, file, "\t", _tsv_field)


def _write_rows(
    table: pa.Table, file: BinaryIO, separator: str, field: Callable[[str], str]
) -> None:
    """A header and the rows of a table of texts; null is written as an empty field."""
    file.write((separator.join(map(field, table.column_names)) + "\n").encode())
    for batch in table.to_batches(max_chunksize=ROWS_AT_ONCE):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            file.write((separator.join(field(value or "") for value in row) + "\n").encode())


def _csv_field(text: str) -> str:
    # Python's csv module leaves a lone CR unquoted, which readers take for a line end.
    return _quoted(text) if _NEEDS_QUOTES.search(text) else text


def _tsv_field(text: str) -> str:
    return _quoted(text) if text.startswith('"') else text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@reader(
    "csv",
    title="CSV",
    kinds=KINDS,
    endings=(".csv",),
    explanation="Columns named in the header line, separated by comma, semicolon or bar.",
    example="query_id,doc_id,score\nq1,doc-7,14.2\nq1,doc-3,11.9",
    recognise=recognise_csv,
    write=dict.fromkeys(KINDS, write_csv),
    first_rows=csv_columns,
)
def read_csv(source: Source, request: Request, *, only_carefully: bool = False) -> Loaded:
    """A CSV file, quoted as RFC 4180 says. `only_carefully` skips the fast path, for tests."""
    separator = _separator(_sample(source, request.columns)) or ","
    named = None if only_carefully else quickly_named(source, request, separator)
    if named is None:
        named = named_from(source, request, csv_records(source, separator))
    return load_named(source, request, named, "csv", "CSV")


@reader(
    "tsv",
    title="TSV",
    kinds=KINDS,
    endings=(".tsv",),
    explanation="Columns named in the header line, separated by tabs. Queries and documents with"
    " only an id and a text need no header.",
    example="query-id\tcorpus-id\tscore\nq1\tdoc-7\t2\nq1\tdoc-3\t0",
    recognise=recognise_tsv,
    write=dict.fromkeys(KINDS, write_tsv),
    first_rows=_tsv_columns,
)
def read_tsv(source: Source, request: Request, *, only_carefully: bool = False) -> Loaded:
    """A TSV file. A quote counts only where it also closes on its line, so that a lone one never
    swallows the lines after it. `only_carefully` skips the fast path, for tests."""
    lines = _sample(source, request.columns).lines
    texts = request.kind in ("queries", "documents") and not request.columns
    if texts and lines and _bare(tsv_fields(lines[0])):
        names = ["query_id" if request.kind == "queries" else "doc_id", "text"]
        named = named_from(source, request, tsv_records(source), names)
        return load_named(source, request, named, "tsv", "TSV without a header")
    found = None if only_carefully else quickly_named(source, request, "\t")
    if found is None:
        found = named_from(source, request, tsv_records(source))
    return load_named(source, request, found, "tsv", "TSV")


def _bare(first: Sequence[str]) -> bool:
    """Whether a line is an id and a text rather than two column names."""
    kinds: tuple[Kind, ...] = ("queries", "documents")
    return len(first) == 2 and all(understand(first, kind).missing for kind in kinds)


def _sample(source: Source, columns: Columns) -> Sample:
    return Sample(source, source.head.decode(), columns)


def _separator(sample: Sample) -> str:
    """The separator that gives the first line the most columns; "" if there is none."""
    first = sample.first_line
    # Columns by number may have blanks between them: no header would be taken for one.
    separators = f"{_SEPARATORS} " if by_number(sample.columns) else _SEPARATORS
    counts = {separator: len(csv_fields(first, separator)) for separator in separators}
    best = max(counts, key=lambda separator: counts[separator])
    return best if counts[best] > 1 else ""
