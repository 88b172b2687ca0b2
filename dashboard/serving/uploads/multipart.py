"""Extraction of the single file from a multipart body (RFC 7578) that arrives in pieces."""

from __future__ import annotations

from collections.abc import Callable

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

_LONGEST_HEAD = 64 << 10
_DISPOSITION = b"content-disposition"


class BodyError(ValueError):
    """Raised if a body does not consist of a single file."""


def parse_boundary(content_type: bytes) -> bytes:
    """Return the boundary that a content type states. Raises BodyError if the body is not
    multipart."""
    kind, options = parse_options_header(content_type)
    if not kind.startswith(b"multipart/") or not options.get(b"boundary"):
        raise BodyError("no multipart body")
    return options[b"boundary"]


class SingleFileParser:
    """Parser of a multipart body that contains a single file. The body can be passed in pieces of
    any size."""

    def __init__(self, boundary: bytes, write: Callable[[memoryview], object]) -> None:
        """Create a parser. `write` is called with the bytes of the file as they arrive. Raises
        BodyError."""
        self._write = write
        self._fields: list[tuple[bytes, bytes]] = []
        self._field, self._value = b"", b""
        self._head = 0
        self._parts, self._ended = 0, False
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin_part,
                    "on_header_field": self._add_field,
                    "on_header_value": self._add_value,
                    "on_header_end": self._end_field,
                    "on_headers_finished": self._check_header,
                    "on_part_data": self._add_data,
                    "on_end": self._end_file,
                },
            )
        except FormParserError as error:
            raise BodyError(str(error)) from error

    @property
    def name(self) -> str:
        """The name of the file. It is empty until the name has arrived."""
        return self._disposition_options().get(b"filename", b"").decode(errors="replace")

    @property
    def header_bytes(self) -> bytes:
        """The header fields before the file, exactly as they arrived."""
        return b"".join(name + b": " + value + b"\r\n" for name, value in self._fields)

    def feed(self, block: bytes) -> None:
        """Parse the next piece. Raises BodyError, and the errors of `write`."""
        try:
            self._parser.write(block)
        except FormParserError as error:
            raise BodyError(str(error)) from error

    def finish(self) -> None:
        """Finish parsing at the end of the body. Raises BodyError if the file is incomplete."""
        if not self._ended:
            raise BodyError("the body ends before the file is complete")

    def _begin_part(self) -> None:
        self._parts += 1
        if self._parts > 1:
            raise BodyError("more than one part")

    def _add_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]
        self._count_header_bytes(end - start)

    def _add_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._count_header_bytes(end - start)

    def _count_header_bytes(self, n_bytes: int) -> None:
        self._head += n_bytes
        if self._head > _LONGEST_HEAD:
            raise BodyError("too much data before the content of the file")

    def _end_field(self) -> None:
        self._fields.append((self._field, self._value))
        self._field, self._value = b"", b""

    def _check_header(self) -> None:
        if b"filename" not in self._disposition_options():
            raise BodyError("a part that is not a file")

    def _disposition_options(self) -> dict[bytes, bytes]:
        dispositions = [value for name, value in self._fields if name.lower() == _DISPOSITION]
        return parse_options_header(dispositions[-1])[1] if dispositions else {}

    def _add_data(self, data: bytes, start: int, end: int) -> None:
        self._write(memoryview(data)[start:end])

    def _end_file(self) -> None:
        self._ended = True


def make_body(boundary: bytes, header_bytes: bytes, content: bytes) -> bytes:
    """Return a multipart body that contains one file, preceded by these header fields."""
    return b"--%b\r\n%b\r\n%b\r\n--%b--\r\n" % (boundary, header_bytes, content, boundary)
