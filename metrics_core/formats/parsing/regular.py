"""Read regular lines of columns with Arrow's CSV reader and additional checks.

Arrow accepts more than Ranklens does (empty fields, `nan`, `inf`). If a block passes the checks,
the result is the same as that of the careful readers. For any other block, None is returned, and
the careful readers are used."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from metrics_core.tables.arrays import as_array, is_coded

_BYTE_ORDER_MARK = "\ufeff".encode()


def read_regular(
    block: bytes,
    delimiter: str,
    names: Sequence[str],
    types: Mapping[str, pa.DataType],
    required: Collection[str],
) -> pa.Table | None:
    """Read the columns in `types` from a block of CSV. Its lines must have exactly the columns
    `names`, without quotes.

    Returns None if a line has a different form, if a `required` column contains an empty string, or
    if a number is not finite."""
    if block.startswith(_BYTE_ORDER_MARK):  # Arrow would drop it; inside a file it is content
        return None
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(block),
            pa.csv.ReadOptions(
                column_names=list(names), block_size=len(block) + 1, use_threads=False
            ),
            pa.csv.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False),
            pa.csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                strings_can_be_null=False,
                check_utf8=False,  # the source has checked it
            ),
        )
    except pa.ArrowInvalid:
        return None
    is_regular = all(_is_regular(table[name], name in required) for name in types)
    return table if is_regular else None


def _is_regular(column: pa.ChunkedArray, is_required: bool) -> bool:
    if pa.types.is_floating(column.type):
        return not column.null_count and bool(np.isfinite(as_array(column)).all())
    if not is_required:
        return True
    if is_coded(column):
        return not any("" in chunk.dictionary.to_pylist() for chunk in column.chunks)
    return bool(pc.min(pc.binary_length(column)).as_py())
