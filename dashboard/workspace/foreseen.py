"""The tables that a start opens first, as the one before did: their bytes are looked at while the
rest of the program is loaded, which keeps one core busy and leaves the others nothing to do.
No Streamlit here.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Thread

from dashboard.workspace.cache import Cache, Kept
from dashboard.workspace.durable import sha256_of

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
    for path in tables:
        with suppress(OSError):  # who opens it says so
            sha256_of(path)
