"""The parts of a Parquet file as its own structs tell them, page by page: what the footer says of
their sizes may be anything. What is damaged raises pyarrow's ArrowInvalid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import pyarrow as pa

from metrics_core.formats.source.parquet_structs import I32, I64, LIST, STRUCT, Fields, struct

_FIRST_LOOK, _LONGEST_HEADER = 1 << 8, 1 << 20
_CODECS = ("", "snappy", "gzip", "lzo", "brotli", "lz4_raw", "zstd", "lz4_raw")
_END = 8
"""Bytes behind the footer: its size and the magic."""

DATA, DICTIONARY, DATA_V2 = 0, 2, 3
_OWN = {DATA: 5, DICTIONARY: 7, DATA_V2: 8}
"""The field of a header that is told of each type of page."""
PLAIN_DICTIONARY, DELTA_LENGTH, DELTA_BYTES, RLE_DICTIONARY = 2, 6, 7, 8


@dataclass(frozen=True)
class Chunk:
    """The values of a column in a row group: where their pages begin, how they are packed, "" for
    not at all, and how many there are."""

    start: int
    codec: str
    values: int


@dataclass(frozen=True)
class Group:
    """A row group, with the chunk of each column."""

    rows: int
    chunks: Sequence[Chunk]


def footer_size(file: BinaryIO) -> tuple[int, int]:
    """The bytes of a file's footer as it tells them, and of the file."""
    size = file.seek(0, 2)
    file.seek(max(size - _END, 0))
    return int.from_bytes(file.read(4), "little"), size


def groups_of(file: BinaryIO) -> list[Group]:
    """The row groups of a file."""
    footer, size = footer_size(file)
    file.seek(max(size - _END - footer, 0))
    try:
        told, _ = struct(file.read(footer), 0)
        return [_group(group) for group in told[4, LIST]]
    except (IndexError, KeyError, TypeError):
        raise pa.ArrowInvalid("a footer of another kind") from None


def _group(told: Fields) -> Group:
    return Group(told[3, I64], [_chunk(chunk[3, STRUCT]) for chunk in told[1, LIST]])


def _chunk(told: Fields) -> Chunk:
    start = told[9, I64]
    dictionary = told.get((11, I64), 0)
    codec = told[4, I32]
    if start < 0 or codec not in range(len(_CODECS)):
        raise pa.ArrowInvalid("a column that is nowhere, or packed in an unknown way")
    return Chunk(dictionary if 0 < dictionary < start else start, _CODECS[codec], told[5, I64])


@dataclass(frozen=True)
class Page:
    """One page, whose `packed` bytes begin at `start`: `size` of them once it is unpacked, `values`
    of which some may be null; `own` is what the header tells of its kind alone."""

    kind: int
    start: int
    packed: int
    size: int
    values: int
    encoding: int
    own: Fields

    @property
    def is_dictionary(self) -> bool:
        """Whether it holds what the others refer to."""
        return self.kind == DICTIONARY

    @property
    def coded(self) -> bool:
        """Whether its values stand in the dictionary."""
        return self.encoding in (PLAIN_DICTIONARY, RLE_DICTIONARY) and not self.is_dictionary

    @property
    def counted(self) -> bool:
        """Whether counts and lengths of its own stand before its values."""
        return self.encoding in (DELTA_LENGTH, DELTA_BYTES)


def pages_of(file: BinaryIO, chunk: Chunk, rows: int, first: int) -> Iterator[Page]:
    """The pages of a column's part of so many rows, up to those that hold the `first` of them.
    Raises ArrowInvalid where they hold more values than there are rows."""
    at, read = chunk.start, 0
    while read < first:
        page = _page(file, at)
        at = page.start + page.packed
        read += page.values if page.kind in (DATA, DATA_V2) else 0
        if read > rows:
            raise pa.ArrowInvalid(f"pages of more than {rows:,} rows")
        yield page


def _page(file: BinaryIO, at: int) -> Page:
    header, start = _header(file, at)
    kind, size, packed = (header.get((field, I32), -1) for field in (1, 2, 3))
    own = header.get((_OWN.get(kind, 0), STRUCT), {})
    values = own.get((1, I32), 0)
    encoding = own.get((4 if kind == DATA_V2 else 2, I32), 0)
    if min(kind, size, packed, values, encoding) < 0:
        raise pa.ArrowInvalid("a page of no size")
    if kind == DICTIONARY and values > size:
        raise pa.ArrowInvalid(f"a dictionary of {values:,} values in {size:,} bytes")
    return Page(kind, start, packed, max(size, packed), values, encoding, own)


def _header(file: BinaryIO, at: int) -> tuple[Fields, int]:
    """A page's header, and where the page begins."""
    look = _FIRST_LOOK
    while look <= _LONGEST_HEADER:
        file.seek(at)
        data = file.read(look)
        try:
            header, end = struct(data, 0)
            if end <= len(data):
                return header, at + end
        except IndexError:
            pass
        if len(data) < look:
            break
        look *= 16
    raise pa.ArrowInvalid("a page without its header")
