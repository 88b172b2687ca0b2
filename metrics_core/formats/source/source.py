"""Read the bytes of an input file: unpacked, decoded to UTF-8, checked, and split at line ends.

    path or bytes ──► unpack (.gz .xz .zip …) ──► decode (BOM, UTF-16, a named encoding) ──► blocks

A `Source` can be read repeatedly. Only `content` loads the whole file into memory. Bytes that are
not text are refused here, so that readers need not check them."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from metrics_core.base.errors import FileFormatError, LineProblem, content_error
from metrics_core.formats.source.limits import DEFAULT_LIMIT, TEXT_FACTOR, Limit
from metrics_core.formats.source.unpacking import Origin, read_unpacked, stored_size

# The allocator decides the peak memory: reading and judging a run of 250 MB peaks at 610 MB with
# jemalloc, 680 MB with Arrow's default (mimalloc), 770 MB with the system's allocator.
if "jemalloc" in pa.supported_memory_backends():
    pa.set_memory_pool(pa.jemalloc_memory_pool())

BLOCK = 4 << 20
"""Number of bytes passed to a reader at once. It is small enough for the processor's caches, and
large enough to amortise function calls."""

PARQUET_MAGIC = b"PAR1"
MAX_LINE_BYTES = 10_000_000
"""Maximum number of bytes in a line."""

_HEAD = 256 << 10
_MAX_LENGTH = 120
_DOMAIN_CODECS = ("idna", "punycode")
_ENCODINGS = "Try utf-8, latin-1 or utf-16."
_JSON_MARKS = (b",", b"[", b"{", b"<")
_LINE_MARKS = (*_JSON_MARKS, b"\t", b"\n")
"""Bytes that start a value or a tag. The number of these bytes is about the number of values."""
_MAX_SHOWN_BYTES = 4 * (_MAX_LENGTH + 2)
"""Number of bytes that are read to show a line in a message."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)


