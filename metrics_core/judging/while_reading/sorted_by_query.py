"""A file whose queries stand apart, sorted by query: its lines are dealt into buckets by query, in
memory or on disk, and each bucket is judged as a piece of whole queries.

A bucket on disk is a file without a name, which is gone with the process, however that ends.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.compiled.machine import compiled
from metrics_core.base.compiled.signatures import ODD_LINE, PADDING
from metrics_core.base.errors import RanklensError
from metrics_core.base.parallel import in_order
from metrics_core.formats.parsing.checking import MOST_TEXT
from metrics_core.formats.source.source import BLOCK, LONGEST_LINE, Source
from metrics_core.judging.while_reading.judgments import Judgments
from metrics_core.judging.while_reading.rows import Rows, regular_rows
from metrics_core.judging.while_reading.segments import JudgedSegments, judged_segments
from metrics_core.tables.arrays import column_of

Ints = npt.NDArray[np.int64]

_FEWEST, _MOST = 2, 256
_BUCKETS_IN_MEMORY, _SMALLEST_BUCKET = 64, 1 << 20
"""Several buckets are judged at once, and their rows take some five times their bytes."""
_HELD = 32 << 20
"""Bytes of a file that are sorted in memory."""
_ROWS_AT_ONCE = 120_000
_OF_A_ROW = ("doc_start", "doc_size", "doc_hash", "score", "rank")


@dataclass(frozen=True)
class SortedFile:
    """The segments of a file, one a query, in the order in which the queries come first in it, and
    a hash of the order of its lines. `rows` are their documents and scores, if they were asked for,
    in the order in which they were dealt; `begin` int64[q] has where each query's begin."""

    found: JudgedSegments
    order_hash: bytes
    rows: pa.Table | None
    begin: Ints

    def tables(self) -> Iterator[pa.Table]:
        """All rows as tables of a run hold them, some queries at a time."""
        ends = np.cumsum(self.found.sizes)
        first = 0
        while first < len(ends):
            before = int(ends[first - 1]) if first else 0
            after = int(np.searchsorted(ends, before + _ROWS_AT_ONCE)) + 1
            yield self._of(slice(first, after))
            first = after

    def _of(self, queries: slice) -> pa.Table:
        assert self.rows is not None
        sizes = self.found.sizes[queries]
        codes = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        before = np.cumsum(sizes) - sizes
        own = np.arange(len(codes)) + np.repeat(self.begin[queries] - before, sizes)
        ids = pa.DictionaryArray.from_arrays(column_of(codes), self.found.query_ids[queries])
        return self.rows.take(column_of(own)).add_column(0, "query_id", ids)


def sorted_by_query(
    source: Source,
    judgments: Judgments,
    memory: int,
    *,
    with_rows: bool = False,
    progress: Callable[[int], None] | None = None,
) -> SortedFile | None:
    """The rows of a file, sorted by query within about so many bytes; `progress` is told the bytes
    read so far. None where a line is not regular, a document stands twice in a query, there are
    several run names, or more text than a table holds."""
    made = _dealt(source, memory, progress)
    if made is None:
        return None
    buckets, order_hash = made
    parts, numbers, rows, text = [], list[Ints](), list[pa.Table](), 0
    for part in in_order(
        lambda bucket: _Part.of(bucket, judgments, with_rows=with_rows), _emptied(buckets)
    ):
        text += part.text if part else 0
        if part is None or text > MOST_TEXT:
            return None
        parts.append(part.found)
        numbers.append(part.numbers)
        rows += part.rows
    order = np.argsort(np.concatenate(numbers))
    sizes = np.concatenate([part.sizes for part in parts])
    begin = (np.cumsum(sizes) - sizes)[order]
    found = JudgedSegments.all(parts, order)
    if len(found.tags) > 1:
        return None
    parts.clear()
    table = pa.concat_tables(rows).combine_chunks() if rows else None
    return SortedFile(found, order_hash, table, begin)


def _emptied(buckets: list[_Bucket]) -> Iterator[_Bucket]:
    """The buckets one after the other, none of them kept."""
    while buckets:
        yield buckets.pop()


