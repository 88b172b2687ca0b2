"""A report: what all pages find of one comparison, as one value that leaves the dashboard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from shlex import quote
from typing import TypeVar

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.breakdown import Breakdown, breakdown
from dashboard.answers.curves import Curves, curves
from dashboard.answers.firmness import firmness
from dashboard.answers.group_table import GroupRows, GroupTableRequest, listed
from dashboard.answers.id_offers import maps_said
from dashboard.answers.overview import Overview, missing_queries, overview, overview_measures
from dashboard.answers.own_documents import own_left_out
from dashboard.answers.queries import QueryList, QueryListRequest, query_list
from dashboard.answers.query import QueryPage, query
from dashboard.answers.query_chips import lists
from dashboard.answers.query_notes import COLUMNS, NOTHING_NOTED, Remarks
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.base.arrays import Mask
from metrics_core.base.version import __version__
from metrics_core.comparing.method import METHOD
from metrics_core.findings.firmness import Firmness
from metrics_core.formats.registry import Kind
from metrics_core.measures.declaring.description import described

Part = TypeVar("Part")

CASE_ROWS = 10
"""Rows of a case's lists at most."""
_LIBRARIES = ("numpy", "scipy")


@dataclass(frozen=True)
class UsedFile:
    """A file that the numbers come from: its rows and queries (None of documents), and the SHA-256
    of its content, or of its table where the file itself is not at hand; `run` is the name of what
    it holds where that is a run. Judgments may be those of a collection of ir_datasets (`ready`)
    of this name instead."""

    name: str
    kind: Kind
    run: str
    rows: int
    queries: int | None
    fingerprint: str
    ready: bool = False


@dataclass(frozen=True)
class Case:
    """A query that got worse or better: its row of the Overview's list, and its page."""

    row: dict[str, object]
    page: QueryPage


@dataclass(frozen=True)
class Measured:
    """What was measured and how: each measure with what it is in words and as LaTeX, the files,
    the libraries' versions, what of the files was `changed` for it, in sentences, and the command
    that prints the same numbers; "" where the view is filtered or holds grades that were given
    here, which no command knows. `missing` counts, by run, the queries that it lacks."""

    measures: list[tuple[str, str, str]]
    files: tuple[UsedFile, ...]
    versions: str
    changed: tuple[str, ...]
    missing: dict[str, int]
    command: str


@dataclass(frozen=True)
class Report:
    """All that a report shows. `groups` are of the first column, None where nothing tells the
    queries apart; `lists` says of each query, in the order of the scores, in which lists it is,
    `grades` are those of the collection, by which they are tinted, `noted` is what people noted of
    its queries: query_id, text, tags, notes. `failed` says why a part could not be made, by its
    name; what is shown there is empty or None."""

    overview: Overview
    firmness: Firmness
    groups: tuple[Breakdown, GroupRows] | None
    curves: Curves | None
    losses: list[Case]
    wins: list[Case]
    queries: QueryList | None
    lists: dict[str, Mask]
    grades: tuple[float, ...]
    measured: Measured
    noted: pd.DataFrame
    failed: Mapping[str, Exception] = field(default_factory=dict)


def report(
    study: Study,
    shown: Comparison,
    files: tuple[UsedFile, ...],
    *,
    remarks: Remarks = NOTHING_NOTED,
    own_grades: Mapping[str, int] | None = None,
) -> Report:
    """The report of a comparison; `own_grades` counts the grades of the layers that its scores
    hold, by the layer's name. Below the verdict a part that fails leaves the others as they are:
    measures of plug-ins may fail in one way only."""
    first, failed = overview(study, shown), dict[str, Exception]()
    tested = shown.focus not in first.too_few and not shown.alone

    def part(name: str, make: Callable[[], Part], otherwise: Part) -> Part:
        try:
            return make()
        except Exception as error:
            failed[name] = error
            return otherwise

    return Report(
        overview=first,
        firmness=part("checks", lambda: firmness(study, shown), Firmness())
        if tested
        else Firmness(),
        groups=part("groups", lambda: _groups(study, shown, first), None),
        curves=part("curves", lambda: curves(study, shown), None),
        losses=part("losses", lambda: _cases(study, shown, first.worse), []),
        wins=part("wins", lambda: _cases(study, shown, first.better), []),
        queries=part("queries", lambda: query_list(study, shown, QueryListRequest()), None),
        lists=part("queries", lambda: lists(study, shown, study.scores(shown, shown.measure)), {}),
        grades=tuple(study.grades),
        measured=_measured(study, shown, files, own_grades or {}),
        noted=part("noted", lambda: _noted(study, shown, remarks), pd.DataFrame()),
        failed=failed,
    )


