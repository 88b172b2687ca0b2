"""How much a Parquet file would unpack to, worked out before it is held.

A value that stands in a million rows may be as small in the file as one that stands in one, as a
word of a dictionary or as what it shares with the one before, and each row of a table holds it
anew. The footer may tell anything; so the headers of the pages are asked, the longest value of the
dictionaries, and where these leave a doubt, the values are counted as codes, which are small.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.formats.source.limits import size_text
from metrics_core.formats.source.parquet_deltas import shared_bytes
from metrics_core.formats.source.parquet_pages import Group, footer_size, groups_of, pages_of
from metrics_core.formats.source.source import Source

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_ROWS_AT_ONCE = 1 << 16
_DENSITY_CHECKED_FROM, _MOST_ROWS_A_BYTE = 1_000_000, 20

A_CELL = 16
"""Bytes of a cell without its text."""
A_CELL_OF_PYTHON = 64
"""Bytes of a cell that becomes an object."""

_FOOTER_AT_LEAST, _TIMES_FOOTER = 1 << 20, 4
"""Bytes that a footer may take, or so many times less than its file: Arrow holds up to 200 times as
many."""

_AGAIN = "Was the file written and copied to its end? Write it again, or as CSV."


def check_footer(source: Source, file: BinaryIO) -> None:
    """Refuse a file that is mostly footer, before Arrow reads it."""
    footer, size = footer_size(file)
    file.seek(0)
    most = max(_FOOTER_AT_LEAST, size // _TIMES_FOOTER)
    if most < footer <= size:
        found = f"a footer of {size_text(footer)} in {size_text(size)}"
        hint = "Write it with more rows in each row group, and fewer columns."
        problem = LineProblem(None, found, f"at most one of {size_text(most)}")
        raise FileFormatError(source.name, [problem], hint=hint)


def check_size(
    source: Source,
    file: pq.ParquetFile,
    names: Sequence[str],
    *,
    first: int | None = None,
    a_cell: int = A_CELL,
    lists: bool = False,
) -> None:
    """Refuse a file of which these columns would take more than its limit, or of which they would
    in the `first` rows; `a_cell` is what a cell takes without its text, in bytes. A column of
    `lists`, where these are allowed, has a cell for each of their values. Raises pyarrow's errors
    for damaged files."""
    with source.packed() as plain:
        groups = groups_of(plain)
        every = [group.rows for group in groups]
        if min(every, default=0) < 0 or sum(every) != file.metadata.num_rows:
            found = f"a count of {file.metadata.num_rows:,} rows that does not fit its parts"
            raise FileFormatError(source.name, [LineProblem(None, found, "Parquet")], hint=_AGAIN)
        if first is None:
            _check_rows(source, sum(every), len(names))
        most = source.limit.table(source.size())
        columns = _Columns(source, file, plain, groups, _leaves(file, names, lists), most, lists)
        columns.check(_looked_at(every, first), a_cell)


def _check_rows(source: Source, rows: int, columns: int) -> None:
    source.limit.check_cells(source.name, rows, columns)
    dense = rows > max(_DENSITY_CHECKED_FROM, _MOST_ROWS_A_BYTE * source.size())
    if dense and not source.limit.given:
        found = f"{rows:,} rows in {size_text(source.size())}"
        expected, needed = f"at most {_MOST_ROWS_A_BYTE} rows a byte", rows * columns
        raise source.limit.exceeded(source.name, found, expected, needed)


def _looked_at(every: Sequence[int], first: int | None) -> list[int]:
    """How many rows are read of each row group, until there are as many as `first`."""
    if first is None:
        return list(every)
    ends = list(accumulate(every))
    return [max(0, min(n, first - end + n)) for n, end in zip(every, ends, strict=True)]


def _leaves(file: pq.ParquetFile, names: Sequence[str], lists: bool) -> list[int]:
    """The places of these columns among those that hold values. Raises ArrowInvalid for a column
    that holds others, which is told by another path than its name."""
    wanted = set(names)
    every = range(file.metadata.num_columns)
    paths = [file.schema.column(place).path for place in every]
    if lists:
        paths = [re.sub(r"(\.list\.[^.]+)+$", "", path) for path in paths]
    places = [place for place in every if paths[place] in wanted]
    if len(places) != len(names):
        raise pa.ArrowInvalid("lists or structs in a column, or two of one name")
    return places


def _values_of(batch: pa.RecordBatch) -> list[pa.Array]:
    """The values of each column, those of lists one after the other."""
    columns = list(batch.columns)
    for at, column in enumerate(columns):
        while pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
            column = column.flatten()
        columns[at] = column
    return columns


@dataclass(frozen=True)
class _Part:
    """What a column takes in a row group, in bytes: `own` for values that stand there one by one,
    and for `words` that stand in its `dictionary`."""

    group: int
    path: str
    own: int
    words: int
    dictionary: int

    @property
    def least(self) -> int:
        """What it takes with words of no bytes; Arrow holds the dictionary twice."""
        return self.own + 2 * self.dictionary


@dataclass(frozen=True)
class _Columns:
    """Columns of a file, by their places, of which `most` bytes are allowed."""

    source: Source
    file: pq.ParquetFile
    plain: BinaryIO
    groups: Sequence[Group]
    places: Sequence[int]
    most: int
    lists: bool = False

    def _cells(self, group: int, place: int, rows: int) -> int:
        """How many values the first rows of a column's part hold; of lists, how many all hold."""
        if not self.file.schema.column(place).max_repetition_level:
            return rows
        self._check_kind(group, place)
        return max(self.groups[group].chunks[place].values, 0)

    def _check_kind(self, group: int, place: int) -> None:
        """Refuse a part of which pyarrow, which would end the process, is not to be asked."""
        nested = self.file.schema.column(place).max_repetition_level > 0
        odd = len(self.groups[group].chunks) != self.file.metadata.num_columns
        if odd or (nested and not self.lists):
            raise pa.ArrowInvalid("lists or structs in a column")

    def check(self, rows: Sequence[int], a_cell: int) -> None:
        """Refuse them where so many rows of each row group would take more."""
        every = list(product(np.flatnonzero(rows).tolist(), self.places))
        cells = {(group, place): self._cells(group, place, rows[group]) for group, place in every}
        size, parts = sum(cells.values()) * a_cell, list[_Part]()
        self._refuse_beyond(size, size, "unpacked")
        for group, place in every:
            part = self._part(group, place, cells[group, place], self.most - size)
            size += part.least
            parts += [part] if part.words else []
        self._refuse_beyond(size, size, "unpacked")
        # A dictionary's own size bounds its longest word, and mostly that is enough to know.
        if size + sum(part.words * part.dictionary for part in parts) <= self.most:
            return
        longest = {group: self._longest(group) for group in {part.group for part in parts}}
        bound = size + sum(
            part.words * longest[part.group].get(part.path, part.dictionary) for part in parts
        )
        if bound > self.most:
            self._count(size, bound, rows)

    def _part(self, group: int, place: int, first: int, left: int) -> _Part:
        """What the first rows of a column's part take; no page is opened once more than `left` is
        found. Raises ArrowInvalid."""
        told, kind = self.groups[group], self.file.schema.column(place)
        nested = kind.max_repetition_level > 0
        self._check_kind(group, place)
        chunk, own, words, dictionary, left_of_first = told.chunks[place], 0, 0, 0, first
        for page in pages_of(self.plain, chunk, first if nested else told.rows, first):
            if page.is_dictionary:
                dictionary += page.size
                continue
            own += page.size
            values, left_of_first = min(page.values, left_of_first), left_of_first - page.values
            if page.coded and kind.physical_type == "BYTE_ARRAY":
                words += values
            elif kind.physical_type == "FIXED_LEN_BYTE_ARRAY":
                own += values * kind.length
            if page.counted and nested:
                raise pa.ArrowInvalid("lists of texts that are written as differences")
            if page.counted and own <= left:
                own += shared_bytes(self.plain, page, chunk, kind.max_definition_level > 0)
        return _Part(group, kind.path, own, words, dictionary)

    def _longest(self, group: int) -> dict[str, int]:
        """The bytes of the longest word of each dictionary of texts in a row group."""
        # Of one row, too, Arrow gives the whole dictionary of its column.
        first = next(self._as_codes(1, [group]), None)
        columns = {} if first is None else dict(zip(self._paths, _values_of(first), strict=True))
        return {
            path: pc.max(pc.binary_length(column.dictionary)).as_py() or 0
            for path, column in columns.items()
            if pa.types.is_dictionary(column.type)
        }

    def _count(self, size: int, bound: int, rows: Sequence[int]) -> None:
        """Refuse the texts if they take more than what the rest leaves, counted one by one."""
        left = sum(rows)
        for batch in self._as_codes(_ROWS_AT_ONCE, np.flatnonzero(rows).tolist()):
            for column in _values_of(batch.slice(0, left)):
                if pa.types.is_dictionary(column.type):
                    lengths = pc.binary_length(column.dictionary).cast(pa.int64())
                    size += pc.sum(lengths.take(column.indices)).as_py() or 0
            self._refuse_beyond(size, bound, "of texts, written once for many rows")
            left -= batch.num_rows
            if left <= 0:
                return

    def _as_codes(self, rows: int, groups: list[int]) -> Iterator[pa.RecordBatch]:
        return iter(self._codes.iter_batches(rows, row_groups=groups, columns=self._paths))

    @property
    def _paths(self) -> list[str]:
        return [self.file.schema.column(place).path for place in self.places]

    @cached_property
    def _codes(self) -> pq.ParquetFile:
        import pyarrow.parquet as pq

        return pq.ParquetFile(
            self.source.packed(),
            metadata=self.file.metadata,
            read_dictionary=self._paths,
            arrow_extensions_enabled=False,
        )

    def _refuse_beyond(self, size: int, needed: int, what: str) -> None:
        if size > self.most:
            found = f"more than {size_text(self.most)} {what}"
            expected = f"at most {size_text(self.most)}"
            raise self.source.limit.exceeded(self.source.name, found, expected, needed)
