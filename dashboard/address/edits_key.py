"""How edits of a query's list or grades are written in an address.

"3:FN-1" moves the document FN-1 to rank 3, "out:FN-1" removes it, "g2:FN-1" gives it grade 2, and
"g:FN-1" removes its grade."""

from __future__ import annotations

import math
from collections.abc import Iterable

from metrics_core.base.digits import parse_whole_number
from metrics_core.explaining.what_if import Edit, Grade, Move, Remove

_OUT, _GRADE = "out", "g"
_LARGEST = 10**9


def format_edit(edit: Edit) -> str:
    """Format an edit of a result list for an address."""
    if isinstance(edit, Remove):
        return f"{_OUT}:{edit.doc_id}"
    if isinstance(edit, Move):
        return f"{edit.rank}:{edit.doc_id}"
    return f"{_GRADE}{'' if edit.grade is None else f'{edit.grade:g}'}:{edit.doc_id}"


def read_edits(texts: Iterable[str]) -> tuple[Edit, ...]:
    """Parse the edits of a result list in an address. Invalid edits are dropped."""
    return tuple(edit for text in texts if (edit := _read_edit(text)) is not None)


def _read_edit(text: str) -> Edit | None:
    action, colon, doc_id = text.partition(":")
    if not colon or not doc_id:
        return None
    if action == _OUT:
        return Remove(doc_id)
    if action.startswith(_GRADE):
        return _read_grade(action.removeprefix(_GRADE), doc_id)
    rank = parse_whole_number(action)
    return Move(doc_id, rank) if rank and rank <= _LARGEST else None


def _read_grade(text: str, doc_id: str) -> Edit | None:
    if not text:
        return Grade(doc_id, None)
    try:
        grade = float(text)
    except ValueError:
        return None
    return Grade(doc_id, grade) if math.isfinite(grade) and abs(grade) <= _LARGEST else None
