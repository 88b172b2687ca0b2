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
from dashboard.answers.group_table import GroupRows, GroupTableRequest, list_groups
from dashboard.answers.id_offers import id_maps_sentence
from dashboard.answers.overview import Overview, missing_queries, overview, overview_measures
from dashboard.answers.own_documents import exclusion_sentence
from dashboard.answers.queries import QueryList, QueryListRequest, query_list
from dashboard.answers.query import QueryPage, query
from dashboard.answers.query_chips import query_masks
from dashboard.answers.query_notes import COLUMNS, NOTHING_NOTED, Remarks
from dashboard.answers.robustness_summary import robustness_summary
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.base.arrays import Mask
from metrics_core.base.version import __version__
from metrics_core.comparing.method import DEFAULT_METHOD
from metrics_core.findings.robustness import Robustness
from metrics_core.formats.registry import Kind
from metrics_core.measures.declaring.description import describe_measure

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
class ReportMethods:
    """What was measured and how: each measure with what it is in words and as LaTeX, the files,
    the libraries' versions, what of the files was `file_changes` for it, in sentences, and the
    command that prints the same numbers; "" where the view is filtered or holds grades that were
    given here, which no command knows. `missing` counts, by run, the queries that it lacks."""

    measures: list[tuple[str, str, str]]
    files: tuple[UsedFile, ...]
    versions: str
    file_changes: tuple[str, ...]
    missing: dict[str, int]
    command: str


@dataclass(frozen=True)
class Report:
    """All that a report shows. `groups` are of the first column, None where nothing tells the
    queries apart; `lists` says of each query, in the order of the scores, in which lists it is,
    `grades` are those of the collection, by which they are tinted, `notes` is what people noted of
    its queries: query_id, text, tags, notes. `errors` says why a part could not be made, by its
    name; what is shown there is empty or None."""

    overview: Overview
    robustness: Robustness
    groups: tuple[Breakdown, GroupRows] | None
    curves: Curves | None
    losses: list[Case]
    wins: list[Case]
    queries: QueryList | None
    lists: dict[str, Mask]
    grades: tuple[float, ...]
    methods: ReportMethods
    notes: pd.DataFrame
    errors: Mapping[str, Exception] = field(default_factory=dict)


def report(
    study: Study,
    comparison: Comparison,
    files: tuple[UsedFile, ...],
    *,
    remarks: Remarks = NOTHING_NOTED,
    own_grades: Mapping[str, int] | None = None,
) -> Report:
    """The report of a comparison; `count_own_grades` counts the grades of the layers that its
    scores hold, by the layer's name. Below the verdict a part that fails leaves the others as they
    are: measures of plug-ins may fail in one way only."""
    overview_page, errors = overview(study, comparison), dict[str, Exception]()
    is_tested = comparison.focus not in overview_page.too_few and not comparison.is_alone

    def try_part(name: str, make: Callable[[], Part], default: Part) -> Part:
        try:
            return make()
        except Exception as error:
            errors[name] = error
            return default

    return Report(
        overview=overview_page,
        robustness=try_part("checks", lambda: robustness_summary(study, comparison), Robustness())
        if is_tested
        else Robustness(),
        groups=try_part("groups", lambda: _report_groups(study, comparison, overview_page), None),
        curves=try_part("curves", lambda: curves(study, comparison), None),
        losses=try_part(
            "losses", lambda: _report_cases(study, comparison, overview_page.worse), []
        ),
        wins=try_part("wins", lambda: _report_cases(study, comparison, overview_page.better), []),
        queries=try_part(
            "queries", lambda: query_list(study, comparison, QueryListRequest()), None
        ),
        lists=try_part(
            "queries",
            lambda: query_masks(study, comparison, study.scores(comparison, comparison.measure)),
            {},
        ),
        grades=tuple(study.grades),
        methods=_report_methods(study, comparison, files, own_grades or {}),
        notes=try_part("noted", lambda: _query_notes(study, comparison, remarks), pd.DataFrame()),
        errors=errors,
    )


