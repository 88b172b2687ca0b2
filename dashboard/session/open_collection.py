"""The open collection, its files and their study. They are cached between runs of the app and
shared by all visits."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st

from dashboard.environment import data_folder, workspace_folder
from dashboard.files.collections import SAMPLE, CollectionCatalog
from dashboard.files.files import (
    BEFORE,
    File,
    FolderListing,
    guess_kind,
    list_folder,
    read_file,
)
from dashboard.files.judged_places import CachedRanks
from dashboard.files.long_runs import ConvertedFiles, may_be_long_run
from dashboard.files.shape_choices import Answers, find_choices
from dashboard.files.workspace_files import LoadedFiles
from dashboard.session.action_messages import run_action
from dashboard.session.address import address, change_address
from dashboard.session.file_reading import FileReading
from dashboard.session.memory import release_unused
from dashboard.study.library import Library, assemble_library, judgment_files_by_name
from dashboard.study.study import Study
from dashboard.workspace import (
    DEFAULT_SETTINGS,
    Collection,
    Entry,
    Settings,
    StorageError,
    Workspace,
)
from dashboard.workspace.disk.durable import State, file_state, last_write_time
from dashboard.workspace.long_runs.stored_run import StoredRun
from dashboard.workspace.startup import clean_workspace
from metrics_core.base import wording as w
from metrics_core.base.notes import Note
from metrics_core.formats.registry import Kind
from metrics_core.formats.source.opening import open_source
from metrics_core.tables import Qrels, Run, Table

CLEARED_FIELDS: dict[str, Any] = {
    "run": "",
    "base": "",
    "also": (),
    "where": (),
    "qrels": "",
    "layers": (),
}
"""Empty values of the address fields that apply only to the present collection."""


@st.cache_resource(show_spinner=False)
def workspace() -> Workspace:
    """Return the workspace, which stores the uploaded files. When it is first opened, its unused
    files are removed, and its tables are checked in the background."""
    folder = Workspace(workspace_folder())
    clean_workspace(folder)
    Thread(target=folder.check_tables, name="check of the workspace", daemon=True).start()
    return folder


@st.cache_resource(show_spinner=False)
def _loaded_files(_workspace: Workspace) -> LoadedFiles:
    return LoadedFiles(_workspace)


def all_collections() -> CollectionCatalog:
    """Return the catalog of all collections."""
    folder = data_folder()
    return CollectionCatalog(workspace(), Path(folder) if folder else None)


def current_collection_id() -> str:
    """Return the id of the open collection."""
    return all_collections().choose_collection(address()["set"])


def is_collection_missing() -> bool:
    """Return whether the requested collection does not exist."""
    return not all_collections().has_collection(current_collection_id())


def add_to_workspace(collection_id: str) -> None:
    """Add a collection with read-only files, such as the example, to the workspace, so that its
    settings and new judgments can be stored. Raises StorageError."""
    if not workspace().has_collection(collection_id):
        workspace().get_or_create_collection(
            all_collections().name_of(collection_id), collection_id
        )


def change_collection(change: Callable[[str], object]) -> bool:
    """Call `change` with the id of the open collection, after `add_to_workspace`. Return whether
    this succeeded. If it fails, add a message about the error."""
    identity = current_collection_id()

    def add_and_change() -> None:
        add_to_workspace(identity)
        change(identity)

    return run_action(add_and_change)


def change_record(change: Callable[[Collection], Collection]) -> bool:
    """Replace the record of the open collection by `change(record)`, and return whether this
    succeeded, like `change_collection`."""
    return change_collection(lambda identity: workspace().change_record(identity, change))


def open_collection(collection_id: str) -> None:
    """Open a collection. Address fields that apply only to the previous collection are cleared."""
    change_address(
        **(CLEARED_FIELDS if collection_id != current_collection_id() else {}), set=collection_id
    )


def current_library() -> Library:
    """Return the files of the open collection and their study. They are looked up once per run of
    the app."""
    library: Library | None = st.session_state.get("_library")
    if library is None:
        library = st.session_state["_library"] = load_library(
            current_collection_id(), address()["qrels"]
        )
    return library


def collection_files(collection_id: str) -> list[File]:
    """Return the files of a collection."""
    return _collection_files(
        collection_id, all_collections().folder_of(collection_id), _folder_listing(collection_id)
    )


def collection_judgments(collection_id: str) -> list[Qrels]:
    """Return the judgments of a collection without loading its other files. Judgments that cannot
    be read are omitted."""
    folder, store = all_collections().folder_of(collection_id), workspace()
    files = (
        _folder_files(folder, _folder_listing(collection_id), collection_id, kind="qrels")
        if folder
        else []
    )
    entries = (
        [e for e in store.entries(collection_id) if e.kind == "qrels"]
        if collection_id != SAMPLE
        else []
    )
    tables = [f.table for f in files] + [_load_judgments(entry.table, entry) for entry in entries]
    return [table for table in tables if isinstance(table, Qrels)]


@st.cache_resource(show_spinner=False, max_entries=50)
def _load_judgments(table: str, _entry: Entry) -> Table | None:
    try:
        return workspace().load_table(_entry)
    except StorageError:
        return None


def load_library(collection_id: str, qrels_key: str = "") -> Library:
    """Load the files of a collection and make their study.

    `qrels_key` is the name or the key of the requested judgments. If it is empty, the judgments
    that the collection has used so far are used."""
    folder, listing = all_collections().folder_of(collection_id), _folder_listing(collection_id)
    files = _collection_files(collection_id, folder, listing)
    keys = {f.key: f.key for f in files}
    named_files = judgment_files_by_name(files)
    keys |= {name: f.key for name, f in named_files.items()}
    record = all_collections().record(collection_id)
    qrels_key = keys.get(qrels_key) or keys.get(record.judgments, "")
    if len(named_files) < 2:
        qrels_key = ""  # naming the only judgments must not make another study
    state = (
        record.settings,
        *((f.key, f.version, f.table.name if isinstance(f.table, Run) else "") for f in files),
    )
    _forget_outdated_libraries(collection_id, qrels_key, state)
    library = _assemble_library(collection_id, qrels_key, state, files, record.settings)
    left_out_notes = _skipped_file_notes(folder, listing)
    return replace(library, notes=(*library.notes, *left_out_notes)) if left_out_notes else library


@st.cache_resource(show_spinner="Judging the runs …", max_entries=8)
def _assemble_library(
    collection_id: str,
    qrels_key: str,
    state: Hashable,
    _files: Sequence[File],
    _settings: Settings,
) -> Library:
    judging = CachedRanks(workspace().cache)
    library = assemble_library(
        _files, qrels_key=qrels_key, join_with_judgments=judging, settings=_settings
    )
    if any(isinstance(f.table, StoredRun) for f in _files):
        release_unused()
    return library


@st.cache_resource(show_spinner=False)
def _library_states() -> dict[str, dict[str, Hashable]]:
    """Return, by collection and requested judgments, the states that the files had when the cached
    library was made from them."""
    return {}


@st.cache_resource(show_spinner=False)
def previewed_studies() -> WeakValueDictionary[str, Study]:
    """Return, by collection, the study for which the collection's preview was last checked."""
    return WeakValueDictionary()


