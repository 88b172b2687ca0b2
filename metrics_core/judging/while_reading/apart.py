"""A file whose queries stand apart, as pieces of whole queries: its lines are dealt into buckets by
query, in memory or on disk, and each bucket is a piece of its own.

A bucket on disk is a file without a name, which is gone with the process, however that ends.
"""

from __future__ import annotations

import hashlib
import io
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, TypedDict

import numpy as np
import numpy.typing as npt

from metrics_core.base.compiled.machine import compiled
from metrics_core.base.compiled.signatures import ODD_LINE, PADDING
from metrics_core.base.errors import RanklensError
from metrics_core.base.parallel import in_order
from metrics_core.formats.source.source import BLOCK, LONGEST_LINE, Source
from metrics_core.judging.while_reading.rows import Rows, regular_rows

Ints = npt.NDArray[np.int64]

_FEWEST, _MOST = 2, 256
_BUCKETS_IN_MEMORY, _SMALLEST_BUCKET = 64, 1 << 20
"""Several buckets are judged at once, and their rows take some five times their bytes."""
_HELD = 32 << 20
"""Bytes of a file that are sorted in memory."""
_ODD = re.compile(rb"[ \t]*([^!-~]|#|$)")
_OF_A_ROW = ("doc_start", "doc_size", "doc_hash", "score", "rank")


@dataclass(frozen=True)
class Bucket:
    """The lines of some of the queries, in the order of the file. `numbers` has the number of each
    within its piece of the file; a piece begins with line `begin` int64[pieces], from 0, and
    brought so many `rows` int32[pieces]."""

    lines: BinaryIO
    numbers: BinaryIO
    begin: Ints
    rows: npt.NDArray[np.int32]

    def whole(self) -> tuple[bytearray, Ints]:
        """The lines with `PADDING` behind, and the number of each in the file, from 0; the bucket
        is then gone."""
        lines = _whole(self.lines, PADDING)
        within = np.frombuffer(_whole(self.numbers), dtype=np.int32)
        return lines, np.repeat(self.begin, self.rows) + within

    def by_query(self) -> tuple[Rows, Ints] | None:
        """The rows brought together by query, and for each segment the line with which its query
        begins in the file; None where a line is not regular."""
        padded, numbers = self.whole()
        rows = regular_rows(padded)
        if rows is None:
            return None
        segments, code = rows.segments, np.empty(len(rows.segments), np.int64)
        slots = 2 ** int(2 * len(segments)).bit_length()
        n = compiled("rows").number_queries(
            *(rows.data, segments, np.empty(slots, np.uint64), np.full(slots, -1, np.int32), code)
        )
        given = {name: getattr(rows, name) for name in _OF_A_ROW}
        gathered = {name: np.empty_like(column) for name, column in given.items()}
        first, end, order = np.empty(n, int), np.zeros(n, int), np.empty(len(rows), np.int32)
        compiled("rows").gather_rows(
            *(segments, code, *given.values()), *(first, end, order, *gathered.values())
        )
        begin = np.append(0, end[:-1])
        grouped = np.ascontiguousarray(np.column_stack([begin, segments[first, 1:]]))
        return replace(rows, segments=grouped, **gathered), numbers[segments[first, 0]]


@dataclass(frozen=True)
class Apart:
    """A file's buckets, and a hash of the order in which its lines name the queries."""

    buckets: list[Bucket]
    order_hash: bytes


class Dealing(TypedDict):
    """How a file is dealt: into so many buckets, on disk or in memory."""

    buckets: int
    on_disk: bool


