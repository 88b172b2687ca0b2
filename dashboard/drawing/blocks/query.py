"""The parts of the page of one query, but for the two lists."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import Styles, pieces_of, style_of
from dashboard.drawing.blocks.table import Column
from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import SAME
from metrics_core.explaining.diagnosis import SQUARES, Diagnosis
from metrics_core.findings.sentence import Sentence

Row = dict[str, Any]

MISSED_SHOWN = 20
"""Missed documents that stand open; a well-judged query has hundreds."""
_BEGINNING = 80
_CHIP, _MOST_CHIPS = 32, 4
"""Characters of a value that is a chip, and how many there are."""
_LONG_QUERY = 90
_ZEROS = 10
"""Squares of which a 0 is written out as well."""

_drawn = Template("query")
_common = Template("markup")


def query_head(text: str, query_id: str, metadata: Mapping[str, str], cause: str = "") -> Markup:
    """The query as the page's title, and what is known of it beside it: a few words each as a named
    chip, the rest, such as a topic's narrative, folded; last the likely cause of its failure."""
    short = [(name, value) for name, value in metadata.items() if len(value) <= _CHIP][:_MOST_CHIPS]
    folded = {name: value for name, value in metadata.items() if (name, value) not in short}
    if query_id == text:
        query_id = ""  # the title says it
    long = len(text) > _LONG_QUERY
    return _drawn(
        "query_head",
        text=text,
        query_id=query_id,
        chips=short,
        folded=folded,
        long=long,
        cause=cause,
    )


def explanation(sentence: Sentence, styles: Styles) -> Markup:
    """Why the query scored as it did; nothing for an empty sentence."""
    return _drawn("explanation", pieces=pieces_of(sentence, styles)) if sentence else Markup()


def grades_of(diagnosis: Diagnosis, names: Mapping[float, str] | None = None) -> Grades:
    """The grades to tint by: those of the collection where they are named, else of the query."""
    return Grades.of(diagnosis.grades.values(), names or ())


@dataclass(frozen=True)
class Tile:
    """The square of a rank; without a tint no document stands there."""

    tint: str = ""
    said: str = ""
    doc_id: str = ""
    shown: str = ""
    rule: bool = False


def standings(
    diagnosis: Diagnosis, styles: Styles, grade_names: Mapping[float, str] | None = None
) -> Markup:
    """Per run the score, one square a rank and where the relevant documents stand. `grade_names`
    names every grade of the collection, so that a query without the highest keeps its tints."""
    grades = grades_of(diagnosis, grade_names)
    heads = [
        Column("Run", "who"),
        Column(str(diagnosis.measure), "chosen"),
        Column(f"ranks 1{w.DASH}{SQUARES}", "ranks"),
        Column("first relevant", "first"),
        Column(f"relevant in top {w.count(diagnosis.cutoff)}", "found"),
    ]
    return _drawn(
        "standings",
        rows=[
            row | {"reach": _reach(row), "tiles": tiles(diagnosis, row["run"], grades)}
            for row in diagnosis.standings.to_dict("records")
        ],
        styles={run: style_of(styles, run) for run in diagnosis.standings["run"]},
        same=SAME,
        heads=heads,
        cutoff=diagnosis.cutoff,
        n_relevant=diagnosis.n_relevant,
        legend=grades.legend(grade_names or {}),
        reach_is_exact=diagnosis.residual_is_exact,
    )


def _reach(row: Row) -> tuple[str, str] | None:
    """What the unjudged documents could make of a score; None if that is nothing else."""
    low, high = w.score(row["lowest"]), w.score(row["highest"])
    return None if math.isnan(row["lowest"]) or low == high else (low, high)


