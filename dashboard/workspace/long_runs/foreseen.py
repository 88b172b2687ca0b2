"""The tables that a start opens first, as the one before did: their bytes are looked at while the
rest of the program is loaded, which keeps one core busy and leaves the others nothing to do. By a
process of its own, for a thread waits for Python's lock after each piece, and what loads a program
hardly ever lets go of it: that took four times as long. No Streamlit here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from threading import Thread

from dashboard.workspace.disk.durable import sha256_told, state_of
from dashboard.workspace.long_runs.cache import Cache, Kept

_WHAT = "foreseen"


def foresee(cache: Cache, start: str, tables: Iterable[Path]) -> None:
    """Keep for the next start like this one which tables of the workspace it will open."""
    workspace = cache.folder.parent
    told = sorted(str(path.relative_to(workspace)) for path in tables)
    known = cache.get(_WHAT, start)
    if told != (known.told if known else []):
        cache.put(_WHAT, start, kept=Kept(told=told))


def look_ahead(workspace: Path, start: str) -> Thread | None:
    """Begin to look at the bytes of the tables that such a start opened last; None where none are
    known. Whoever opens one finds its hash at hand, or waits for it."""
    known = Cache(workspace / "cache", lambda: False).get(_WHAT, start)
    if known is None:
        return None
    tables = [workspace / name for name in known.told]
    thread = Thread(target=_look_at, args=(tables,), name="look at tables", daemon=True)
    thread.start()
    return thread


def _look_at(tables: Iterable[Path]) -> None:
    # Before they are read: who changes one meanwhile is not wronged.
    there = [(path, state) for path in tables if (state := state_of(path))]
    hashes = _hashed_elsewhere([path for path, _ in there])
    for path, state in there:
        told = cache(partial(next, hashes, ""))
        with suppress(OSError):  # who opens it says so
            sha256_told(path, state, told)
        told()  # also where somebody was quicker: what follows is another file's


def _hashed_elsewhere(paths: list[Path]) -> Iterator[str]:
    """The hash of each file as soon as it is known; "" of one that could not be read."""
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, *map(str, paths)]
    with (
        suppress(OSError),
        Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, text=True) as process,
    ):
        for line in process.stdout or ():
            yield line.strip()


_PROGRAM = """
import hashlib, sys
for path in sys.argv[1:]:
    try:
        with open(path, "rb") as file:
            told = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        told = ""
    print(told, flush=True)
"""
