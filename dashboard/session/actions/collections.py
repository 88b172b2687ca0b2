"""Create, rename, copy, remove, export and import collections."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock

import streamlit as st

from dashboard.files.collections import SAMPLE
from dashboard.files.files import SAMPLE_FOLDER, File, list_folder
from dashboard.files.uploaded_file import UploadedFile, find_packed_collection
from dashboard.session.action_messages import add_message, run_action
from dashboard.session.address import goto, href, reset_widget
from dashboard.session.open_collection import (
    CLEARED_FIELDS,
    all_collections,
    collection_files,
    open_collection,
    workspace,
)
from dashboard.workspace import Collection
from dashboard.workspace.adding import current_time, hash_content
from dashboard.workspace.disk.records import BASELINE_RULE
from dashboard.workspace.exports.packing import (
    import_packed_collection,
    pack_tables,
    write_packed_collection,
)
from dashboard.workspace.startup import OWN_COLLECTION
from metrics_core.formats import Loaded
from metrics_core.tables.run_names import find_free_name

_LONGEST_NAME = 80
_MAKING = Lock()


def collection_href(collection_id: str) -> str:
    """Return the link that opens a collection."""
    return href("overview", **CLEARED_FIELDS, set=collection_id)


def open_own_files() -> None:
    """Leave the example, and open the Files page of the user's collection that was opened last.

    If the user has no collection, a first one is created and opened. If the first one was removed,
    the Collections page is opened, where it can be restored. This function does not return."""
    identity = all_collections().choose_collection("")
    if identity == SAMPLE and workspace().has_collection(OWN_COLLECTION):
        goto("collections")  # it was removed; it can be restored there
    goto("data", **CLEARED_FIELDS, set=OWN_COLLECTION if identity == SAMPLE else identity)


def create_collection(name: str) -> Collection:
    """Create a collection. The user's first collection gets a fixed id, because older links use
    this id."""
    identity = "" if workspace().has_collection(OWN_COLLECTION) else OWN_COLLECTION
    return workspace().get_or_create_collection(_find_unused_name(name), identity)


def create_and_open_collection(field_key: str, form_generation: int) -> None:
    """Create an empty collection and open it. Its name is the text in the form field with the key
    `field_key`.

    This is the callback of the form that was drawn with `form_generation`. Only one collection is
    created, even if the form is submitted several times."""
    name = clean_name(str(st.session_state.get(field_key, ""))) or "My files"
    done: set[int] = st.session_state.setdefault("_collections_made", set())

    def create_once() -> None:
        with _MAKING:
            if form_generation in done:
                return
            new = create_collection(name)
            done.add(form_generation)
        open_collection(new.id)
        reset_widget("new_collection")

    run_action(create_once)


def rename_collection(collection_id: str, name: str) -> None:
    """Rename a collection. If the new name is empty, nothing changes."""
    if clean_name(name):
        run_action(lambda: workspace().rename_collection(collection_id, clean_name(name)))


def duplicate_collection(collection_id: str) -> None:
    """Duplicate a collection."""
    name = f"{all_collections().name_of(collection_id)}, copy"

    def make_copy() -> None:
        is_own = (
            workspace().has_collection(collection_id)
            and all_collections().folder_of(collection_id) is None
        )
        copy = (
            workspace().duplicate_collection(collection_id, _find_unused_name(name))
            if is_own
            else copy_collection(collection_id, name)
        )
        add_message(f"“{copy.name}” was created.")
        reset_widget("collections")

    run_action(make_copy)


def copy_collection(collection_id: str, name: str) -> Collection:
    """Copy the example or the collection of a folder, with its current files and its settings."""
    copy, files = create_collection(name), _table_files(collection_id)
    for loaded in _loaded_tables(files):
        workspace().add_table(copy.id, loaded, keep_both=True)
    with workspace().hold_write_lock() as shelves:
        shelves.put_collection(_make_copy_record(collection_id, files, copy))
        shelves.put_contents(copy.id, workspace().contents(collection_id))
    return copy


def _table_files(collection_id: str) -> list[File]:
    return [file for file in collection_files(collection_id) if file.table is not None]


def _loaded_tables(files: Sequence[File]) -> list[Loaded]:
    return [Loaded(f.table, "", f.read_as, f.file) for f in files if f.table is not None]


def _make_copy_record(collection_id: str, files: Sequence[File], copy: Collection) -> Collection:
    """Return the record for a copy of a collection, with all settings of the original. The
    judgments in use are identified by the hash of their rows, because the files have other keys in
    the copy."""
    record = all_collections().record(collection_id)
    current_table = next(
        (f.table for f in files if f.key == record.judgments and f.kind == "qrels"), None
    )
    judgments = (
        hash_content(current_table, "qrels") if current_table is not None else record.judgments
    )
    return replace(
        record, id=copy.id, name=copy.name, changed=copy.changed, removed=False, judgments=judgments
    )


def remove_collection(collection_id: str) -> None:
    """Remove a collection. It can be restored until the next start of Ranklens."""

    def remove() -> None:
        name = all_collections().name_of(collection_id)
        workspace().remove_collection(collection_id)
        add_message(
            f"“{name}” was removed.",
            "",
            (("Undo", lambda: workspace().restore_collection(collection_id)),),
        )

    run_action(remove)


def restore_collection(collection_id: str) -> None:
    """Undo the removal of a collection."""
    run_action(lambda: workspace().restore_collection(collection_id))


def restore_last_good_state(collection_id: str) -> None:
    """Restore the last good state of a collection whose database cannot be read."""
    run_action(lambda: workspace().restore_last_good_state(collection_id))


def pack_collection(collection_id: str) -> bytes:
    """Return a collection packed into one file. The example and the collection of a folder are
    packed with their current files."""
    out = io.BytesIO()
    if all_collections().folder_of(collection_id) is None:
        write_packed_collection(workspace(), collection_id, out)
        return out.getvalue()
    files = _table_files(collection_id)
    new = Collection(
        collection_id,
        all_collections().name_of(collection_id),
        current_time(),
        baseline_rule=BASELINE_RULE,
    )
    contents = workspace().contents(collection_id)
    pack_tables(_make_copy_record(collection_id, files, new), _loaded_tables(files), out, contents)
    return out.getvalue()


def pack_example() -> bytes:
    """Return the original files of the example as a zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in list_folder(SAMPLE_FOLDER).read:
            packed.write(path, path.name)
    return out.getvalue()


def import_collection(upload: UploadedFile, on_stored: Callable[[], None]) -> None:
    """Import a packed collection and open it. `on_stored` is called as soon as the collection is
    stored."""

    def import_packed() -> None:
        new = import_packed_collection(
            workspace(), find_packed_collection(upload), file=upload.name
        )
        on_stored()
        open_collection(new.id)
        add_message(f"“{new.name}” was imported from {upload.name}.")

    run_action(import_packed)


def _find_unused_name(name: str) -> str:
    return find_free_name(name, [c.name for c in workspace().read_collections()])


def clean_name(name: str) -> str:
    """Return a typed name without superfluous spaces, shortened to the maximum length of a name."""
    return " ".join(name.split())[:_LONGEST_NAME]
