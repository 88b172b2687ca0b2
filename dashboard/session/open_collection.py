"""The open collection, its files and their study, kept between runs of the page and shared by all
visitors."""

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
from dashboard.files.collections import SAMPLE, Collections
from dashboard.files.files import BEFORE, File, Listing, glanced, list_folder, read_files
from dashboard.files.judged_places import KeptRanks
from dashboard.files.long_runs import ConvertedFiles, may_be_long
from dashboard.files.of_workspace import LoadedFiles
from dashboard.files.remembered import Answers, choices_before
from dashboard.session.action_messages import doing
from dashboard.session.address import address, change
from dashboard.session.memory import give_back_what_is_unused
from dashboard.session.reading import FileReading
from dashboard.study.library import Library, assemble, named_judgments
from dashboard.study.study import Study
from dashboard.workspace import NOTHING_SAID, Entry, Settings, StorageError, Workspace
from dashboard.workspace.disk.durable import State, state_of, written
from dashboard.workspace.long_runs.stored_run import StoredRun
from dashboard.workspace.starting import start
from metrics_core.base import wording as w
from metrics_core.base.notes import Note
from metrics_core.formats.registry import Kind
from metrics_core.formats.source.opening import open_source
from metrics_core.tables import Qrels, Run, Table

OF_ANOTHER: dict[str, Any] = {
    "run": "",
    "base": "",
    "also": (),
    "where": (),
    "qrels": "",
    "layers": (),
}
"""What of an address fits one collection only."""


@st.cache_resource(show_spinner=False)
def workspace() -> Workspace:
    """The folder that remembers uploads; what it keeps is looked at in the background."""
    opened = Workspace(workspace_folder())
    start(opened)
    Thread(target=opened.check, name="check of the workspace", daemon=True).start()
    return opened


@st.cache_resource(show_spinner=False)
def _loaded(_workspace: Workspace) -> LoadedFiles:
    return LoadedFiles(_workspace)


def all_collections() -> Collections:
    """Which collections there are."""
    given = data_folder()
    return Collections(workspace(), Path(given) if given else None)


def collection() -> str:
    """The id of the collection that is open."""
    return all_collections().chosen(address()["set"])


def no_collection_open() -> bool:
    """Whether no collection is open: the asked one is not here."""
    return not all_collections().has(collection())


def give_place(here: str) -> None:
    """Give a collection a place in the workspace: files that can only be read, as those of the
    example, are not written, and what is said and judged there is kept beside. Raises
    StorageError."""
    if not workspace().has(here):
        workspace().new(all_collections().name_of(here), here)


def open_collection(identity: str) -> None:
    """Open a collection: nothing of the other's address fits it."""
    change(**(OF_ANOTHER if identity != collection() else {}), set=identity)


def library_here() -> Library:
    """The open files and the study they make; looked for once a run of the page."""
    known: Library | None = st.session_state.get("_library")
    if known is None:
        known = st.session_state["_library"] = library_of(collection(), address()["qrels"])
    return known


def files_of(identity: str) -> list[File]:
    """The files of a collection."""
    return _files(identity, all_collections().folder_of(identity), _listing(identity))


def judgments_of(identity: str) -> list[Qrels]:
    """The judgments of a collection without the rest of it; those that cannot be read are left
    out."""
    folder, kept = all_collections().folder_of(identity), workspace()
    files = _files_in(folder, _listing(identity), identity, only="qrels") if folder else []
    own = [e for e in kept.entries(identity) if e.kind == "qrels"] if identity != SAMPLE else []
    tables = [f.table for f in files] + [_judgments(entry.table, entry) for entry in own]
    return [table for table in tables if isinstance(table, Qrels)]


@st.cache_resource(show_spinner=False, max_entries=50)
def _judgments(table: str, _entry: Entry) -> Table | None:
    try:
        return workspace().load(_entry)
    except StorageError:
        return None


def library_of(identity: str, asked: str = "") -> Library:
    """The files of a collection and the study they make, by the judgments that are asked for by
    name, or those that the collection has used so far."""
    folder, listing = all_collections().folder_of(identity), _listing(identity)
    files = _files(identity, folder, listing)
    known = {f.key: f.key for f in files}
    several = named_judgments(files)
    known |= {name: f.key for name, f in several.items()}
    asked = known.get(asked) or known.get(all_collections().judgments_of(identity), "")
    if len(several) < 2:
        asked = ""  # who names the only ones does not want another study
    settings = all_collections().settings_of(identity)
    state = (
        settings,
        *((f.key, f.version, f.table.name if isinstance(f.table, Run) else "") for f in files),
    )
    _let_go_of_older(identity, asked, state)
    made = _assembled(identity, asked, state, files, settings)
    left_out = _left_out(folder, listing)
    return replace(made, notes=(*made.notes, *left_out)) if left_out else made


@st.cache_resource(show_spinner="Judging the runs …", max_entries=8)
def _assembled(
    identity: str,
    qrels_key: str,
    state: Hashable,
    _files: Sequence[File],
    _settings: Settings,
) -> Library:
    judging = KeptRanks(workspace().cache)
    made = assemble(_files, qrels_key=qrels_key, judging=judging, settings=_settings)
    if any(isinstance(f.table, StoredRun) for f in _files):
        give_back_what_is_unused()
    return made


@st.cache_resource(show_spinner=False)
def _states() -> dict[str, dict[str, Hashable]]:
    """Collection -> judgments asked for -> the files that were assembled last."""
    return {}