def _forget_outdated_libraries(collection_id: str, qrels_key: str, state: Hashable) -> None:
    """Remove cached libraries whose files have changed or were removed, because such libraries may
    contain large tables."""
    states = _library_states().setdefault(collection_id, {})
    for key, old_state in list(states.items()):
        if old_state != state:
            _assemble_library.clear(collection_id, key, old_state, (), DEFAULT_SETTINGS)
            states.pop(key, None)
    states[qrels_key] = state


# Folders


def _folder_listing(collection_id: str) -> FolderListing:
    folder = all_collections().folder_of(collection_id)
    return list_folder(folder, workspace=workspace().folder) if folder else FolderListing(())


def _collection_files(
    collection_id: str, folder: Path | None, listing: FolderListing
) -> list[File]:
    uploads = (
        _loaded_files(workspace()).list_files(collection_id) if collection_id != SAMPLE else []
    )
    return (_folder_files(folder, listing, collection_id) if folder else []) + uploads


def _folder_files(
    folder: Path, listing: FolderListing, collection_id: str, kind: Kind | None = None
) -> list[File]:
    """Return the files of a folder. If `kind` is given, return only the files that may contain this
    kind of table."""
    origin = "sample" if collection_id == SAMPLE else "folder"
    answers = {} if collection_id == SAMPLE else all_collections().choices_by_shape(collection_id)
    choices = all_collections().record(collection_id).choices
    requests: list[_FolderFile] = []
    for path in listing.read:
        if kind and guess_kind(path) not in (kind, None):
            continue
        name = str(path.relative_to(folder))
        with_choices = json.dumps(
            find_reading_choices(choices, answers, path, name), sort_keys=True
        )
        requests.append((str(path), name, origin, file_state(path), with_choices))
    # With many files, a cache look-up for each takes longer than the page, and usually none has
    # changed.
    previous = _last_folder_reads().get((collection_id, kind))
    if previous is None or previous[0] != requests:
        previous = _last_folder_reads()[collection_id, kind] = (
            requests,
            _read_requested_files(requests),
        )
    return previous[1]


