"""How far a long reading has come, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from metrics_core.base import wording as w
from metrics_core.commands.console import draw

_EVERY = 0.2
"""Seconds between two lines."""


@contextmanager
def progress_of(path: str) -> Iterator[Callable[[int], None] | None]:
    """What is told the bytes read of a file, and shows their share; None where nobody looks. The
    line is gone at the end."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    name, last = w.visible(Path(path).name), 0.0
    size = Path(path).stat().st_size if Path(path).is_file() else 0

    def show(read: int) -> None:
        nonlocal last
        if time.monotonic() - last < _EVERY:
            return
        last = time.monotonic()
        share = f"{min(read / size, 1):.0%} of " if size and read <= size else ""
        draw(f"\r\x1b[2K{name}: {share}{read / 1e6:,.0f} MB")

    try:
        yield show
    finally:
        draw("\r\x1b[2K")