@st.cache_resource(show_spinner=False)
def previewed() -> WeakValueDictionary[str, Study]:
    """Collection -> the study that was looked at last for its preview."""
    return WeakValueDictionary()


def _let_go_of_older(identity: str, asked: str, state: Hashable) -> None:
    """Forget what was assembled of files that have changed or gone: it may hold large tables."""
    of_this = _states().setdefault(identity, {})
    for key, then in list(of_this.items()):
        if then != state:
            _assembled.clear(identity, key, then, (), NOTHING_SAID)
            of_this.pop(key, None)
    of_this[asked] = state


# Folders


def _listing(identity: str) -> Listing:
    folder = all_collections().folder_of(identity)
    return list_folder(folder, workspace=workspace().folder) if folder else Listing(())


def _files(identity: str, folder: Path | None, listing: Listing) -> list[File]:
    own = _loaded(workspace()).of(identity) if identity != SAMPLE else []
    return (_files_in(folder, listing, identity) if folder else []) + own


def _files_in(
    folder: Path, listing: Listing, identity: str, only: Kind | None = None
) -> list[File]:
    """The files of a folder, or only those that may hold one kind of table."""
    origin = "sample" if identity == SAMPLE else "folder"
    answers = {} if identity == SAMPLE else all_collections().answers_of(identity)
    choices = all_collections().choices_of(identity)
    asked: list[_OfFolder] = []
    for path in listing.read:
        if only and glanced(path) not in (only, None):
            continue
        shown = str(path.relative_to(folder))
        with_choices = json.dumps(choices_for(choices, answers, path, shown), sort_keys=True)
        asked.append((str(path), shown, origin, state_of(path), with_choices))
    # Of many files, asking for each takes longer than the page; mostly none has changed.
    then = _read_last().get((identity, only))
    if then is None or then[0] != asked:
        then = _read_last()[identity, only] = asked, _read_each(asked)
    return then[1]


def choices_for(choices: Answers, answers: Answers, path: Path, shown: str) -> Mapping[str, Any]:
    """How a file of a folder is read: as was chosen for it by name, else for files of its shape."""
    if shown in choices or may_be_long(path):
        return choices.get(shown, {})
    before = choices_before(path, shown, answers)
    return {**before, BEFORE: True} if before else {}


_OfFolder = tuple[str, str, Any, State | None, str]
"""Path, name, origin and state of a file, and the choices by which it is read, as JSON."""


@st.cache_resource(show_spinner=False)
def _read_last() -> dict[tuple[str, Kind | None], tuple[list[_OfFolder], list[File]]]:
    """Collection and kind -> what was asked of its folder last, and the files."""
    return {}


def _read_each(asked: Sequence[_OfFolder]) -> list[File]:
    long = [of for of in asked if may_be_long(Path(of[0]))]
    # Judgments first: long runs are judged while they are read.
    found = {of: _of_folder(*of) for of in asked if of not in long}
    for number, of in enumerate(long, start=1):
        tables = (file.table for files in found.values() for file in files)
        judgments = [table for table in tables if isinstance(table, Qrels)]
        # The next one meanwhile: what was converted before needs no turn, and is only checked.
        for begun in long[number - 1 : number + 1]:
            _reading(*begun, judgments)
        which = f", file {len(asked) - len(long) + number} of {len(asked)}"
        found[of] = _long_of_folder(of, judgments, which)
    return [file for of in asked for file in found[of]]


@st.cache_resource(show_spinner=False, max_entries=200)
def _of_folder(path: str, shown: str, origin: Any, state: State | None, choices: str) -> list[File]:
    return _dated(
        read_files(Path(path), shown=shown, origin=origin, choices=json.loads(choices)),
        state,
        choices,
    )


def _long_of_folder(of: _OfFolder, judgments: Sequence[Qrels], which: str) -> list[File]:
    """A file that may hold a long run; a bar shows how much of it is read, and which it is."""
    begun = _reading(*of, judgments)
    try:
        return begun.shown(which)
    finally:
        if begun.failed:  # the next one tries again
            _reading.clear(*of, judgments)


@st.cache_resource(show_spinner=False, max_entries=200)
def _reading(
    path: str,
    shown: str,
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
            shown=shown,
            origin=origin,
            choices=json.loads(choices),
            judgments=_judgments,
            progress=progress,
        )
        return _dated(files, state, choices)

    return FileReading(open_source(path, shown), read)


def _dated(files: Sequence[File], state: State | None, choices: str) -> list[File]:
    version, when = f"{state} {choices}", written(state)
    return [replace(file, version=version, written=when) for file in files]


def _left_out(folder: Path | None, listing: Listing) -> tuple[Note, ...]:
    if folder is None or not listing.left_out:
        return ()
    names = [str(path.relative_to(folder)) for path in listing.left_out]
    message = (
        f"the folder contains {w.count(len(listing.read) + len(names))} files;"
        f" {w.count(len(names))} of them, runs first, were skipped:"
        f" {w.listing(names[:3])}{' …' if len(names) > 3 else ''}"
    )
    return (Note("left_out", message, len(names), loud=True),)


def read_again_with(file: str, **choices: Any) -> None:
    """Read a file of the open folder with other choices, from now on."""
    here = collection()

    def chosen() -> None:
        give_place(here)
        told = workspace().collection(here).choices.get(file, {})
        workspace().read_with(here, file, {**told, **choices})

    doing(chosen)
