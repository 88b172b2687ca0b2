"""How much a Parquet file would unpack to, worked out before it is held.

A dictionary makes a value that stands in a million rows as small in the file as one that stands in
one, and each row of a table holds it anew. The footer tells rows and bytes, the dictionaries tell
the longest value; where these leave a doubt, the values are counted as codes, which are small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.errors import FileFormatError, LineProblem
from metrics_core.formats.limits import size_text
from metrics_core.formats.source import Source

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_ROWS_AT_ONCE = 1 << 16
_MANY = 100
"""Rows of a part from which on it matters that a value is written once for all of them."""

_DENSITY_CHECKED_FROM, _MOST_ROWS_A_BYTE = 1_000_000, 20


def check_size(source: Source, file: pq.ParquetFile, names: Sequence[str]) -> None:
    """Refuse a file of which these columns, its own names, would take more than its limit."""
    groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
    rows = [group.num_rows for group in groups]
    if min(rows, default=0) < 0 or sum(rows) != file.metadata.num_rows:
        found = f"a count of {file.metadata.num_rows:,} rows that does not fit its parts"
        hint = "Was the file written and copied to its end? Write it again, or as CSV."
        raise FileFormatError(source.name, [LineProblem(None, found, "Parquet")], hint=hint)
    source.limit.check_cells(source.name, sum(rows), len(names))
    dense = sum(rows) > max(_DENSITY_CHECKED_FROM, _MOST_ROWS_A_BYTE * source.size())
    if dense and not source.limit.given:
        found = f"{sum(rows):,} rows in {size_text(source.size())}"
        expected, needed = f"at most {_MOST_ROWS_A_BYTE} rows a byte", sum(rows) * len(names)
        raise source.limit.exceeded(source.name, found, expected, needed)
    chunks = [
        chunk
        for group in groups
        for chunk in map(group.column, range(group.num_columns))
        if chunk.path_in_schema in names
    ]
    size = sum(max(chunk.total_uncompressed_size, 0) for chunk in chunks)
    most = source.limit.unpacked(source.size())
    if size > most:
        expected = f"at most {size_text(most)}"
        raise source.limit.exceeded(source.name, f"{size_text(size)} unpacked", expected, size)
    kinds = {field.name: field.type for field in file.schema_arrow}
    coded = {chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page}
    texts = [name for name in names if name in coded and _is_text(kinds[name])]
    if texts:
        _check_texts(source, file, texts)


def _is_text(kind: pa.DataType) -> bool:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)
    return any(is_one(value) for is_one in tests) or pa.types.is_large_binary(value)


def _check_texts(source: Source, file: pq.ParquetFile, names: Sequence[str]) -> None:
    """Refuse columns whose texts would together be longer than the limit."""
    import pyarrow.parquet as pq

    coded = pq.ParquetFile(source.packed(), metadata=file.metadata, read_dictionary=list(names))
    bound = 0
    for group in range(file.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if rows < _MANY:
            continue
        # Of one row, too, Arrow gives the whole dictionary of its column.
        first = next(coded.iter_batches(1, row_groups=[group], columns=list(names)), None)
        for column in first.columns if first is not None else ():
            longest = pc.max(pc.binary_length(column.dictionary)).as_py() or 0
            bound += rows * longest
    if bound <= source.limit.size:
        return
    size = 0
    for batch in coded.iter_batches(_ROWS_AT_ONCE, columns=list(names)):
        for column in batch.columns:
            lengths = pc.binary_length(column.dictionary).cast(pa.int64())
            size += pc.sum(lengths.take(column.indices)).as_py() or 0
        if size > source.limit.size:
            expected = f"at most {size_text(source.limit.size)}"
            found = f"more than {size_text(size)} of texts, written once for many rows"
            raise source.limit.exceeded(source.name, found, expected, max(bound, size))
