"""Convert tables for writers: to Arrow columns, or to text columns. Texts are checked for values
that a format cannot store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import RanklensError
from metrics_core.tables import Qrels, Queries, RankedRun, Table
from metrics_core.tables.arrays import is_coded
from metrics_core.tables.columns import ID

ROWS_AT_ONCE = 100_000
"""Number of rows that a writer converts at a time."""


def to_arrow(table: Table) -> pa.Table:
    """Convert any table to an Arrow table with all its columns. Missing values are null."""
    if isinstance(table, Qrels):
        return table.input_table
    if isinstance(table, RankedRun):
        name = pa.array([table.name], ID).dictionary_encode()
        names = pa.DictionaryArray.from_arrays(
            pa.array(np.zeros(len(table), np.int32)), name.dictionary
        )
        return table.table.add_column(0, "run", names)
    if not isinstance(table, Queries):
        return table.table
    frame = table.frame
    return pa.table(
        {
            name: pa.array([None if v is None else str(v) for v in frame[name]], ID)
            for name in frame.columns
        }
    )


def to_text_columns(table: Table) -> pa.Table:
    """Convert any table to a table whose columns are all text."""
    arrow = to_arrow(table)
    return pa.table({name: arrow[name].cast(ID) for name in arrow.column_names})


def check_texts(
    table: pa.Table, forbidden_pattern: str, format: str, forbidden_prefixes: str = ""
) -> None:
    """Raise RanklensError for a string that matches `forbidden_pattern`, or for a query_id that
    starts with one of `forbidden_prefixes`.

    `forbidden_prefixes` are characters that would change the meaning of the line, for example make
    it a comment."""
    for name in table.column_names:
        column = table[name]
        if is_coded(column):
            column = pa.chunked_array([chunk.dictionary for chunk in column.chunks], ID)
        if column.type != ID:
            continue
        is_bad = pc.match_substring_regex(column, forbidden_pattern)
        for mark in forbidden_prefixes if name == "query_id" else "":
            is_bad = pc.or_(is_bad, pc.starts_with(column, mark))
        index = pc.index(pc.fill_null(is_bad, False), True).as_py()
        if index >= 0:
            raise RanklensError(
                f"{format} cannot store the {name} {column[index].as_py()!r}.",
                "Write it as JSON Lines or Parquet, which can store any text.",
            )


def write_lines(file: BinaryIO, fields: Iterable[pa.Array | str], separator: str) -> None:
    """Write one line per row. A field is a column of strings, or a string for all rows."""
    lines = pc.binary_join_element_wise(*fields, separator).to_pylist()
    file.write(("\n".join(lines) + "\n").encode() if lines else b"")
