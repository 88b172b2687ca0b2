"""The open files and their study, kept between runs of the page and shared by all visitors."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from dashboard.opened.files import SAMPLE_FOLDER, File, list_folder, read_files
from dashboard.opened.library import Library, assemble
from dashboard.opened.workspace import Entry, Workspace, default_folder
from dashboard.session.address import address, change, forget, generation
from dashboard.start import DATA_VARIABLE, WORKSPACE_VARIABLE
from metrics_core import formats
from metrics_core.checks.stored_scores import with_stored_compared
from metrics_core.errors import RanklensError
from metrics_core.formats import Loaded
from metrics_core.tables import Qrels, Run

SAMPLE, OWN = "sample", "own"


@st.cache_resource(show_spinner=False)
def workspace() -> Workspace:
    """The folder that remembers uploads."""
    return Workspace(Path(os.environ.get(WORKSPACE_VARIABLE) or default_folder()))


def data_folder() -> Path | None:
    """The folder given at the start, if any."""
    given = os.environ.get(DATA_VARIABLE)
    return Path(given) if given else None


@st.cache_resource(show_spinner=False, max_entries=200)
def _of_folder(path: str, shown: str, origin: Any, changed: int, size: int) -> list[File]:
    # Time and size are part of the key, so that a file that was written anew is read anew.
    read = read_files(Path(path), shown=shown, origin=origin)
    return [replace(file, version=f"{changed}-{size}") for file in read]


def _files_in(folder: Path, origin: Any) -> list[File]:
    files = []
    for path in list_folder(folder):
        stat = path.stat()
        shown = str(path.relative_to(folder))
        files += _of_folder(str(path), shown, origin, stat.st_mtime_ns, stat.st_size)
    return files


@st.cache_resource(show_spinner=False, max_entries=1_000)
def _remembered(_workspace: Workspace, content: str, name: str, _entry: Entry) -> File:
    return File(
        key=content,
        file=_entry.file,
        origin="upload",
        table=_workspace.load(_entry),
        read_as=_entry.read_as,
        slot=_entry.slot if _entry.kind == "run" else None,
    )


def own_files() -> list[File]:
    """The reader's own files: of the folder given at the start, then of the workspace."""
    folder = data_folder()
    files = _files_in(folder, "folder") if folder else []
    return files + _uploaded(lambda entry: True)


def _uploaded(wanted: Callable[[Entry], bool]) -> list[File]:
    here = workspace()
    return [_remembered(here, e.content, e.name, e) for e in here.entries() if wanted(e)]


def _sample_files() -> list[File]:
    """The example, with what was added to it."""
    return _files_in(SAMPLE_FOLDER, "sample") + _uploaded(lambda entry: entry.with_sample)


def collection() -> str:
    """Which files are open: "sample" or "own"."""
    chosen = address()["set"]
    if chosen in (SAMPLE, OWN):
        return chosen
    own = any(not entry.with_sample for entry in workspace().entries())
    return OWN if data_folder() or own else SAMPLE


def library() -> Library:
    """The open files and the study they make; looked for once a run of the page."""
    known: Library | None = st.session_state.get("_library")
    if known is not None:
        return known
    files = _sample_files() if collection() == SAMPLE else own_files()
    identity = tuple(
        (f.key, f.version, f.table.name if isinstance(f.table, Run) else "") for f in files
    )
    found = _assembled(identity, address()["qrels"], files)
    st.session_state["_library"] = found
    return found


@st.cache_resource(show_spinner="Judging the runs …", max_entries=8)
def _assembled(identity: Any, qrels_key: str, _files: Sequence[File]) -> Library:
    return assemble(_files, qrels_key=qrels_key)


@dataclass(frozen=True)
class Refusal:
    """An uploaded file that could not be read, kept for another try; `key` names its widgets."""

    error: RanklensError
    content: bytes
    key: int


def refusals() -> dict[str, Refusal]:
    """Uploaded files that could not be read, by name."""
    kept: dict[str, Refusal] = st.session_state.setdefault("_refused", {})
    return kept


def read_uploads(files: Iterable[tuple[str, bytes]]) -> Iterator[int]:
    """Read uploaded files into the workspace, counting them as they are read.

    Files without judgments among them are added to the example where it is open; judgments begin
    a collection of the reader's own.
    """
    read: list[Loaded] = []
    for number, (name, content) in enumerate(files):
        yield number
        read += _read(name, content)
    _remember(read)


def _read(name: str, content: bytes, **choices: Any) -> list[Loaded]:
    """A file's tables, or those of a set in a zip; one that cannot be read goes to `refusals`."""
    try:
        if formats.is_set(content):
            read = with_stored_compared(formats.read_set(content, name=name))
        else:
            read = [formats.read(content, name=name, **choices)]
    except RanklensError as error:
        refusals()[name] = Refusal(error, content, generation("refusal"))
        forget("refusal")
        return []
    refusals().pop(name, None)
    return read


def _remember(read: Sequence[Loaded]) -> None:
    beside = collection() == SAMPLE and not any(isinstance(r.table, Qrels) for r in read)
    for loaded in read:
        workspace().add(loaded, slot=_free_slot(), with_sample=beside)
    if read and not beside:
        open_collection(OWN)


def open_collection(name: str) -> None:
    """Open the sample or the reader's own files: nothing of the other's address fits them."""
    asked = {"run": "", "base": "", "also": (), "where": (), "qrels": ""}
    change(**(asked if name != collection() else {}), set=name)


def read_again(name: str, **choices: Any) -> None:
    """Read a refused file with other choices."""
    _remember(_read(name, refusals()[name].content, **choices))


def dismiss(name: str) -> None:
    """Forget a refused file."""
    refusals().pop(name, None)


def remove(content: str) -> None:
    """Forget an uploaded file."""
    workspace().remove(content)


def _free_slot() -> int:
    """The first colour and shape that no run of the reader's has."""
    open_files = _sample_files() if collection() == SAMPLE else own_files()
    runs = [f for f in open_files if isinstance(f.table, Run)]
    taken = {i if f.slot is None else f.slot for i, f in enumerate(runs)}
    return next(i for i in range(len(taken) + 1) if i not in taken)


def give_memory_back() -> None:
    """Return what reading a large file needed to the system."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def spreadsheet(frame: pd.DataFrame) -> bytes:
    """A frame as CSV for a spreadsheet."""
    return formats.spreadsheet_csv(formats.with_whole_counts(frame))
