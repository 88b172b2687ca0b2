"""The parts of the page of one query, but for the two lists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dashboard.blocks import markup as m
from dashboard.blocks.grades import Grades
from dashboard.theme import RunStyle
from metrics_core import wording as w
from metrics_core.comparing.pairs import SAME
from metrics_core.explaining.diagnosis import SQUARES, Diagnosis
from metrics_core.findings import Sentence

Row = dict[str, Any]

MOST_CHARACTERS = 6_000
"""A full text is shown up to here; the rest is counted."""

MISSED_SHOWN = 20
"""Missed documents that stand open; a well-judged query has hundreds."""


def query_head(text: str, chips: Sequence[str]) -> str:
    """The query as the page's title, and what is known of it as chips."""
    items = "".join(f"<li>{m.isolated(chip)}</li>" for chip in chips if chip)
    title = m.isolated(text) if text.strip() else '<span class="muted">Query without a text</span>'
    listed = f"<ul>{items}</ul>" if items else ""
    return f'<div class="lens query-head"><h1>{title}</h1>{listed}</div>'


def details(metadata: Mapping[str, str]) -> str:
    """What is known of a query beyond a word or two, such as a topic's narrative."""
    if not metadata:
        return ""
    items = "".join(
        f"<dt>{m.escaped(name)}</dt><dd>{m.escaped(text)}</dd>" for name, text in metadata.items()
    )
    return f'<dl class="lens query-details">{items}</dl>'


def explanation(sentence: Sentence, styles: m.Styles) -> str:
    """Why the query scored as it did; nothing for an empty sentence."""
    return f'<p class="lens explanation">{m.spans(sentence, styles)}</p>' if sentence else ""


def grades_of(diagnosis: Diagnosis, names: Mapping[float, str] | None = None) -> Grades:
    """The grades to tint by: those of the collection where they are named, else of the query."""
    return Grades.of(diagnosis.grades.values(), names or ())


def standings(
    diagnosis: Diagnosis, styles: m.Styles, grade_names: Mapping[float, str] | None = None
) -> str:
    """Per run the score, one square a rank and where the relevant documents stand. `grade_names`
    names every grade of the collection, so that a query without the highest keeps its tints."""
    grades = grades_of(diagnosis, grade_names)
    k = w.count(diagnosis.cutoff)
    rows = "".join(
        _standing(row, diagnosis, m.style_of(styles, row["run"]), grades)
        for row in diagnosis.standings.to_dict("records")
    )
    heads = [
        ("who", "Run"),
        ("chosen", m.escaped(diagnosis.measure)),
        ("ranks", f"ranks 1{w.DASH}{SQUARES}"),
        ("first", "first relevant"),
        ("found", f"relevant in top {k}"),
    ]
    head = "".join(m.column_head(name, kind) for kind, name in heads)
    legend = grades.legend(grade_names or {}) + _about_reach(diagnosis)
    table = m.blocks("Scores and ranks by run", head, rows)
    return f'<div class="lens standings">{table}{legend}</div>'


def _about_reach(diagnosis: Diagnosis) -> str:
    """What the small numbers under the scores are; nothing where there are none."""
    if not any(_reach(row) for row in diagnosis.standings.to_dict("records")):
        return ""
    never = "" if diagnosis.residual_is_exact else "; it is never beyond these"
    return (
        '<p class="reach-note">Small under a score: the lowest and highest it could become if'
        f" somebody judged the unjudged documents of the whole list{never}.</p>"
    )


def _reach(row: Row) -> str:
    """What the unjudged documents could make of a score, where that is anything else."""
    low, high = w.score(row["lowest"]), w.score(row["highest"])
    if math.isnan(row["lowest"]) or low == high:
        return ""
    said = f"could be {low} to {high} once its unjudged documents are judged"
    shown = m.unspoken(f"{low} {w.DASH} {high}") + m.unseen(said)
    return f'<small class="reach" title="{said}">{shown}</small>'


def _standing(row: Row, diagnosis: Diagnosis, style: RunStyle, grades: Grades) -> str:
    score = f"<span>{w.score(row['score'])}</span>"
    if not math.isnan(row["difference"]):
        score += m.change(row["difference"], clear=not abs(row["difference"]) <= SAME)
    bar = m.meter(row["score"], style) if 0 <= row["score"] <= 1 else ""
    bar += _reach(row)
    first, found = row["first_relevant"], w.count(row["relevant_in_top"])
    place = "none" if math.isnan(first) else f"rank {w.count(first)}"
    of = f"{found} of {w.count(diagnosis.n_relevant)}"
    k = w.count(diagnosis.cutoff)
    cells = [
        m.row_head(m.run_label(style), "who"),
        m.cell(f'<span class="cell">{score}{bar}</span>', "chosen"),
        m.cell(_squares(diagnosis, row["run"], grades), "ranks"),
        m.cell(f'<span class="word">first relevant: </span>{place}', "first"),
        m.cell(f'<span class="word">in top {k}: </span>{of}', "found"),
    ]
    return f'<tr role="row">{"".join(cells)}</tr>'


