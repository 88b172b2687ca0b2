"""Open a path, standard input, a pipe or bytes as a source."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metrics_core.base.errors import content_error
from metrics_core.formats.source.limits import Limit, Size
from metrics_core.formats.source.source import Source
from metrics_core.formats.source.unpacking import PathOrBytes, convert_read_errors, read_pipe

_NO_TEXT = re.compile("[\ud800-\udfff]")


def open_source(
    source: PathOrBytes,
    name: str | None = None,
    encoding: str | None = None,
    limit: Size | None = None,
) -> Source:
    """Open a path or bytes as a source with the name that the user gave.

    The path `-` refers to standard input. Standard input and pipes can be read only once, so their
    content is stored in memory. Raises FileFormatError if this content exceeds the limit, and
    ParameterError for an invalid limit."""
    size_limit = Limit.from_size(limit)
    if isinstance(source, bytes):
        return Source(name_source(source, name), source, encoding, size_limit)
    if str(source) == "-":
        stdin = sys.stdin.buffer if sys.stdin is not None else io.BytesIO()
        content = read_pipe("-", stdin, size_limit)
        return Source(printable_name(name or "standard input"), content, encoding, size_limit)
    path, source_name = Path(source), name_source(source, name)
    with convert_read_errors(source_name):
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("rb") as pipe:
                return Source(
                    source_name, read_pipe(source_name, pipe, size_limit), encoding, size_limit
                )
    return Source(source_name, path, encoding, size_limit)


@contextmanager
def convert_memory_errors(source: Source) -> Iterator[None]:
    """Convert a MemoryError raised in the `with` block to a FileFormatError."""
    try:
        yield
    except MemoryError as error:
        hint = "Close other programs, or split the file into parts."
        raise content_error(
            source.name, "more than the available memory", "a file that fits into memory", hint
        ) from error


def printable_name(name: str) -> str:
    """Return a file name as text, with a replacement character for each byte that is not UTF-8."""
    return _NO_TEXT.sub("\ufffd", name)


def name_source(source: PathOrBytes, name: str | None = None) -> str:
    """Return the name of a source in messages: the name that the user gave, or its path."""
    return printable_name(name or ("the file" if isinstance(source, bytes) else str(source)))
