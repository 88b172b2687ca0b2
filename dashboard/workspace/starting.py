"""What a start does to a workspace: it sweeps out what is left over."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from dashboard.workspace import layers
from dashboard.workspace.disk import durable, scratch
from dashboard.workspace.disk.errors import StorageError
from dashboard.workspace.disk.shelves import Shelves
from dashboard.workspace.earlier_layout import tables_named
from dashboard.workspace.store import Workspace

OWN = "own"
"""The collection of a reader's own files where nobody made another one; old links name it."""

_DRAFTS = (  # and no others: the folder may be one that holds other things too
    f"{'[0-9a-f]' * 64}{durable.DRAFT}",
    f"collections/*{durable.DRAFT}",
    f"collections/*/*{durable.DRAFT}",
    f"tables/*{durable.DRAFT}",
    f"cache/*/*{durable.DRAFT}",
)


def start(workspace: Workspace) -> None:
    """Clean the folder, and keep a good state of each database that changed. Where it cannot be
    written, or another one writes or makes a backup, it stays as it is."""
    with suppress(StorageError, Timeout, OSError):
        if workspace.folder.is_dir():
            with no_removals(workspace.folder, wait=0), workspace.writing() as shelves:
                shelves.sync()
                _sweep(shelves)


@contextmanager
def no_removals(folder: Path, wait: float) -> Iterator[None]:
    """Nothing is removed for good meanwhile but by who holds this. Raises Timeout after so many
    seconds in which somebody else did."""
    with FileLock(folder / "removing.lock", mode=0o600).acquire(wait):
        yield


def _sweep(shelves: Shelves) -> None:
    """Remove what was removed before this start, what was being written when something ended it,
    and tables that nothing names; none of these where a record cannot be read, which may name it.
    What a file replaced goes once the newer table was seen to be whole."""
    for draft in _drafts(shelves.folder):
        if draft.is_dir():
            shutil.rmtree(draft, ignore_errors=True)
        elif _is_abandoned(draft):
            draft.unlink(missing_ok=True)
    scratch.sweep(shelves.folder)
    are_whole = [_swept(shelves, identity) for identity in shelves.ids()]
    if not all(are_whole):
        return
    named = {e.table for identity in shelves.ids() for e in shelves.entries(identity)}
    named |= tables_named(shelves.folder)
    for table in shelves.tables():
        if table not in named:
            shelves.drop_table(table)


def _swept(shelves: Shelves, identity: str) -> bool:
    """Sweep a collection; whether all of its records can be read. Whatever it holds, the others are
    swept: the page that lists it says what is wrong."""
    try:
        if shelves.collection(identity).removed:
            shelves.drop_collection(identity)
            return True
        every = shelves.entries(identity)
        older = shelves.hidden(every, look=True)
        for entry in every:
            if entry.removed or entry.number in older:
                shelves.drop_entry(identity, entry.number)
        layers.sweep(shelves, identity)
        shelves.remember_name(identity)
        with suppress(OSError, StorageError):
            shelves.keep_good(identity)
        return not shelves.damaged(identity)
    except Exception:
        return False


def _drafts(folder: Path) -> list[Path]:
    """What was being written when something ended it."""
    return [draft for pattern in _DRAFTS for draft in folder.glob(pattern)]


def _is_abandoned(draft: Path) -> bool:
    """Whether a draft goes: long ones are written by others without the folder's lock."""
    try:
        return durable.is_abandoned(draft)
    except FileNotFoundError:
        return False
    except OSError:  # a loop, or what cannot be written
        return True
