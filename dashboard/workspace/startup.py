"""Cleaning of a workspace at the start: files that are no longer used are deleted."""

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
"""The id of the user's first collection. Older links use it."""

_DRAFTS = (  # and no others: the folder may contain other files, too
    f"{'[0-9a-f]' * 64}{durable.DRAFT}",
    f"collections/*{durable.DRAFT}",
    f"collections/*/*{durable.DRAFT}",
    f"tables/*{durable.DRAFT}",
    f"cache/*/*{durable.DRAFT}",
)


def clean_workspace(workspace: Workspace) -> None:
    """Clean up the folder, and save a copy of each changed database as its last good state.

    Nothing happens if the folder cannot be written, or if another process is changing it or backing
    it up."""
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
    """Hold the lock that is needed to delete files from the workspace. Raises Timeout if the lock
    cannot be acquired within `wait` seconds."""
    with FileLock(folder / "removing.lock", mode=0o600).acquire(wait):
        yield


def _sweep_folder(folder_store: FolderStore) -> None:
    """Delete what was removed before this start, unfinished drafts, and tables that no record
    names.

    If any record cannot be read, no table is deleted, because the record may name it. A file that
    was replaced is deleted only after the newer table was found to be intact."""
    # Interrupted writes leave drafts.
    for draft in [path for pattern in _DRAFTS for path in folder_store.folder.glob(pattern)]:
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


def _sweep_collection(folder_store: FolderStore, collection_id: str) -> bool:
    """Clean up a collection, and return whether all its records can be read.

    An error does not stop the cleaning of other collections. It is reported by the page that lists
    the collections."""
    try:
        if folder_store.read_collection(collection_id).removed:
            folder_store.drop_collection(collection_id)
            return True
        all_entries = folder_store.entries(collection_id)
        older = folder_store.replaced_entry_numbers(all_entries, check_now=True)
        for entry in all_entries:
            if entry.removed or entry.number in older:
                folder_store.drop_entry(collection_id, entry.number)
        layers.sweep_layers(folder_store, collection_id)
        folder_store.store_collection_name(collection_id)
        with suppress(OSError, StorageError):
            folder_store.save_last_good_state(collection_id)
        return not folder_store.damaged_records(collection_id)
    except Exception:
        return False


def _is_abandoned(draft: Path) -> bool:
    """Return whether no process is still writing a draft, so that it can be deleted. This must be
    checked because other processes write long drafts without holding the folder's lock."""
    try:
        return durable.is_abandoned(draft)
    except FileNotFoundError:
        return False
    except OSError:  # a symbolic link loop, or not writable
        return True
