"""Notes and tags on the queries of the open collection, and the collection's damaged rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dashboard.answers.query_notes import STAR, Remarks
from dashboard.session.action_messages import add_error_message, add_message, run_action
from dashboard.session.actions.grading import judge_name
from dashboard.session.open_collection import (
    add_to_workspace,
    change_collection,
    current_collection_id,
    workspace,
)
from dashboard.workspace import QueryNotes, StorageError
from dashboard.workspace.notes import Tag
from metrics_core.base import wording as w


def current_notes() -> dict[str, QueryNotes]:
    """Return the notes and tags of the open collection by query_id, including the stars that are
    kept only for this session."""
    notes = dict(workspace().notes.notes_by_query(current_collection_id()))
    for query_id in _stars_of_visit():
        noted = notes.get(query_id, QueryNotes())
        notes[query_id] = replace(noted, marks=(*noted.marks, Tag(STAR, "", "")))
    return notes


def _stars_of_visit() -> set[str]:
    """Return the queries of the open collection whose star could not be stored in the workspace, so
    that it is kept only for this session."""
    by_collection: dict[str, set[str]] = st.session_state.setdefault("_stars", {})
    return by_collection.setdefault(current_collection_id(), set())


def toggle_star() -> None:
    """Add or remove the star of the query that was clicked. This is the callback of the component
    for links.

    If the workspace cannot be written, the star is kept for this session, and a message says so."""
    query_id, visit = st.session_state["links"]["star"], _stars_of_visit()
    if not query_id:
        return
    if query_id in visit:
        visit.remove(query_id)
        return
    identity, is_set = current_collection_id(), query_id not in current_remarks().starred_query_ids
    try:
        add_to_workspace(identity)
        workspace().notes.set_tag(identity, query_id, STAR, author=judge_name(), is_set=is_set)
    except StorageError as error:
        if is_set:
            visit.add(query_id)
        add_error_message(error, " Stars are kept for this session only.")


def current_remarks() -> Remarks:
    """Return the notes and tags in the form that the Queries page uses."""
    return Remarks(
        tuple(
            (query_id, noted.tags, tuple(note.text for note in noted.notes))
            for query_id, noted in current_notes().items()
        )
    )


def save_note_and_tag(query_id: str, note_field_key: str, tag_field_key: str) -> None:
    """Add a note and a tag to a query in one step. They are the texts in the fields with these
    keys.

    This is the callback of a form, so that the texts are saved even if the app does not reach the
    form when it draws the page again."""
    text = str(st.session_state.get(note_field_key, "")).strip()
    cleaned = " ".join(str(st.session_state.get(tag_field_key, "")).split())
    by = judge_name()
    if (text or cleaned) and change_collection(
        lambda identity: workspace().notes.add_note_and_tag(
            identity, query_id, text, cleaned, author=by
        )
    ):
        st.session_state[note_field_key] = st.session_state[tag_field_key] = ""


def remove_note(query_id: str, note_id: str) -> None:
    """Remove a note."""
    identity, by = current_collection_id(), judge_name()
    run_action(
        lambda: workspace().notes.write_note(
            identity, query_id, "", author=by, edited_note_id=note_id
        )
    )


def remove_tag(query_id: str, tag: str) -> None:
    """Remove a tag from a query."""
    identity, by = current_collection_id(), judge_name()
    run_action(lambda: workspace().notes.set_tag(identity, query_id, tag, author=by, is_set=False))


# Damaged rows


def damaged_row_texts() -> list[str]:
    """Return the readable text of the damaged rows of the open collection. Damaged grades of its
    layers are not included, because they are in `Layer.lost`."""
    return workspace().contents(current_collection_id()).damaged_row_texts()


def drop_damaged(name: str, texts: Sequence[str]) -> None:
    """Delete the damaged rows that were shown, and add a message about it. `name` says in the
    message what the rows were part of."""
    identity = current_collection_id()

    def delete_rows() -> None:
        count = workspace().drop_damaged(identity, texts)
        if count:
            count_text = f"{w.format_count(count)} damaged {w.plural(count, 'row')}"
            add_message(f"{count_text} of {name} {w.plural(count, 'was', 'were')} deleted.")

    run_action(delete_rows)
