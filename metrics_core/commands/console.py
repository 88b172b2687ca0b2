"""Printing on whichever console there is: of any encoding, closed, or read no further."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from metrics_core import wording as w

NOBODY_READS = 141
"""The exit status where whoever read the output has stopped, as the signal SIGPIPE says."""
INTERRUPTED = 130
"""The exit status after Ctrl-C, as the signal SIGINT says."""

_PLAIN = {w.MINUS: "-", w.DASH: "-", "—": "-", "…": "...", "“": '"', "”": '"', "’": "'", "·": "-"}


def _readable(error: UnicodeError) -> tuple[str | bytes, int]:
    """What stands for characters that a console lacks: a plain sign, else \\uXXXX, which JSON reads
    back, too."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    parts = []
    for character in error.object[error.start : error.end]:
        units = character.encode("utf-16-be", "surrogatepass")
        pairs = (units[i : i + 2].hex() for i in range(0, len(units), 2))
        parts.append(_PLAIN.get(character) or "".join(f"\\u{pair}" for pair in pairs))
    return "".join(parts), error.end


codecs.register_error("ranklens.readable", _readable)


@contextmanager
def any_console() -> Iterator[None]:
    """Inside, whatever is printed fits the encodings of stdout and stderr; a closed stderr is
    written to in vain, instead of its words going to stdout."""
    closed = sys.stderr is None
    if closed:
        sys.stderr = io.StringIO()
    streams = [s for s in (sys.stdout, sys.stderr) if isinstance(s, io.TextIOWrapper)]
    before = [stream.errors for stream in streams]
    for stream in streams:
        stream.reconfigure(errors="ranklens.readable")
    try:
        yield
    finally:
        for stream, errors in zip(streams, before, strict=True):
            with suppress(OSError, ValueError):
                stream.reconfigure(errors=errors)
        if closed:
            sys.stderr = None


def say_no_more() -> None:
    """Let go of streams that take no more, so that Python does not complain when it closes them."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
            continue
        with suppress(AttributeError, OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
