"""The parts of the Data page: what was read, what was noticed, what could not be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.markup import Styles, pieces_of
from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.checks.fit import FitLine
from metrics_core.findings import Verdict

Row = Mapping[str, Any]

_drawn = Template("data")


def result(found: Verdict | None, styles: Styles, link: str) -> Markup:
    """What the loaded files say, with the way to the comparison; without it, its room."""
    if found is None:
        return _drawn("result", pieces=[], lead=[], badge="", tone="", link="")
    return _drawn(
        "result",
        pieces=pieces_of(found.title, styles),
        lead=pieces_of(found.lead, styles),
        badge=found.badge,
        tone=found.tone,
        link=link,
    )


def error_card(error: RanklensError) -> Markup:
    """What is wrong with a file, what was expected, and how to mend it; never a stack trace."""
    if not isinstance(error, FileFormatError):
        return _drawn("error_card", error=error)
    offer = error.offer if error.offer and error.offer not in error.hint else ""
    return _drawn(
        "file_error_card",
        error=error,
        first=error.problems[0],
        offer=offer,
        beyond=error.count - len(error.problems),
    )


def receipt(message: str, hint: str = "", *, alarming: bool = False) -> Markup:
    """What became of something that was done; `alarming` where it went wrong."""
    return _drawn("receipt", message=message, hint=hint, alarming=alarming)


def file_table(rows: Sequence[Row], cutoff: int = 10) -> Markup:
    """Every loaded file. A row has file, kind, read_as, rows, queries (None where it has none),
    judged (share of the top `cutoff`, or None), notes, style (of a run, or None), is_baseline."""
    heads = [
        ("file", "File"),
        ("holds", "Holds"),
        ("read-as", "Read as"),
        ("number", "Rows"),
        ("number", "Queries"),
        ("number judged", f"Top {w.count(cutoff)} judged"),
        ("notes", "Notes"),
    ]
    return _drawn("file_table", rows=rows, heads=heads)


def how_large(most: str) -> Markup:
    """What an uploader takes; `most` is the size that a file may have."""
    return _drawn("how_large", most=most)


def fit_table(lines: Sequence[FitLine]) -> Markup:
    """Whether the files belong together; `lines` are those of `fit_report`."""
    return _drawn("fit_table", lines=lines)


_STEPS = (
    (
        "Judgments",
        "Which documents answer which query, and how well.",
        "query  0  document  grade\nq001   0  HC-0118   3\nq001   0  HC-0402   0",
    ),
    (
        "Runs, two or more",
        "What each system returned, best first.",
        "query Q0 document rank score name\n"
        "q001  Q0 HC-0118  1    14.2  bm25\n"
        "q001  Q0 HC-0121  2    13.9  bm25",
    ),
    (
        "Queries and documents, if you have them",
        "Texts and groups make single failures readable.",
        "id,text,category,difficulty\n"
        "q001,charged twice,Billing,medium\n"
        "q002,reset sensor,Devices,easy",
    ),
)


def first_run_steps() -> Markup:
    """What to load, in three steps with a sample of each file."""
    return _drawn("first_run_steps", steps=_STEPS)


def preview(kind: str, rows: pd.DataFrame) -> Markup:
    """The first rows of a file as a small table; `kind` says what the file holds."""
    values = rows.itertuples(index=False, name=None)
    return _drawn("preview", kind=kind, columns=list(rows.columns), rows=list(values))