def dealing(size: int, memory: int) -> Dealing:
    """How a file of `size` bytes is dealt within so much memory."""
    most = max(memory // _BUCKETS_IN_MEMORY, _SMALLEST_BUCKET)
    return {"buckets": min(max(_FEWEST, -(-size // most)), _MOST), "on_disk": size > _HELD}


def dealt(
    source: Source,
    *,
    buckets: int,
    on_disk: bool,
    progress: Callable[[int], None] | None = None,
) -> Apart | None:
    """The lines of a file in so many buckets; `progress` is told the bytes read so far. None where
    a line is blank or a comment. Raises RanklensError where the disk does not take them."""
    try:
        return _dealt(source, buckets, on_disk, progress)
    except OSError as error:
        raise RanklensError(
            f"The lines of {source.name} cannot be sorted in {tempfile.gettempdir()}:"
            f" {error.strerror}.",
            "That takes up to one and a half times the size of the file, unpacked. Set TMPDIR to a"
            " folder with more room, or sort the file by query.",
        ) from error


def _dealt(
    source: Source, buckets: int, on_disk: bool, progress: Callable[[int], None] | None
) -> Apart | None:
    rooms = [(_room(on_disk), _room(on_disk)) for _ in range(buckets)]
    order, lines, begin, rows = hashlib.blake2b(digest_size=16), 0, list[int](), list[Any]()
    for hand in in_order(lambda piece: _hand(piece, buckets), _whole_lines(source, progress)):
        if hand is None:
            return None
        order.update(hand.order_hash)
        for (text, places), (own, numbers) in zip(rooms, hand.parts, strict=True):
            text.write(own)
            places.write(numbers.data)
        begin.append(lines)
        rows.append(hand.rows.astype(np.int32))
        lines += int(hand.rows.sum())
    begins, of_pieces = np.array(begin), np.reshape(rows, (-1, buckets)).T
    made = [
        Bucket(text, places, begins, own)
        for (text, places), own in zip(rooms, of_pieces, strict=True)
    ]
    return Apart([bucket for bucket in made if bucket.rows.any()], order.digest())


def odd_line(source: Source) -> int | None:
    """The first line that is blank or a comment, or does not begin with printable ASCII, from 1;
    None where there is none."""
    before = 1
    for padded in _whole_lines(source):
        if _hand(padded, 1) is None:
            lines = padded[: -len(PADDING)].split(b"\n")
            return before + next(i for i, line in enumerate(lines) if _ODD.match(line))
        before += padded.count(b"\n", 0, len(padded) - len(PADDING))
    return None


@dataclass(frozen=True)
class _Hand:
    """What each bucket gets of a piece: lines, and the number of each in the piece, int32; how many
    they are, int64[buckets]."""

    parts: list[tuple[memoryview, npt.NDArray[np.int32]]]
    rows: Ints
    order_hash: bytes


def _hand(padded: bytes, buckets: int) -> _Hand | None:
    """The lines of a piece dealt; None where one is odd."""
    data, end = np.frombuffer(padded, dtype=np.uint8), len(padded) - len(PADDING)
    starts, hashes = np.empty(end // 2 + 2, np.int64), np.empty(end // 2 + 2, np.uint64)
    of_all = np.empty(1, np.uint64)
    n = compiled("rows").query_hashes(data, end, starts, hashes, of_all)
    if n == ODD_LINE:
        return None
    n_bytes, n_rows = np.zeros(buckets, np.int64), np.zeros(buckets, np.int64)
    compiled("rows").bucket_sizes(starts, hashes, n, n_bytes, n_rows)
    # A line is copied in words, so that there must be room for a word behind each bucket's.
    first = np.cumsum(n_bytes + len(PADDING)) - n_bytes - len(PADDING)
    first_row = np.cumsum(n_rows) - n_rows
    lines = np.empty(n_bytes.sum() + buckets * len(PADDING), np.uint8)
    numbers = np.empty(n, np.int32)
    ends, row_ends = first.copy(), first_row.copy()
    compiled("rows").deal(data, starts, hashes, n, lines, numbers, ends, row_ends)
    parts = [
        (lines[first[i] : ends[i]].data, numbers[first_row[i] : row_ends[i]])
        for i in range(buckets)
    ]
    return _Hand(parts, n_rows, of_all.tobytes())


def _whole_lines(source: Source, progress: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """The decoded text in whole lines, `PADDING` behind each piece; the last line gets its end."""
    held: list[bytes] = []
    told = 0
    for read in source.decoded(BLOCK):
        told += len(read)
        if progress:
            progress(told)
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


def _whole(file: BinaryIO, behind: bytes = b"") -> bytearray:
    """All of a file that is then gone, and this behind it."""
    size = file.seek(0, io.SEEK_END)
    held = bytearray(size + len(behind))
    file.seek(0)
    file.readinto(memoryview(held)[:size])  # type: ignore[attr-defined]
    file.close()
    held[size:] = behind
    return held
