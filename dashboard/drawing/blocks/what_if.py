"""What if: the list after the user's edits, and their effect on the scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from dashboard.answers.what_if import WhatIf
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import run_style
from dashboard.drawing.blocks.query import document_column, first_words
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from metrics_core.base import wording as w
from metrics_core.explaining.what_if import Edit, Grade, Move, Remove

_MOST_GRADES = 6

_render = Template("what_if")

LinkMaker = Callable[[Edit], str]
"""A function that takes an edit and returns the link to the page with this edit added."""


def draw_what_if_scores(what_if: WhatIf, drawing: Drawing) -> Markup:
    """Draw the values of each measure before and after the edits: the score of this query, and the
    mean over all queries in view."""
    styles = [run_style(drawing.styles, run) for run in (drawing.focus, drawing.baseline)]
    return _render(
        "what_if_scores",
        rows=what_if.scores.to_dict("records"),
        focus=styles[0],
        baseline=None if drawing.is_single_run else styles[1],
        queries=what_if.queries,
        graded=bool(what_if.lines),
    )


def draw_what_if_rows(
    what_if: WhatIf,
    drawing: Drawing,
    documents: pd.DataFrame,
    grades: Grades,
    *,
    make_edit_link: LinkMaker,
) -> Markup:
    """Draw the list after the edits. Each row has links that move, remove and grade its document.
    `make_edit_link` returns the link that adds an edit."""
    offered_grades = [g for g in grades.levels if g >= 0][-_MOST_GRADES:]
    rows = [
        _make_edited_row(row, what_if, documents, grades, offered_grades, make_edit_link)
        for row in what_if.rows.to_dict("records")
    ]
    return _render(
        "what_if_rows",
        rows=rows,
        style=run_style(drawing.styles, drawing.focus),
        cutoff=what_if.below,
        lines=what_if.lines,
    )


def _make_edited_row(
    row: dict[str, Any],
    what_if: WhatIf,
    documents: pd.DataFrame,
    grades: Grades,
    offered_grades: Sequence[float],
    make_edit_link: LinkMaker,
) -> dict[str, Any]:
    """Return the data of a row, including the links that edit it. The link of an edit that is not
    possible is ""."""
    doc_id, rank = row["doc_id"], row["rank"]
    is_listed = not np.isnan(rank)
    moved, tone = _describe_movement(rank, row["was"])
    return row | {
        "title": document_column(documents, doc_id, "title").strip(),
        "beginning": first_words(documents, doc_id),
        "moved": moved,
        "tone": tone,
        "chip": grades.chip(row["grade"]),
        "short": _shortfall_text(row["short"], what_if.below),
        "up": make_edit_link(Move(doc_id, int(rank) - 1)) if is_listed and rank > 1 else "",
        "down": make_edit_link(Move(doc_id, int(rank) + 1))
        if is_listed and rank < what_if.list_length
        else "",
        "first": "" if is_listed and rank == 1 else make_edit_link(Move(doc_id, 1)),
        "out": make_edit_link(Remove(doc_id)) if is_listed else "",
        "grades": [
            (w.format_grade(g), make_edit_link(Grade(doc_id, g)), g == row["grade"])
            for g in offered_grades
        ],
    }


def _shortfall_text(shortfall: float, rank: int) -> str:
    """Return a phrase that compares the score of a document below rank k with the score at rank k
    of the same run. Returns "" if `shortfall`, the difference of the two, is unknown."""
    if np.isnan(shortfall):
        return ""
    if shortfall == 0:
        return f"same score as rank {w.format_count(rank)}"
    return f"score {shortfall:.3g} lower than at rank {w.format_count(rank)}"


def _describe_movement(rank: float, rank_before: float) -> tuple[str, str]:
    """Return how the edits moved a document: the words, and the direction of the arrow."""
    if np.isnan(rank):
        return ("" if np.isnan(rank_before) else f"was {w.format_count(rank_before)}"), ""
    if np.isnan(rank_before):
        return "new", "up"
    if rank == rank_before:
        return "", ""
    return f"from {w.format_count(rank_before)}", "up" if rank < rank_before else "down"


def draw_best_edit(
    what_if: WhatIf,
    documents: pd.DataFrame,
    link: str,
    further_links: Sequence[tuple[str, str]],
    *,
    document_link: Callable[[str], str],
) -> Markup:
    """Draw the best single change as a sentence, followed by a link that applies it and by the
    `further_links`. If there is no such change, draw only the `further_links`. `document_link`
    returns the link that opens a document."""
    if what_if.best is None:
        return draw_what_if_links(further_links)
    edit, rank_before = what_if.best.edit, what_if.best_was
    if isinstance(edit, Remove):
        change_text = "removed"
    else:
        change_text = f"at rank {w.format_count(edit.rank)}"
        if not np.isnan(rank_before):
            change_text += f" instead of {w.format_count(rank_before)}"
    return _render(
        "what_if_best",
        title=document_column(documents, edit.doc_id, "title").strip() or edit.doc_id,
        opened=document_link(edit.doc_id),
        where=change_text,
        after=what_if.best.score,
        links=[("Try it", link), *further_links],
    )


def draw_what_if_links(links: Sequence[tuple[str, str]]) -> Markup:
    """Draw a row of links. Each link has a text and a URL."""
    return _render("what_if_links", links=links)
