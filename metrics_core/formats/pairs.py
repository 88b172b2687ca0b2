"""Pairs of a query and a document: two columns with or without names, or those of a run or
judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa

from metrics_core.base.errors import FileFormatError, LineProblem, TableError
from metrics_core.formats.kinds import sample_of
from metrics_core.formats.parsing.checking import check_ids
from metrics_core.formats.parsing.columns import NAMES, position
from metrics_core.formats.parsing.delimited import (
    Record,
    csv_fields,
    csv_records,
    named_from,
    quick_columns,
    tsv_fields,
    tsv_records,
)
from metrics_core.formats.parsing.named import NamedColumns
from metrics_core.formats.parsing.systems import only_run
from metrics_core.formats.parsing.trec_lines import fields_of
from metrics_core.formats.read_as import ReadAs, ReadingChoices
from metrics_core.formats.reading import read_source
from metrics_core.formats.registry import Request
from metrics_core.formats.source.lines import refuse_rows
from metrics_core.formats.source.opening import memory_enough
from metrics_core.formats.source.source import Source
from metrics_core.tables import Qrels, Run
from metrics_core.tables.columns import CODED_ID, ID

_TYPES = {"query_id": CODED_ID, "doc_id": ID}
_EXPECTED = "two columns, query_id and doc_id, or a run or judgments"
_HINT = "Write one pair per line: query_id and doc_id, separated by a tab, a comma or blanks."


def read_pairs(
    source: str | Path | bytes, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> Qrels:
    """Read pairs, as judgments of grade 0: CSV, TSV or lines with blanks between two columns, with
    names or without, where columns have names also among others; or the pairs of a run or of
    judgments in any format. Raises FileFormatError."""
    read_as = ReadAs(**choices)
    opened = read_as.opened(source, name)
    with memory_enough(opened):
        named = _pairs(opened)
        if named is None:
            return _of_table(opened, replace(read_as, grades="real"))
        rows = pa.table({role: named.columns[role] for role in ("query_id", "doc_id")})
        check_ids(opened, rows, named.index)
        try:
            return pairs_of(rows)
        except TableError as error:
            raise refuse_rows(opened, error, named.index) from error


def pairs_of(rows: pa.Table | Mapping[str, Any]) -> Qrels:
    """The pairs in the columns query_id and doc_id, as judgments of grade 0. Raises TableError for
    a row without an id."""
    grades = np.zeros(len(rows["doc_id"]), dtype=np.int64)
    # That a pair stands twice changes nothing.
    return Qrels(table=Qrels.from_columns(rows["query_id"], rows["doc_id"], grades).table)


def _pairs(source: Source) -> NamedColumns | None:
    """The columns query_id and doc_id; None where there are others, and they have no names."""
    sample = sample_of(source)
    first = next(iter(sample.lines), "")
    separator, fields, at = _layout(first)
    header = min(at.values()) >= 0
    if not header and len(fields) != 2:
        return None
    names = [f"column_{number}" for number in range(1, len(fields) + 1)]
    for place, role in enumerate(_TYPES):
        names[at[role] if header else place] = role
    # Nothing may stand above what is read at once.
    quick = sample.text.startswith(first) and quick_columns(
        source, separator, names, _TYPES, list(_TYPES), header=header
    )
    return quick or named_from(source, Request("run"), _records(source, separator, header), names)


def _layout(first: str) -> tuple[str, list[str], dict[str, int]]:
    """What parts the fields of the first line, the fields, and which of them name our columns: with
    names by what finds them, else by tabs, then blanks, then what CSV has."""
    split = {"\t": tsv_fields(first), " ": fields_of(first)}
    split |= {mark: csv_fields(first, mark) for mark in ",;|"}
    at = {mark: {r: position(own, NAMES[r]) for r in _TYPES} for mark, own in split.items()}
    named = (mark for mark in split if min(at[mark].values()) >= 0)
    several = (mark for mark in split if len(split[mark]) > 1)
    separator = next(named, None) or next(several, "\t")
    return separator, split[separator], at[separator]


def _records(source: Source, separator: str, header: bool) -> Iterator[Record]:
    """The records behind a header, if there is one, and comments above it."""
    if separator == " ":
        lines = enumerate(source.text_lines(), start=1)
        records: Iterator[Record] = ((n, n, fields_of(line.rstrip("\r\n"))) for n, line in lines)
    elif separator == "\t":
        records = tsv_records(source)
    else:
        records = csv_records(source, separator)
    begun = False
    for first, last, fields in records:
        if not begun and fields and fields[0].startswith("#"):
            continue
        if not begun and fields:
            begun = True
            if header:
                continue
        yield first, last, fields


def _of_table(opened: Source, read_as: ReadAs) -> Qrels:
    """The pairs of a run or of judgments."""
    try:
        table = only_run(opened, read_source(opened, read_as, insists=True)).table
    except FileFormatError as error:
        raise FileFormatError(opened.name, error.problems, hint=_HINT) from error
    if not isinstance(table, (Run, Qrels)) or not (isinstance(table, Qrels) or table.complete):
        problem = LineProblem(None, "queries, documents or judged ranks", _EXPECTED)
        raise FileFormatError(opened.name, [problem], hint=_HINT)
    return pairs_of(table.table)
