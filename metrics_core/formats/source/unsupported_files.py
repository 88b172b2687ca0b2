"""Recognise binary files that contain no table, by their first bytes or by the members of a zip.

Such files are refused with a message that names the type of file, and a hint. Their content is not
read, and no pickle is ever loaded."""

from __future__ import annotations

import re
from collections.abc import Collection

from metrics_core.base.errors import content_error

_A_TABLE = "a table as text or Parquet"
_SHEET = "Save the sheet as CSV and use that file."
_ARRAY = (
    "An array has no ids. Write a table with query_id, doc_id and score, for example with pandas'"
    " to_csv or to_parquet."
)
_PICKLE = (
    "Loading a pickle runs the code in it, so pickles are not read. Load the file in your own"
    " environment, and save the table as Parquet, CSV or JSON."
)
_UNPACK = "Unpack it and use the files in it."
_EXPORT = "Export the table as CSV."

_BY_START: tuple[tuple[re.Pattern[bytes], str, str], ...] = tuple(
    (re.compile(start, re.DOTALL), description, hint)
    for start, description, hint in (
        (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Office document", _SHEET),
        (rb"%PDF-", "a PDF document", "Use the original table as CSV."),
        (rb"\x93NUMPY", "a NumPy array", _ARRAY),
        # The opcode after the version: a frame, a mark, a list, a dictionary, a name.
        (rb"\x80[\x02-\x05][\x95()\]}ckX\x8c]", "a Python pickle", _PICKLE),
        (rb"[}\]]q\0|\([dl]p\d+\n", "a Python pickle", _PICKLE),
        (
            rb"c(?:copy_reg|numpy|pandas|builtins|__builtin__|collections)[.\w]*\n",
            "a Python pickle",
            _PICKLE,
        ),
        (rb"SQLite format 3\0", "an SQLite database", _EXPORT),
        (rb"ARROW1", "an Arrow or Feather file", "Save it as Parquet."),
        (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
        (rb".{257}ustar", "a tar archive", _UNPACK),
        (rb"\x89HDF\r\n", "an HDF5 file", _EXPORT),
    )
)
_BY_MEMBER: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(member), description, hint)
    for member, description, hint in (
        (r"xl/workbook\.(?:xml|bin)", "an Excel workbook", _SHEET),
        (r"\[Content_Types\]\.xml", "an Office document", _SHEET),
        (r"META-INF/manifest\.xml", "an OpenDocument file", _SHEET),
        (r".*\.npy", "NumPy arrays (.npz)", _ARRAY),
        (r"(?:.*/)?data\.pkl", "a PyTorch file, which is a pickle", _PICKLE),
    )
)


def refuse_unsupported_bytes(name: str, first_bytes: bytes) -> None:
    """Raise FileFormatError if the first bytes of a file are those of an unsupported type."""
    for pattern, description, hint in _BY_START:
        if pattern.match(first_bytes):
            raise content_error(name, description, _A_TABLE, hint)


def refuse_unsupported_zip(name: str, members: Collection[str]) -> None:
    """Raise FileFormatError if the members of a zip file show that it is of an unsupported type."""
    for pattern, description, hint in _BY_MEMBER:
        if any(pattern.fullmatch(member) for member in members):
            raise content_error(name, description, _A_TABLE, hint)
