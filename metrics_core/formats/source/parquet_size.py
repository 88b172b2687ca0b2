"""How much a Parquet file would unpack to, worked out before it is held.

The footer tells the sizes of the pages, unpacked. A text that stands in a million rows may be as
small in them as one that stands in one: as a word of a dictionary, or as what it shares with the
one before. So the longest word is asked for, and where this leaves a doubt, the texts are counted
as codes, which are small. A page that contradicts the footer may take more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.formats.source.limits import size_text
from metrics_core.formats.source.source import Source
from metrics_core.tables.arrays import is_list

if TYPE_CHECKING:
    import pyarrow.parquet as pq


import os

from metrics_core.formats.source.parquet_structs import I32, I64, LIST, STRUCT, Fields, struct

_END = 8
"""Bytes behind the footer: its size and the magic."""
_CODECS, _DELTAS = 8, {6, 7}


@dataclass(frozen=True)
class Chunk:
    """The values of a column in a row group: how many, the bytes of their pages unpacked, and
    whether they are written as differences, which Arrow does not read as codes."""

    values: int
    size: int
    deltas: bool


@dataclass(frozen=True)
class RowGroup:
    """A row group, with the chunk of each column."""

    rows: int
    chunks: Sequence[Chunk]


def footer_size(file: BinaryIO) -> tuple[int, int]:
    """The bytes of a file's footer as it tells them, and of the file."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _END, 0))
    return int.from_bytes(file.read(4), "little"), size


def groups_of(file: BinaryIO) -> list[RowGroup]:
    """The row groups of a file. Raises ArrowInvalid for a damaged footer."""
    footer, size = footer_size(file)
    file.seek(max(size - _END - footer, 0))
    try:
        told, _ = struct(file.read(footer), 0)
        return [
            RowGroup(group[3, I64], [_chunk(chunk[3, STRUCT]) for chunk in group[1, LIST]])
            for group in told[4, LIST]
        ]
    except (IndexError, KeyError, TypeError):
        raise pa.ArrowInvalid("a malformed footer") from None


def _chunk(told: Fields) -> Chunk:
    numbers = told[5, I64], told[6, I64], told[7, I64], told[9, I64]
    if min(numbers) < 0 or told[4, I32] not in range(_CODECS):
        raise pa.ArrowInvalid("a missing column, or one with an unknown compression")
    return Chunk(*numbers[:2], not _DELTAS.isdisjoint(told[2, LIST]))


_ROWS_AT_ONCE, _BYTES_AT_ONCE, _MOST_STEPS = 1 << 16, 1 << 25, 50_000
"""Texts are counted in steps of so many rows, and bytes of what differences may add up to."""
_DENSITY_CHECKED_FROM, _MOST_ROWS_A_BYTE = 1_000_000, 20

A_CELL = 16
"""Bytes of a cell without its text."""
A_CELL_OF_PYTHON = 64
"""Bytes of a cell that becomes an object."""

_FOOTER_AT_LEAST, _TIMES_FOOTER = 1 << 20, 4
"""Bytes that a footer may take, or so many times less than its file: Arrow holds up to 200 times as
many."""

_AGAIN = "The file may be incomplete. Write it again, or write it as CSV."