def find_reading_choices(
    choices: Answers, choices_by_shape: Answers, path: Path, name: str
) -> Mapping[str, Any]:
    """Return the choices for reading a file of a folder. Choices for the file's name take
    precedence over choices for its shape."""
    if name in choices or may_be_long_run(path):
        return choices.get(name, {})
    before = find_choices(path, name, choices_by_shape)
    return {**before, BEFORE: True} if before else {}


_FolderFile = tuple[str, str, Any, State | None, str]
"""A file that is read from a folder: its path, name, origin and state, and the choices for reading
it, encoded as JSON."""


@st.cache_resource(show_spinner=False)
def _last_folder_reads() -> dict[tuple[str, Kind | None], tuple[list[_FolderFile], list[File]]]:
    """Return the cache of the last read of each folder, by collection and kind. It has the files
    that were requested and the result of reading them."""
    return {}


def _read_requested_files(requests: Sequence[_FolderFile]) -> list[File]:
    long = [request for request in requests if may_be_long_run(Path(request[0]))]
    # Short files first: long runs are judged while they are read, which needs the judgments.
    files_by_request = {
        request: _read_folder_file(*request) for request in requests if request not in long
    }
    for number, request in enumerate(long, start=1):
        tables = (file.table for files in files_by_request.values() for file in files)
        judgments = [table for table in tables if isinstance(table, Qrels)]
        # Start the next one, too: a file that was converted before is only checked.
        for upcoming in long[number - 1 : number + 1]:
            _file_reading(*upcoming, judgments)
        progress_note = f", file {len(requests) - len(long) + number} of {len(requests)}"
        files_by_request[request] = _read_long_folder_file(request, judgments, progress_note)
    return [file for request in requests for file in files_by_request[request]]


@st.cache_resource(show_spinner=False, max_entries=200)
def _read_folder_file(
    path: str, name: str, origin: Any, state: State | None, choices: str
) -> list[File]:
    return _add_versions(
        read_file(Path(path), display_name=name, origin=origin, choices=json.loads(choices)),
        state,
        choices,
    )


def _read_long_folder_file(
    request: _FolderFile, judgments: Sequence[Qrels], progress_note: str
) -> list[File]:
    """Read a file that may contain a long run. A bar shows the progress."""
    reading = _file_reading(*request, judgments)
    try:
        return reading.show_progress(progress_note)
    finally:
        if reading.has_failed:  # the next attempt reads it again
            _file_reading.clear(*request, judgments)


@st.cache_resource(show_spinner=False, max_entries=200)
def _file_reading(
    path: str,
    name: str,
    origin: Any,
    state: State | None,
    choices: str,
    _judgments: Sequence[Qrels],
) -> FileReading[list[File]]:
    converted = ConvertedFiles(workspace().cache)

    def read(progress: Callable[[int], None]) -> list[File]:
        files = converted.read(
            Path(path),
            state,
            display_name=name,
            origin=origin,
            choices=json.loads(choices),
            judgments=_judgments,
            progress=progress,
        )
        return _add_versions(files, state, choices)

    return FileReading(open_source(path, name), read)


def _add_versions(files: Sequence[File], state: State | None, choices: str) -> list[File]:
    version, when = f"{state} {choices}", last_write_time(state)
    return [replace(file, version=version, written=when) for file in files]


def _skipped_file_notes(folder: Path | None, listing: FolderListing) -> tuple[Note, ...]:
    if folder is None or not listing.left_out:
        return ()
    names = [str(path.relative_to(folder)) for path in listing.left_out]
    message = (
        f"{w.format_count(len(names))} of the {w.format_count(len(listing.read) + len(names))}"
        " files in the folder were skipped because there are too many (runs are skipped first):"
        f" {w.join_words(names[:3])}{' …' if len(names) > 3 else ''}"
    )
    return (Note("left_out", message, len(names), loud=True),)


def reread_with_choices(file: str, **choices: Any) -> None:
    """Add these choices to the stored choices for a file of the open folder. The file is then read
    again."""

    def add_choices(record: Collection) -> Collection:
        all_choices = {**record.choices.get(file, {}), **choices}
        return replace(record, choices={**record.choices, file: all_choices})

    change_record(add_choices)
