"""Print to any console, whatever its encoding, and even if it is closed or its reader has stopped.

This module also shows the progress of long reads, and escapes control characters in names and ids,
so that these cannot control a terminal."""

from __future__ import annotations

import codecs
import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, cast

from metrics_core.base import wording as w

NOBODY_READS = 141
"""Exit status if the reader of the output has stopped, the same as after SIGPIPE."""
INTERRUPTED = 130
"""Exit status after Ctrl-C, the same as after SIGINT."""

_INTERVAL = 0.2
"""Seconds between two progress lines."""

_PLAIN = {w.MINUS: "-", w.DASH: "-", "—": "-", "…": "...", "“": '"', "”": '"', "’": "'", "·": "-"}


def _replace_unprintable(error: UnicodeError) -> tuple[str | bytes, int]:
    r"""Error handler for encoding text: replace the characters that the encoding lacks.

    A character is replaced by a similar plain character if there is one, otherwise by \uXXXX, which
    JSON can read back."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    parts = []
    for character in error.object[error.start : error.end]:
        units = character.encode("utf-16-be", "surrogatepass")
        pairs = (units[i : i + 2].hex() for i in range(0, len(units), 2))
        parts.append(_PLAIN.get(character) or "".join(f"\\u{pair}" for pair in pairs))
    return "".join(parts), error.end


codecs.register_error("ranklens.readable", _replace_unprintable)


class _VisibleStream:
    """A text stream that escapes control characters before it writes them."""

    def __init__(self, beneath: TextIO) -> None:
        self.beneath = beneath

    def write(self, text: str) -> int:
        """Write the text with control characters escaped."""
        return self.beneath.write(w.escape_controls_in_lines(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)


def _write_status(text: str) -> None:
    """Write a progress message to stderr without escaping, so that it can move the cursor."""
    stream = sys.stderr.beneath if isinstance(sys.stderr, _VisibleStream) else sys.stderr
    print(text, end="", file=stream, flush=True)


@contextmanager
def adapt_console() -> Iterator[None]:
    """Adapt stdout and stderr while the block runs.

    Characters that their encodings lack are replaced, and control characters on stderr are escaped.
    Output to a closed stderr is discarded instead of going to stdout.
    """
    stderr = sys.stderr
    beneath = io.StringIO() if stderr is None else stderr
    streams = [s for s in (sys.stdout, beneath) if isinstance(s, io.TextIOWrapper)]
    error_modes = [stream.errors for stream in streams]
    for stream in streams:
        stream.reconfigure(errors="ranklens.readable")
    sys.stderr = cast(TextIO, _VisibleStream(beneath))
    try:
        yield
    finally:
        sys.stderr = stderr
        for stream, errors in zip(streams, error_modes, strict=True):
            with suppress(OSError, ValueError):
                stream.reconfigure(errors=errors)


@contextmanager
def show_progress(path: str) -> Iterator[Callable[[int], None] | None]:
    """Yield a function that shows the progress of reading a file. Its argument is the number of
    bytes read.

    The progress is shown in MB, and as a share of the file's size if this is known. Yields None if
    stderr is not a terminal. The progress line is erased at the end."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    name, last = w.escape_controls(Path(path).name), 0.0
    size = Path(path).stat().st_size if Path(path).is_file() else 0

    def show_bytes_read(n_read: int) -> None:
        nonlocal last
        if time.monotonic() - last < _INTERVAL:
            return
        last = time.monotonic()
        share = f"{min(n_read / size, 1):.0%} of " if size and n_read <= size else ""
        _write_status(f"\r\x1b[2K{name}: {share}{n_read / 1e6:,.0f} MB")

    try:
        yield show_bytes_read
    finally:
        _write_status("\r\x1b[2K")


@contextmanager
def show_step(description: str) -> Iterator[None]:
    """Show a description of the current step on a terminal while the block runs."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    if is_terminal:
        _write_status(f"\r\x1b[2K{w.escape_controls(description)} …")
    try:
        yield
    finally:
        if is_terminal:
            _write_status("\r\x1b[2K")


def silence_streams() -> None:
    """Flush stdout and stderr. A stream that cannot be flushed is redirected to the null device, so
    that Python does not complain when it closes the stream."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
            continue
        with suppress(AttributeError, OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
