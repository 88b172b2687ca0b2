"""Runs' lists of one query side by side, with lines that join the same document."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import style_of
from dashboard.drawing.blocks.movement import NO_MOVE, Movement, lines, movement
from dashboard.drawing.blocks.query import column_of, grades_of
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.blocks.words import excerpt, marked
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.theme import RunStyle
from metrics_core.base import wording as w
from metrics_core.explaining.diagnosis import Diagnosis

Row = Mapping[str, Any]

_HEIGHTS = {"with-text": 86, "with-title": 68, "by-id": 46}
"""Height of a row in px by what is known of the documents, as in the style sheet; all rows of both
lists are alike, so that the lines meet them."""
_EXCERPT = 360
STEP = 100
"""Rows of each list that are shown at first, and that each unfolding adds."""

_Links = list[tuple[str, str]]
"""Texts and addresses."""

_drawn = Template("two_lists")


@dataclass(frozen=True)
class _View:
    """What the rows of both lists share."""

    documents: pd.DataFrame
    words: Collection[str]
    grades: Grades
    alone: bool


@dataclass(frozen=True)
class _Item:
    """One listed document; without a doc_id it is one that nobody judged, of a run that came as
    judged ranks."""

    doc_id: str
    rank: int
    relevant: bool
    chip: Markup
    move: Movement
    title: str
    marked_title: Markup
    text: str
    excerpt: Markup


@dataclass(frozen=True)
class _List:
    """One run's list; every row is a grid of its own, so the widest movement is given to all."""

    side: str
    column: int
    style: RunStyle
    score: float
    difference: float
    items: Sequence[_Item]

    @property
    def widest(self) -> int:
        """Length of the longest movement in words."""
        return max(item.move.length for item in self.items)


def two_lists(
    diagnosis: Diagnosis,
    drawing: Drawing,
    documents: pd.DataFrame,
    query_words: Collection[str],
    grade_names: Mapping[float, str] | None = None,
    *,
    further: Sequence[str] = (),
    rows: int | None = None,
    unfolded: Callable[[int], str] = str,
) -> Markup:
    """The first k documents of the baseline, of the run in focus and of `further` runs, no more
    than `rows`; lines join each list with the one before. `documents` is indexed by doc_id with
    title and text, and may lack any of them. A row opens its full text. With one run there is one
    list. Where documents are folded, `unfolded` gives the address that shows so many."""
    runs = list(dict.fromkeys([drawing.baseline, drawing.focus, *further]))
    neighbours = [runs[1] if len(runs) > 1 else runs[0], *runs[:-1]]
    pairs = list(zip(runs, neighbours, strict=True))
    wholes = [diagnosis.side_by_side(run, other) for run, other in pairs]
    reach = diagnosis.cutoff if rows is None else min(rows, diagnosis.cutoff)
    listed = [row["doc_id"] for whole in wholes for row in whole[:reach]]
    shown = documents.reindex([doc_id for doc_id in listed if doc_id])
    view = _View(documents, query_words, grades_of(diagnosis, grade_names), len(runs) == 1)
    kind = _kind(shown)
    lists = [
        _list(whole[:reach], diagnosis, style_of(drawing.styles, run), view, number)
        for number, (whole, run) in enumerate(zip(wholes, runs, strict=True))
    ]
    joins = [
        lines(
            diagnosis.side_by_side(left, right)[:reach],
            diagnosis.side_by_side(right, left)[:reach],
            reach,
            _HEIGHTS[kind],
            2 * number,
        )
        for number, (right, left) in enumerate(pairs[1:], 1)
    ]
    note = ""
    if kind == "by-id" and len(shown):
        note = "No document file is loaded; documents are shown by id."
    return _drawn(
        "two_lists",
        lists=lists,
        joins=joins,
        columns=" var(--gap) ".join(["minmax(0, 1fr)"] * len(lists)),
        kind=kind,
        note=note,
        fold=_fold(reach, max(len(whole) for whole in wholes), unfolded),
    )


def _fold(shown: int, listed: int, unfolded: Callable[[int], str]) -> tuple[str, _Links] | None:
    """How much of the lists is shown, and the ways to more; None where they are whole."""
    if shown >= listed:
        return None
    more = min(shown + STEP, listed)
    links = [(f"Show the next {w.count(more - shown)}", unfolded(more))]
    if more < listed:
        links.append((f"Show all {w.count(listed)}", unfolded(listed)))
    return f"Ranks 1{w.DASH}{w.count(shown)} of {w.count(listed)}.", links


def _kind(shown: pd.DataFrame) -> str:
    def any_in(column: str) -> bool:
        return column in shown and any(isinstance(v, str) and v.strip() for v in shown[column])

    if any_in("text"):
        return "with-text"
    return "with-title" if any_in("title") else "by-id"


def _list(
    rows: Sequence[Row], diagnosis: Diagnosis, style: RunStyle, view: _View, number: int
) -> _List:
    side = "right" if number else "left"
    standing = diagnosis.standings.set_index("run").loc[style.name]
    items = [_item(row, view, side) for row in rows]
    return _List(side, 2 * number + 1, style, standing["score"], standing["difference"], items)


def _item(row: Row, view: _View, side: str) -> _Item:
    doc_id = row["doc_id"] or ""
    title = column_of(view.documents, doc_id, "title").strip()
    text = column_of(view.documents, doc_id, "text").strip()
    return _Item(
        doc_id=doc_id,
        rank=row["rank"],
        relevant=row["relevant"],
        chip=view.grades.chip(row["grade"]),
        move=NO_MOVE if view.alone else movement(row, side),
        title=title,
        marked_title=marked(title, view.words),
        text=text,
        excerpt=marked(excerpt(text, view.words, _EXCERPT), view.words),
    )
