"""Notes and tags on the queries of the open collection, and what of them is damaged."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.answers.query_notes import Remarks
from dashboard.session.action_messages import doing, tell
from dashboard.session.actions.grading import judge_name
from dashboard.session.open_collection import collection, give_place, workspace
from dashboard.workspace import Noted
from metrics_core.base import wording as w


def notes_here() -> dict[str, Noted]:
    """query_id -> notes and tags, of the queries of the open collection that have some."""
    return workspace().notes.of(collection())


def remarks() -> Remarks:
    """The same as the Queries page takes it."""
    return Remarks(
        tuple(
            (query_id, own.tags, tuple(note.text for note in own.notes))
            for query_id, own in notes_here().items()
        )
    )


def keep_remark(query_id: str, note: str, tag: str) -> None:
    """Add the note and the tag that stand in the fields of these keys to a query, both at once; for
    a form's callback, because a page may be drawn anew before it comes to where the form stands."""
    text = str(st.session_state.get(note, "")).strip()
    cleaned = " ".join(str(st.session_state.get(tag, "")).split())
    here, by = collection(), judge_name()

    def kept() -> None:
        give_place(here)
        workspace().notes.add(here, query_id, text, cleaned, by=by)
        st.session_state[note] = st.session_state[tag] = ""

    if text or cleaned:
        doing(kept)


def take_note_back(query_id: str, note: str) -> None:
    """Take a note back."""
    here, by = collection(), judge_name()

    def taken_back() -> None:
        workspace().notes.write(here, query_id, "", by=by, note=note)

    doing(taken_back)


def take_tag_off(query_id: str, tag: str) -> None:
    """Take a tag off a query."""
    here, by = collection(), judge_name()
    doing(lambda: workspace().notes.tag(here, query_id, tag, by=by, on=False))


# Damaged rows


def damaged_rows() -> list[str]:
    """Return what is legible of the damaged rows of the open collection, except the grades of its
    layers (`Layer.lost`)."""
    return workspace().contents(collection()).lost()


def drop_rows(called: str, texts: Sequence[str]) -> None:
    """Remove damaged rows for good, those that were shown and no other; what was `called` so is
    told."""
    here = collection()

    def dropped() -> None:
        gone = workspace().drop_lost(here, texts)
        if gone:
            counted = f"{w.count(gone)} damaged {w.plural(gone, 'row')}"
            tell(f"{counted} of {called} {w.plural(gone, 'was', 'were')} deleted.")

    doing(dropped)