def _squares(diagnosis: Diagnosis, run: str, grades: Grades) -> str:
    """One square a rank with a rule after rank k; beyond the end of the list there is nothing."""
    doc_ids = list(diagnosis.rankings[run]["doc_id"].head(SQUARES))
    squares = []
    for rank, grade in enumerate(diagnosis.squares(run, SQUARES), start=1):
        rule = " rule" if rank == diagnosis.cutoff < SQUARES else ""
        if grade is None:
            squares.append(f'<li class="tile beyond{rule}" aria-hidden="true"></li>')
            continue
        said = f"rank {rank}: {grades.spoken(grade)}"
        tint = grades.tint(grade)
        # Rows of zeros would hide the marks that count, so a 0 is only its outline.
        shown = "" if tint == "g0" else m.unspoken(w.grade(None if tint == "gx" else grade))
        squares.append(
            f'<li class="tile {tint}{rule}" title="{m.escaped(f"{said}, {doc_ids[rank - 1]}")}">'
            f"{m.unseen(said)}{shown}</li>"
        )
    if not doc_ids:
        return '<span class="none">lists nothing for this query</span>'
    return f'<ol class="tiles">{"".join(squares)}</ol>'


def missed(
    diagnosis: Diagnosis,
    documents: pd.DataFrame,
    styles: m.Styles,
    deepest: int,
    grade_names: Mapping[float, str] | None = None,
) -> str:
    """Relevant documents that the top k of the baseline or of the run in focus lacks, with their
    rank in each run; a dash means not among the first `deepest`."""
    if diagnosis.missed.empty:
        return f'<p class="lens none">{_nothing_missed(diagnosis)}</p>'
    grades = grades_of(diagnosis, grade_names)
    # The two lists above show the baseline and the run in focus, so they come first here too.
    order = [diagnosis.baseline, diagnosis.focus, *styles, *diagnosis.rankings]
    runs = [run for run in dict.fromkeys(order) if run in diagnosis.rankings]
    heads = m.column_head("Grade", "grade") + m.column_head("Document", "document")
    heads += "".join(m.column_head(m.run_text(m.style_of(styles, r)), "rank") for r in runs)
    absent = f"not among the first {w.count(deepest)}"
    rows = []
    for row in diagnosis.missed.to_dict("records"):
        cells = [m.cell(grades.chip(row["grade"]), "grade")]
        cells.append(m.row_head(titled(row["doc_id"], documents), "document"))
        for run in runs:
            cells.append(
                _rank_cell(row[f"rank: {run}"], diagnosis.cutoff, m.style_of(styles, run), absent)
            )
        rows.append(f'<tr role="row">{"".join(cells)}</tr>')
    label = f"Relevant documents that a top {w.count(diagnosis.cutoff)} misses"
    table = m.blocks(label, heads, "".join(rows[:MISSED_SHOWN]))
    rest = _folded(label, heads, rows[MISSED_SHOWN:])
    return f'<div class="lens missed" style="--runs:{len(runs)}">{table}{rest}</div>'


def _folded(label: str, heads: str, rows: Sequence[str]) -> str:
    """Further rows behind a click."""
    if not rows:
        return ""
    table = m.blocks(f"{label}, continued", heads, "".join(rows))
    return f"<details><summary>and {w.count(len(rows))} more</summary>{table}</details>"


def _nothing_missed(diagnosis: Diagnosis) -> str:
    if not diagnosis.n_relevant:
        return "No document is judged relevant to this query."
    k = w.count(diagnosis.cutoff)
    if diagnosis.baseline == diagnosis.focus:
        return f"Every relevant document is in the top {k}."
    return f"Every relevant document is in both top {k}."


def _rank_cell(rank: float, cutoff: int, style: RunStyle, absent: str) -> str:
    kind = "inside" if rank <= cutoff else "outside"
    name = f'<span class="word">{m.isolated(style.name)} </span>'
    shown = w.count(rank)
    if math.isnan(rank):
        shown = f'<span title="{absent}">{m.unspoken(shown)}{m.unseen(absent)}</span>'
    return m.cell(f"{name}<span>{shown}</span>", f"rank {kind}")


def titled(doc_id: str, documents: pd.DataFrame, title: str | None = None) -> str:
    """A document's title with its id beside it, or the id alone; `title` is marked up already."""
    if title is None:
        title = m.isolated(column_of(documents, doc_id, "title"))
    if title in ("", "<bdi></bdi>"):
        return f'<span class="id only">{m.isolated(doc_id)}</span>'
    return f'<b>{title}</b> <span class="id">{m.isolated(doc_id)}</span>'


def column_of(documents: pd.DataFrame, doc_id: str, column: str) -> str:
    """A document's title or text; "" where it is not known."""
    if column not in documents or doc_id not in documents.index:
        return ""
    value = documents.at[doc_id, column]
    return value if isinstance(value, str) else ""


def document(title: str, doc_id: str, text: str, grade: float, grades: Grades | None = None) -> str:
    """One whole document; `grade` is NaN where nobody judged it."""
    chip = (grades or Grades.of([grade])).chip(grade)
    head = f"<h3>{m.isolated(title)}</h3>" if title.strip() else ""
    return (
        f'<div class="lens document"><div class="document-head">{chip}{head}'
        f'<span class="id">{m.isolated(doc_id)}</span></div>{full_text(text)}</div>'
    )


def full_text(text: str) -> str:
    """A text as paragraphs, cut where it grows too long for a page."""
    if not text.strip():
        return '<p class="none">No text is known of this document.</p>'
    shown = text[:MOST_CHARACTERS]
    paragraphs = [part.strip() for part in shown.splitlines() if part.strip()]
    body = "".join(f'<p dir="auto">{m.escaped(part)}</p>' for part in paragraphs)
    if len(text) > MOST_CHARACTERS:
        rest = f"The first {w.count(MOST_CHARACTERS)} of {w.count(len(text))} characters."
        body += f'<p class="none">{rest}</p>'
    return body