@dataclass(frozen=True)
class _Part:
    """What is found in a bucket: its segments, the line with which each query begins, its rows in
    one table or none, and the bytes of document ids that are kept."""

    found: JudgedSegments
    numbers: Ints
    rows: list[pa.Table]
    text: int

    @classmethod
    def of(cls, bucket: _Bucket, judgments: Judgments, *, with_rows: bool) -> _Part | None:
        grouped = bucket.by_query()
        if grouped is None:
            return None
        rows, numbers = grouped
        found = judged_segments(rows, judgments)
        if found is None:
            return None
        kept = [rows.table().drop(["query_id"])] if with_rows else []
        text = sum(int(pc.sum(pc.binary_length(table["doc_id"])).as_py()) for table in kept)
        return cls(found, numbers, kept, text)


@dataclass(frozen=True)
class _Bucket:
    """The lines of some of the queries, in the order of the file. `numbers` has the number of each
    within its piece of the file; a piece begins with line `begin` int64[pieces], from 0, and
    brought so many `rows` int32[pieces]."""

    lines: BinaryIO
    numbers: BinaryIO
    begin: Ints
    rows: npt.NDArray[np.int32]

    def by_query(self) -> tuple[Rows, Ints] | None:
        """The rows brought together by query, and for each segment the line with which its query
        begins in the file, from 0; None where a line is not regular. The bucket is then gone."""
        rows = regular_rows(_whole(self.lines, PADDING))
        within = np.frombuffer(_whole(self.numbers), dtype=np.int32)
        if rows is None:
            return None
        numbers = np.repeat(self.begin, self.rows) + within
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


def _dealt(
    source: Source, memory: int, progress: Callable[[int], None] | None
) -> tuple[list[_Bucket], bytes] | None:
    """The lines of a file in buckets, and a hash of the order in which they name the queries;
    `progress` is told the bytes read so far. None where a line is blank or a comment. Raises
    RanklensError where the disk does not take them."""
    size = source.size()
    most = max(memory // _BUCKETS_IN_MEMORY, _SMALLEST_BUCKET)
    buckets = min(max(_FEWEST, -(-size // most)), _MOST)
    try:
        return _dealt_into(buckets, source, size > _HELD, progress)
    except OSError as error:
        raise RanklensError(
            f"The lines of {source.name} cannot be sorted in {tempfile.gettempdir()}:"
            f" {error.strerror}.",
            "That takes up to one and a half times the size of the file, unpacked. Set TMPDIR to a"
            " folder with more room, or sort the file by query.",
        ) from error


def _dealt_into(
    buckets: int, source: Source, on_disk: bool, progress: Callable[[int], None] | None
) -> tuple[list[_Bucket], bytes] | None:
    rooms = [(_room(on_disk), _room(on_disk)) for _ in range(buckets)]
    order, lines, begin, rows = hashlib.blake2b(digest_size=16), 0, list[int](), list[Any]()
    for piece in in_order(lambda text: _in_buckets(text, buckets), _whole_lines(source, progress)):
        if piece is None:
            return None
        order.update(piece.order_hash)
        for (text, places), (own, numbers) in zip(rooms, piece.parts, strict=True):
            text.write(own)
            places.write(numbers.data)
        begin.append(lines)
        rows.append(piece.rows.astype(np.int32))
        lines += int(piece.rows.sum())
    begins, of_pieces = np.array(begin), np.reshape(rows, (-1, buckets)).T
    made = [
        _Bucket(text, places, begins, own)
        for (text, places), own in zip(rooms, of_pieces, strict=True)
    ]
    return [bucket for bucket in made if bucket.rows.any()], order.digest()


@dataclass(frozen=True)
class _InBuckets:
    """What each bucket gets of a piece: lines, and the number of each in the piece, int32; how many
    they are, int64[buckets]."""

    parts: list[tuple[memoryview, npt.NDArray[np.int32]]]
    rows: Ints
    order_hash: bytes


def _in_buckets(padded: bytes, buckets: int) -> _InBuckets | None:
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
    return _InBuckets(parts, n_rows, of_all.tobytes())


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
