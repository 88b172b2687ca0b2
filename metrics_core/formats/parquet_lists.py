"""Parquet of AutoRAG and Ragas as the records of JSON that their readers understand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from metrics_core.formats.parquet import MAGIC, batches_of, guarded, opened_parquet
from metrics_core.formats.parsing.columns import position
from metrics_core.formats.parsing.list_names import (
    QUERY_KEYS,
    is_of_a_tool,
    kind_of_list,
    number_beside,
)
from metrics_core.formats.read_as import AS_USUAL, ReadAs
from metrics_core.formats.source.source import Source
from metrics_core.tables.arrays import is_list

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_LOOKED_AT = 50
"""Rows that tell what the records hold."""


def open_records(
    source: str | Path | bytes,
    name: str | None = None,
    read_as: ReadAs = AS_USUAL,
    *,
    glance: bool = False,
) -> Source:
    """Open a file as `open_source` does; of Parquet with columns of AutoRAG or Ragas its records,
    at a `glance` only the first of them. Raises FileFormatError."""
    opened = read_as.opened(source, name)
    if isinstance(opened.origin, Path) and not opened.origin.is_file():
        return opened  # reading it says so
    if not opened.magic.startswith(MAGIC):
        return opened
    file = opened_parquet(opened)
    names = guarded(opened, partial(_columns, file))
    if not names:
        return opened
    from metrics_core.formats.source.parquet_size import A_CELL_OF_PYTHON, check_size

    size = partial(check_size, opened, file, names, a_cell=A_CELL_OF_PYTHON, lists=True)
    guarded(opened, size)
    batches = guarded(opened, partial(_first if glance else batches_of, opened, file, names))
    rows = guarded(opened, lambda: [batch.to_pylist() for batch in batches])
    records = [record for own in rows for record in own]
    text = json.dumps(records, ensure_ascii=False, default=str)
    return replace(opened, origin=text.encode(), encoding=None)


def _first(_source: Source, file: pq.ParquetFile, names: list[str]) -> list[pa.RecordBatch]:
    return [batch for batch in [next(file.iter_batches(_LOOKED_AT, columns=names), None)] if batch]


def _columns(file: pq.ParquetFile) -> list[str]:
    """The columns of the records: single values, lists of documents, and what these tools keep
    beside them, the long texts last; none without a query, or without a column of these tools."""
    schema = file.schema_arrow
    plain = [own.name for own in schema if not pa.types.is_nested(own.type)]
    lists = [own.name for own in schema if kind_of_list(own.name) and _holds(own.type, _is_id)]
    tools = [
        own.name
        for own in schema
        if is_of_a_tool(own.name)
        and own.name not in lists
        and (_holds(own.type, _is_plain) or _has_parts(own.type))
    ]
    asked = position(plain, QUERY_KEYS) >= 0 and tools
    if not asked or len({*schema.names}) < len(schema):
        return []
    numbers = [f.name for f in schema if number_beside(f.name) and _holds(f.type, _is_plain)]
    wanted = {*plain, *lists, *numbers} - {*tools}
    return [name for name in schema.names if name in wanted] + tools


def _holds(kind: pa.DataType, inside: Callable[[pa.DataType], bool]) -> bool:
    """Whether this is a list of such values, or of lists of them."""
    if not is_list(kind):
        return False
    own = kind.value_type
    return inside(own.value_type if is_list(own) else own)


def _has_parts(kind: pa.DataType) -> bool:
    """Whether this is an object of single values."""
    return pa.types.is_struct(kind) and not any(pa.types.is_nested(part.type) for part in kind)


def _is_id(kind: pa.DataType) -> bool:
    texts = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return bool(texts or pa.types.is_integer(kind))


def _is_plain(kind: pa.DataType) -> bool:
    return bool(_is_id(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind))
