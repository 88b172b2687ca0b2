"""Collections made, renamed, copied, removed, taken out as one file and in again."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock

import streamlit as st

from dashboard.files.collections import SAMPLE
from dashboard.files.files import SAMPLE_FOLDER, File, list_folder
from dashboard.files.uploaded_file import UploadedFile, packed_in
from dashboard.session.action_messages import doing, tell
from dashboard.session.address import forget, goto, href
from dashboard.session.open_collection import (
    OF_ANOTHER,
    all_collections,
    files_of,
    open_collection,
    workspace,
)
from dashboard.workspace import Collection
from dashboard.workspace.adding import content_in, now
from dashboard.workspace.disk.records import BASELINE_RULE
from dashboard.workspace.starting import OWN
from dashboard.workspace.taken_out.packing import pack, pack_tables, unpack
from metrics_core.formats import Loaded
from metrics_core.tables.run_names import free_name

_LONGEST_NAME = 80
_MAKING = Lock()


def collection_href(identity: str) -> str:
    """The link that opens a collection."""
    return href("overview", **OF_ANOTHER, set=identity)


def open_own_files() -> None:
    """Go from the example to where a reader's own files are added: to Files of the collection that
    was opened last, or of a first one. Does not return."""
    here = all_collections().chosen("")
    if here == SAMPLE and workspace().has(OWN):
        goto("collections")  # it was removed, and can be restored there
    goto("data", **OF_ANOTHER, set=OWN if here == SAMPLE else here)


def made(name: str) -> Collection:
    """A new collection; the reader's first one has the id that older links name."""
    identity = "" if workspace().has(OWN) else OWN
    return workspace().new(_free(name), identity)


def make_collection(field: str, drawn: int) -> None:
    """Make an empty collection of the name in the field of this key and open it; for the callback
    of a form that was `drawn` with this generation, which makes one however often it is sent."""
    name = _cleaned(str(st.session_state.get(field, ""))) or "My files"
    done: set[int] = st.session_state.setdefault("_collections_made", set())

    def once() -> None:
        with _MAKING:
            if drawn in done:
                return
            new = made(name)
            done.add(drawn)
        open_collection(new.id)
        forget("new_collection")

    doing(once)


def rename_collection(identity: str, name: str) -> None:
    """Give a collection another name; an empty one changes nothing."""
    if _cleaned(name):
        doing(lambda: workspace().rename(identity, _cleaned(name)))


def duplicate_collection(identity: str) -> None:
    """Copy a collection."""
    name = f"{all_collections().name_of(identity)}, copy"

    def copied() -> None:
        own = workspace().has(identity) and all_collections().folder_of(identity) is None
        copy = workspace().duplicate(identity, _free(name)) if own else copy_of(identity, name)
        tell(f"“{copy.name}” was created.")
        forget("collections")

    doing(copied)


def copy_of(identity: str, name: str) -> Collection:
    """A collection that holds the files of the example or of a folder as they are now, and what was
    said of it."""
    copy, files = made(name), _whole_files(identity)
    for loaded in _loaded(files):
        workspace().add(copy.id, loaded, beside=True)
    with workspace().writing() as shelves:
        shelves.put_collection(_told(identity, files, copy))
        shelves.put_contents(copy.id, workspace().contents(identity))
    return copy


def _whole_files(identity: str) -> list[File]:
    return [file for file in files_of(identity) if file.table is not None]


def _loaded(files: Sequence[File]) -> list[Loaded]:
    return [Loaded(f.table, "", f.read_as, f.file) for f in files if f.table is not None]


def _told(identity: str, files: Sequence[File], copy: Collection) -> Collection:
    """The record of a copy, with all that was said of the collection; the judgments in use have the
    key of their rows there."""
    if not workspace().has(identity):
        return copy
    told = workspace().collection(identity)
    used = next((f.table for f in files if f.key == told.judgments and f.kind == "qrels"), None)
    judgments = content_in(used, "qrels") if used is not None else told.judgments
    return replace(
        told, id=copy.id, name=copy.name, changed=copy.changed, removed=False, judgments=judgments
    )


def remove_collection(identity: str) -> None:
    """Remove a collection; it can be brought back until the next start."""

    def removed() -> None:
        name = all_collections().name_of(identity)
        workspace().remove(identity)
        tell(f"“{name}” was removed.", "", (("Undo", lambda: workspace().restore(identity)),))

    doing(removed)


def restore_collection(identity: str) -> None:
    """Undo the removal of a collection."""
    doing(lambda: workspace().restore(identity))


def restore_good(identity: str) -> None:
    """Go back to the last good state of a collection whose database cannot be read."""
    doing(lambda: workspace().restore_good(identity))


def packed_collection(identity: str) -> bytes:
    """A collection as one file; the example or a folder with its files as they are now."""
    out = io.BytesIO()
    if all_collections().folder_of(identity) is None:
        pack(workspace(), identity, out)
        return out.getvalue()
    files = _whole_files(identity)
    new = Collection(
        identity, all_collections().name_of(identity), now(), baseline_rule=BASELINE_RULE
    )
    contents = workspace().contents(identity)
    pack_tables(_told(identity, files, new), _loaded(files), out, contents)
    return out.getvalue()


def example_files() -> bytes:
    """The files of the example as one zip, as they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in list_folder(SAMPLE_FOLDER).read:
            packed.write(path, path.name)
    return out.getvalue()


def take_in(given: UploadedFile, kept: Callable[[], None]) -> None:
    """Make a collection of a packed one, and open it; `kept` is called as soon as it is there."""

    def taken() -> None:
        new = unpack(workspace(), packed_in(given), file=given.name)
        kept()
        open_collection(new.id)
        tell(f"“{new.name}” was imported from {given.name}.")

    doing(taken)


def _free(name: str) -> str:
    return free_name(name, [c.name for c in workspace().collections()])


def _cleaned(name: str) -> str:
    return " ".join(name.split())[:_LONGEST_NAME]
