"""A file whose queries stand apart, as pieces of whole queries: its lines are dealt into buckets by
query, in memory or on disk, and each bucket is a piece of its own.

A bucket on disk is a file without a name, which is gone with the process, however that ends.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from metrics_core.formats.source import BLOCK, LONGEST_LINE, Source
from metrics_core.onepass.machine import compiled
from metrics_core.onepass.rows import Rows, regular_rows
from metrics_core.onepass.signatures import FULL, ODD_LINE, PADDING
from metrics_core.parallel import in_order

Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]

_FIRST_QUERIES, _FIRST_BYTES = 1 << 14, 1 << 18
_FEWEST, _MOST = 2, 256


@dataclass
class _Known:
    """The queries so far: their ids, and the hash table that finds them."""

    id_bytes: npt.NDArray[np.uint8] = field(
        default_factory=lambda: np.zeros(_FIRST_BYTES, np.uint8)
    )
    id_start: Ints = field(default_factory=lambda: np.zeros(_FIRST_QUERIES, np.int64))
    id_size: Ints = field(default_factory=lambda: np.zeros(_FIRST_QUERIES, np.int64))
    count: int = 0
    used: int = 0

    def __post_init__(self) -> None:
        self._index()

    def number(self, data: npt.NDArray[np.uint8], end: int) -> tuple[Ints, Codes] | None:
        """Where each line starts, and behind the last; the query of each. None for an odd line."""
        most = end // len(b"q\n") + 2
        starts, codes = np.empty(most, np.int64), np.empty(most, np.int32)
        state = np.array([0, 0, self.count, self.used])
        while True:
            n = compiled().number_queries(
                *(data, end, starts, codes, self.id_bytes, self.id_start, self.id_size),
                *(self._slot_hash, self._slot_code, state),
            )
            self.count, self.used = int(state[2]), int(state[3])
            if n == ODD_LINE:
                return None
            if n != FULL:
                starts[n] = end
                return starts[: n + 1], codes[:n]
            self._grow(end)

    def _grow(self, more: int) -> None:
        self.id_bytes = np.append(self.id_bytes, np.zeros(len(self.id_bytes) + more, np.uint8))
        self.id_start = np.append(self.id_start, np.zeros_like(self.id_start))
        self.id_size = np.append(self.id_size, np.zeros_like(self.id_size))
        self._index()

    def _index(self) -> None:
        slots = 4 * len(self.id_start)
        self._slot_hash = np.zeros(slots, dtype=np.uint64)
        self._slot_code = np.full(slots, -1, dtype=np.int32)
        own = slice(self.count)
        compiled().enter_again(
            self.id_start[own], self.id_size[own], self._slot_hash, self._slot_code, self.id_bytes
        )


@dataclass(frozen=True)
class Bucket:
    """The lines of the queries whose numbers leave `number` when divided by `of`, in the order of
    the file."""

    number: int
    of: int
    lines: BinaryIO
    codes: BinaryIO

    def rows(self) -> tuple[Rows, Ints] | None:
        """The rows brought together by query, and for each segment the number of its query in the
        file; None where a line is not regular."""
        codes = np.frombuffer(_whole(self.codes), dtype=np.int32)
        rows = regular_rows(_whole(self.lines) + PADDING)
        if rows is None:
            return None
        # Every query of the bucket comes, and their numbers leave the same.
        own = (codes - self.number) // self.of
        sizes = np.bincount(own)
        first = np.cumsum(sizes) - sizes
        order = np.empty(len(codes), dtype=np.int64)
        compiled().gather_order(own, first.copy(), order)
        segment = np.searchsorted(rows.segments[:, 0], order[first], "right") - 1
        segments = np.column_stack([first, rows.segments[segment, 1:]])
        numbers = np.arange(len(sizes)) * self.of + self.number
        return rows.ordered(order, np.ascontiguousarray(segments)), numbers


@dataclass(frozen=True)
class Apart:
    """A file's buckets, and a hash of the order in which its lines name the queries."""

    buckets: list[Bucket]
    order_hash: bytes


