"""How much reading one file may take: bytes, cells, columns. What is more is refused before it is
held, with the size found and how to allow it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metrics_core.base.errors import FileFormatError, LineProblem, ParameterError

USUAL = 4_000_000_000
"""Bytes that a file may take where nobody says otherwise; 7 million rows of a run are 250 MB."""

MOST_COLUMNS = 4_096
"""Columns, or keys, of a table: each becomes an array of its own."""

MOST_FILES = 1_000
"""Files that are read out of a set."""

MOST_RUNS = 2_000
"""Runs in one file: each is a table of its own."""

HELD_WHOLE, TREE = 4, 10
"""Times its size that a text takes while it is read whole, and as a tree of JSON values."""

ORDINARY_RATIO, RATIO_FROM = 50, 8_000_000
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

_A_CELL = 64
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?)b?\s*", re.IGNORECASE | re.ASCII)

Size = int | str
"""A number of bytes, or a text such as 2GB."""


@dataclass(frozen=True)
class Limit:
    """What one file may take: `size` bytes, unpacked. Where it is `given` by the user, a packed
    file may use all of it, else it may not be packed more tightly than files ordinarily are."""

    size: int = USUAL
    given: bool = False

    @classmethod
    def of(cls, given: Size | None) -> Limit:
        """The limit that a user gives; None is the usual one. Raises ParameterError."""
        return USUAL_LIMIT if given is None else cls(bytes_of(given), given=True)

    @property
    def cells(self) -> int:
        """Rows times columns."""
        return self.size // _A_CELL

    def unpacked(self, packed: int) -> int:
        """Bytes that a file of `packed` bytes may unpack to."""
        if self.given:
            return self.size
        return min(self.size, max(RATIO_FROM, ORDINARY_RATIO * packed))

    def table(self, packed: int) -> int:
        """Bytes that the table of a Parquet file of `packed` bytes may take."""
        if self.given:
            return self.size
        return min(self.size, max(TABLE_FROM, TABLE_RATIO * packed))

    def of_records(self, packed: int) -> int:
        """Cells that records in a file of `packed` bytes may have."""
        if self.given:
            return self.cells
        return min(self.cells, max(CELLS_FROM, CELLS_A_BYTE * packed))

    def check_values(self, file: str, values: int, packed: int) -> None:
        """Refuse a text of so many values in a file of `packed` bytes. A text that is not packed
        has room for no more than that."""
        most = max(VALUES_FROM, int(VALUES_A_BYTE * packed))
        if values > most and not self.given:
            found = f"more than {most:,} in {size_text(packed)}"
            expected = f"at most {VALUES_A_BYTE} values per byte of a compressed file"
            raise self.exceeded(file, found, expected, self.size, packed=True)

    def check_cells(
        self, file: str, rows: int, columns: int, line: int | None = None, most: int | None = None
    ) -> None:
        """Refuse a table of so many rows and columns if it is too large, or has more than `most`
        cells."""
        most = self.cells if most is None else most
        if columns > MOST_COLUMNS:
            problem = LineProblem(line, f"{columns:,}", f"at most {MOST_COLUMNS:,} columns or keys")
            hint = "Remove columns that are not needed. A table needs one row per document."
            raise FileFormatError(file, [problem], hint=hint)
        if rows * columns > most:
            found = f"{rows:,} rows of {columns:,} columns"
            raise self.exceeded(file, found, f"at most {most:,} cells", rows * columns * _A_CELL)

    def check_size(self, file: str, size: int, times: int = 1) -> None:
        """Refuse `size` bytes of a text that takes `times` its size while it is read."""
        if size * times > self.size:
            expected = f"at most {size_text(self.size // times)}"
            raise self.exceeded(file, size_text(size), expected, size * times)

    def exceeded(
        self, file: str, found: str, expected: str, needed: int, *, packed: bool = False
    ) -> FileFormatError:
        """The error for what is too large, because it is `packed` or anyhow; `needed` is the limit
        that would let it pass."""
        enough = f"{-(-needed // 10**9)}GB"
        hint = (
            f"If this size is intended and you have enough memory: `--limit {enough}` on the"
            f' command line, limit="{enough}" in Python.'
        )
        if packed:
            hint = f"Unpack the file and use its contents, or split it. {hint}"
        return FileFormatError(file, [LineProblem(None, found, expected)], hint=hint)


def bytes_of(size: Size) -> int:
    """A size in bytes: a number, or a text such as 500MB or 2 GB. Raises ParameterError."""
    found = _SIZE.fullmatch(size) if isinstance(size, str) else None
    number = int(float(found[1]) * _UNITS[found[2].lower()]) if found else size
    if isinstance(number, int) and not isinstance(number, bool) and number > 0:
        return number
    raise ParameterError(
        f"{size!r} is not a valid size.", "Write a number of bytes, or for example 500MB or 2GB."
    )


def size_text(size: int) -> str:
    """A number of bytes for reading, such as 5.6 MB."""
    for unit, worth in (("GB", 10**9), ("MB", 10**6)):
        if size >= worth:
            return f"{round(size / worth, 1):,g} {unit}"
    return f"{size:,} bytes"


USUAL_LIMIT = Limit()