def check_footer(source: Source, file: BinaryIO) -> None:
    """Refuse a file that is mostly footer, before Arrow reads it."""
    footer, size = footer_size(file)
    file.seek(0)
    most = max(_FOOTER_AT_LEAST, size // _TIMES_FOOTER)
    if most < footer <= size:
        found = f"a footer of {size_text(footer)} in {size_text(size)}"
        hint = "Write it with more rows per row group, and fewer columns."
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
        found = f"a count of {file.metadata.num_rows:,} rows that does not match its parts"
        raise FileFormatError(source.name, [LineProblem(None, found, "Parquet")], hint=_AGAIN)
    leaves = _leaves(file, names, lists)
    if first is None:
        _check_rows(source, sum(every), len(leaves))
    if any(len(group.chunks) != file.metadata.num_columns for group in groups):
        raise pa.ArrowInvalid("lists or structs in a column")
    most = source.limit.table(source.size())
    columns = _Columns(source, file, groups, leaves, most)
    columns.check(_looked_at(every, first), a_cell)


def _looked_at(every: Sequence[int], first: int | None) -> list[int]:
    """How many rows are read of each row group, until there are as many as `first`."""
    if first is None:
        return list(every)
    ends = list(accumulate(every))
    return [max(0, min(n, first - end + n)) for n, end in zip(every, ends, strict=True)]


def _check_rows(source: Source, rows: int, columns: int) -> None:
    source.limit.check_cells(source.name, rows, columns)
    dense = rows > max(_DENSITY_CHECKED_FROM, _MOST_ROWS_A_BYTE * source.size())
    if dense and not source.limit.given:
        found = f"{rows:,} rows in {size_text(source.size())}"
        expected, needed = f"at most {_MOST_ROWS_A_BYTE} rows per byte", rows * columns
        raise source.limit.exceeded(source.name, found, expected, needed)


def _leaves(file: pq.ParquetFile, names: Sequence[str], lists: bool) -> list[int]:
    """The places of these columns among those that hold values. Raises ArrowInvalid for a column
    that holds others, which is told by another path than its name."""
    every = range(file.metadata.num_columns)
    paths = [file.schema.column(place).path for place in every]
    wanted = set(names)
    if lists:  # the columns inside of one are told by its name and theirs
        starts = (accumulate(path.split("."), "{}.{}".format) for path in paths)
        places = [place for place, own in zip(every, starts, strict=True) if wanted & {*own}]
    else:
        places = [place for place in every if paths[place] in wanted]
    if not lists and len(places) != len(names):
        raise pa.ArrowInvalid("lists or structs in a column, or two of one name")
    return places


def _values_of(batch: pa.RecordBatch) -> list[pa.Array]:
    """The values of each column, those of lists one after the other, of structs part by part."""
    columns, at = list(batch.columns), 0
    while at < len(columns):
        kind = columns[at].type
        if pa.types.is_struct(kind):
            columns[at : at + 1] = columns[at].flatten()
        elif pa.types.is_map(kind):
            columns[at : at + 1] = [columns[at].keys, columns[at].items]
        elif is_list(kind):
            columns[at] = columns[at].flatten()
        else:
            at += 1
    return columns


@dataclass(frozen=True)
class _Columns:
    """Columns of a file, by their places, of which `most` bytes are allowed."""

    source: Source
    file: pq.ParquetFile
    groups: Sequence[RowGroup]
    places: Sequence[int]
    most: int

    def check(self, rows: Sequence[int], a_cell: int) -> None:
        """Refuse them where so many rows of each row group would take more."""
        read = [group for group, n in enumerate(rows) if n]
        parts = [(g, p, self._cells(g, p, rows[g])) for g, p in product(read, self.places)]
        cells = sum(n for _, _, n in parts) * a_cell
        # Values of a fixed length, of which Arrow holds each.
        cells += sum(n * max(self.file.schema.column(p).length, 0) for _, p, n in parts)
        size = cells + sum(self.groups[g].chunks[p].size for g, p, _ in parts)
        self._refuse_beyond(size, size, "unpacked")
        longest = {group: self._longest(group) for group in read}
        bound = cells + sum(
            max(n * longest[g][p], self.groups[g].chunks[p].size) for g, p, n in parts
        )
        if bound > self.most:
            most = max(length for own in longest.values() for length in own.values())
            self._count(cells, bound, rows, most)

    def _cells(self, group: int, place: int, rows: int) -> int:
        """How many values the first rows of a column's part hold; of lists, how many all hold."""
        if not self.file.schema.column(place).max_repetition_level:
            return rows
        return self.groups[group].chunks[place].values

    def _longest(self, group: int) -> dict[int, int]:
        """The bytes of the longest text that rows of each column may repeat: of a dictionary's
        words, or of all that differences may add up to."""
        # Of one row, too, Arrow gives the whole dictionary of its column.
        first = next(self._batches(1, [group]), None)
        columns = [] if first is None else _values_of(first)
        found = dict.fromkeys(self.places, 0)
        for place, column in zip(self.places, columns, strict=bool(columns)):
            if pa.types.is_dictionary(column.type):
                found[place] = pc.max(pc.binary_length(column.dictionary)).as_py() or 0
            elif self.groups[group].chunks[place].deltas:
                found[place] = self.groups[group].chunks[place].size
        return found

    def _count(self, cells: int, bound: int, rows: Sequence[int], longest: int) -> None:
        """Refuse the texts if they take more than what the cells leave, counted one by one."""
        left, groups = sum(rows), [group for group, n in enumerate(rows) if n]
        pages = [sum(self.groups[g].chunks[p].size for g in groups) for p in self.places]
        texts = [0] * len(pages)
        at_once = max(1, min(_ROWS_AT_ONCE, _BYTES_AT_ONCE // longest))
        if left > at_once * _MOST_STEPS and self._deltas:
            if self.source.limit.given:  # who gives a limit trusts the file
                return
            found = f"{left:,} rows with texts written as differences (DELTA_BYTE_ARRAY)"
            expected = f"at most {at_once * _MOST_STEPS:,}, or another encoding"
            raise self.source.limit.exceeded(self.source.name, found, expected, self.most)
        for batch in self._batches(at_once, groups):
            for at, column in enumerate(_values_of(batch.slice(0, left))):
                if pa.types.is_dictionary(column.type):
                    lengths = pc.binary_length(column.dictionary).cast(pa.int64())
                    texts[at] += pc.sum(lengths.take(column.indices)).as_py() or 0
                elif self.places[at] in self._deltas:
                    texts[at] += column.nbytes
            size = cells + sum(map(max, pages, texts))
            self._refuse_beyond(size, bound, "of texts, written once for many rows")
            left -= batch.num_rows
            if left <= 0:
                return

    def _batches(self, rows: int, groups: list[int]) -> Iterator[pa.RecordBatch]:
        """Rows of the columns, texts as codes of a dictionary if Arrow can read them so."""
        return iter(self._codes.iter_batches(rows, row_groups=groups, columns=self._paths))

    @cached_property
    def _deltas(self) -> set[int]:
        return {p for group in self.groups for p in self.places if group.chunks[p].deltas}

    @property
    def _paths(self) -> list[str]:
        return [self._path(place) for place in self.places]

    def _path(self, place: int) -> str:
        return str(self.file.schema.column(place).path)

    @cached_property
    def _codes(self) -> pq.ParquetFile:
        import pyarrow.parquet as pq

        return pq.ParquetFile(
            self.source.packed(),
            metadata=self.file.metadata,
            read_dictionary=[self._path(p) for p in self.places if p not in self._deltas],
            arrow_extensions_enabled=False,
        )

    def _refuse_beyond(self, size: int, needed: int, what: str) -> None:
        if size > self.most:
            found = f"more than {size_text(self.most)} {what}"
            expected = f"at most {size_text(self.most)}"
            raise self.source.limit.exceeded(self.source.name, found, expected, needed)