def _noted(study: Study, shown: Comparison, remarks: Remarks) -> pd.DataFrame:
    """What is noted of the queries in view, in their order."""
    frame = query_list(study, shown, QueryListRequest()).frame[["query_id", "text"]].copy()
    for column in COLUMNS:
        frame[column.name] = remarks.values(column, frame["query_id"])
    return frame[(frame["tags"] != "") | (frame["notes"] != "")]


def _groups(study: Study, shown: Comparison, first: Overview) -> tuple[Breakdown, GroupRows] | None:
    if first.grouping is None:
        return None
    found = breakdown(study, shown, first.grouping)
    if len(found.groups) < 2:
        return None
    higher = shown.measure.declaration.higher_is_better
    return found, listed(found, GroupTableRequest(), alone=shown.alone, higher_is_better=higher)


def _cases(study: Study, shown: Comparison, rows: pd.DataFrame) -> list[Case]:
    if shown.alone:
        return []
    records = rows.to_dict("records")
    return [
        Case(row, query(study, shown, str(row["query_id"]), QueryListRequest())) for row in records
    ]


def _measured(
    study: Study, shown: Comparison, files: tuple[UsedFile, ...], own_grades: Mapping[str, int]
) -> Measured:
    measures = overview_measures(shown)
    told = [described(measure.declaration) for measure in measures]
    names = [str(measure) for measure in measures]
    return Measured(
        measures=[(n, t.answer, t.formula) for n, t in zip(names, told, strict=True)],
        files=files,
        versions=" · ".join(
            [f"Ranklens {__version__}", *(f"{name} {version(name)}" for name in _LIBRARIES)]
        ),
        missing=missing_queries(study, shown, shown.runs),
        changed=tuple(filter(None, _changed(study, own_grades))),
        command="" if any(own_grades.values()) else _command(study, shown, names, files),
    )


def _changed(study: Study, own_grades: Mapping[str, int]) -> list[str]:
    """What was said of the files, and the grades that came on top."""
    mapped = maps_said(study)
    grades = [f"{w.count(n)} of {name}" for name, n in own_grades.items() if n]
    return [
        f"{w.sentence_case(mapped)}." if mapped else "",
        own_left_out(study),
        f"Grades given in Ranklens count in addition to those in the files: {w.listing(grades)}."
        if grades
        else "",
    ]


def _command(
    study: Study, shown: Comparison, measures: list[str], files: tuple[UsedFile, ...]
) -> str:
    """What prints the same differences on a command line."""
    narrowed = shown.where or any(shown.controls)
    if narrowed or shown.alone or shown.method != METHOD:
        return ""
    file_of = {file.run: file.name for file in files if file.run}
    qrels = next((file for file in files if file.kind == "qrels"), None)
    runs = (shown.baseline, shown.focus, *shown.also)
    if qrels is None or not all(run in file_of for run in runs):
        return ""
    judged = ["--collection"] * qrels.ready + [qrels.name]
    given = " ".join(quote(name) for name in (*judged, *(file_of[run] for run in runs)))
    settings = study.settings
    said = [("--map-queries", settings.map_queries), ("--map-docs", settings.map_docs)]
    flags = [f" {flag} {quote(value)}" for flag, value in said if value]
    flags += [" --exclude-self"] if settings.exclude_self else []
    asked = f"-m {quote(','.join(measures))}{''.join(flags)}"
    return f"python -m metrics_core compare {given} {asked}"
