"""Notes and tags on the queries of the open collection, and what of them is damaged."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.answers.query_notes import Remarks
from dashboard.session.action_messages import run_action, tell
from dashboard.session.actions.grading import judge_name
from dashboard.session.open_collection import add_to_workspace, collection_id, workspace
from dashboard.workspace import QueryNotes
from metrics_core.base import wording as w


def current_notes() -> dict[str, QueryNotes]:
    """query_id -> notes and tags, of the queries of the open collection that have some."""
    return workspace().notes.notes_by_query(collection_id())


def current_remarks() -> Remarks:
    """The same as the Queries page takes it."""
    return Remarks(
        tuple(
            (query_id, noted.tags, tuple(note.text for note in noted.notes))
            for query_id, noted in current_notes().items()
        )
    )


def save_remark(query_id: str, note: str, tag: str) -> None:
    """Add the note and the tag that stand in the fields of these keys to a query, both at once; for
    a form's callback, because a page may be drawn anew before it comes to where the form stands."""
    text = str(st.session_state.get(note, "")).strip()
    cleaned = " ".join(str(st.session_state.get(tag, "")).split())
    identity, by = collection_id(), judge_name()

    def save() -> None:
        add_to_workspace(identity)
        workspace().notes.add_note_and_tag(identity, query_id, text, cleaned, author=by)
        st.session_state[note] = st.session_state[tag] = ""

    if text or cleaned:
        run_action(save)


def remove_note(query_id: str, note: str) -> None:
    """Take a note back."""
    identity, by = collection_id(), judge_name()

    def remove() -> None:
        workspace().notes.write_note(identity, query_id, "", author=by, note=note)

    run_action(remove)


def remove_tag(query_id: str, tag: str) -> None:
    """Take a tag off a query."""
    identity, by = collection_id(), judge_name()
    run_action(lambda: workspace().notes.set_tag(identity, query_id, tag, author=by, is_set=False))


# Damaged rows


def damaged_rows() -> list[str]:
    """Return what is legible of the damaged rows of the open collection, except the grades of its
    layers (`Layer.lost`)."""
    return workspace().contents(collection_id()).lost_texts()


def drop_rows(name: str, texts: Sequence[str]) -> None:
    """Remove damaged rows for good, those that were shown and no other; what was `name` so is
    told."""
    identity = collection_id()

    def drop() -> None:
        count = workspace().drop_lost(identity, texts)
        if count:
            count_text = f"{w.format_count(count)} damaged {w.plural(count, 'row')}"
            tell(f"{count_text} of {name} {w.plural(count, 'was', 'were')} deleted.")

    run_action(drop)
