"""Printing on whichever console there is: of any encoding, closed, or read no further; how far a
long reading has come; and nothing that a name or an id could make a terminal do."""

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
"""The exit status where whoever read the output has stopped, as the signal SIGPIPE says."""
INTERRUPTED = 130
"""The exit status after Ctrl-C, as the signal SIGINT says."""

_INTERVAL = 0.2
"""Seconds between two lines."""

_PLAIN = {w.MINUS: "-", w.DASH: "-", "—": "-", "…": "...", "“": '"', "”": '"', "’": "'", "·": "-"}


def _replace_unprintable(error: UnicodeError) -> tuple[str | bytes, int]:
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


codecs.register_error("ranklens.readable", _replace_unprintable)


class _VisibleStream:
    """A stream that is written to for people."""

    def __init__(self, beneath: TextIO) -> None:
        self.beneath = beneath

    def write(self, text: str) -> int:
        """Write it as it can be shown."""
        return self.beneath.write(w.escape_controls_in_lines(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)


def _write_status(text: str) -> None:
    """Write on stderr what is to move its cursor, as it stands."""
    stream = sys.stderr.beneath if isinstance(sys.stderr, _VisibleStream) else sys.stderr
    print(text, end="", file=stream, flush=True)


@contextmanager
def adapt_console() -> Iterator[None]:
    """Inside, whatever is printed fits the encodings of stdout and stderr; what goes to stderr is
    for people; a closed stderr is written to in vain, instead of its words going to stdout."""
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
    """What is told the bytes read of a file, and shows their share; None where nobody looks. The
    line is gone at the end."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    name, last = w.escape_controls(Path(path).name), 0.0
    size = Path(path).stat().st_size if Path(path).is_file() else 0

    def show(n_read: int) -> None:
        nonlocal last
        if time.monotonic() - last < _INTERVAL:
            return
        last = time.monotonic()
        share = f"{min(n_read / size, 1):.0%} of " if size and n_read <= size else ""
        _write_status(f"\r\x1b[2K{name}: {share}{n_read / 1e6:,.0f} MB")

    try:
        yield show
    finally:
        _write_status("\r\x1b[2K")


@contextmanager
def show_step(description: str) -> Iterator[None]:
    """Say at a terminal what is being done for as long as it is."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    if is_terminal:
        _write_status(f"\r\x1b[2K{w.escape_controls(description)} …")
    try:
        yield
    finally:
        if is_terminal:
            _write_status("\r\x1b[2K")


def silence_streams() -> None:
    """Let go of streams that take no more, so that Python does not complain when it closes them."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
            continue
        with suppress(AttributeError, OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
