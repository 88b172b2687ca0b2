"""Limits for reading one file: bytes, cells, columns.

A file that exceeds a limit is refused before it is loaded into memory. The error states the size of
the file and the option with which it can be read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metrics_core.base.errors import FileFormatError, ParameterError, content_error

DEFAULT_SIZE = 4_000_000_000
"""Default limit in bytes. For comparison, a run with 7 million rows takes about 250 MB."""

MAX_COLUMNS = 4_096
"""Maximum number of columns or keys of a table. Each of them becomes a separate array."""

MAX_FILES = 1_000
"""Maximum number of files in a set."""

MAX_RUNS = 2_000
"""Maximum number of runs in one file. Each of them becomes a separate table."""

TEXT_FACTOR, TREE_FACTOR = 4, 10
"""Memory that a text needs, as a multiple of its size. `TEXT_FACTOR` is for a text that is read as
a whole, `TREE_FACTOR` for a text that becomes a tree of JSON values."""

TYPICAL_RATIO, RATIO_FROM = 50, 8_000_000
"""If a file has more than `RATIO_FROM` bytes when unpacked, its unpacked size may be at most
`TYPICAL_RATIO` times its packed size."""

VALUES_PER_BYTE, VALUES_FROM = 2, 1_000_000
"""Limit for the number of values (of JSON, CSV or tags) in a compressed text that is read value by
value. Above `VALUES_FROM` values, the text may have at most `VALUES_PER_BYTE` values per byte of
its file, because each value takes about 6 microseconds. Real runs and judgments as JSON have 0.3 to
1.4 values per byte in a .gz file, and up to 1.8 in an .xz file."""

TABLE_RATIO, TABLE_FROM = 100, 256_000_000
"""Limit for the table of a Parquet file: above `TABLE_FROM` bytes, it may need at most
`TABLE_RATIO` times the size of the file.

The limit is needed because a small file may become a large table: it stores a text that many rows
share as a single copy."""

CELLS_PER_BYTE, CELLS_FROM = 8, 1 << 22
"""Above `CELLS_FROM` cells, a table of records may have at most `CELLS_PER_BYTE` cells per byte of
its file. The limit exists because a key that occurs in a single record becomes a column with a cell
for every record."""

_CELL_BYTES = 64
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?)b?\s*", re.IGNORECASE | re.ASCII)

Size = int | str
"""A number of bytes, or a text such as 2GB."""


@dataclass(frozen=True)
class Limit:
    """The limit for one file: `size` bytes when unpacked.

    If the user set the limit (`is_explicit`), a packed file may use all of it. Otherwise the
    unpacked size is also limited to a multiple of the packed size."""

    size: int = DEFAULT_SIZE
    is_explicit: bool = False

    @classmethod
    def from_size(cls, size: Size | None) -> Limit:
        """Return the limit that a user set, or the default limit if `size` is None. Raises
        ParameterError for an invalid size."""
        return DEFAULT_LIMIT if size is None else cls(parse_size(size), is_explicit=True)

    @property
    def cell_limit(self) -> int:
        """Maximum number of cells (rows times columns)."""
        return self.size // _CELL_BYTES

    def max_unpacked_size(self, packed_size: int) -> int:
        """Return the maximum number of unpacked bytes of a file with `packed_size` bytes."""
        return self._scale(self.size, RATIO_FROM, TYPICAL_RATIO * packed_size)

    def max_table_size(self, packed_size: int) -> int:
        """Return the maximum number of bytes of the table in a Parquet file with `packed_size`
        bytes."""
        return self._scale(self.size, TABLE_FROM, TABLE_RATIO * packed_size)

    def max_record_cells(self, packed_size: int) -> int:
        """Return the maximum number of cells of records in a file with `packed_size` bytes."""
        return self._scale(self.cell_limit, CELLS_FROM, CELLS_PER_BYTE * packed_size)

    def _scale(self, maximum: int, always_allowed: int, by_size: int) -> int:
        """Return `maximum` if the user set the limit. Otherwise, it is reduced to the larger of the
        other two numbers."""
        return maximum if self.is_explicit else min(maximum, max(always_allowed, by_size))

    def check_values(self, file: str, n_values: int, packed_size: int) -> None:
        """Raise FileFormatError if a text in a file of `packed_size` bytes has too many values.

        A text that is not packed is never refused."""
        max_values = max(VALUES_FROM, int(VALUES_PER_BYTE * packed_size))
        if n_values > max_values and not self.is_explicit:
            actual = f"more than {max_values:,} values in {format_size(packed_size)}"
            expected = f"at most {VALUES_PER_BYTE} values per byte of a compressed file"
            raise self.limit_error(file, actual, expected, self.size, is_packed=True)

    def check_cells(
        self,
        file: str,
        n_rows: int,
        n_columns: int,
        line: int | None = None,
        max_cells: int | None = None,
    ) -> None:
        """Raise FileFormatError for too many columns or cells.

        If `max_cells` is given, it replaces the number of cells that this limit allows."""
        max_cells = self.cell_limit if max_cells is None else max_cells
        if n_columns > MAX_COLUMNS:
            expected = f"at most {MAX_COLUMNS:,} columns or keys"
            hint = "Remove columns that are not needed. A table needs one row per document."
            raise content_error(file, f"{n_columns:,}", expected, hint, line=line)
        if n_rows * n_columns > max_cells:
            actual = f"{n_rows:,} rows of {n_columns:,} columns"
            raise self.limit_error(
                file, actual, f"at most {max_cells:,} cells", n_rows * n_columns * _CELL_BYTES
            )

    def check_size(self, file: str, size: int, memory_factor: int = 1) -> None:
        """Raise FileFormatError for a text of `size` bytes that would need too much memory.

        Reading the text takes `memory_factor` times the memory of the text itself."""
        if size * memory_factor > self.size:
            expected = f"at most {format_size(self.size // memory_factor)}"
            raise self.limit_error(file, format_size(size), expected, size * memory_factor)

    def limit_error(
        self, file: str, actual: str, expected: str, needed_size: int, *, is_packed: bool = False
    ) -> FileFormatError:
        """Return the error for a file that is too large.

        `needed_size` is the limit in bytes with which the file could be read. If `is_packed` is
        true, the hint says that the file can be unpacked before it is read."""
        size_option = f"{-(-needed_size // 10**9)}GB"
        hint = (
            f"If this size is intended and you have enough memory, use `--limit {size_option}` on"
            f' the command line or limit="{size_option}" in Python.'
        )
        if is_packed:
            hint = f"Unpack the file and use its contents, or split it. {hint}"
        return content_error(file, actual, expected, hint)


def parse_size(size: Size) -> int:
    """Parse a size, given as a number of bytes or as a string such as 500MB or 2 GB. Returns the
    number of bytes.

    Raises ParameterError for an invalid size."""
    match = _SIZE.fullmatch(size) if isinstance(size, str) else None
    number = int(float(match[1]) * _UNITS[match[2].lower()]) if match else size
    if isinstance(number, int) and not isinstance(number, bool) and number > 0:
        return number
    raise ParameterError(
        f"{size!r} is not a valid size.", "Write a number of bytes, or for example 500MB or 2GB."
    )


def format_size(size: int) -> str:
    """Return a number of bytes as text, such as 5.6 MB."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6)):
        if size >= factor:
            return f"{round(size / factor, 1):,g} {unit}"
    return f"{size:,} bytes"


DEFAULT_LIMIT = Limit()