def _query_notes(study: Study, comparison: Comparison, remarks: Remarks) -> pd.DataFrame:
    """What is noted of the queries in view, in their order."""
    frame = query_list(study, comparison, QueryListRequest()).frame[["query_id", "text"]].copy()
    for column in COLUMNS:
        frame[column.name] = remarks.values(column, frame["query_id"])
    return frame[(frame["tags"] != "") | (frame["notes"] != "")]


def _report_groups(
    study: Study, comparison: Comparison, overview_page: Overview
) -> tuple[Breakdown, GroupRows] | None:
    if overview_page.grouping is None:
        return None
    page = breakdown(study, comparison, overview_page.grouping)
    if len(page.groups) < 2:
        return None
    higher = comparison.measure.declaration.higher_is_better
    return page, list_groups(
        page, GroupTableRequest(), alone=comparison.is_alone, higher_is_better=higher
    )


def _report_cases(study: Study, comparison: Comparison, rows: pd.DataFrame) -> list[Case]:
    if comparison.is_alone:
        return []
    records = rows.to_dict("records")
    return [
        Case(row, query(study, comparison, str(row["query_id"]), QueryListRequest()))
        for row in records
    ]


def _report_methods(
    study: Study, comparison: Comparison, files: tuple[UsedFile, ...], own_grades: Mapping[str, int]
) -> ReportMethods:
    measures = overview_measures(comparison)
    descriptions = [describe_measure(measure.declaration) for measure in measures]
    names = [str(measure) for measure in measures]
    return ReportMethods(
        measures=[(n, t.answer, t.formula) for n, t in zip(names, descriptions, strict=True)],
        files=files,
        versions=" · ".join(
            [f"Ranklens {__version__}", *(f"{name} {version(name)}" for name in _LIBRARIES)]
        ),
        missing=missing_queries(study, comparison, comparison.runs),
        file_changes=tuple(filter(None, _file_changes(study, own_grades))),
        command="" if any(own_grades.values()) else _command_line(study, comparison, names, files),
    )


def _file_changes(study: Study, own_grades: Mapping[str, int]) -> list[str]:
    """What was said of the files, and the grades that came on top."""
    mapped = id_maps_sentence(study)
    grades = [f"{w.format_count(n)} of {name}" for name, n in own_grades.items() if n]
    return [
        f"{w.sentence_case(mapped)}." if mapped else "",
        exclusion_sentence(study),
        f"Grades given in Ranklens count in addition to those in the files: {w.join_words(grades)}."
        if grades
        else "",
    ]


def _command_line(
    study: Study, comparison: Comparison, measures: list[str], files: tuple[UsedFile, ...]
) -> str:
    """What prints the same differences on a command line."""
    narrowed = comparison.filters or any(comparison.controls)
    if narrowed or comparison.is_alone or comparison.method != DEFAULT_METHOD:
        return ""
    path_by_run = {file.run: file.name for file in files if file.run}
    qrels = next((file for file in files if file.kind == "qrels"), None)
    runs = (comparison.baseline, comparison.focus, *comparison.other_runs)
    if qrels is None or not all(run in path_by_run for run in runs):
        return ""
    qrels_arguments = ["--collection"] * qrels.ready + [qrels.name]
    paths = " ".join(
        quote(name) for name in (*qrels_arguments, *(path_by_run[run] for run in runs))
    )
    settings = study.settings
    reading_options = [("--map-queries", settings.map_queries), ("--map-docs", settings.map_docs)]
    flags = [f" {flag} {quote(value)}" for flag, value in reading_options if value]
    flags += [" --exclude-self"] if settings.exclude_self else []
    options = f"-m {quote(','.join(measures))}{''.join(flags)}"
    return f"python -m metrics_core compare {paths} {options}"