def tiles(diagnosis: Diagnosis, run: str, grades: Grades, ranks: int = SQUARES) -> list[Tile]:
    """One square a rank with a rule after rank k; none for an empty list."""
    squares = diagnosis.squares(run, ranks)
    if diagnosis.rankings[run].empty:
        return []
    drawn = []
    for rank, (doc_id, grade) in enumerate(squares, start=1):
        rule = rank == diagnosis.cutoff < ranks
        if grade is None:
            drawn.append(Tile(rule=rule))
            continue
        tint = grades.tint(grade)
        # Long rows of zeros would hide the marks that count, so there a 0 is only its outline.
        quiet = tint == "g0" and ranks > _ZEROS
        shown = "" if quiet else w.grade(None if tint == "gx" else grade)
        said = f"rank {rank}: {grades.spoken(grade)}"
        drawn.append(Tile(tint, said, doc_id, shown, rule))
    return drawn


def missed(
    diagnosis: Diagnosis,
    documents: pd.DataFrame,
    styles: Styles,
    deepest: int,
    grade_names: Mapping[float, str] | None = None,
) -> Markup:
    """Relevant documents that the top k of the run in focus lacks, with their rank in each run, and
    folded those that only that of the baseline does; a dash means not among the first `deepest`. A
    row opens its full text."""
    if diagnosis.missed.empty:
        return _drawn("none_missed", text=_nothing_missed(diagnosis))
    grades = grades_of(diagnosis, grade_names)
    # The two lists above show the baseline and the run in focus, so they come first here too.
    order = [diagnosis.baseline, diagnosis.focus, *styles, *diagnosis.rankings]
    runs = [run for run in dict.fromkeys(order) if run in diagnosis.rankings]
    names = [_common("run_text", style=style_of(styles, run)) for run in runs]
    rows = [
        row
        | {
            "title": column_of(documents, row["doc_id"], "title"),
            "beginning": beginning_of(documents, row["doc_id"]),
            "text": column_of(documents, row["doc_id"], "text").strip(),
            "chip": grades.chip(row["grade"]),
        }
        for row in diagnosis.missed.to_dict("records")
    ]
    own = f"rank: {diagnosis.focus}"
    lacking = [row for row in rows if not row[own] <= diagnosis.cutoff]
    rest = [row for row in rows if row[own] <= diagnosis.cutoff]
    return _drawn(
        "missed",
        nothing="" if lacking else _nothing_missed(diagnosis),
        rows=lacking[:MISSED_SHOWN],
        folded=[
            (f"and {w.count(len(some))} more{of}", some)
            for some, of in (
                (lacking[MISSED_SHOWN:], ""),
                (
                    rest,
                    f" only missing in the top {w.count(diagnosis.cutoff)} of {diagnosis.baseline}",
                ),
            )
            if some
        ],
        focus=diagnosis.focus,
        runs=runs,
        heads=[
            Column("Grade", "grade"),
            Column("Document", "document"),
            *(Column(name, "rank") for name in names),
        ],
        cutoff=diagnosis.cutoff,
        absent=f"not in the top {w.count(deepest)}",
    )


def _nothing_missed(diagnosis: Diagnosis) -> str:
    if not diagnosis.n_relevant:
        return "No document is judged relevant to this query."
    k, focus = w.count(diagnosis.cutoff), diagnosis.focus
    if diagnosis.baseline == focus or len(diagnosis.missed):
        return f"Every relevant document is in the top {k} of {focus}."
    return f"Every relevant document is in the top {k} of both runs."


def column_of(documents: pd.DataFrame, doc_id: str, column: str) -> str:
    """A document's title or text; "" where it is not known."""
    if column not in documents or doc_id not in documents.index:
        return ""
    value = documents.at[doc_id, column]
    return value if isinstance(value, str) else ""


def beginning_of(documents: pd.DataFrame, doc_id: str) -> str:
    """The first words of a document that has no title, for its id alone says little; else ""."""
    if column_of(documents, doc_id, "title").strip():
        return ""
    text = column_of(documents, doc_id, "text")[: 4 * _BEGINNING].strip()
    return shorten(text, _BEGINNING, placeholder=" …")
