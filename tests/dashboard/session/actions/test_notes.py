"""The star of a query: kept with the collection, or for the visit if that cannot be written."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.session.action_messages import action_messages
from dashboard.session.actions.notes import current_notes, current_remarks, toggle_star
from dashboard.session.open_collection import workspace
from dashboard.workspace import StorageError
from dashboard.workspace.notes import NoteStore


def click(state: dict[str, Any], query_id: str) -> None:
    state["links"] = {"star": query_id}
    toggle_star()


def test_a_star_is_kept_with_the_notes_of_the_collection(own_visit: dict[str, Any]) -> None:
    workspace().notes.set_tag("own", "q1", "cause: stemming", author="anna")
    click(own_visit, "q1")
    click(own_visit, "q2")
    assert current_remarks().starred_query_ids == {"q1", "q2"}
    assert workspace().notes.notes_by_query("own")["q1"].tags == ("cause: stemming", "starred")
    click(own_visit, "q1")
    assert current_remarks().starred_query_ids == {"q2"}
    assert workspace().notes.notes_by_query("own")["q1"].tags == ("cause: stemming",)
    own_visit["links"] = {"star": None}
    toggle_star()
    assert not action_messages()


def test_without_a_workspace_a_star_is_kept_for_the_visit_and_says_so(
    own_visit: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object, **more: object) -> None:
        raise StorageError("The workspace is read-only.", "Free it.")

    workspace().notes.write_note("own", "q1", "seen", author="anna")
    with monkeypatch.context() as patched:
        patched.setattr(NoteStore, "set_tag", refuse)
        click(own_visit, "q1")
        click(own_visit, "q2")
    assert current_remarks().starred_query_ids == {"q1", "q2"}
    assert current_notes()["q1"].notes[0].text == "seen"
    (message,) = action_messages()
    assert message.message == "The workspace is read-only. Stars are kept for this session only."
    click(own_visit, "q1")
    assert current_remarks().starred_query_ids == {"q2"}
    assert "q2" not in workspace().notes.notes_by_query("own")
