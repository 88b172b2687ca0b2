"""Read the rows of a piece of a file. Compiled code reads regular lines, and the careful parser all
others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Bytes, Floats, Hashes, Int32s, Ints
from metrics_core.base.compiled.machine import compiled_functions
from metrics_core.base.compiled.signatures import IRREGULAR, PADDING, RowColumns
from metrics_core.formats.parsing.trec_lines import (
    RUN,
    ParsedBlock,
    begins_with_header,
    parse_with_regex,
)
from metrics_core.formats.source.source import BLOCK, MAX_LINE_BYTES, Source, find_last_line_end
from metrics_core.tables.arrays import as_array, as_column, block_starts
from metrics_core.tables.columns import ID, are_printable_bytes, encode_ids
from metrics_core.tables.repeats import text_bytes

_MOST_TAGS = 1_000
"""Maximum number of changes of the run name in a block that the compiled reader records."""

_LONGEST_HEADER = 4_096
_SHORTEST_LINE = len(b"q 0 d 1 1 r\n")


@dataclass(frozen=True)
class RunRows:
    """The n rows of a block.

    data         uint8 buffer with the document and query ids; it ends with padding
    doc_start    int64[n], position of the document id in `data`; `doc_size` int32[n] is its size,
                 and `doc_hash` uint64[n] its hash
    score, rank  float64[n] and float32[n]; a rank is NaN if it is not a number
    segments     int64[segment, 3], for each sequence of consecutive rows of one query: its first
                 row, and the start and the size of the query id
    tags         run names in order of occurrence
    parsed       result of the careful parser, if it was used"""

    data: Bytes
    doc_start: Ints
    doc_size: Int32s
    doc_hash: Hashes
    score: Floats
    rank: npt.NDArray[np.float32]
    segments: Ints
    tags: tuple[str, ...]
    parsed: ParsedBlock | None = None

    def __len__(self) -> int:
        return len(self.score)

    @property
    def columns(self) -> RowColumns:
        """The rows in the form that compiled code reads."""
        arrays = (self.doc_start, self.doc_size, self.doc_hash, self.score, self.rank)
        return RowColumns(self.data, *arrays)

    @property
    def has_plain_ids(self) -> bool:
        """Whether all ids are printable ASCII."""
        return self.parsed is None or is_printable_ascii(self.data)

    def to_table(self) -> pa.Table:
        """Return the rows as the table of a run (query_id, doc_id, score). The table does not share
        memory with the rows."""
        n, first = len(self), self.segments[:, 0]
        texts = np.empty(int(self.doc_size.sum(dtype=np.int64)) + len(PADDING), np.uint8)
        edges = np.empty(n + 1, np.int32)
        n_bytes = compiled_functions("rows").copy_texts(
            self.data, self.doc_start, self.doc_size, texts, edges
        )
        codes = np.repeat(np.arange(len(first), dtype=np.int32), np.diff(first, append=n))
        query_ids = copy_texts(self.data, self.segments[:, 1], self.segments[:, 2])
        return pa.table(
            {
                "query_id": pa.DictionaryArray.from_arrays(as_column(codes), query_ids),
                "doc_id": pa.StringArray.from_buffers(
                    n, pa.py_buffer(edges), pa.py_buffer(texts[:n_bytes])
                ),
                "score": as_column(self.score),
            }
        )


def is_printable_ascii(data: Bytes) -> bool:
    """Return whether the strings in a padded buffer uint8[byte] are printable ASCII without
    blanks."""
    return are_printable_bytes(data[: -len(PADDING)])


@dataclass(frozen=True)
class TextPiece:
    """Whole lines of a file's decoded text, followed by `PADDING`. `number` is the number of the
    piece, from 0; `begin` is its offset in the file."""

    number: int
    begin: int
    padded: bytes

    @property
    def text_size(self) -> int:
        """The size of the text in bytes, without padding."""
        return len(self.padded) - len(PADDING)


def split_by_query(
    source: Source, progress: Callable[[int], None] | None = None
) -> Iterator[TextPiece]:
    """Yield the decoded text of a file in pieces that contain whole queries. The function does not
    check that the bytes are text. `progress` is called with the number of bytes read so far. Raises
    FileFormatError for a line that is too long."""
    pending: list[bytes] = []
    begin = number = open_length = 0
    for block in source.decoded(BLOCK):
        before = begin + sum(map(len, pending))
        if progress:
            progress(before + len(block))
        end = block.rfind(b"\n") + 1 or find_last_line_end(block)
        if open_length + len(block) > MAX_LINE_BYTES:
            source.check_length(open_length, block, end, before - open_length)
        open_length = len(block) - end if end else open_length + len(block)
        # The first line may have begun in the previous block, so its query is not visible here.
        first = block.find(b"\n") + 1 if pending else 0
        cut = compiled_functions("rows").find_last_query(
            np.frombuffer(block, dtype=np.uint8), first, block.rfind(b"\n") + 1
        )
        if cut <= first:
            pending.append(block)
            continue
        padded = b"".join((*pending, memoryview(block)[:cut], PADDING))
        yield TextPiece(number, begin, padded)
        number, begin, pending = number + 1, begin + len(padded) - len(PADDING), [block[cut:]]
    if any(pending):
        yield TextPiece(number, begin, b"".join((*pending, PADDING)))


def read_rows(piece: TextPiece, source: Source) -> RunRows:
    """Return the rows of a piece. The first piece of a file may begin with a header. Raises
    FileFormatError if the piece is not text."""
    if piece.number or not begins_with_header(piece.padded[:_LONGEST_HEADER]):
        rows = read_regular_rows(piece.padded)
        if rows is not None:
            return rows
    checked = source.checked(piece.padded[: piece.text_size], piece.begin)
    return _make_rows_of_block(parse_with_regex(checked, RUN, may_have_header=piece.number == 0))


def read_regular_rows(padded: bytes | bytearray) -> RunRows | None:
    """Return the rows if all lines are regular, otherwise None."""
    end = len(padded) - len(PADDING)
    most = end // _SHORTEST_LINE + 1
    data = np.frombuffer(padded, dtype=np.uint8)
    doc_start, doc_size = np.empty(most, np.int64), np.empty(most, np.int32)
    doc_hash, score = np.empty(most, np.uint64), np.empty(most, np.float64)
    rank, segments = np.empty(most, np.float32), np.empty((most, 3), np.int64)
    tags, unread = np.empty((_MOST_TAGS, 2), np.int64), np.empty((most, 3), np.int64)
    counts = np.zeros(3, np.int64)
    n = compiled_functions("rows").read_lines(
        data, end, doc_start, doc_size, doc_hash, score, rank, segments, tags, unread, counts
    )
    if n == IRREGULAR:
        return None
    n_segments, n_tags, n_unread = counts.tolist()
    if n_unread:
        unread_rows = unread[:n_unread]
        score[unread_rows[:, 0]] = _parse_numbers(data, unread_rows[:, 1], unread_rows[:, 2])
        if not np.isfinite(score[unread_rows[:, 0]]).all():
            return None
    return RunRows(
        data,
        *(doc_start[:n], doc_size[:n], doc_hash[:n], score[:n], rank[:n], segments[:n_segments]),
        tags=tuple(padded[start : start + size].decode() for start, size in tags[:n_tags].tolist()),
    )


def copy_texts(data: Bytes, start: Any, size: Any) -> pa.StringArray:
    """Return the strings at these positions in `data` uint8[byte] as an array that does not share
    the memory of `data`. `start` and `size` are int[string]."""
    edges = np.zeros(len(start) + 1, dtype=np.int64)
    np.cumsum(size, out=edges[1:])
    positions = np.arange(edges[-1]) + np.repeat(start - edges[:-1], size)
    return pa.LargeStringArray.from_buffers(
        len(start), pa.py_buffer(edges), pa.py_buffer(data[positions])
    ).cast(ID)


def _parse_numbers(data: Bytes, start: Any, size: Any) -> Floats:
    """Return plain decimal numbers, parsed and rounded by Arrow, float64[n]."""
    return as_array(pc.cast(copy_texts(data, start, size), pa.float64()))


def _make_rows_of_block(parsed: ParsedBlock) -> RunRows:
    """Convert the result of the careful parser for a block to rows."""
    table = parsed.table
    queries = encode_ids(table["query_id"])
    codes = as_array(queries.indices)
    names = queries.dictionary
    data, starts, sizes = _join_texts([names, table["doc_id"].combine_chunks()])
    doc_start, doc_size = starts[len(names) :], sizes[len(names) :].astype(np.int32)
    doc_hash = np.empty(len(codes), dtype=np.uint64)
    compiled_functions("rows").hash_texts(data, doc_start, doc_size, doc_hash)
    first = block_starts(codes)
    query_codes = codes[first]
    return RunRows(
        data,
        *(doc_start, doc_size, doc_hash),
        score=np.ascontiguousarray(as_array(table["score"])),
        rank=np.ascontiguousarray(as_array(table["rank"])),
        segments=np.stack([first, starts[query_codes], sizes[query_codes]], axis=1),
        tags=parsed.tags,
        parsed=parsed,
    )


def _join_texts(columns: list[Any]) -> tuple[Bytes, Ints, Ints]:
    """Join the strings of several arrays in one buffer. Return the buffer, and the start and size
    of each string."""
    texts = pa.chunked_array(columns, ID).cast(pa.large_string()).combine_chunks()
    if isinstance(texts, pa.ChunkedArray):
        texts = pa.concat_arrays(texts.chunks)
    data, starts, sizes = text_offsets(texts)
    return np.append(data, np.frombuffer(PADDING, dtype=np.uint8)), starts, sizes


def text_offsets(texts: Any) -> tuple[Bytes, Ints, Ints]:
    """Return the bytes of an Arrow array of large strings, uint8[byte], and the start and size of
    each string, int64[string] each."""
    starts, ends, data = text_bytes(texts)
    return data[: ends.max(initial=0)], starts, ends - starts
