"""Judging in Ranklens: the layers of the open collection, which of them are active, and the grades
that users give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import streamlit as st

from dashboard.address.view import NO_OTHER_RUN
from dashboard.files.uploaded_file import UploadedFile
from dashboard.session.action_messages import add_message, run_action
from dashboard.session.address import address, change_address, href
from dashboard.session.open_collection import (
    add_to_workspace,
    change_collection,
    current_collection_id,
    workspace,
)
from dashboard.workspace import Layer
from metrics_core import formats
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.tables import Qrels

_LONGEST_NAME = 40
_STORING_LOCK = Lock()
"""Lock that is held while the actions of a judge are stored. Two responses of one visit may
overlap, and pages may send an action twice, but each action must be stored once and in order."""

DEFAULT_JUDGE_NAME = "me"
"""The judge's name if the user has not entered one."""


def current_layers() -> list[Layer]:
    """Return the layers of the open collection, oldest first."""
    return workspace().layers.list_layers(current_collection_id())


def active_layers() -> tuple[Layer, ...]:
    """Return the active layers. The address says which layers are active.

    By default, all layers that were made in Ranklens are active. A layer that was imported from a
    file is inactive until the user activates it."""
    layer_ids, layers = address()["layers"], current_layers()
    if not layer_ids:
        return tuple(layer for layer in layers if layer.judged)
    return tuple(layer for layer in layers if layer.id in layer_ids)


def layers_field_value() -> tuple[str, ...]:
    """Return the value of the address field for the active layers. It is empty if there are no
    layers."""
    field: tuple[str, ...] = address()["layers"]
    return field or (_layer_ids(active_layers()) if current_layers() else ())


def missing_layers_message() -> dict[str, str]:
    """Return a dict that maps the address field for layers to an error message if the address names
    layers that do not exist. Otherwise, the dict is empty."""
    known_ids = {layer.id for layer in current_layers()}
    missing = [
        name for name in address()["layers"] if name not in known_ids and name != NO_OTHER_RUN
    ]
    if not missing:
        return {}
    return {"layers": f"This collection has no judgment layer {w.join_words(missing)}."}


def _layer_ids(layers: Sequence[Layer]) -> tuple[str, ...]:
    return tuple(layer.id for layer in layers) or (NO_OTHER_RUN,)


def _activate_layer(active: Sequence[Layer], layer_id: str) -> None:
    new = [layer for layer in current_layers() if layer.id == layer_id]
    change_address(layers=_layer_ids([*active, *new]))


def layers_field_after_switch(layer: Layer, is_active: bool) -> tuple[str, ...]:
    """Return the value that the address field for active layers has after this layer is activated
    or deactivated."""
    others = [other for other in active_layers() if other.id != layer.id]
    return _layer_ids([*others, layer] if is_active else others)


def switch_layer(layer: Layer, is_active: bool) -> None:
    """Activate or deactivate a layer. This is a callback."""
    change_address(layers=layers_field_after_switch(layer, is_active))


def layer_href(page: str, layer: Layer, is_active: bool) -> str:
    """Return the link to a page with this layer activated or deactivated."""
    return href(page, layers=layers_field_after_switch(layer, is_active))


# The judge


def judge_name() -> str:
    """Return the name of the judge in this session."""
    name: str = st.session_state.get("_judge_name", DEFAULT_JUDGE_NAME)
    return name


def set_judge_name(name: str) -> None:
    """Set the name of the judge. If the name is empty, nothing changes."""
    cleaned = " ".join(name.split())[:_LONGEST_NAME]
    if cleaned:
        st.session_state["_judge_name"] = cleaned


def find_own_layer() -> Layer | None:
    """Return the layer of the judge who uses this session. Returns None if this judge has no layer
    yet."""
    own_layers = (
        layer for layer in current_layers() if layer.judged and layer.name == judge_name()
    )
    return next(own_layers, None)


BLIND, NOT_BLIND = "on", "off"
_BLIND_FROM = 2


def is_judging_blind() -> bool:
    """Return whether judging is blind, that is, whether runs and ranks are hidden from judges.

    By default, judging is blind once two judges have graded documents in this collection."""
    setting = address()["blind"]
    if setting in (BLIND, NOT_BLIND):
        return bool(setting == BLIND)
    return sum(layer.judged and len(layer) > 0 for layer in current_layers()) >= _BLIND_FROM


# Grades


@dataclass
class _Acts:
    """The number of the last stored action of a `page`, and the id of a layer that was begun but is
    not active yet.

    There is one object per visit. It is changed in place, because replacing it would access the
    session state. If two responses of a visit overlap, Streamlit stops the older one at its next
    access to the session state."""

    page: str = ""
    done: int = 0
    begun: str = ""


def _session_actions() -> _Acts:
    acts: _Acts = st.session_state.setdefault("_acts", _Acts())
    return acts


