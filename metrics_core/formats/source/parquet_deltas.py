"""Texts of which a Parquet page holds only what differs from the one before (DELTA_BYTE_ARRAY).

https://parquet.apache.org/docs/file-format/data-pages/encodings/ tells the layout. What is damaged
raises pyarrow's ArrowInvalid, as Arrow does where it reads the same.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.formats.source.parquet_pages import DATA_V2, DELTA_LENGTH, Chunk, Page
from metrics_core.formats.source.parquet_structs import BOOL, I32, varint, zigzag

_RLE = 3
_LARGEST_BLOCK = 1 << 16
"""Differences of a block, which are 128 or 2,048."""


def shared_bytes(file: BinaryIO, page: Page, chunk: Chunk, nullable: bool) -> int:
    """How many bytes the values of a counted page take from those before them, all together. Raises
    ArrowInvalid where it counts more values than the header."""
    file.seek(page.start)
    data = _values(file.read(page.packed), page, chunk.codec, nullable)
    try:
        if page.encoding == DELTA_LENGTH:
            _Deltas.begun(data, 0, page.values)
            return 0
        shared, at = _Deltas.begun(data, 0, page.values).numbers(data)
        _Deltas.begun(data, at, page.values)
    except IndexError:
        raise pa.ArrowInvalid("a page that is cut off") from None
    if (shared < 0).any():
        raise pa.ArrowInvalid("a text of less than no bytes")
    return int(shared.sum(dtype=np.int64))


def _values(data: bytes, page: Page, codec: str, nullable: bool) -> bytes:
    """The bytes of a page's values, unpacked, without what tells which are null."""
    if page.kind == DATA_V2:
        levels = page.own.get((5, I32), 0) + page.own.get((6, I32), 0)
        if not 0 <= levels <= min(len(data), page.size):
            raise pa.ArrowInvalid("a page that is cut off")
        packed, data = page.own.get((7, BOOL), True), data[levels:]
        return _unpacked(data, page.size - levels, codec) if packed else data
    data = _unpacked(data, page.size, codec)
    if not nullable:
        return data
    if page.own.get((3, I32)) != _RLE:
        return data[-(-page.values // 8) :]
    return data[4 + int.from_bytes(data[:4], "little") :]


def _unpacked(data: bytes, size: int, codec: str) -> bytes:
    if not codec or not size:
        return data
    unpacked: bytes = pa.decompress(data, size, codec, asbytes=True)
    return unpacked


@dataclass(frozen=True)
class _Deltas:
    """Whole numbers of 32 bits, each told by its difference to the one before
    (DELTA_BINARY_PACKED): blocks of `parts` parts of `size` differences begin at `at`."""

    parts: int
    size: int
    count: int
    first: int
    at: int

    @classmethod
    def begun(cls, data: bytes, at: int, most: int) -> _Deltas:
        """What stands before the first block. Raises ArrowInvalid for more numbers than `most`."""
        block, at = varint(data, at)
        parts, at = varint(data, at)
        count, at = varint(data, at)
        first, at = zigzag(data, at)
        if not parts or block % (parts * 32) or not 0 < block <= _LARGEST_BLOCK:
            raise pa.ArrowInvalid("blocks of an odd size")
        if count > most:
            raise pa.ArrowInvalid(f"a page of {most:,} values that tells of {count:,}")
        return cls(parts, block // parts, count, first, at)

    def numbers(self, data: bytes) -> tuple[npt.NDArray[np.int32], int]:
        """The numbers, and where they end. Raises ArrowInvalid or IndexError."""
        at, least = self.at, list[int]()
        places = defaultdict[int, list[tuple[int, int]]](list)
        for left in range(self.count - 1, 0, -self.parts * self.size):
            low, at = zigzag(data, at)
            widths, at = data[at : at + self.parts], at + self.parts
            for width in widths[: -(-left // self.size)]:
                places[width].append((len(least), at))
                least.append(low)
                at += self.size * width // 8
        if at > len(data) or max(places, default=0) > 32:
            raise pa.ArrowInvalid("differences that do not fit their page")
        deltas = np.empty((len(least), self.size), dtype=np.int64)
        deltas[:] = np.array(least, dtype=np.int64)[:, None]
        bytes_ = np.frombuffer(data, dtype=np.uint8)
        for width, found in places.items():
            at_once = max(1, _LARGEST_BLOCK // self.size)
            for i in range(0, len(found) if width else 0, at_once):
                rows, begins = np.array(found[i : i + at_once]).T
                taken = bytes_[begins[:, None] + np.arange(self.size * width // 8)]
                bits = np.unpackbits(taken, axis=1, bitorder="little")
                bits = bits.reshape(len(rows), self.size, width)
                deltas[rows] += bits @ (np.int64(1) << np.arange(width, dtype=np.int64))
        numbers = np.cumsum(np.append(self.first, deltas.ravel()[: max(self.count - 1, 0)]))
        return numbers[: self.count].astype(np.int32), at
