"""Convert JSON records (objects with mostly the same keys) to named columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from metrics_core.formats.parsing.columns import fold_name
from metrics_core.formats.parsing.named import NamedColumns
from metrics_core.formats.registry import Kind
from metrics_core.formats.source.lines import LineIndex, line_error
from metrics_core.formats.source.source import Source
from metrics_core.tables.columns import ID

_NESTED = "metadata"
"""Key under which BEIR files keep further values of a record as an object. These values become
columns like all others."""
_ROWS_BETWEEN_CHECKS = 256
"""The size of the table is checked after this number of rows, and at the end."""
_IDS = frozenset(("queryid", "qid", "docid", "docno", "id"))


def to_named_columns(
    source: Source, records: Iterable[tuple[int | None, Any]], kind: Kind, known_lines: bool
) -> NamedColumns:
    """Convert records to named columns with their physical lines. A missing key becomes null.

    Numbers keep their digits. Raises FileFormatError for a record that is not an object and, in
    runs and judgments, for a value that is an object or a list."""
    columns: dict[str, list[str | None]] = {}
    lines: list[int] = []
    for row, (line, record) in enumerate(records):
        if not isinstance(record, dict):
            actual = f"`{to_json_text(record)}`"[:60]
            raise line_error(source, line, actual, "an object with named values")
        column_count = len(columns)
        for name, value in (_flatten_metadata(record) if _NESTED in record else record).items():
            if not isinstance(value, str):
                if kind in ("run", "qrels") and isinstance(value, (dict, list)):
                    actual = f"a list or object as `{name}`"
                    raise line_error(source, line, actual, "a text or a number")
                value = to_json_text(value)
            column = columns.setdefault(name, [])
            if len(column) < row:
                column += [None] * (row - len(column))
            column.append(value)
        lines.append(line or 0)
        if len(columns) > column_count or row % _ROWS_BETWEEN_CHECKS == 0:
            source.check_cells(len(lines), len(columns), line)
    source.check_cells(len(lines), len(columns))
    arrays = {
        name: pa.chunked_array([pa.array(values + [None] * (len(lines) - len(values)), ID)])
        for name, values in columns.items()
    }
    index = LineIndex.from_numbers(lines) if known_lines else None
    return NamedColumns(list(arrays), arrays, index, header=None)


def _flatten_metadata(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record in which the values of its `metadata` object have become separate columns.

    The name of an id in the metadata gets a prefix, because the record already has an id."""
    inner = record.get(_NESTED)
    if not isinstance(inner, dict):
        return dict(record)
    flat = {name: value for name, value in record.items() if name != _NESTED}
    lifted = {
        f"{_NESTED}.{name}" if fold_name(name) in _IDS else name: value
        for name, value in inner.items()
    }
    return flat | {name: value for name, value in lifted.items() if name not in flat}


def to_json_text(value: Any) -> str | None:
    """Return a string or None unchanged, and convert any other JSON value to JSON text."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