def handle_sent_actions(key: str, query_id: str = "") -> None:
    """Store the actions that the component with this key has sent. This is the component's
    callback.

    The address then names the query whose documents are being judged, so that the page still shows
    this query if another one comes first in the list."""
    store_judge_actions(st.session_state[key].get("acts"))
    if query_id:
        change_address(q=query_id)


def store_judge_actions(message: Mapping[str, Any] | None) -> None:
    """Store the actions of a judge, each exactly once.

    The message has `by` (the judge), `session` (the page that numbers the actions) and `acts` (the
    actions in order). Each action has its number `n`, its query and document, and either a grade
    (None to withdraw it) or `skip`. Pages send actions again until they are confirmed. Grades are
    added to the layer of the judge, which is created with the first grade and is then active."""
    if not message:
        return
    set_judge_name(str(message.get("by", "")))
    acts, skips, name = _session_actions(), skipped_pairs(), judge_name()
    identity, active = current_collection_id(), active_layers()
    with _STORING_LOCK:
        page = str(message.get("session", ""))
        if acts.page != page:
            acts.page, acts.done = page, 0
        new = [act for act in message.get("acts", ()) if int(act["n"]) > acts.done]
        grades: dict[tuple[str, str], float | None] = {}
        for act in new:
            if not act.get("skip"):
                grade = act["grade"]
                grades[_pair_of_action(act)] = None if grade is None else int(grade)
        if grades and not run_action(lambda: _save_grades(identity, name, grades, acts)):
            return
        for act in new:
            skips.add(_pair_of_action(act)) if act.get("skip") else skips.discard(
                _pair_of_action(act)
            )
            acts.done = int(act["n"])
    if acts.begun:
        _activate_layer(active, acts.begun)
        acts.begun = ""


def _pair_of_action(action: Mapping[str, Any]) -> tuple[str, str]:
    return str(action["query_id"]), str(action["doc_id"])


def _save_grades(
    collection_id: str, name: str, grades: Mapping[tuple[str, str], float | None], actions: _Acts
) -> None:
    add_to_workspace(collection_id)
    layer, begun = workspace().layers.grade_documents(collection_id, name, grades)
    actions.begun = layer if begun else actions.begun


def last_stored_action() -> dict[str, Any]:
    """Return the confirmation for a page: the number of the last action that was stored."""
    return {"session": _session_actions().page, "done": _session_actions().done}


def skipped_pairs() -> set[tuple[str, str]]:
    """Return the documents of the open collection that the user skipped in this session, as
    (query_id, doc_id)."""
    pairs: set[tuple[str, str]] = st.session_state.setdefault(
        f"_skipped_{current_collection_id()}", set()
    )
    return pairs


# Layers as files


def export_layer(layer: Layer) -> bytes:
    """Return a layer as a judgment file in TREC format, or in JSON Lines if an id cannot be written
    in TREC format."""
    table = Qrels.from_columns(
        [query_id for query_id, _ in layer.grade_records],
        [doc_id for _, doc_id in layer.grade_records],
        list(layer.grades.values()),
    )
    try:
        return formats.table_bytes(table, "trec")
    except RanklensError:
        return formats.table_bytes(table, "jsonl")


def import_layer(file: UploadedFile, upload: str) -> None:
    """Import a file of judgments as an active layer. If it cannot be read, a message about the
    error is added.

    Nothing happens if this `upload` was imported before. It can be submitted twice, because the
    app's run may end after the import but before the uploader is reset."""
    try:
        table = formats.read(file.origin, name=file.name, kind="qrels").table
    except RanklensError as error:
        add_message(error.message, error.hint, is_warning=True)
        return
    assert isinstance(table, Qrels)
    rows = zip(*(table.table[c].to_pylist() for c in ("query_id", "doc_id")), strict=True)
    grades = dict(zip(rows, table.relevance.tolist(), strict=True))
    title = file.name.removesuffix(".gz").rpartition("/")[2].rpartition(".")[0] or file.name
    imported: set[str] = st.session_state.setdefault("_layers_taken_in", set())
    active = active_layers()

    def create_imported_layer(identity: str) -> None:
        layer_id = workspace().layers.create_layer(identity, title, grades, is_judged_here=False)
        imported.add(upload)
        _activate_layer(active, layer_id)
        add_message(
            f"{w.format_count(len(grades))} grades from {file.name} were imported as a judgment"
            " layer."
        )

    if upload not in imported:
        change_collection(create_imported_layer)


def remove_layer(layer: Layer) -> None:
    """Remove a layer. It can be restored until the next start of Ranklens."""
    identity = current_collection_id()

    def remove() -> None:
        layer_ids = address()["layers"]
        if layer_ids:
            change_address(layers=layers_field_after_switch(layer, is_active=False))
        workspace().layers.remove_layer(identity, layer.id)
        undo = ("Undo", lambda: workspace().layers.restore_layer(identity, layer.id))
        add_message(f"The layer “{layer.name}” was removed.", "", (undo,))

    run_action(remove)