@dataclass(frozen=True)
class Source:
    """An input file.

    name      the name that the user gave; shown as text and never used as a path
    origin    its path or bytes
    encoding  character encoding, if it is not UTF-8
    limit     size limit for reading it"""

    name: str
    origin: Origin
    encoding: str | None = None
    limit: Limit = DEFAULT_LIMIT

    def chunks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Yield the unpacked bytes in pieces of at most `size` bytes. They are neither decoded nor
        checked."""
        return read_unpacked(self.name, self.origin, size, self.limit)

    @cached_property
    def magic(self) -> bytes:
        """The first 512 unpacked bytes."""
        return next(self.chunks(512), b"")

    @cached_property
    def head(self) -> bytes:
        """The first 256 KB as checked text, cut at the last line end. If there is no line end, the
        text is cut within the line."""
        data = b""
        for piece in self.decoded(_HEAD):
            data += piece
            if len(data) > _HEAD:
                line_end = find_last_line_end(data[:_HEAD])
                data = (
                    data[:line_end] if line_end else data[:_HEAD].decode(errors="ignore").encode()
                )
                break
        return self.checked(data, 0, plain_ends=True)

    def content(self, times: int = TEXT_FACTOR) -> str:
        """Return the whole text, checked, with unchanged line ends and without a byte order mark.

        Raises FileFormatError if the data are not text, or if `times` times the size of the text
        exceeds the limit."""
        pieces: list[bytes] = []
        size = 0
        for piece in self._iterate_checked_pieces(self.decoded(BLOCK), _JSON_MARKS):
            pieces.append(piece)
            size += len(piece)
            self.limit.check_size(self.name, size, times)
        data = b"".join(pieces)
        pieces.clear()
        return self.checked(data, 0, plain_ends=False).decode()

    def _iterate_checked_pieces(
        self, pieces: Iterator[bytes], value_marks: Sequence[bytes]
    ) -> Iterator[bytes]:
        """Yield the pieces of a text unchanged, and count its values. Each of the bytes
        `value_marks` starts a value.

        Raises FileFormatError if there are too many values for the size of the file."""
        values = 0
        for piece in pieces:
            values += sum(map(piece.count, value_marks))
            self.limit.check_values(self.name, values, self.size())
            yield piece

    def packed(self) -> BinaryIO:
        """Return the unpacked bytes of the file as a seekable file, for reading Parquet. A packed
        file is unpacked completely first."""
        if isinstance(self.origin, Path) and not self.is_packed:
            return self.origin.open("rb")
        data = b"".join(self.chunks()) if self.is_packed else self.origin
        return cast(BinaryIO, pa.BufferReader(data))

    @property
    def is_packed(self) -> bool:
        """Whether the file is packed (compressed or in a zip file)."""
        return self.magic != _first_bytes(self.origin)

    def size(self) -> int:
        """Return the stored size of the file in bytes. For a packed file, this is the packed
        size."""
        return stored_size(self.origin)

    @cached_property
    def _max_cells(self) -> int:
        return self.limit.max_record_cells(self.size())

    def check_cells(self, rows: int, columns: int, line: int | None = None) -> None:
        """Raise FileFormatError if a table of this size is too large for the file."""
        self.limit.check_cells(self.name, rows, columns, line, self._max_cells)

    def blocks(self, size: int | None = None, *, plain_ends: bool = True) -> Iterator[bytes]:
        """Yield checked UTF-8 text in blocks of whole lines, about `size` bytes each.

        The default size is `BLOCK`. Every block except the last ends with a line end. If
        `plain_ends` is true, each line end is a newline. Raises FileFormatError for a NUL
        byte, invalid UTF-8, and a line longer than `MAX_LINE_BYTES`."""
        rest, offset = b"", 0
        for chunk in self.decoded(size or BLOCK):
            line_end = find_last_line_end(chunk)
            if len(rest) + len(chunk) > MAX_LINE_BYTES:
                self.check_length(len(rest), chunk, line_end, offset)
            if not line_end:
                rest += chunk
                continue
            block = b"".join((rest, memoryview(chunk)[:line_end]))
            rest = chunk[line_end:]
            yield self.checked(block, offset, plain_ends)
            offset += len(block)
        if rest:
            yield self.checked(rest, offset, plain_ends)

    def text_lines(self) -> Iterator[str]:
        """Yield the lines with unchanged line ends (LF, CRLF or CR)."""
        for block in self._iterate_checked_pieces(self.blocks(plain_ends=False), _LINE_MARKS):
            yield from split_lines(block)

    def lines_at(self, numbers: set[int]) -> dict[int, str]:
        """Return the text of these physical lines (from 1), shortened for messages."""
        texts: dict[int, bytes] = {}
        first, line_start = (
            1,
            b"",
        )  # number and beginning of the line that the next piece continues
        for piece in self._normalised_line_ends():
            last = first + piece.count(b"\n")
            if piece_numbers := [n for n in numbers if first <= n <= last]:
                lines = (line_start + piece).split(b"\n")
                texts |= {n: lines[n - first][:_MAX_SHOWN_BYTES] for n in piece_numbers}
            end = piece.rfind(b"\n") + 1
            line_start = (
                piece[end : end + _MAX_SHOWN_BYTES]
                if end
                else line_start + piece[:_MAX_SHOWN_BYTES]
            )[:_MAX_SHOWN_BYTES]
            first = last
            if first > max(numbers, default=0):
                break
        return {n: shorten_line(line.decode(errors="replace")) for n, line in texts.items()}

    def _normalised_line_ends(self) -> Iterator[bytes]:
        """Yield the decoded bytes with a newline for each line end."""
        rest = b""
        for piece in self.decoded(BLOCK):
            piece, rest = rest + piece, b""
            if piece.endswith(b"\r"):  # the newline of a CRLF may come with the next piece
                piece, rest = piece[:-1], b"\r"
            yield piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if rest:
            yield b"\n"

    def decoded(self, size: int) -> Iterator[bytes]:
        """Yield the text as UTF-8 bytes without a byte order mark. Text in another encoding is
        converted."""
        encoding, skip = self._detect_encoding()
        pieces = self.chunks(size)
        if encoding is None or encoding == "utf-8":
            for piece in pieces:
                yield piece[skip:] if skip else piece
                skip = max(0, skip - len(piece))
            return
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for piece in pieces:
                yield decoder.decode(piece[skip:]).encode()
                skip = max(0, skip - len(piece))
            yield decoder.decode(b"", final=True).encode()
        except UnicodeError as error:
            expected = f"{encoding.upper()} text"
            raise content_error(self.name, "invalid bytes", expected) from error

    def _detect_encoding(self) -> tuple[str | None, int]:
        """Return the encoding of the bytes and the length of their byte order mark."""
        for mark, encoding in _BYTE_ORDER_MARKS:
            if self.magic.startswith(mark):
                return encoding, len(mark)
        if self.encoding is None:
            return None, 0
        try:
            codec = codecs.lookup(self.encoding)
            # Python also has codecs that are no text encodings, such as rot13 and zlib, and codecs
            # of domain names, whose time grows with the square of the length.
            if getattr(codec, "_is_text_encoding", True) and codec.name not in _DOMAIN_CODECS:
                return codec.name, 0
            raise LookupError
        except (LookupError, ValueError) as error:  # a name with a NUL in it is a ValueError
            actual = f"`{shorten_line(self.encoding)}`"
            raise content_error(self.name, actual, "the name of an encoding", _ENCODINGS) from error

    def checked(self, block: bytes, offset: int, plain_ends: bool = True) -> bytes:
        """Check that decoded bytes are text, and return them. The bytes must end with a complete
        line.

        `offset` is the position of the bytes in the decoded file. If `plain_ends` is true,
        each line end becomes a newline. Raises FileFormatError for a NUL byte or invalid UTF-8."""
        nul = block.find(b"\0")
        if nul >= 0:
            actual = f"a NUL byte at byte {offset + nul:,}"
            hint = "The file is binary, damaged, or UTF-16 without a byte order mark."
            line = self._find_line(offset + nul)
            raise content_error(self.name, actual, "text", hint, line=line)
        if not block.isascii():
            try:
                block.decode()
            except UnicodeDecodeError as error:
                raise self._utf8_error(block, error.start, offset) from error
        if plain_ends and b"\r" in block:
            return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return block

    def _utf8_error(self, block: bytes, position: int, offset: int) -> FileFormatError:
        actual = f"0x{block[position]:02X} at byte {offset + position:,}, which is not UTF-8"
        lines = block[:position].splitlines()
        context = (lines[-1] if lines else b"") + block[position:].splitlines()[0]
        return FileFormatError(
            self.name,
            [
                LineProblem(
                    self._find_line(offset + position),
                    actual,
                    "UTF-8 text",
                    text=shorten_line(context.decode("latin-1")),
                )
            ],
            hint="Save the file as UTF-8. If it is Latin-1 (Western European), read it with"
            " that encoding.",
            offer="encoding=latin-1",
        )

    def _find_line(self, offset: int) -> int:
        """Return the physical line of the byte at this offset in the decoded text."""
        line, after_return = 1, False
        for piece in self.decoded(BLOCK):
            part = piece[:offset]
            line += part.count(b"\n") + part.count(b"\r") - part.count(b"\r\n")
            line -= after_return and part.startswith(b"\n")
            after_return = part.endswith(b"\r")
            offset -= len(part)
            if offset <= 0:
                break
        return line

    def check_length(self, begun: int, chunk: bytes, cut: int, offset: int) -> None:
        """Raise FileFormatError for a line that is too long.

        `chunk` continues a line that begins at `offset`; `begun` bytes of this line were read
        before. The last complete line of `chunk` ends at `cut`."""
        first = find_first_line_end(chunk)
        if begun + (first or len(chunk)) > MAX_LINE_BYTES:
            line = self._find_line(offset)
        elif cut and len(chunk) - cut > MAX_LINE_BYTES:
            line = self._find_line(offset + begun + cut)
        else:
            return
        hint = "The line breaks may be missing, or this is a different kind of file."
        expected = f"lines of at most {MAX_LINE_BYTES // 1_000_000} MB"
        raise content_error(self.name, "a longer line", expected, hint, line=line)


def is_parquet(source: Source) -> bool:
    """Return whether a file is Parquet, according to its first bytes."""
    return source.magic.startswith(PARQUET_MAGIC)


def shorten_line(line: str) -> str:
    """Return a line for a message: at most 120 characters, with control characters escaped."""
    text = line if len(line) <= _MAX_LENGTH else line[:_MAX_LENGTH] + " …"
    return "".join(
        c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in text
    )


def _first_bytes(origin: Origin) -> bytes:
    if isinstance(origin, bytes):
        return origin[:512]
    with origin.open("rb") as file:
        return file.read(512)


def find_last_line_end(data: bytes) -> int:
    """Return the position after the last complete line of `data`.

    A CR at the very end does not count, because an LF may follow."""
    newline = data.rfind(b"\n")
    return max(newline, data.rfind(b"\r", newline + 1, len(data) - 1)) + 1


def find_first_line_end(data: bytes) -> int:
    """Return the position after the first line of `data`. Returns 0 if `data` contains no line
    end."""
    ends = [end + 1 for end in (data.find(b"\n"), data.find(b"\r")) if end >= 0]
    return min(ends, default=0)


def split_lines(block: bytes) -> Iterator[str]:
    """Yield the lines of a block with their line ends."""
    if b"\r" not in block:
        text = block.decode()
        start = 0
        while (end := text.find("\n", start)) >= 0:
            yield text[start : end + 1]
            start = end + 1
        if start < len(text):
            yield text[start:]
        return
    # bytes.splitlines splits only at these three line ends, unlike str.splitlines.
    yield from (line.decode() for line in block.splitlines(keepends=True))
