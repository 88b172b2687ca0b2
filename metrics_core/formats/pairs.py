"""Read pairs of a query and a document: two columns, or the pairs in a run or judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import pyarrow as pa

from metrics_core.base.errors import FileFormatError, content_error
from metrics_core.formats.file_kinds import read_sample
from metrics_core.formats.parsing.checking import check_ids
from metrics_core.formats.parsing.columns import NAMES, find_position
from metrics_core.formats.parsing.delimited import (
    Record,
    read_columns_with_arrow,
    read_named_columns,
    read_records,
    split_csv,
    split_tsv,
)
from metrics_core.formats.parsing.named import NamedColumns
from metrics_core.formats.parsing.systems import get_only_run
from metrics_core.formats.parsing.trec_lines import split_fields
from metrics_core.formats.read_as import ReadAs, ReadingChoices
from metrics_core.formats.reading import read_source
from metrics_core.formats.registry import Request
from metrics_core.formats.source.lines import convert_table_errors
from metrics_core.formats.source.opening import convert_memory_errors
from metrics_core.formats.source.source import Source
from metrics_core.formats.source.unpacking import PathOrBytes
from metrics_core.tables import Qrels, Run
from metrics_core.tables.columns import CODED_ID, ID

_TYPES = {"query_id": CODED_ID, "doc_id": ID}
_EXPECTED = "two columns (query_id and doc_id), a run, or judgments"
_HINT = "Write one pair per line: query_id and doc_id, separated by a tab, a comma or blanks."


def read_pairs(
    source: PathOrBytes, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> Qrels:
    """Read pairs of a query and a document, and return them as judgments of grade 0.

    The file has two columns, separated by commas (CSV), tabs (TSV) or blanks, with or without
    column names. A file with column names may have additional columns. The file may also be a run
    or judgments in any format. Raises FileFormatError for any other content."""
    read_as = ReadAs(**choices)
    file_source = read_as.open_file(source, name)
    with convert_memory_errors(file_source):
        named = _read_pair_columns(file_source)
        if named is None:
            return _pairs_from_table(file_source, replace(read_as, grades="real"))
        rows = pa.table({role: named.columns[role] for role in ("query_id", "doc_id")})
        check_ids(file_source, rows, named.index)
        with convert_table_errors(file_source, named.index):
            return to_pairs(rows)


def to_pairs(rows: pa.Table | Mapping[str, Any]) -> Qrels:
    """Return the pairs in the columns query_id and doc_id, as judgments of grade 0.

    Raises TableError for a row with a missing id."""
    grades = np.zeros(len(rows["doc_id"]), dtype=np.int64)
    # Notes are dropped: a repeated pair makes no difference.
    return Qrels(table=Qrels.from_columns(rows["query_id"], rows["doc_id"], grades).table)


def _read_pair_columns(source: Source) -> NamedColumns | None:
    """Read the columns query_id and doc_id. Returns None if the file has neither column names nor
    exactly two columns."""
    sample = read_sample(source)
    first = next(iter(sample.lines), "")
    separator, fields, indexes = _detect_layout(first)
    has_header = min(indexes.values()) >= 0
    if not has_header and len(fields) != 2:
        return None
    names = [f"column_{number}" for number in range(1, len(fields) + 1)]
    for index, role in enumerate(_TYPES):
        names[indexes[role] if has_header else index] = role
    # The fast path requires that the first line is the first of the file.
    columns = sample.text.startswith(first) and read_columns_with_arrow(
        source, separator, names, _TYPES, list(_TYPES), has_header=has_header
    )
    return columns or read_named_columns(
        source, Request("run"), _data_records(source, separator, has_header), names
    )


def _detect_layout(first_line: str) -> tuple[str, list[str], dict[str, int]]:
    """Return the separator of the first line, the fields of this line, and the column indexes of
    query_id and doc_id.

    An index is -1 if the file lacks the column. Separators are tried in the order tab, blank,
    comma, semicolon, bar. The first separator with which both column names are recognised is
    returned. If there is none, the first separator in this order that occurs in the line is
    returned."""
    fields_by_mark = {"\t": split_tsv(first_line), " ": split_fields(first_line)}
    fields_by_mark |= {mark: split_csv(first_line, mark) for mark in ",;|"}
    indexes = {
        mark: {r: find_position(fields, NAMES[r]) for r in _TYPES}
        for mark, fields in fields_by_mark.items()
    }
    named_marks = (mark for mark in fields_by_mark if min(indexes[mark].values()) >= 0)
    splitting_marks = (mark for mark in fields_by_mark if len(fields_by_mark[mark]) > 1)
    separator = next(named_marks, None) or next(splitting_marks, "\t")
    return separator, fields_by_mark[separator], indexes[separator]


def _data_records(source: Source, separator: str, has_header: bool) -> Iterator[Record]:
    """Yield the data records, that is, all records except comments and the header."""
    if separator == " ":
        lines = enumerate(source.text_lines(), start=1)
        records: Iterator[Record] = ((n, n, split_fields(line.rstrip("\r\n"))) for n, line in lines)
    else:
        records = read_records(source, separator)
    has_begun = False
    for record in records:
        fields = record[-1]
        if fields and not has_begun:
            has_begun = not fields[0].startswith("#")
            if has_header or not has_begun:
                continue
        yield record


def _pairs_from_table(source: Source, read_as: ReadAs) -> Qrels:
    """Return the pairs of a run or of judgments."""
    try:
        table = get_only_run(source, read_source(source, read_as, force_kind=True)).table
    except FileFormatError as error:
        raise FileFormatError(source.name, error.problems, hint=_HINT) from error
    if not isinstance(table, (Run, Qrels)) or not (isinstance(table, Qrels) or table.complete):
        raise content_error(
            source.name, "queries, documents or ranks of judged documents", _EXPECTED, _HINT
        )
    return to_pairs(table.table)
