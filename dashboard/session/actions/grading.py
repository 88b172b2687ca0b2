"""Judging in place: the layers of the open collection, which of them are on, grades that are
given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import streamlit as st

from dashboard.address.view import NOBODY
from dashboard.files.uploaded_file import UploadedFile
from dashboard.session.action_messages import doing, tell
from dashboard.session.address import address, change, href
from dashboard.session.open_collection import collection, give_place, workspace
from dashboard.workspace import Layer
from metrics_core import formats
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.tables import Qrels

_LONGEST_NAME = 40
_TAKING = Lock()
"""Two answers of one visit may overlap; what is told twice is kept once, and in its order."""

NOBODY_ELSE = "me"
"""Who judges where no name was given."""


def layers_here() -> list[Layer]:
    """The layers of the open collection, first begun first."""
    return workspace().layers.of(collection())


def layers_on() -> tuple[Layer, ...]:
    """The layers that the address asks for. Where it says nothing, all that were judged here are
    on; one that was taken in from a file is on only when it is switched on."""
    asked, here = address()["layers"], layers_here()
    if not asked:
        return tuple(layer for layer in here if layer.judged)
    return tuple(layer for layer in here if layer.id in asked)


def layers_asked() -> tuple[str, ...]:
    """What the address says once it says which layers are on; empty where there are none."""
    return address()["layers"] or _said(layers_on()) if layers_here() else address()["layers"]


def layers_lacking() -> dict[str, str]:
    """The layers that the address asks for and that are not here, as a sentence."""
    here = {layer.id for layer in layers_here()}
    gone = [name for name in address()["layers"] if name not in here and name != NOBODY]
    if not gone:
        return {}
    return {"layers": f"This collection has no judgment layer {w.listing(gone)}."}


def _said(on: Sequence[Layer]) -> tuple[str, ...]:
    return tuple(layer.id for layer in on) or (NOBODY,)


def switched(layer: Layer, on: bool) -> tuple[str, ...]:
    """What an address says in which a layer is switched on or off, the others as they are."""
    others = [other for other in layers_on() if other.id != layer.id]
    return _said([*others, layer] if on else others)


def switch_layer(layer: Layer, on: bool) -> None:
    """Switch a layer on or off; for callbacks."""
    change(layers=switched(layer, on))


def layer_href(page: str, layer: Layer, on: bool) -> str:
    """The link to a page with a layer switched on or off."""
    return href(page, layers=switched(layer, on))


# Who judges


def judge_name() -> str:
    """Who judges in this visit."""
    name: str = st.session_state.get("_judge_name", NOBODY_ELSE)
    return name


def be_called(name: str) -> None:
    """Say who judges; an empty name changes nothing."""
    cleaned = " ".join(name.split())[:_LONGEST_NAME]
    if cleaned:
        st.session_state["_judge_name"] = cleaned


def own_layer() -> Layer | None:
    """The layer of who judges in this visit, if one was begun."""
    own = (layer for layer in layers_here() if layer.judged and layer.name == judge_name())
    return next(own, None)


BLIND, SEEN = "on", "off"
_SEVERAL = 2


def is_blind() -> bool:
    """Whether judges see neither runs nor ranks; unless the address says which, they do while only
    one of them has judged in this collection."""
    asked = address()["blind"]
    if asked in (BLIND, SEEN):
        return bool(asked == BLIND)
    return sum(layer.judged and len(layer) > 0 for layer in layers_here()) >= _SEVERAL


# Grades


@dataclass
class _Acts:
    """What is known of the acts of a page: up to which number they are kept, and the layer that was
    begun with them until it is switched on. One object a visit, because where two answers of a
    visit overlap, Streamlit ends the older wherever it next looks at the session's state."""

    page: str = ""
    done: int = 0
    begun: str = ""


def _acts() -> _Acts:
    kept: _Acts = st.session_state.setdefault("_acts", _Acts())
    return kept


def hear_acts(key: str, query_id: str = "") -> None:
    """Take what the component of this key tells; for its callback. The address then names the query
    that is judged: a list that begins with another one does not lead away from it."""
    take_acts(st.session_state[key].get("acts"))
    if query_id:
        change(q=query_id)


