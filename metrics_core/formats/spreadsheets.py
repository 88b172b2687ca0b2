"""Write tables for spreadsheets, in which no text can act as a formula."""

from __future__ import annotations

import io

from metrics_core.base import frames as pd
from metrics_core.formats.values import are_whole_numbers

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def spreadsheet_csv(frame: pd.DataFrame) -> bytes:
    """Return a frame with any columns as CSV for spreadsheets: UTF-8 with a byte order mark,
    without the index.

    A string that a spreadsheet would run as a formula is prefixed with an apostrophe, in cells and
    in column names; numbers are unchanged. Use `write` for files that must be read back as exactly
    the same table."""
    # Before pandas 3 `map` makes floats of whole numbers with gaps.
    cells = frame.astype("object")
    safe_frame = pd.DataFrame(
        {index: cells.iloc[:, index].map(escape_formula) for index in range(cells.shape[1])},
        dtype="object",
    )
    safe_frame.columns = pd.Index([escape_formula(str(name)) for name in frame.columns])
    buffer = io.StringIO()
    safe_frame.to_csv(buffer, index=False, lineterminator="\r\n")
    return buffer.getvalue().encode("utf-8-sig")


def convert_whole_counts(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert the float64 columns of a frame that have only whole numbers to Int64. Other columns
    are unchanged.

    This restores counts, because pandas stores counts as float64 if one of them is missing."""
    columns = {}
    for index in range(frame.shape[1]):
        column = frame.iloc[:, index]
        values = column.dropna()
        if column.dtype.kind == "f" and len(values) and are_whole_numbers(values.to_numpy()):
            column = column.astype("Int64")
        columns[index] = column
    return pd.DataFrame(columns).set_axis(frame.columns, axis=1)


def escape_formula(value: object) -> object:
    """Return the value of a cell. A string that a spreadsheet would run as a formula is prefixed
    with an apostrophe."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return "'" + value
    return value
