"""Blocks of the Query page, except for the result lists."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import Styles, run_style, sentence_pieces
from dashboard.drawing.blocks.table import Column
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.figures.text import short_names
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import SAME
from metrics_core.explaining.diagnosis import SQUARES, Diagnosis
from metrics_core.findings.sentence import Sentence
from metrics_core.findings.significance import rounding_note

Row = dict[str, Any]

OPEN_MISSED = 20
"""Number of missed documents that are visible at first. More are folded, because a query with many
judgments may have hundreds."""
_BEGINNING = 80
_CHIP, _MOST_CHIPS = 32, 4
"""Limits for drawing metadata as chips: the maximum number of characters of a value, and the
maximum number of chips."""
_LONG_QUERY, _IN_A_HEAD = 90, 18
_ZEROS = 10
"""Maximum number of squares in a row for which a square of grade 0 shows its digit."""

_render = Template("query")
_common = Template("markup")


def draw_query_heading(
    text: str,
    query_id: str,
    metadata: Mapping[str, str],
    cause: str = "",
    *,
    is_starred: bool = False,
    is_beside: bool = False,
) -> Markup:
    """Draw the query as a title, with its star, its metadata and the probable cause of its failure.

    It is the title of the page or, if `is_beside` is true, of the query that is open beside the
    list. Short values of the metadata are drawn as labelled chips; long values, such as the
    narrative of a TREC topic, are hidden until the user opens them."""
    short = [(name, value) for name, value in metadata.items() if len(value) <= _CHIP][:_MOST_CHIPS]
    folded = {name: value for name, value in metadata.items() if (name, value) not in short}
    long = len(text) > _LONG_QUERY
    return _render(
        "query_head",
        text=text,
        query_id=query_id,
        is_starred=is_starred,
        level=2 if is_beside else 1,
        chips=short,
        folded=folded,
        long=long,
        cause=cause,
    )


def draw_page_link(link: str, query_id: str) -> Markup:
    """Draw the link to the page of the query that is open beside the list. The link also marks the
    row of this query in the list."""
    return _render("page_link", link=link, query_id=query_id)


def draw_explanation(sentence: Sentence, styles: Styles) -> Markup:
    """Draw the explanation of the query's scores. The result is empty if the sentence is empty."""
    return (
        _render("explanation", pieces=sentence_pieces(sentence, styles)) if sentence else Markup()
    )


def query_grades(diagnosis: Diagnosis, names: Mapping[float, str] | None = None) -> Grades:
    """Return the grades on which the colours depend: the grades of the collection, which are the
    keys of `names`, and the grades of the query."""
    return Grades.from_grades(diagnosis.grades.values(), names or ())


@dataclass(frozen=True)
class Tile:
    """The square of one rank in a list. If the list has no document at this rank, `tint` is
    empty."""

    tint: str = ""
    spoken: str = ""
    doc_id: str = ""
    digit: str = ""
    rule: bool = False


def draw_grade_legend(diagnosis: Diagnosis, grade_names: Mapping[float, str]) -> Markup:
    """Draw the legend of the grades. `grade_names` is the same as for `draw_ranks_by_run`."""
    return _render("grade_legend", legend=query_grades(diagnosis, grade_names).legend(grade_names))


def draw_ranks_by_run(
    diagnosis: Diagnosis, styles: Styles, grade_names: Mapping[float, str] | None = None
) -> Markup:
    """Draw for each run its score, one square per rank, and the ranks of the relevant documents.
    `grade_names` names all grades of the collection, so that a grade has the same colour for every
    query."""
    grades, rows = query_grades(diagnosis, grade_names), diagnosis.standings
    heads = [
        Column("Run", "who"),
        Column(str(diagnosis.measure), "chosen"),
        Column(f"Ranks 1{w.DASH}{SQUARES}", "ranks"),
        Column("First relevant", "first"),
        Column(f"Relevant in top {w.format_count(diagnosis.cutoff)}", "found"),
    ]
    return _render(
        "standings",
        rows=[
            row | {"reach": _bounds_text(row), "tiles": rank_tiles(diagnosis, row["run"], grades)}
            for row in rows.to_dict("records")
        ],
        styles={run: run_style(styles, run) for run in rows["run"]},
        short=short_names(rows["run"], _IN_A_HEAD),
        same=SAME,
        heads=heads,
        cutoff=diagnosis.cutoff,
        n_relevant=diagnosis.n_relevant,
        reach_is_exact=diagnosis.residual_is_exact,
        rounding=rounding_note(rows.assign(baseline_score=rows["score"] - rows["difference"])),
    )


def _bounds_text(row: Row) -> tuple[str, str] | None:
    """Return, as text, the lowest and the highest score that the query could have, depending on the
    grades of its unjudged documents. Returns None if the two are equal or unknown."""
    low, high = w.format_score(row["lowest"]), w.format_score(row["highest"])
    return None if math.isnan(row["lowest"]) or low == high else (low, high)


