"""Two answers of one visit at once, and a run of the page that ends in the middle: what was given
is kept once."""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
import streamlit as st

from dashboard import session
from dashboard.address.address import Address
from dashboard.files import uploaded_file
from dashboard.files.collections import SAMPLE
from dashboard.files.uploaded_file import UploadedFile
from dashboard.session.action_messages import (
    action_messages,
    add_message,
    dismiss_message,
    run_action_once,
)
from dashboard.session.actions import collections, uploads
from dashboard.session.actions.collections import create_and_open_collection
from dashboard.session.actions.grading import import_layer
from dashboard.session.actions.notes import remove_note, remove_tag, save_note_and_tag
from dashboard.session.actions.uploads import read_uploads, refusals
from dashboard.session.open_collection import workspace
from dashboard.workspace.exports.packing import write_packed_collection

RUN = b"q1 Q0 d1 1 3.0 good\nq2 Q0 d3 1 1.0 good\n"
QRELS = b"q1 0 d1 1\nq2 0 d3 2\n"


@pytest.fixture(autouse=True)
def visit(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a visit holds, without a page."""
    empty = Address.create(set=SAMPLE)
    state: dict[str, Any] = {"_empty": empty, "_address": empty}
    monkeypatch.setattr(st, "session_state", state)
    return state


def at_once(*actions: Callable[[], object]) -> None:
    """Run these in a thread each, begun together; what one raises is raised."""
    together = Barrier(len(actions))

    def begun(action: Callable[[], object]) -> None:
        together.wait()
        action()

    with ThreadPoolExecutor(len(actions)) as pool:
        list(pool.map(begun, actions))


def test_an_offer_that_is_clicked_twice_is_taken_once_and_no_two_receipts_have_one_key() -> None:
    taken: list[int] = []
    at_once(*[lambda n=n: add_message(f"{n}", "", (("Undo", lambda: None),)) for n in range(6)])
    told = action_messages()
    assert len({receipt.key for receipt in told}) == 6
    first, second = told[:2]
    at_once(*[lambda n=n: run_action_once(first, lambda: taken.append(n)) for n in range(6)])
    assert len(taken) == 1 and len(told) == 5 and first not in told
    at_once(*[lambda: dismiss_message(second)] * 2)
    assert len(told) == 4


def test_a_form_that_is_sent_twice_makes_one_collection(visit: dict[str, Any]) -> None:
    visit["name"] = " Shop  A "
    at_once(*[lambda: create_and_open_collection("name", 0)] * 3)
    # The second click finds the field empty.
    visit["name"] = ""
    create_and_open_collection("name", 0)
    assert [c.name for c in workspace().read_collections()] == ["Shop A"]
    create_and_open_collection("name", visit["_generations"]["new_collection"])
    assert len(workspace().read_collections()) == 2


def test_notes_that_are_kept_at_once_are_all_there(visit: dict[str, Any]) -> None:
    visit |= {f"{kind} {n}": f"{kind} {n}" for kind in ("note", "tag") for n in range(6)}
    at_once(*[lambda n=n: save_note_and_tag("q", f"note {n}", f"tag {n}") for n in range(6)])
    found = workspace().notes.notes_by_query(SAMPLE)["q"]
    assert {note.text for note in found.notes} == {f"note {n}" for n in range(6)}
    assert set(found.tags) == {f"tag {n}" for n in range(6)}
    assert len({note.id for note in found.notes}) == 6
    at_once(*[lambda: remove_note("q", found.notes[0].id)] * 2)
    at_once(*[lambda: remove_tag("q", "tag 0")] * 2)
    left = workspace().notes.notes_by_query(SAMPLE)["q"]
    assert len(left.notes) == len(left.tags) == 5 and not action_messages()


def test_files_that_a_click_interrupts_are_read_by_the_next_run_and_kept_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    packed = io.BytesIO()
    other = collections.create_collection("Other")
    write_packed_collection(workspace(), other.id, packed)
    named = {"other.zip": packed.getvalue(), "my.qrels": QRELS, "my.run": RUN}
    files = [UploadedFile(name, content) for name, content in named.items()]
    drawn = session.widget_generation("upload")
    reading = read_uploads(files, drawn)
    assert [next(reading), next(reading)] == [0, 1]
    reading.close()
    kept = workspace()
    taken_in = [c.id for c in kept.read_collections() if c.name == "Other" and c.id != other.id]
    assert len(taken_in) == 1 and session.widget_generation("upload") == drawn

    def ended(_: str) -> None:
        raise KeyboardInterrupt  # as Streamlit ends a run: by what is no Exception

    with monkeypatch.context() as interrupted:
        interrupted.setattr(uploads, "open_collection", ended)
        with pytest.raises(KeyboardInterrupt):
            list(read_uploads(files, drawn))
    assert list(read_uploads(files, drawn)) == []
    assert session.widget_generation("upload") == drawn + 1
    held = {c.id: [e.file for e in kept.entries(c.id)] for c in kept.read_collections()}
    assert sorted(map(len, held.values())) == [0, 2], "into the one that was taken in and opened"


def test_a_fault_in_reading_is_not_met_again_by_each_further_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(uploaded_file, "is_packed_collection", lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        list(read_uploads([UploadedFile("my.run", RUN)], 0))
    assert session.widget_generation("upload") == 1


def test_what_stands_beside_parts_is_left_out_and_alone_is_named_as_what_it_is() -> None:
    beside = UploadedFile("_SUCCESS", b"")
    list(read_uploads([beside, UploadedFile("my.run", RUN), UploadedFile("my.qrels", QRELS)], 0))
    (made,) = workspace().read_collections()
    assert [e.file for e in workspace().entries(made.id)] == ["my.run", "my.qrels"]
    assert not refusals()
    list(read_uploads([beside], 1))
    assert "a helper file of Spark or Hadoop" in refusals()["_SUCCESS"].error.message


def test_a_layer_is_taken_in_once_for_each_upload() -> None:
    for upload in ("one", "one", "two"):
        import_layer(UploadedFile("mine.qrels", QRELS), upload)
    assert [len(layer) for layer in workspace().layers.list_layers(SAMPLE)] == [2, 2]
