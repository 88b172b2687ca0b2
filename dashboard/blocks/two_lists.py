"""Two runs' lists of one query side by side, with lines that join the same document."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dashboard.blocks import markup as m
from dashboard.blocks.grades import Grades
from dashboard.blocks.movement import NO_MOVE, Movement, lines, movement
from dashboard.blocks.query import column_of, full_text, grades_of, titled
from dashboard.blocks.words import marked
from metrics_core import wording as w
from metrics_core.explaining.diagnosis import Diagnosis

Row = dict[str, Any]

_HEIGHTS = {"with-text": 86, "with-title": 68, "by-id": 46}
"""Height of a row in px by what is known of the documents, as in the style sheet; all rows of both
lists are alike, so that the lines meet them."""
_EXCERPT = 360


@dataclass(frozen=True)
class _View:
    """What the rows of both lists share."""

    documents: pd.DataFrame
    words: Collection[str]
    grades: Grades
    kind: str
    alone: bool


def two_lists(
    diagnosis: Diagnosis,
    left_run: str,
    right_run: str,
    documents: pd.DataFrame,
    query_words: Collection[str],
    styles: m.Styles,
    grade_names: Mapping[float, str] | None = None,
) -> str:
    """The first k documents of two runs. `documents` is indexed by doc_id with title and text, and
    may lack any of them. A row opens its full text. With one run there is one list."""
    alone = left_run == right_run
    left = diagnosis.side_by_side(left_run, right_run)
    right = diagnosis.side_by_side(right_run, left_run)
    shown = documents.reindex([*left["doc_id"], *right["doc_id"]])
    view = _View(documents, query_words, grades_of(diagnosis, grade_names), _kind(shown), alone)
    note = ""
    if view.kind == "by-id" and len(shown):
        note = '<p class="note">No document file is loaded; documents are shown by id.</p>'
    parts = [
        _head(diagnosis, left_run, styles, "left"),
        _list(left, left_run, view, "left"),
    ]
    if not alone:
        parts += [
            lines(left, right, diagnosis.cutoff, _HEIGHTS[view.kind]),
            _head(diagnosis, right_run, styles, "right"),
            _list(right, right_run, view, "right"),
        ]
    single = " single" if alone else ""
    return (
        f'<div class="lens pairs{single}">{note}'
        f'<div class="board {view.kind}">{"".join(parts)}</div></div>'
    )


def _kind(shown: pd.DataFrame) -> str:
    def any_in(column: str) -> bool:
        return column in shown and any(isinstance(v, str) and v.strip() for v in shown[column])

    if any_in("text"):
        return "with-text"
    return "with-title" if any_in("title") else "by-id"


def _head(diagnosis: Diagnosis, run: str, styles: m.Styles, side: str) -> str:
    row = diagnosis.standings.set_index("run").loc[run]
    change = ""
    if side == "right" and not math.isnan(row["difference"]):
        change = " " + m.change(row["difference"], clear=True)
    return (
        f'<div class="head {side}">{m.run_label(m.style_of(styles, run))}'
        f'<span class="scored">{w.score(row["score"])}{change}</span></div>'
    )


def _list(rows: pd.DataFrame, run: str, view: _View, side: str) -> str:
    if rows.empty:
        text = f"{m.isolated(run)} lists nothing for this query."
        return f'<p class="ranked {side} none">{text}</p>'
    records = rows.to_dict("records")
    moves = [NO_MOVE if view.alone else movement(row, side) for row in records]
    # Every row is a grid of its own, so the widest movement is given to all of them.
    widest = max(len(move.words) for move in moves)
    items = "".join(_item(row, move, view, side) for row, move in zip(records, moves, strict=True))
    label = f"First documents of {m.escaped(run)}"
    return f'<ol class="ranked {side}" aria-label="{label}" style="--move:{widest}ch">{items}</ol>'


def _item(row: Row, move: Movement, view: _View, side: str) -> str:
    doc_id = row["doc_id"]
    text = column_of(view.documents, doc_id, "text").strip()
    title = marked(column_of(view.documents, doc_id, "title").strip(), view.words)
    name = titled(doc_id, view.documents, f"<bdi>{title}</bdi>" if title else "")
    excerpt = f'<span class="excerpt" dir="auto">{marked(text[:_EXCERPT], view.words)}</span>'
    weight = "relevant" if row["grade"] >= 1 else "other"
    line = (
        f'<span class="place"><b>{m.unseen("rank ")}{w.count(row["rank"])}</b> '
        f'<small class="{move.tone}">{m.escaped(move.words)}</small></span>'
        f"{view.grades.chip(row['grade'])}"
        f'<span class="paper"><span class="name">{name}</span> {excerpt if text else ""}</span>'
    )
    if not text:
        return f'<li class="{weight}"><div class="line">{line}</div></li>'
    return (
        f'<li class="{weight}"><details name="lens-{side}"><summary class="line">{line}</summary>'
        f'<div class="whole"><div class="document-head"><b>{titled(doc_id, view.documents)}</b>'
        f"</div>{full_text(text)}</div></details></li>"
    )
