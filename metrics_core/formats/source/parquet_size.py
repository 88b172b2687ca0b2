"""Compute the memory that a Parquet file needs when unpacked, before it is unpacked.

The footer has the unpacked sizes of the pages. But these do not show how often rows repeat a text:
if a million rows share a text, a page may store it only once, as an entry of a dictionary or as a
difference from the previous text. So an upper bound is computed from the longest entry. If the
bound exceeds the limit, the texts are read as dictionary codes, which are small, and counted. A
page that contradicts the footer may need more memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import content_error
from metrics_core.formats.source.limits import format_size
from metrics_core.formats.source.source import Source
from metrics_core.tables.arrays import is_coded, is_list_type

if TYPE_CHECKING:
    import pyarrow.parquet as pq


import os

from metrics_core.formats.source.parquet_structs import I32, I64, LIST, STRUCT, Fields, read_struct

_END = 8
"""Number of bytes after the footer: the size of the footer, and the magic bytes."""
_CODECS, _DELTAS = 8, {6, 7}


@dataclass(frozen=True)
class ColumnChunk:
    """The values of a column in a row group.

    values  number of values
    size    unpacked bytes of its pages
    deltas  whether strings are stored as differences; Arrow does not read such strings as
            dictionary codes"""

    values: int
    size: int
    deltas: bool


@dataclass(frozen=True)
class RowGroup:
    """A row group of a Parquet file, with one chunk of values for each column."""

    rows: int
    chunks: Sequence[ColumnChunk]


def read_footer_size(file: BinaryIO) -> tuple[int, int]:
    """Return the size of the footer, as stated in the file, and the size of the file."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _END, 0))
    return int.from_bytes(file.read(4), "little"), size


def read_row_groups(file: BinaryIO) -> list[RowGroup]:
    """Return the row groups of a file. Raises ArrowInvalid for a damaged footer."""
    footer, size = read_footer_size(file)
    file.seek(max(size - _END - footer, 0))
    try:
        metadata, _ = read_struct(file.read(footer), 0)
        return [
            RowGroup(group[3, I64], [_read_chunk(chunk[3, STRUCT]) for chunk in group[1, LIST]])
            for group in metadata[4, LIST]
        ]
    except (IndexError, KeyError, TypeError):
        raise pa.ArrowInvalid("a malformed footer") from None


def _read_chunk(fields: Fields) -> ColumnChunk:
    numbers = fields[5, I64], fields[6, I64], fields[7, I64], fields[9, I64]
    if min(numbers) < 0 or fields[4, I32] not in range(_CODECS):
        raise pa.ArrowInvalid("a missing column, or one with an unknown compression")
    return ColumnChunk(*numbers[:2], not _DELTAS.isdisjoint(fields[2, LIST]))


_ROWS_AT_ONCE, _BYTES_AT_ONCE, _MOST_STEPS = 1 << 16, 1 << 25, 50_000
"""Texts are counted in steps. The three numbers are the maximum number of rows in a step, the
maximum number of bytes in a step if texts are stored as differences, and the maximum number of
steps."""
_DENSITY_CHECKED_FROM, _MOST_ROWS_A_BYTE = 1_000_000, 20

CELL_BYTES = 16
"""Memory of a cell in bytes, without its text."""
OBJECT_CELL_BYTES = 64
"""Memory in bytes of a cell that becomes a Python object."""

_FOOTER_AT_LEAST, _TIMES_FOOTER = 1 << 20, 4
"""Maximum size of a footer: the larger of `_FOOTER_AT_LEAST` bytes and the file size divided by
`_TIMES_FOOTER`. Arrow needs up to 200 times the size of the footer as memory."""

_DAMAGED_HINT = "The file may be incomplete. Write it again, or write it as CSV."


