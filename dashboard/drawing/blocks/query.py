"""The parts of the page of one query, but for the two lists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import Styles, pieces_of, style_of
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.theme import RunStyle
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


@dataclass(frozen=True)
class _Standing:
    """A run's score on the query and where the relevant documents stand; `reach` is what the
    unjudged documents could make of the score, None where that is nothing else."""

    style: RunStyle
    score: float
    difference: float
    differs: bool
    reach: tuple[str, str] | None
    tiles: Sequence[Tile]
    first_relevant: float
    found: int


def standings(
    diagnosis: Diagnosis, styles: Styles, grade_names: Mapping[float, str] | None = None
) -> Markup:
    """Per run the score, one square a rank and where the relevant documents stand. `grade_names`
    names every grade of the collection, so that a query without the highest keeps its tints."""
    grades = grades_of(diagnosis, grade_names)
    heads = [
        ("who", "Run"),
        ("chosen", str(diagnosis.measure)),
        ("ranks", f"ranks 1{w.DASH}{SQUARES}"),
        ("first", "first relevant"),
        ("found", f"relevant in top {w.count(diagnosis.cutoff)}"),
    ]
    return _drawn(
        "standings",
        rows=[
            _standing(row, diagnosis, style_of(styles, row["run"]), grades)
            for row in diagnosis.standings.to_dict("records")
        ],
        heads=heads,
        cutoff=diagnosis.cutoff,
        n_relevant=diagnosis.n_relevant,
        legend=grades.legend(grade_names or {}),
        reach_is_exact=diagnosis.residual_is_exact,
    )


def _standing(row: Row, diagnosis: Diagnosis, style: RunStyle, grades: Grades) -> _Standing:
    return _Standing(
        style=style,
        score=row["score"],
        difference=row["difference"],
        differs=not abs(row["difference"]) <= SAME,
        reach=_reach(row),
        tiles=tiles(diagnosis, row["run"], grades),
        first_relevant=row["first_relevant"],
        found=row["relevant_in_top"],
    )


def _reach(row: Row) -> tuple[str, str] | None:
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


@dataclass(frozen=True)
class _Missed:
    """A relevant document that a top lacks, with its rank by run."""

    doc_id: str
    title: str
    beginning: str
    text: str
    chip: Markup
    ranks: Mapping[str, float]


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
        _Missed(
            row["doc_id"],
            column_of(documents, row["doc_id"], "title"),
            beginning_of(documents, row["doc_id"]),
            column_of(documents, row["doc_id"], "text").strip(),
            grades.chip(row["grade"]),
            {run: row[f"rank: {run}"] for run in runs},
        )
        for row in diagnosis.missed.to_dict("records")
    ]
    lacking = [row for row in rows if not row.ranks[diagnosis.focus] <= diagnosis.cutoff]
    rest = [row for row in rows if row.ranks[diagnosis.focus] <= diagnosis.cutoff]
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
                    f" that only the top {w.count(diagnosis.cutoff)} of {diagnosis.baseline} lacks",
                ),
            )
            if some
        ],
        focus=diagnosis.focus,
        runs=runs,
        heads=[("grade", "Grade"), ("document", "Document"), *(("rank", name) for name in names)],
        cutoff=diagnosis.cutoff,
        absent=f"not among the first {w.count(deepest)}",
    )


def _nothing_missed(diagnosis: Diagnosis) -> str:
    if not diagnosis.n_relevant:
        return "No document is judged relevant to this query."
    k, focus = w.count(diagnosis.cutoff), diagnosis.focus
    if diagnosis.baseline == focus or len(diagnosis.missed):
        return f"Every relevant document is in the top {k} of {focus}."
    return f"Every relevant document is in both top {k}."


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
