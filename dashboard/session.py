"""The only user of Streamlit's session state, query parameters and caches.

One Address in the session state is the truth; the browser's address mirrors it and widgets are
views on it, so that reload, a pasted link, Back and Forward all give the same view.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pandas as pd
import streamlit as st

from dashboard.library import SAMPLE_FOLDER, File, Library, assemble, list_folder, read_file
from dashboard.start import DATA_VARIABLE, WORKSPACE_VARIABLE
from dashboard.study import Study
from dashboard.theme import PALETTES, Palette, RunStyle, run_styles
from dashboard.view import MULTIPLE, Address, View
from dashboard.workspace import Entry, Workspace, default_folder
from metrics_core import formats
from metrics_core.errors import RanklensError
from metrics_core.tables import Run

SAMPLE, OWN = "sample", "own"

_PARAMETERS = [f.name for f in fields(Address)]


# The address


def _from_browser() -> Address:
    given = {
        name: tuple(st.query_params.get_all(name)) if name in MULTIPLE else st.query_params[name]
        for name in _PARAMETERS
        if name in st.query_params
    }
    return Address(**given)


def _as_params(address: Address) -> dict[str, Any]:
    default = asdict(Address())
    return {
        name: list(value) if name in MULTIPLE else value
        for name, value in asdict(address).items()
        if value != default[name]
    }


def _in_browser() -> dict[str, Any]:
    return {
        name: st.query_params.get_all(name) if name in MULTIPLE else st.query_params[name]
        for name in st.query_params
    }


def sync(page: str) -> None:
    """Bring session state and browser address together; once a run, before the page is drawn."""
    now, moved = _in_browser(), page != st.session_state.get("_page")
    st.session_state["_page"] = page
    # A move that empties the address is a click on a plain link to the page: keep the state.
    told = "_address" not in st.session_state or (
        now != st.session_state.get("_written") and not (moved and not now)
    )
    if told:
        st.session_state["_address"] = _from_browser()
    wanted = _as_params(address())
    if now != wanted:
        st.query_params.from_dict(wanted)
    st.session_state["_written"] = wanted


def address() -> Address:
    """The address as it stands."""
    current: Address = st.session_state.get("_address", Address())
    return current


def params(**changes: Any) -> dict[str, Any]:
    """Query parameters of the address with these changes; for links."""
    return _as_params(replace(address(), **changes))


def href(page: str, **changes: Any) -> str:
    """A relative link to a page in the present view with these changes."""
    query = urlencode(params(**changes), doseq=True)
    path = "" if page == "overview" else page
    return f"./{path}?{query}" if query else f"./{path}"


def goto(page: str, **changes: Any) -> None:
    """Open a page with these changes to the address; does not return."""
    st.session_state["_address"] = replace(address(), **changes)
    st.session_state["_written"] = params()
    st.switch_page(st.session_state["_pages"][page], query_params=params())


def follow(link: str) -> None:
    """Open a link made by `href`; does not return unless it leads nowhere."""
    parts = urlsplit(link)
    page = parts.path.strip("./") or "overview"
    given = parse_qs(parts.query)
    known = {n: v for n, v in given.items() if n in _PARAMETERS}
    target = Address(**{n: tuple(v) if n in MULTIPLE else v[-1] for n, v in known.items()})
    if page in st.session_state["_pages"]:
        goto(page, **asdict(target))


def register_pages(pages: Mapping[str, Any]) -> None:
    """Tell `goto` the pages by their names."""
    st.session_state["_pages"] = dict(pages)


def change(**changes: Any) -> None:
    """Change the address in place; for callbacks, which run before the page is drawn again."""
    st.session_state["_address"] = replace(address(), **changes)


def widget(
    draw: Callable[..., Any],
    label: str,
    name: str,
    *,
    value: Any,
    store: Callable[[Any], dict[str, Any]],
    **options: Any,
) -> Any:
    """Draw a Streamlit widget as a view on the address: it shows `value`, and a change of it is
    stored as `store(new value)` says."""
    key = f"w_{name}"
    st.session_state[key] = value

    def changed() -> None:
        change(**store(st.session_state[key]))

    return draw(label, key=key, on_change=changed, **options)


def taken(name: str) -> Any:
    """A value that a callback left for the page, once."""
    return st.session_state.pop(f"_take_{name}", None)


def leave(name: str, value: Any) -> None:
    """Leave a value for the page that is drawn next."""
    st.session_state[f"_take_{name}"] = value


def generation(name: str) -> int:
    """A number that changes when a widget must forget its value."""
    number: int = st.session_state.setdefault(f"_generation_{name}", 0)
    return number


def forget(name: str) -> None:
    """Make a widget with this generation in its key start anew."""
    st.session_state[f"_generation_{name}"] = generation(name) + 1


# Files


@st.cache_resource(show_spinner=False)
def workspace() -> Workspace:
    """The folder that remembers uploads."""
    return Workspace(Path(os.environ.get(WORKSPACE_VARIABLE) or default_folder()))


def data_folder() -> Path | None:
    """The folder given at the start, if any."""
    given = os.environ.get(DATA_VARIABLE)
    return Path(given) if given else None


@st.cache_resource(show_spinner=False, max_entries=200)
def _file_of_folder(path: str, shown: str, origin: Any, _changed: float, size: int) -> File:
    return read_file(Path(path), shown=shown, origin=origin)


def _files_in(folder: Path, origin: Any) -> list[File]:
    files = []
    for path in list_folder(folder):
        stat = path.stat()
        shown = str(path.relative_to(folder))
        files.append(_file_of_folder(str(path), shown, origin, stat.st_mtime, stat.st_size))
    return files


@st.cache_resource(show_spinner=False, max_entries=40)
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
    here = workspace()
    return files + [_remembered(here, e.content, e.name, e) for e in here.entries()]


def collection() -> str:
    """Which files are open: "sample" or "own"."""
    chosen = address().set
    if chosen in (SAMPLE, OWN):
        return chosen
    return OWN if data_folder() or workspace().entries() else SAMPLE


def library() -> Library:
    """The open files and the study they make."""
    files = _files_in(SAMPLE_FOLDER, "sample") if collection() == SAMPLE else own_files()
    identity = tuple((f.key, id(f.table)) for f in files)
    return _assembled(identity, address().qrels, files)


@st.cache_resource(show_spinner="Judging the runs …", max_entries=8)
def _assembled(identity: Any, qrels_key: str, _files: Sequence[File]) -> Library:
    # The files are kept by the library, so that the ids in `identity` stay theirs.
    return assemble(_files, qrels_key=qrels_key)


def study() -> Study | None:
    """The study of the open files; None while judgments or runs that fit them are missing."""
    found = library().study
    return found if found is not None and found.names else None


def view() -> View:
    """What the reader has chosen; only where there is a study."""
    here = study()
    if here is None:
        raise RuntimeError("there is no study to view")
    return here.view(address())


def styles() -> dict[str, RunStyle]:
    """How the shown runs are drawn."""
    chosen = view()
    names = library().study.names if library().study else []
    return run_styles(names, library().slots, focus=chosen.focus, baseline=chosen.baseline)


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


def read_upload(name: str, content: bytes, **choices: Any) -> None:
    """Read an uploaded file, or a set of files in a zip, into the workspace; where it cannot be
    read it stands in `refusals`."""
    try:
        if formats.is_set(content):
            read = formats.read_set(content, name=name)
        else:
            read = [formats.read(content, name=name, **choices)]
        for loaded in read:
            workspace().add(loaded, slot=_free_slot())
    except RanklensError as error:
        refusals()[name] = Refusal(error, content, generation("refusal"))
        forget("refusal")
    else:
        refusals().pop(name, None)


def read_again(name: str, **choices: Any) -> None:
    """Read a refused file with other choices."""
    read_upload(name, refusals()[name].content, **choices)


def dismiss(name: str) -> None:
    """Forget a refused file."""
    refusals().pop(name, None)


def remove(content: str) -> None:
    """Forget an uploaded file."""
    workspace().remove(content)


def _free_slot() -> int:
    """The first colour and shape that no run of the reader's has."""
    runs = [f for f in own_files() if isinstance(f.table, Run)]
    taken = {i if f.slot is None else f.slot for i, f in enumerate(runs)}
    return next(i for i in range(len(taken) + 1) if i not in taken)


def give_memory_back() -> None:
    """Return what reading a large file needed to the system."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL("libc.so.6").malloc_trim(0)


# Drawing


def theme() -> str:
    """The reader's theme: "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"


def palette() -> Palette:
    """The colours of the reader's theme."""
    return PALETTES[theme()]


def spreadsheet(frame: pd.DataFrame) -> bytes:
    """A frame as CSV for a spreadsheet."""
    return formats.spreadsheet_csv(frame)
