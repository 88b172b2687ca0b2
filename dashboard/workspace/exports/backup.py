"""Backup of a whole workspace as one zip file, which is possible while other processes change the
workspace."""

from __future__ import annotations

import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from filelock import Timeout

from dashboard.workspace.disk import database
from dashboard.workspace.disk.errors import DamagedDatabaseError, StorageError
from dashboard.workspace.disk.folder_store import FolderStore
from dashboard.workspace.startup import hold_removal_lock
from dashboard.workspace.store import Workspace

_LONGEST_WAIT = 60.0
_FILE, _FOLDER = stat.S_IFREG | 0o600, stat.S_IFDIR | 0o700
_EPOCH = (1980, 1, 1, 0, 0, 0)


def write_backup(folder: Path, out: IO[bytes]) -> list[str]:
    """Write a zip file of a workspace. The unpacked zip is a workspace folder. Return the names of
    the collections with damaged databases; such databases are copied unchanged.

    Databases are copied before tables, so that every table that a database names is included.
    Raises OSError, and StorageError if there is no workspace or if it cannot be read."""
    workspace, folder_store = Workspace(folder), FolderStore(folder)
    if folder_store.version() is None:
        raise StorageError(f"There is no workspace in {folder}.", "Give the folder of a workspace.")
    try:
        with (
            hold_removal_lock(folder, _LONGEST_WAIT),
            tempfile.TemporaryDirectory() as scratch,
            zipfile.ZipFile(out, "w") as packed,
        ):
            copies, damaged = _copy_databases(folder_store, Path(scratch))
            for name in ("collections", *(str(Path(name).parent) for name in copies), "tables"):
                if f"{name}/" not in packed.namelist() and name != ".":
                    _add_member(packed, f"{name}/", None)
            for name, copy in (
                *copies.items(),
                *_list_files(folder_store, workspace.paths_moved_aside()),
            ):
                _add_member(packed, name, copy)
    except Timeout:
        raise StorageError(
            f"Another Ranklens is starting on {folder} or backing it up.",
            "Try again when it has finished.",
        ) from None
    return [workspace.collection(identity).name for identity in damaged]


def _copy_databases(folder_store: FolderStore, scratch: Path) -> tuple[dict[str, Path], list[str]]:
    """Copy the databases. Return the copy of each database by name, and the names of the
    collections whose database is damaged."""
    copies = {folder_store.list_path: scratch / "list"}
    damaged = []
    database.copy_database(folder_store.list_path, copies[folder_store.list_path])
    for identity in folder_store.collection_ids():
        path = folder_store.database_path(identity)
        try:
            folder_store.contents(identity)
            copies[path] = scratch / identity
            database.copy_database(path, copies[path])
        except DamagedDatabaseError:
            damaged.append(identity)
            copies |= {p: p for p in path.parent.glob("state*.db") if p.is_file()}
    return {str(p.relative_to(folder_store.folder)): copy for p, copy in copies.items()}, damaged


def _list_files(
    folder_store: FolderStore, moved_aside_paths: Iterable[Path]
) -> Iterator[tuple[str, Path]]:
    for path in (*moved_aside_paths, *map(folder_store.table_path, folder_store.table_names())):
        if path.is_file():
            yield str(path.relative_to(folder_store.folder)), path


def _add_member(packed: zipfile.ZipFile, name: str, path: Path | None) -> None:
    """Add a file or folder to the zip. After unpacking, only the user's account can access it."""
    member = zipfile.ZipInfo(name, _EPOCH)
    member.create_system = 3  # Unix, for these permissions
    member.external_attr = (_FOLDER if path is None else _FILE) << 16
    if path is None:
        packed.writestr(member, b"")
        return
    if path.suffix != ".parquet":  # which is compressed already
        member.compress_type = zipfile.ZIP_DEFLATED
    with path.open("rb") as source, packed.open(member, "w", force_zip64=True) as target:
        shutil.copyfileobj(source, target, 1 << 20)
