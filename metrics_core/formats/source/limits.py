"""How much reading one file may take: bytes, cells, columns. What is more is refused before it is
held, with the size found and how to allow it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metrics_core.base.errors import FileFormatError, LineProblem, ParameterError

DEFAULT_SIZE = 4_000_000_000
"""Bytes that a file may take where nobody says otherwise; 7 million rows of a run are 250 MB."""

MAX_COLUMNS = 4_096
"""Columns, or keys, of a table: each becomes an array of its own."""

MAX_FILES = 1_000
"""Files that are read out of a set."""

MAX_RUNS = 2_000
"""Runs in one file: each is a table of its own."""

TEXT_FACTOR, TREE_FACTOR = 4, 10
"""Times its size that a text takes while it is read whole, and as a tree of JSON values."""

TYPICAL_RATIO, RATIO_FROM = 50, 8_000_000
"""Past `RATIO_FROM` bytes, unpacked may be at most this many times the packed size."""

VALUES_A_BYTE, VALUES_FROM = 2, 1_000_000
"""Past `VALUES_FROM` values (of JSON, CSV or tags), a packed text that is read value by value may
have at most so many for each byte of its file: each takes some 6 microseconds. Real runs and
judgments as JSON have 0.3 to 1.4 in a .gz file, and up to 1.8 in an .xz."""

TABLE_RATIO, TABLE_FROM = 100, 256_000_000
"""Past `TABLE_FROM` bytes, the table of a Parquet file may take at most this many times its file: a
text that stands in many rows is written once."""

CELLS_A_BYTE, CELLS_FROM = 8, 1 << 22
"""Past `CELLS_FROM` cells, a table of records may have at most so many for each byte of its file:
a key that one record has is a cell of every record."""

_CELL_BYTES = 64
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?)b?\s*", re.IGNORECASE | re.ASCII)

Size = int | str
"""A number of bytes, or a text such as 2GB."""


@dataclass(frozen=True)
class Limit:
    """What one file may take: `size` bytes, unpacked. Where it is `is_explicit` by the user, a
    packed file may use all of it, else it may not be packed more tightly than files ordinarily
    are."""

    size: int = DEFAULT_SIZE
    is_explicit: bool = False

    @classmethod
    def from_size(cls, size: Size | None) -> Limit:
        """The limit that a user gives; None is the usual one. Raises ParameterError."""
        return DEFAULT_LIMIT if size is None else cls(parse_size(size), is_explicit=True)

    @property
    def cells(self) -> int:
        """Rows times columns."""
        return self.size // _CELL_BYTES

    def max_unpacked(self, packed_size: int) -> int:
        """Bytes that a file of `packed_size` bytes may unpack to."""
        if self.is_explicit:
            return self.size
        return min(self.size, max(RATIO_FROM, TYPICAL_RATIO * packed_size))

    def max_table(self, packed_size: int) -> int:
        """Bytes that the table of a Parquet file of `packed_size` bytes may take."""
        if self.is_explicit:
            return self.size
        return min(self.size, max(TABLE_FROM, TABLE_RATIO * packed_size))

    def max_record_cells(self, packed_size: int) -> int:
        """Cells that records in a file of `packed_size` bytes may have."""
        if self.is_explicit:
            return self.cells
        return min(self.cells, max(CELLS_FROM, CELLS_A_BYTE * packed_size))

    def check_values(self, file: str, values: int, packed_size: int) -> None:
        """Refuse a text of so many values in a file of `packed_size` bytes. A text that is not
        packed has room for no more than that."""
        max_values = max(VALUES_FROM, int(VALUES_A_BYTE * packed_size))
        if values > max_values and not self.is_explicit:
            actual = f"more than {max_values:,} in {format_size(packed_size)}"
            expected = f"at most {VALUES_A_BYTE} values per byte of a compressed file"
            raise self.limit_error(file, actual, expected, self.size, is_packed=True)

    def check_cells(
        self,
        file: str,
        rows: int,
        columns: int,
        line: int | None = None,
        max_cells: int | None = None,
    ) -> None:
        """Refuse a table of so many rows and columns if it is too large, or has more than
        `max_cells` cells."""
        max_cells = self.cells if max_cells is None else max_cells
        if columns > MAX_COLUMNS:
            problem = LineProblem(line, f"{columns:,}", f"at most {MAX_COLUMNS:,} columns or keys")
            hint = "Remove columns that are not needed. A table needs one row per document."
            raise FileFormatError(file, [problem], hint=hint)
        if rows * columns > max_cells:
            actual = f"{rows:,} rows of {columns:,} columns"
            raise self.limit_error(
                file, actual, f"at most {max_cells:,} cells", rows * columns * _CELL_BYTES
            )

    def check_size(self, file: str, size: int, times: int = 1) -> None:
        """Refuse `size` bytes of a text that takes `times` its size while it is read."""
        if size * times > self.size:
            expected = f"at most {format_size(self.size // times)}"
            raise self.limit_error(file, format_size(size), expected, size * times)

    def limit_error(
        self, file: str, actual: str, expected: str, needed: int, *, is_packed: bool = False
    ) -> FileFormatError:
        """The error for what is too large, because it is `is_packed` or anyhow; `needed` is the
        limit that would let it pass."""
        size_option = f"{-(-needed // 10**9)}GB"
        hint = (
            f"If this size is intended and you have enough memory: `--limit {size_option}` on the"
            f' command line, limit="{size_option}" in Python.'
        )
        if is_packed:
            hint = f"Unpack the file and use its contents, or split it. {hint}"
        return FileFormatError(file, [LineProblem(None, actual, expected)], hint=hint)


def parse_size(size: Size) -> int:
    """A size in bytes: a number, or a text such as 500MB or 2 GB. Raises ParameterError."""
    match = _SIZE.fullmatch(size) if isinstance(size, str) else None
    number = int(float(match[1]) * _UNITS[match[2].lower()]) if match else size
    if isinstance(number, int) and not isinstance(number, bool) and number > 0:
        return number
    raise ParameterError(
        f"{size!r} is not a valid size.", "Write a number of bytes, or for example 500MB or 2GB."
    )


def format_size(size: int) -> str:
    """A number of bytes for reading, such as 5.6 MB."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6)):
        if size >= factor:
            return f"{round(size / factor, 1):,g} {unit}"
    return f"{size:,} bytes"


DEFAULT_LIMIT = Limit()
