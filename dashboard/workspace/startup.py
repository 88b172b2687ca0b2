"""Clean up a workspace at the start: delete files that are no longer used."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from dashboard.workspace import layers
from dashboard.workspace.disk import durable, scratch
from dashboard.workspace.disk.errors import StorageError
from dashboard.workspace.disk.folder_store import FolderStore
from dashboard.workspace.earlier_layout import find_table_names
from dashboard.workspace.store import Workspace

OWN_COLLECTION = "own"
"""The id of the user's first collection, which older links use."""

_DRAFTS = (  # and no others: the folder may contain other files, too
    f"{'[0-9a-f]' * 64}{durable.DRAFT}",
    f"collections/*{durable.DRAFT}",
    f"collections/*/*{durable.DRAFT}",
    f"tables/*{durable.DRAFT}",
    f"cache/*/*{durable.DRAFT}",
)


def clean_workspace(workspace: Workspace) -> None:
    """Clean up the folder, and save a last known good copy of each database that changed.

    Does nothing if the folder cannot be written, or if another process is writing it or backing it
    up.
    """
    with suppress(StorageError, Timeout, OSError):
        if workspace.folder.is_dir():
            with (
                hold_removal_lock(workspace.folder, wait=0),
                workspace.hold_write_lock() as folder_store,
            ):
                folder_store.flush_folders()
                _sweep_folder(folder_store)


@contextmanager
def hold_removal_lock(folder: Path, wait: float) -> Iterator[None]:
    """Hold the lock for deleting from the workspace. Raises Timeout if the lock is not available
    within `wait` seconds."""
    with FileLock(folder / "removing.lock", mode=0o600).acquire(wait):
        yield


def _sweep_folder(folder_store: FolderStore) -> None:
    """Delete items that were removed before this start, unfinished drafts, and tables without a
    record.

    Tables stay if any record cannot be read, because it may name them. Replaced files are deleted
    once the newer table is known to be intact.
    """
    for draft in _find_drafts(folder_store.folder):
        if draft.is_dir():
            shutil.rmtree(draft, ignore_errors=True)
        elif _is_abandoned(draft):
            draft.unlink(missing_ok=True)
    scratch.sweep_scratch(folder_store.folder)
    are_whole = [
        _sweep_collection(folder_store, identity) for identity in folder_store.collection_ids()
    ]
    if not all(are_whole):
        return
    named_tables = {
        e.table
        for identity in folder_store.collection_ids()
        for e in folder_store.entries(identity)
    }
    named_tables |= find_table_names(folder_store.folder)
    for table in folder_store.table_names():
        if table not in named_tables:
            folder_store.drop_table(table)


def _sweep_collection(folder_store: FolderStore, identity: str) -> bool:
    """Clean up a collection; return whether all its records can be read.

    An error does not stop the cleaning of other collections; the page that lists the collection
    reports the error.
    """
    try:
        if folder_store.read_collection(identity).removed:
            folder_store.drop_collection(identity)
            return True
        all_entries = folder_store.entries(identity)
        older = folder_store.replaced_numbers(all_entries, check_now=True)
        for entry in all_entries:
            if entry.removed or entry.number in older:
                folder_store.drop_entry(identity, entry.number)
        layers.sweep_layers(folder_store, identity)
        folder_store.store_collection_name(identity)
        with suppress(OSError, StorageError):
            folder_store.keep_last_good_state(identity)
        return not folder_store.damaged_records(identity)
    except Exception:
        return False


def _find_drafts(folder: Path) -> list[Path]:
    """Drafts left by interrupted writes."""
    return [draft for pattern in _DRAFTS for draft in folder.glob(pattern)]


def _is_abandoned(draft: Path) -> bool:
    """Whether no process writes a draft any more, so that it can be deleted. Other processes write
    long drafts without the folder's lock."""
    try:
        return durable.is_abandoned(draft)
    except FileNotFoundError:
        return False
    except OSError:  # a symbolic link loop, or not writable
        return True
