"""Notes and tags on the queries of the open collection, and what is damaged in its journals."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.answers.remarks import Remarks
from dashboard.session.collections import collection, workspace
from dashboard.session.judging import judge_name, place
from dashboard.session.receipts import doing, tell
from dashboard.workspace import Noted
from metrics_core import wording as w


def noted() -> dict[str, Noted]:
    """query_id -> notes and tags, of the queries of the open collection that have some."""
    return workspace().notes.of(collection())


def remarks() -> Remarks:
    """The same as the Queries page takes it."""
    return Remarks(
        tuple(
            (query_id, own.tags, tuple(note.text for note in own.notes))
            for query_id, own in noted().items()
        )
    )


def write_note(query_id: str, text: str, *, note: str = "") -> None:
    """Add a note to a query, or write one anew; an empty text takes it back."""
    if note or text.strip():
        doing(
            lambda: _done(
                workspace().notes.write(place(), query_id, text.strip(), by=judge_name(), note=note)
            )
        )


def set_tag(query_id: str, tag: str, *, on: bool = True) -> None:
    """Set a tag on a query, or take it off."""
    cleaned = " ".join(tag.split())
    if cleaned:
        doing(lambda: workspace().notes.tag(place(), query_id, cleaned, by=judge_name(), on=on))


def _done(_: object) -> None:
    """For what gives something that nobody needs."""


# Damaged lines of journals


def damaged_lines(journal: str) -> list[bytes]:
    """The lines of a journal of the open collection that are not as they were written."""
    try:
        return workspace().journals.damaged(collection(), journal)
    except (OSError, KeyError):
        return []


def drop_lines(journal: str, called: str, lines: Sequence[bytes]) -> None:
    """Take damaged lines out of a journal for good, those that were shown and no other; what was
    `called` so is told."""
    here = collection()

    def dropped() -> None:
        with workspace().writing() as shelves:
            gone = shelves.journals.mend(here, journal, lines)
        if gone:
            counted = f"{w.count(gone)} damaged {w.plural(gone, 'line')}"
            tell(f"{counted} of {called} {w.plural(gone, 'was', 'were')} dropped.")

    doing(dropped)
