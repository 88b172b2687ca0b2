"""What if: a list that is edited by hand, and what that does to the scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from dashboard.answers.what_if import WhatIf
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import style_of
from dashboard.drawing.blocks.query import beginning_of, column_of
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from metrics_core.base import wording as w
from metrics_core.explaining.what_if import Edit, Grade, Move, Remove

_MOST_GRADES = 6

_drawn = Template("what_if")

Lead = Callable[[Edit], str]
"""Gives the address of the page with one more edit."""


def what_if_scores(found: WhatIf, drawing: Drawing) -> Markup:
    """Each measure before and after the edits: of this query, and of the mean over all."""
    styles = [style_of(drawing.styles, run) for run in (drawing.focus, drawing.baseline)]
    return _drawn(
        "what_if_scores",
        rows=found.scores.to_dict("records"),
        focus=styles[0],
        baseline=None if drawing.alone else styles[1],
        queries=found.queries,
        graded=bool(found.lines),
    )


def what_if_rows(
    found: WhatIf, drawing: Drawing, documents: pd.DataFrame, grades: Grades, *, lead: Lead
) -> Markup:
    """The list as the edits leave it; each row can be moved up, down, out and graded. `lead` gives
    the address with one more edit."""
    given = [g for g in grades.levels if g >= 0][-_MOST_GRADES:]
    rows = [
        _row(row, found, documents, grades, given, lead) for row in found.rows.to_dict("records")
    ]
    return _drawn(
        "what_if_rows",
        rows=rows,
        style=style_of(drawing.styles, drawing.focus),
        cutoff=found.below,
        lines=found.lines,
    )


def _row(
    row: dict[str, Any],
    found: WhatIf,
    documents: pd.DataFrame,
    grades: Grades,
    given: Sequence[float],
    lead: Lead,
) -> dict[str, Any]:
    """Add to a document how it is drawn and where it can be moved, "" for where it cannot."""
    doc_id, rank = row["doc_id"], row["rank"]
    listed = not np.isnan(rank)
    moved, tone = _moved(rank, row["was"])
    return row | {
        "title": column_of(documents, doc_id, "title").strip(),
        "beginning": beginning_of(documents, doc_id),
        "moved": moved,
        "tone": tone,
        "chip": grades.chip(row["grade"]),
        "short": _short(row["short"], found.below),
        "up": lead(Move(doc_id, int(rank) - 1)) if listed and rank > 1 else "",
        "down": lead(Move(doc_id, int(rank) + 1)) if listed and rank < found.listed else "",
        "first": "" if listed and rank == 1 else lead(Move(doc_id, 1)),
        "out": lead(Remove(doc_id)) if listed else "",
        "grades": [(w.grade(g), lead(Grade(doc_id, g)), g == row["grade"]) for g in given],
    }


def _short(short: float, rank: int) -> str:
    """How far a document below k is from coming in, by the run's own scores."""
    if np.isnan(short):
        return ""
    if short == 0:
        return f"same score as rank {w.count(rank)}"
    return f"scored {short:.3g} below rank {w.count(rank)}"


def _moved(rank: float, was: float) -> tuple[str, str]:
    """How the edits moved a document, in words, and the arrow's direction."""
    if np.isnan(rank):
        return ("" if np.isnan(was) else f"was {w.count(was)}"), ""
    if np.isnan(was):
        return "new", "up"
    if rank == was:
        return "", ""
    return f"from {w.count(was)}", "up" if rank < was else "down"


def what_if_best(
    found: WhatIf, documents: pd.DataFrame, link: str, further: Sequence[tuple[str, str]] = ()
) -> Markup:
    """The best single change as a sentence and where it is tried, and `further` ways on."""
    if found.best is None:
        return what_if_links(further)
    edit, was = found.best.edit, found.best_was
    if isinstance(edit, Remove):
        where = "removed"
    else:
        where = f"at rank {w.count(edit.rank)}"
        if not np.isnan(was):
            where += f" instead of {w.count(was)}"
    return _drawn(
        "what_if_best",
        title=column_of(documents, edit.doc_id, "title").strip() or edit.doc_id,
        where=where,
        after=found.best.score,
        links=[("Try it", link), *further],
    )


def what_if_links(links: Sequence[tuple[str, str]]) -> Markup:
    """Ways on and back: texts and addresses."""
    return _drawn("what_if_links", links=links)
