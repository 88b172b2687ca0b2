"""The rows of a piece of a file: compiled code reads regular lines, the careful reader others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Bytes, Floats, Ints
from metrics_core.base.compiled.machine import compiled
from metrics_core.base.compiled.signatures import IRREGULAR, PADDING, RowColumns
from metrics_core.formats.parsing.trec_lines import RUN, Parsed, careful, header_in
from metrics_core.formats.source.source import BLOCK, LONGEST_LINE, Source, last_line_end
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.columns import ID, are_printable, coded

_MOST_TAGS = 1_000
"""Changes of the run name within a block that the compiled reader notes."""

_LONGEST_HEADER = 4_096
_SHORTEST_LINE = len(b"q 0 d 1 1 r\n")


@dataclass(frozen=True)
class RunRows:
    """n rows of a block: where the texts stand in `data` (with its padding), and the numbers.

    doc_start int64[n], doc_size int32[n], doc_hash uint64[n], score float64[n], rank float32[n]
    (NaN where it is no number). `segments` int64[s, 3] has for each segment, rows of one query,
    its first row, and start and size of its id. `tags` are the run names in the order in which they
    come. `parsed` says what the careful reader found, where it was asked.
    """

    data: Bytes
    doc_start: Ints
    doc_size: npt.NDArray[np.int32]
    doc_hash: npt.NDArray[np.uint64]
    score: Floats
    rank: npt.NDArray[np.float32]
    segments: Ints
    tags: tuple[str, ...]
    parsed: Parsed | None = None

    def __len__(self) -> int:
        return len(self.score)

    @property
    def columns(self) -> RowColumns:
        """The rows as compiled code takes them."""
        of_each = (self.doc_start, self.doc_size, self.doc_hash, self.score, self.rank)
        return RowColumns(self.data, *of_each)

    @property
    def plain(self) -> bool:
        """Whether all ids are printable ASCII."""
        return self.parsed is None or is_plain(self.data)

    def table(self) -> pa.Table:
        """The rows as a table of a run holds them, in memory of their own."""
        n, first = len(self), self.segments[:, 0]
        texts = np.empty(int(self.doc_size.sum(dtype=np.int64)) + len(PADDING), np.uint8)
        edges = np.empty(n + 1, np.int32)
        used = compiled("rows").copy_texts(self.data, self.doc_start, self.doc_size, texts, edges)
        codes = np.repeat(np.arange(len(first), dtype=np.int32), np.diff(first, append=n))
        query_ids = texts_at(self.data, self.segments[:, 1], self.segments[:, 2])
        return pa.table(
            {
                "query_id": pa.DictionaryArray.from_arrays(column_of(codes), query_ids),
                "doc_id": pa.StringArray.from_buffers(
                    n, pa.py_buffer(edges), pa.py_buffer(texts[:used])
                ),
                "score": column_of(self.score),
            }
        )


def is_plain(data: Bytes) -> bool:
    """Whether the texts of a padded buffer are printable ASCII without blanks."""
    return are_printable(data[: -len(PADDING)])


@dataclass(frozen=True)
class TextPiece:
    """Whole lines of a file's decoded text, with `PADDING` behind: which piece it is, from 0, and
    where it begins."""

    number: int
    begin: int
    padded: bytes

    @property
    def end(self) -> int:
        """The size of the text."""
        return len(self.padded) - len(PADDING)


def whole_queries(
    source: Source, progress: Callable[[int], None] | None = None
) -> Iterator[TextPiece]:
    """The decoded text of a file, cut where the query changes. What is no text is not seen here.
    `progress` is told the bytes read so far. Raises FileFormatError for a line that is too long."""
    held: list[bytes] = []
    begin = number = begun = 0
    for read in source.decoded(BLOCK):
        before = begin + sum(map(len, held))
        if progress:
            progress(before + len(read))
        end = read.rfind(b"\n") + 1 or last_line_end(read)
        if begun + len(read) > LONGEST_LINE:
            source.check_length(begun, read, end, before - begun)
        begun = len(read) - end if end else begun + len(read)
        # The first line may have begun in the piece before: what its query is cannot be seen.
        first = read.find(b"\n") + 1 if held else 0
        cut = compiled("rows").last_change(
            np.frombuffer(read, dtype=np.uint8), first, read.rfind(b"\n") + 1
        )
        if cut <= first:
            held.append(read)
            continue
        padded = b"".join((*held, memoryview(read)[:cut], PADDING))
        yield TextPiece(number, begin, padded)
        number, begin, held = number + 1, begin + len(padded) - len(PADDING), [read[cut:]]
    if any(held):
        yield TextPiece(number, begin, b"".join((*held, PADDING)))


def rows_of(piece: TextPiece, source: Source) -> RunRows:
    """The rows of a piece; the first of a file may begin with a header. Raises FileFormatError
    where it is no text."""
    if piece.number or not header_in(piece.padded[:_LONGEST_HEADER]):
        rows = regular_rows(piece.padded)
        if rows is not None:
            return rows
    checked = source.checked(piece.padded[: piece.end], piece.begin)
    return _careful(careful(checked, RUN, may_have_header=piece.number == 0))


def regular_rows(padded: bytes | bytearray) -> RunRows | None:
    """The rows of lines that are all regular, else None."""
    end = len(padded) - len(PADDING)
    most = end // _SHORTEST_LINE + 1
    data = np.frombuffer(padded, dtype=np.uint8)
    doc_start, doc_size = np.empty(most, np.int64), np.empty(most, np.int32)
    doc_hash, score = np.empty(most, np.uint64), np.empty(most, np.float64)
    rank, segments = np.empty(most, np.float32), np.empty((most, 3), np.int64)
    tags, unread = np.empty((_MOST_TAGS, 2), np.int64), np.empty((most, 3), np.int64)
    counts = np.zeros(3, np.int64)
    n = compiled("rows").read_lines(
        data, end, doc_start, doc_size, doc_hash, score, rank, segments, tags, unread, counts
    )
    if n == IRREGULAR:
        return None
    n_segments, n_tags, n_unread = counts.tolist()
    if n_unread:
        left = unread[:n_unread]
        score[left[:, 0]] = _numbers(data, left[:, 1], left[:, 2])
        if not np.isfinite(score[left[:, 0]]).all():
            return None
    return RunRows(
        data,
        *(doc_start[:n], doc_size[:n], doc_hash[:n], score[:n], rank[:n], segments[:n_segments]),
        tags=tuple(padded[at : at + size].decode() for at, size in tags[:n_tags].tolist()),
    )


def texts_at(data: Bytes, start: Any, size: Any) -> pa.StringArray:
    """The texts that stand at these places, as an array of their own."""
    edges = np.zeros(len(start) + 1, dtype=np.int64)
    np.cumsum(size, out=edges[1:])
    places = np.arange(edges[-1]) + np.repeat(start - edges[:-1], size)
    return pa.LargeStringArray.from_buffers(
        len(start), pa.py_buffer(edges), pa.py_buffer(data[places])
    ).cast(ID)


def _numbers(data: Bytes, start: Any, size: Any) -> Floats:
    """Plain decimal numbers, rounded by Arrow."""
    return values_of(pc.cast(texts_at(data, start, size), pa.float64()))


def _careful(parsed: Parsed) -> RunRows:
    """What the careful reader made of a block."""
    table = parsed.table
    queries = coded(table["query_id"])
    codes = values_of(queries.indices)
    names = queries.dictionary
    data, starts, sizes = _joined([names, table["doc_id"].combine_chunks()])
    doc_start, doc_size = starts[len(names) :], sizes[len(names) :].astype(np.int32)
    doc_hash = np.empty(len(codes), dtype=np.uint64)
    compiled("rows").hash_texts(data, doc_start, doc_size, doc_hash)
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    own = codes[first]
    return RunRows(
        data,
        *(doc_start, doc_size, doc_hash),
        score=np.ascontiguousarray(values_of(table["score"])),
        rank=np.ascontiguousarray(values_of(table["rank"])),
        segments=np.stack([first, starts[own], sizes[own]], axis=1),
        tags=parsed.tags,
        parsed=parsed,
    )


def _joined(columns: list[Any]) -> tuple[Bytes, Ints, Ints]:
    """Texts of several arrays in one buffer: the buffer, where each stands, its size."""
    texts = pa.chunked_array(columns, ID).cast(pa.large_string()).combine_chunks()
    if isinstance(texts, pa.ChunkedArray):
        texts = pa.concat_arrays(texts.chunks)
    data, starts, sizes = text_places(texts)
    return np.append(data, np.frombuffer(PADDING, dtype=np.uint8)), starts, sizes


def text_places(texts: Any) -> tuple[Bytes, Ints, Ints]:
    """The bytes of an array of large texts, where each text starts, and its size."""
    _, offsets, body = texts.buffers()
    edges = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(body, dtype=np.uint8) if body is not None else np.empty(0, np.uint8)
    return data[: edges[-1]], edges[:-1].copy(), np.diff(edges)