def check_footer(source: Source, file: BinaryIO) -> None:
    """Raise FileFormatError for a file that consists mostly of its footer. Arrow must not read such
    a footer, because reading it needs much memory."""
    footer, size = read_footer_size(file)
    file.seek(0)
    max_size = max(_FOOTER_AT_LEAST, size // _TIMES_FOOTER)
    if max_size < footer <= size:
        actual = f"a footer of {format_size(footer)} in a file of {format_size(size)}"
        hint = "Write it with more rows per row group, and fewer columns."
        raise content_error(
            source.name, actual, f"a footer of at most {format_size(max_size)}", hint
        )


def check_table_size(
    source: Source,
    file: pq.ParquetFile,
    names: Sequence[str],
    *,
    n_rows: int | None = None,
    bytes_per_cell: int = CELL_BYTES,
    allow_lists: bool = False,
) -> None:
    """Raise FileFormatError if these columns would exceed the limit. If `n_rows` is given, only the
    first `n_rows` rows count.

    `bytes_per_cell` is the memory of a cell in bytes, without its text. If `allow_lists` is true,
    columns may contain lists, and each value of a list counts as a cell. Raises ArrowInvalid for a
    damaged file."""
    with source.packed() as unpacked_file:
        groups = read_row_groups(unpacked_file)
    row_counts = [group.rows for group in groups]
    if min(row_counts, default=0) < 0 or sum(row_counts) != file.metadata.num_rows:
        actual = (
            f"a count of {file.metadata.num_rows:,} rows, which does not match the parts of the"
            " file"
        )
        raise content_error(source.name, actual, "Parquet", _DAMAGED_HINT)
    leaves = _value_columns(file, names, allow_lists)
    if n_rows is None:
        _check_rows(source, sum(row_counts), len(leaves))
    if any(len(group.chunks) != file.metadata.num_columns for group in groups):
        raise pa.ArrowInvalid("lists or structs in a column")
    max_size = source.limit.max_table_size(source.size())
    columns = _ColumnSizes(source, file, groups, leaves, max_size)
    columns.check_size(_count_rows_read(row_counts, n_rows), bytes_per_cell)


def _count_rows_read(row_counts: Sequence[int], n_rows: int | None) -> list[int]:
    """Return how many rows of each row group are read if only the first `n_rows` rows of the file
    are needed. If `n_rows` is None, all rows are read."""
    if n_rows is None:
        return list(row_counts)
    ends = list(accumulate(row_counts))
    return [max(0, min(n, n_rows - end + n)) for n, end in zip(row_counts, ends, strict=True)]


def _check_rows(source: Source, rows: int, columns: int) -> None:
    source.limit.check_cells(source.name, rows, columns)
    is_dense = rows > max(_DENSITY_CHECKED_FROM, _MOST_ROWS_A_BYTE * source.size())
    if is_dense and not source.limit.is_explicit:
        actual = f"{rows:,} rows in a file of {format_size(source.size())}"
        expected, needed = f"at most {_MOST_ROWS_A_BYTE} rows per byte", rows * columns
        raise source.limit.limit_error(source.name, actual, expected, needed)


def _value_columns(file: pq.ParquetFile, names: Sequence[str], allow_lists: bool) -> list[int]:
    """Return the indexes of the named columns among all columns that store values.

    Raises ArrowInvalid for a nested column, unless `allow_lists` is true."""
    column_indexes = range(file.metadata.num_columns)
    paths = [file.schema.column(index).path for index in column_indexes]
    wanted_names = set(names)
    if allow_lists:  # the path of an inner column starts with the name of the outer one
        starts = (accumulate(path.split("."), "{}.{}".format) for path in paths)
        indexes = [
            index
            for index, prefixes in zip(column_indexes, starts, strict=True)
            if wanted_names & {*prefixes}
        ]
    else:
        indexes = [index for index in column_indexes if paths[index] in wanted_names]
    if not allow_lists and len(indexes) != len(names):
        raise pa.ArrowInvalid("lists or structs in a column, or two columns with the same name")
    return indexes


def _flatten_columns(batch: pa.RecordBatch) -> list[pa.Array]:
    """Return the values of each column. Lists are concatenated, and structs are split into their
    fields."""
    columns, index = list(batch.columns), 0
    while index < len(columns):
        kind = columns[index].type
        if pa.types.is_struct(kind):
            columns[index : index + 1] = columns[index].flatten()
        elif pa.types.is_map(kind):
            columns[index : index + 1] = [columns[index].keys, columns[index].items]
        elif is_list_type(kind):
            columns[index] = columns[index].flatten()
        else:
            index += 1
    return columns


@dataclass(frozen=True)
class _ColumnSizes:
    """Some columns of a file, given by their `indexes`. Together they may need at most `max_size`
    bytes."""

    source: Source
    file: pq.ParquetFile
    groups: Sequence[RowGroup]
    indexes: Sequence[int]
    max_size: int

    def check_size(self, rows: Sequence[int], bytes_per_cell: int) -> None:
        """Raise FileFormatError if the first rows of the row groups need more than `max_size`
        bytes.

        `rows` has the number of rows that are included from the start of each group."""
        used_groups = [group for group, n in enumerate(rows) if n]
        parts = [
            (g, p, self._count_cells(g, p, rows[g])) for g, p in product(used_groups, self.indexes)
        ]
        cells = sum(n for _, _, n in parts) * bytes_per_cell
        # Arrow stores each value of a fixed length.
        cells += sum(n * max(self.file.schema.column(p).length, 0) for _, p, n in parts)
        size = cells + sum(self.groups[g].chunks[p].size for g, p, _ in parts)
        self._check_size_limit(size, size, "unpacked")
        longest = {group: self._longest_text_sizes(group) for group in used_groups}
        bound = cells + sum(
            max(n * longest[g][p], self.groups[g].chunks[p].size) for g, p, n in parts
        )
        if bound > self.max_size:
            max_length = max(length for lengths in longest.values() for length in lengths.values())
            self._check_texts(cells, bound, rows, max_length)

    def _count_cells(self, group: int, index: int, rows: int) -> int:
        """Return the number of values in the first rows of a chunk. For a column of lists, all rows
        are counted."""
        if not self.file.schema.column(index).max_repetition_level:
            return rows
        return self.groups[group].chunks[index].values

    def _longest_text_sizes(self, group: int) -> dict[int, int]:
        """Return, for each column, the maximum size in bytes of a string that may be repeated in
        the column's rows.

        This is the longest entry of a dictionary, or the maximum length of a string stored as
        differences."""
        # Even for one row, Arrow returns the complete dictionary of its column.
        first = next(self._iterate_batches(1, [group]), None)
        columns = [] if first is None else _flatten_columns(first)
        lengths = dict.fromkeys(self.indexes, 0)
        for index, column in zip(self.indexes, columns, strict=bool(columns)):
            if is_coded(column):
                lengths[index] = pc.max(pc.binary_length(column.dictionary)).as_py() or 0
            elif self.groups[group].chunks[index].deltas:
                lengths[index] = self.groups[group].chunks[index].size
        return lengths

    def _check_texts(
        self, cells: int, bound: int, rows: Sequence[int], longest_text_size: int
    ) -> None:
        """Read the strings, add up their sizes, and raise FileFormatError if the columns are too
        large."""
        rows_left, groups = sum(rows), [group for group, n in enumerate(rows) if n]
        pages = [sum(self.groups[g].chunks[p].size for g in groups) for p in self.indexes]
        text_sizes = [0] * len(pages)
        at_once = max(1, min(_ROWS_AT_ONCE, _BYTES_AT_ONCE // longest_text_size))
        if rows_left > at_once * _MOST_STEPS and self._delta_encoded_indexes:
            if self.source.limit.is_explicit:  # the user trusts the file
                return
            actual = f"{rows_left:,} rows of texts with delta encoding (DELTA_BYTE_ARRAY)"
            expected = f"at most {at_once * _MOST_STEPS:,} delta-encoded rows, or another encoding"
            raise self.source.limit.limit_error(self.source.name, actual, expected, self.max_size)
        for batch in self._iterate_batches(at_once, groups):
            for index, column in enumerate(_flatten_columns(batch.slice(0, rows_left))):
                if is_coded(column):
                    lengths = pc.binary_length(column.dictionary).cast(pa.int64())
                    text_sizes[index] += pc.sum(lengths.take(column.indices)).as_py() or 0
                elif self.indexes[index] in self._delta_encoded_indexes:
                    text_sizes[index] += column.nbytes
            size = cells + sum(map(max, pages, text_sizes))
            self._check_size_limit(size, bound, "of texts stored once but used in many rows")
            rows_left -= batch.num_rows
            if rows_left <= 0:
                return

    def _iterate_batches(self, rows: int, groups: list[int]) -> Iterator[pa.RecordBatch]:
        """Yield batches of the columns. Strings are read as dictionary codes if Arrow supports this
        for their encoding."""
        paths = [self._column_path(index) for index in self.indexes]
        return iter(self._dictionary_file.iter_batches(rows, row_groups=groups, columns=paths))

    @cached_property
    def _delta_encoded_indexes(self) -> set[int]:
        return {p for group in self.groups for p in self.indexes if group.chunks[p].deltas}

    def _column_path(self, index: int) -> str:
        return str(self.file.schema.column(index).path)

    @cached_property
    def _dictionary_file(self) -> pq.ParquetFile:
        import pyarrow.parquet as pq

        return pq.ParquetFile(
            self.source.packed(),
            metadata=self.file.metadata,
            read_dictionary=[
                self._column_path(p) for p in self.indexes if p not in self._delta_encoded_indexes
            ],
            arrow_extensions_enabled=False,
        )

    def _check_size_limit(self, size: int, needed: int, description: str) -> None:
        if size > self.max_size:
            actual = f"more than {format_size(self.max_size)} {description}"
            expected = f"at most {format_size(self.max_size)}"
            raise self.source.limit.limit_error(self.source.name, actual, expected, needed)
