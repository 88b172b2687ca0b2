"""Read records of CSV and TSV whose cells contain lists, written as JSON or as printed by
Python."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from metrics_core.formats.mapping.axes import PythonValues, Records
from metrics_core.formats.parsing.delimited import (
    find_separator,
    read_csv_records,
    read_named_columns,
)
from metrics_core.formats.parsing.list_literals import parse_list
from metrics_core.formats.registry import Request, Sample, build_sample
from metrics_core.formats.source.source import Source

_ROWS_AT_ONCE = 20_000


def first_records(sample: Sample) -> list[dict[str, Any]]:
    """Return the first rows, with the lists in their cells parsed. If no column has lists, no rows
    are returned.

    A column has lists if each of its cells is a list and at least one list has several items."""
    if not sample.lines:
        return []
    separator = find_separator(sample.first_line)
    names, *rows = csv.reader((f"{line}\n" for line in sample.lines), delimiter=separator)
    if rows and rows[-1][-1].startswith("[") and not rows[-1][-1].endswith("]"):
        # The sample ends within a long list.
        rows[-1][-1] = rows[-1][-1].rpartition(",")[0] + "]"
    columns = [*zip(*(row for row in rows if len(row) == len(names) > 1), strict=True)]
    for i, cells in enumerate(columns):
        lists = [*map(parse_list, cells)]
        if None not in lists and max(map(len, filter(None, lists)), default=0) > 1:
            columns[i] = (*lists,)
    if not any(type(cells[0]) is list for cells in columns):
        return []
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def read_list_cells(source: Source, request: Request) -> Iterator[Records]:
    """Yield the rows, with the lists in their cells parsed. Raises FileFormatError for a malformed
    header or row."""
    sample = build_sample(source)
    list_names = {n for row in first_records(sample)[:1] for n, v in row.items() if type(v) is list}
    rows = read_csv_records(source, find_separator(sample.first_line))
    # Texts beside the lists may contain line breaks, which a run's own columns may not.
    named = read_named_columns(source, replace(request, kind="queries", columns={}), rows)
    for start in range(0, len(named), _ROWS_AT_ONCE):
        cells = {n: named.columns[n].slice(start, _ROWS_AT_ONCE).to_pylist() for n in named.names}
        columns = [
            [c if (items := parse_list(c)) is None else items for c in column]
            if name in list_names
            else column
            for name, column in cells.items()
        ]
        values = [dict(zip(cells, row, strict=True)) for row in zip(*columns, strict=True)]
        assert named.index is not None
        lines = [named.index.line(row) for row in range(start, start + len(values))]
        yield Records(PythonValues([*values]), np.array(lines, dtype=np.int64))