def take_acts(told: Mapping[str, Any] | None) -> None:
    """Hear what a page tells of a reader's keys: `by` whom, `session` of the page that counts them,
    and `acts` in their order, each with its number `n`, its pair, and the grade, `None` to take one
    back, or `skip`. They are told again until they are known to be kept, so each counts once.
    Grades go to the reader's own layer, which is begun with the first and then is on."""
    if not told:
        return
    be_called(str(told.get("by", "")))
    known, left_out, name = _acts(), skipped(), judge_name()
    here, on = collection(), layers_on()
    with _TAKING:
        page = str(told.get("session", ""))
        if known.page != page:
            known.page, known.done = page, 0
        new = [act for act in told.get("acts", ()) if int(act["n"]) > known.done]
        grades: dict[tuple[str, str], float | None] = {}
        for act in new:
            if not act.get("skip"):
                grade = act["grade"]
                grades[_pair(act)] = None if grade is None else int(grade)
        if grades and not _kept(lambda: _judge(here, name, grades, known)):
            return
        for act in new:
            left_out.add(_pair(act)) if act.get("skip") else left_out.discard(_pair(act))
            known.done = int(act["n"])
    if known.begun:
        change(layers=_said([*on, *(v for v in layers_here() if v.id == known.begun)]))
        known.begun = ""


def _pair(act: Mapping[str, Any]) -> tuple[str, str]:
    return str(act["query_id"]), str(act["doc_id"])


def _judge(
    here: str, name: str, grades: Mapping[tuple[str, str], float | None], known: _Acts
) -> None:
    give_place(here)
    layer, begun = workspace().layers.judge(here, name, grades)
    known.begun = layer if begun else known.begun


def acts_kept() -> dict[str, Any]:
    """What a page is told of its acts: up to which number they are kept."""
    return {"session": _acts().page, "done": _acts().done}


def skipped() -> set[tuple[str, str]]:
    """The documents of the open collection that were skipped in this visit."""
    kept: set[tuple[str, str]] = st.session_state.setdefault(f"_skipped_{collection()}", set())
    return kept


def _kept(action: Callable[[], None]) -> bool:
    """Whether an action ended without being refused; a refusal is told."""
    done: list[bool] = []

    def acted() -> None:
        action()
        done.append(True)

    doing(acted)
    return bool(done)


# Layers as files


def layer_file(layer: Layer) -> bytes:
    """A layer as judgments in TREC's four columns, in JSON Lines where those cannot hold an id."""
    table = Qrels.from_columns(
        [query_id for query_id, _ in layer.given],
        [doc_id for _, doc_id in layer.given],
        list(layer.grades.values()),
    )
    try:
        return formats.table_bytes(table, "trec")
    except RanklensError:
        return formats.table_bytes(table, "jsonl")


def take_in_layer(given: UploadedFile, upload: str) -> None:
    """Take in a file of judgments as a layer, which then is on; why it cannot be read is told.
    Nothing happens where this `upload` was taken in: the run of the page that did so may have
    ended before it could put it away."""
    try:
        read = formats.read(given.origin, name=given.name, kind="qrels").table
    except RanklensError as error:
        tell(error.message, error.hint, alarming=True)
        return
    assert isinstance(read, Qrels)
    rows = zip(*(read.table[c].to_pylist() for c in ("query_id", "doc_id")), strict=True)
    grades = dict(zip(rows, read.relevance.tolist(), strict=True))
    title = given.name.removesuffix(".gz").rpartition("/")[2].rpartition(".")[0] or given.name
    known: set[str] = st.session_state.setdefault("_layers_taken_in", set())
    here, on = collection(), layers_on()

    def taken() -> None:
        give_place(here)
        made = workspace().layers.begin(here, title, grades, judged=False)
        known.add(upload)
        change(layers=_said([*on, *(v for v in layers_here() if v.id == made)]))
        tell(f"{w.count(len(grades))} grades from {given.name} were imported as a judgment layer.")

    if upload not in known:
        doing(taken)


def remove_layer(layer: Layer) -> None:
    """Remove a layer; it can be brought back until the next start."""
    here = collection()

    def removed() -> None:
        asked = address()["layers"]
        if asked:
            change(layers=switched(layer, on=False))
        workspace().layers.remove(here, layer.id)
        back = ("Undo", lambda: workspace().layers.restore(here, layer.id))
        tell(f"The layer “{layer.name}” was removed.", "", (back,))

    doing(removed)