def rank_tiles(
    diagnosis: Diagnosis, run: str, grades: Grades, n_ranks: int = SQUARES
) -> list[Tile]:
    """Return one square per rank, with a line after rank k. The result is empty if the list is
    empty."""
    squares = diagnosis.grades_by_rank(run, n_ranks)
    if diagnosis.rankings[run].empty:
        return []
    result = []
    for rank, (doc_id, grade) in enumerate(squares, start=1):
        rule = rank == diagnosis.cutoff < n_ranks
        if grade is None:
            result.append(Tile(rule=rule))
            continue
        tint = grades.tint(grade)
        # In long rows, digits of zeros would hide the others, so a 0 is only an outline.
        quiet = tint == "g0" and n_ranks > _ZEROS
        digit = "" if quiet else w.format_grade(None if tint == "gx" else grade)
        spoken = f"rank {rank}: {grades.screen_reader_text(grade)}"
        result.append(Tile(tint, spoken, doc_id, digit, rule))
    return result


def draw_missed_documents(
    diagnosis: Diagnosis,
    documents: pd.DataFrame,
    styles: Styles,
    deepest_cutoff: int,
    grade_names: Mapping[float, str] | None = None,
) -> Markup:
    """Draw the relevant documents that are missing from the top k of the run in focus, with their
    rank in each run.

    Documents that are missing only from the top k of the baseline are folded. A dash means that a
    document is not in the top `deepest_cutoff`. A click on a row opens the full text of the
    document."""
    if diagnosis.missed.empty:
        return _render("none_missed", text=_none_missed_text(diagnosis))
    grades = query_grades(diagnosis, grade_names)
    # The lists above start with the baseline and the run in focus, so the columns do, too.
    order = [diagnosis.baseline, diagnosis.focus, *styles, *diagnosis.rankings]
    runs = [run for run in dict.fromkeys(order) if run in diagnosis.rankings]
    short = short_names(runs, _IN_A_HEAD)
    names = [_common("run_text", style=run_style(styles, run), short=short[run]) for run in runs]
    rows = [
        row
        | {
            "title": document_column(documents, row["doc_id"], "title"),
            "beginning": first_words(documents, row["doc_id"]),
            "text": document_column(documents, row["doc_id"], "text").strip(),
            "chip": grades.chip(row["grade"]),
        }
        for row in diagnosis.missed.to_dict("records")
    ]
    focus_column = f"rank: {diagnosis.focus}"
    missing_rows = [row for row in rows if not row[focus_column] <= diagnosis.cutoff]
    rest = [row for row in rows if row[focus_column] <= diagnosis.cutoff]
    return _render(
        "missed",
        nothing="" if missing_rows else _none_missed_text(diagnosis),
        rows=missing_rows[:OPEN_MISSED],
        folded=[
            (f"and {w.format_count(len(some))} more{suffix}", some)
            for some, suffix in (
                (missing_rows[OPEN_MISSED:], ""),
                (
                    rest,
                    (
                        f" missing only in the top {w.format_count(diagnosis.cutoff)} of"
                        f" {diagnosis.baseline}"
                    ),
                ),
            )
            if some
        ],
        focus=diagnosis.focus,
        runs=short,
        heads=[
            Column("Grade", "grade"),
            Column("Document", "document"),
            *(Column(name, "rank") for name in names),
        ],
        cutoff=diagnosis.cutoff,
        absent=f"not in the top {w.format_count(deepest_cutoff)}",
    )


def _none_missed_text(diagnosis: Diagnosis) -> str:
    if not diagnosis.n_relevant:
        return "No document is judged relevant to this query."
    k, focus = w.format_count(diagnosis.cutoff), diagnosis.focus
    if diagnosis.baseline == focus or len(diagnosis.missed):
        return f"Every relevant document is in the top {k} of {focus}."
    return f"Every relevant document is in the top {k} of both runs."


def document_column(documents: pd.DataFrame, doc_id: str, column: str) -> str:
    """Return a document's title or text. Returns "" if it is unknown. `documents` is indexed by
    doc_id."""
    if column not in documents or doc_id not in documents.index:
        return ""
    value = documents.at[doc_id, column]
    return value if isinstance(value, str) else ""


def first_words(documents: pd.DataFrame, doc_id: str) -> str:
    """Return the first words of a document that has no title, because the id alone does not
    describe it. Returns "" if the document has a title. `documents` has title and text, indexed by
    doc_id."""
    if document_column(documents, doc_id, "title").strip():
        return ""
    text = document_column(documents, doc_id, "text")[: 4 * _BEGINNING].strip()
    return shorten(text, _BEGINNING, placeholder=" …")
