"""Map the rows of a file to physical lines. Rows count from 0, lines from 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from metrics_core.base.arrays import Ints
from metrics_core.base.errors import MOST_PROBLEMS_SHOWN, FileFormatError, LineProblem, TableError
from metrics_core.formats.source.source import Source


class RowLines(Protocol):
    """Protocol of objects that return the physical line of a row."""

    def line(self, row: int) -> int | None:
        """Return the physical line of a row; None if the line is unknown."""


@dataclass(frozen=True)
class LineRange:
    """A range of `lines` physical lines that contains `rows` rows.

    `numbers`, int64[row], is the line of each row within the range, from 0; None if every line is a
    row."""

    rows: int
    lines: int
    numbers: Ints | None = None


@dataclass(frozen=True)
class LineIndex:
    """The physical line of every row. Lines are stored as ranges, because in most files every line
    is a row, so that no number needs to be stored for each row."""

    stretches: tuple[LineRange, ...]
    first: int = 1

    @classmethod
    def from_numbers(cls, numbers: Iterable[int]) -> LineIndex:
        """Return an index made from `numbers`, the physical line of each row."""
        array = np.fromiter(numbers, dtype=np.int64)
        lines = int(array[-1]) if len(array) else 0
        return cls((LineRange(len(array), lines, array - 1),))

    def line(self, row: int) -> int:
        """Return the physical line of a row. Raises IndexError if the row does not exist."""
        line = self.first
        for stretch in self.stretches:
            if row < stretch.rows:
                return line + (row if stretch.numbers is None else int(stretch.numbers[row]))
            row -= stretch.rows
            line += stretch.lines
        raise IndexError(f"the file has no row {row}")


@dataclass(frozen=True)
class SelectedLines:
    """The physical lines of some of the rows of a file. `rows`, int64[row], are the numbers of
    these rows in the file."""

    index: RowLines
    rows: Ints

    def line(self, row: int) -> int | None:
        """Return the physical line of a row; None if the line is unknown."""
        return self.index.line(int(self.rows[row]))


def fields_hint(source: Source) -> str:
    """Return a hint that says how to list the fields of a file."""
    return f"`metrics-core formats --of {source.name}` lists its fields."


def file_error(
    source: Source,
    problems: Sequence[LineProblem],
    *,
    count: int | None = None,
    hint: str = "",
    suggestion: str = "",
    cut_off: bool = False,
) -> FileFormatError:
    """Return the error for several problems. The problems are sorted by line, and each is
    shown with the text of its line.

    If `cut_off` is true, the last problem is in the last line of the file, and this line has no
    line end."""
    sorted_problems = sorted(problems, key=lambda p: p.line or 0)[:MOST_PROBLEMS_SHOWN]
    line_numbers = {p.line for p in sorted_problems if p.line is not None and not p.text}
    texts = source.lines_at(line_numbers) if line_numbers else {}
    error_problems = [
        p if p.text else replace(p, text=texts.get(p.line or 0, "")) for p in sorted_problems
    ]
    if cut_off:
        hint = hint or sorted_problems[0].hint
        hint = f"The file seems to be truncated in its last line. {hint}".strip()
    return FileFormatError(
        source.name,
        error_problems,
        hint=hint,
        count=max(count or 0, len(problems)),
        offer=suggestion,
    )


def line_error(
    source: Source,
    line: int | None,
    actual: str,
    expected: str,
    hint: str = "",
    suggestion: str = "",
) -> FileFormatError:
    """Return the error for a single problem, which is shown with the text of its line."""
    problem = LineProblem(line, actual, expected)
    return file_error(source, [problem], hint=hint, suggestion=suggestion)


@contextmanager
def convert_table_errors(
    source: Source, index: RowLines | None, file_rows: Ints | None = None
) -> Iterator[None]:
    """Convert a TableError raised in the `with` block to a FileFormatError with physical lines.

    `file_rows`, int64[row], are the indexes of the table's rows in the file; None if the table has
    all rows of the file."""
    try:
        yield
    except TableError as error:
        rows = [p.row if file_rows is None else int(file_rows[p.row]) for p in error.problems]
        problems = [
            row_problem(index, row, p.found, p.expected, p.hint)
            for p, row in zip(error.problems, rows, strict=True)
        ]
        raise file_error(
            source, problems, count=error.count, hint=error.hint, suggestion=error.offer
        ) from error


def row_problem(
    index: RowLines | None, row: int, actual: str, expected: str, hint: str = ""
) -> LineProblem:
    """Return the problem of a row. The problem states the physical line of the row, or its row
    number if the line is unknown."""
    line = None if index is None else index.line(row)
    if line is None:
        actual = f"{actual} (row {row + 1:,})"
    return LineProblem(line, actual, expected, hint=hint)
