"""CSV for spreadsheets, in which no text can act as a formula."""

from __future__ import annotations

import io

import pandas as pd

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def spreadsheet_csv(frame: pd.DataFrame) -> bytes:
    """A frame's columns as CSV for spreadsheets: UTF-8 with a byte order mark, without the index.

    A text that a spreadsheet would run as a formula gets a leading apostrophe, in cells and in
    column names; numbers stay numbers, and whole ones have no decimal point. For files that are
    read back exactly there is `write`.
    """
    safe = pd.DataFrame(
        {at: [_written(v) for v in frame.iloc[:, at]] for at in range(frame.shape[1])},
        dtype="object",
    )
    safe.columns = pd.Index([_inert(str(name)) for name in frame.columns])
    buffer = io.StringIO()
    safe.to_csv(buffer, index=False, lineterminator="\r\n")
    return buffer.getvalue().encode("utf-8-sig")


def _written(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return _inert(value)


def _inert(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return "'" + value
    return value