def dealt(source: Source, *, buckets: int, on_disk: bool) -> Apart | None:
    """The lines of a file in so many buckets. None where a line is blank or a comment."""
    order = hashlib.blake2b(digest_size=16)
    made = [Bucket(i, buckets, _room(on_disk), _room(on_disk)) for i in range(buckets)]
    for hand in in_order(lambda lines: _Hand.of(lines, buckets), _numbered(source)):
        if hand is None:
            return None
        order.update(hand.dealt_from)
        for bucket, (lines, codes) in zip(made, hand.parts, strict=True):
            bucket.lines.write(lines)
            bucket.codes.write(codes)
    return Apart(made, order.digest())


@dataclass(frozen=True)
class _Lines:
    """A piece of the file: its bytes, where each line starts and the last ends, and the query of
    each line."""

    data: npt.NDArray[np.uint8]
    starts: Ints
    codes: Codes


def _numbered(source: Source) -> Iterator[_Lines | None]:
    """The lines with their queries; None for those of which one is odd."""
    known = _Known()
    for padded in _whole_lines(source):
        data = np.frombuffer(padded, dtype=np.uint8)
        numbers = known.number(data, len(padded) - len(PADDING))
        yield None if numbers is None else _Lines(data, *numbers)


@dataclass(frozen=True)
class _Hand:
    """What each bucket gets of a piece: lines and their queries. `dealt_from` are those of the
    piece."""

    parts: list[tuple[memoryview, memoryview]]
    dealt_from: bytes

    @classmethod
    def of(cls, lines: _Lines | None, buckets: int) -> _Hand | None:
        """The lines of a piece dealt; None of those of which one is odd."""
        if lines is None:
            return None
        bucket = lines.codes % buckets
        n_rows = np.bincount(bucket, minlength=buckets)
        sizes = np.diff(lines.starts)
        n_bytes = np.bincount(bucket, sizes, buckets).astype(np.int64)
        # Where one bucket's lines end another's begin, so each has room for a word of padding.
        first = np.cumsum(n_bytes + len(PADDING)) - n_bytes - len(PADDING)
        first_row = np.cumsum(n_rows) - n_rows
        dealt_lines = np.empty(n_bytes.sum() + buckets * len(PADDING), np.uint8)
        codes = np.empty(len(bucket), np.int32)
        ends, row_ends = first.copy(), first_row.copy()
        compiled().deal(
            lines.data, lines.starts, lines.codes, len(bucket), dealt_lines, codes, ends, row_ends
        )
        parts = [
            (dealt_lines[first[i] : ends[i]].data, codes[first_row[i] : row_ends[i]].data)
            for i in range(buckets)
        ]
        return cls(parts, lines.codes.tobytes())


def _whole_lines(source: Source) -> Iterator[bytes]:
    """The decoded text in whole lines, `PADDING` behind each piece; the last line gets its end."""
    held: list[bytes] = []
    for read in source.decoded(BLOCK):
        cut = read.rfind(b"\n") + 1
        if cut:
            yield b"".join((*held, memoryview(read)[:cut], PADDING))
            held = []
        held.append(read[cut:])
        if sum(map(len, held)) > LONGEST_LINE:
            yield b"\n" + PADDING  # no line of a run; a blank one is none, either
            return
    if any(held):
        yield b"".join((*held, b"\n", PADDING))


def _room(on_disk: bool) -> BinaryIO:
    return tempfile.TemporaryFile() if on_disk else io.BytesIO()


def _whole(file: BinaryIO) -> bytes:
    file.seek(0)
    held = file.read()
    file.close()
    return held


def buckets_for(size: int, most: int) -> int:
    """How many buckets hold a file of `size` bytes if each may have about `most`."""
    return min(max(_FEWEST, -(-size // most)), _MOST)
