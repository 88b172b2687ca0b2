"""The contents of a report: the findings of all pages about one comparison, as one value for the
export."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from shlex import quote
from typing import TypeVar

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.breakdown import Breakdown, breakdown
from dashboard.answers.curves import Curves, curves
from dashboard.answers.group_table import GroupRows, GroupTableRequest, select_groups
from dashboard.answers.id_offers import id_maps_sentence
from dashboard.answers.overview import LISTED_QUERIES, Overview, count_unanswered, overview
from dashboard.answers.overview_measures import overview_measures
from dashboard.answers.own_documents import exclusion_sentence
from dashboard.answers.pairs import pairs
from dashboard.answers.queries import QueryList, QueryListRequest, query_list
from dashboard.answers.query import QueryPage, query_page
from dashboard.answers.query_chips import query_masks
from dashboard.answers.query_notes import COLUMNS, NOTHING_NOTED, Remarks
from dashboard.answers.robustness import compared_pair
from dashboard.answers.robustness_summary import robustness_summary
from dashboard.answers.run_comparisons import run_without_results_by_query
from dashboard.answers.unjudged import (
    UnjudgedEffects,
    count_unjudged_documents,
    next_judgments,
    unjudged_effects,
)
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.base.arrays import Mask
from metrics_core.base.version import __version__
from metrics_core.comparing.method import DEFAULT_METHOD
from metrics_core.comparing.pairs import query_differences
from metrics_core.findings.grading import judge_next_finding, judging_finding
from metrics_core.findings.robustness import Robustness
from metrics_core.findings.sentence import Sentence, strong_span
from metrics_core.formats.registry import Kind
from metrics_core.measures import Measure
from metrics_core.measures.declaring.description import describe_measure, formula_with_values
from metrics_core.unjudged.next_judgments import NextJudgments

Part = TypeVar("Part")

CASE_ROWS = 10
"""Maximum number of rows in the result lists of a case."""
_LIBRARIES = ("numpy", "scipy")


@dataclass(frozen=True)
class UsedFile:
    """A file from which the numbers come. `run` is the name of the run in the file, "" for other
    kinds; `queries` is None for documents. `fingerprint` is the SHA-256 of the file's content, or
    of its table if the file is not available. If `ready` is true, the judgments come from the
    ir_datasets collection `name`."""

    name: str
    kind: Kind
    run: str
    rows: int
    queries: int | None
    fingerprint: str
    ready: bool = False


@dataclass(frozen=True)
class Case:
    """A query that got worse or better: its row in the Overview's list, and the content of its
    Query page."""

    row: dict[str, object]
    page: QueryPage


@dataclass(frozen=True)
class OpenJudgments:
    """What judging could still change: the possible effects of the unjudged documents, the next
    documents to judge, how many could settle the order, and a sentence that explains it."""

    effects: UnjudgedEffects
    judgments: NextJudgments
    title: Sentence
    sentence: str


@dataclass(frozen=True)
class ReportMethods:
    """How the numbers of a report were computed.

    It has the measures (name, meaning, LaTeX formula), the files, the versions of libraries,
    sentences about changes made to the content of files, and the command that prints the same
    numbers. The command is "" if no command can print them, for example because the view is
    filtered or because the scores include grades given in Ranklens. `missing` maps each run to the
    number of queries for which it has no results."""

    measures: list[tuple[str, str, str]]
    files: tuple[UsedFile, ...]
    versions: str
    file_changes: tuple[str, ...]
    missing: dict[str, int]
    command: str


@dataclass(frozen=True)
class Report:
    """The content of a report. `groups` are the groups of the first column that splits the queries.
    It is None if no column splits them. `lists` maps the key of each list to its queries,
    bool[query]. `grades` are all grades of the collection, for the colour scale. `notes` has the
    notes on queries: query_id, text, tags, notes. `errors` maps the name of each failed part to its
    exception; failed parts are empty or None. `examples` has two cases, "losses" and "wins": the
    query with the largest loss and the query with the largest win. Only queries for which both runs
    have results are considered, unless there are none with a loss or win. `ranking` says which runs
    may be the best; it is empty for fewer than three runs. `open_judgments` is None if unjudged
    documents do not matter."""

    overview: Overview
    ranking: Sentence
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
    examples: Mapping[str, Case]
    open_judgments: OpenJudgments | None = None
    errors: Mapping[str, Exception] = field(default_factory=dict)


def make_report(
    study: Study,
    comparison: Comparison,
    files: tuple[UsedFile, ...],
    *,
    remarks: Remarks = NOTHING_NOTED,
    n_grades_by_layer: Mapping[str, int] | None = None,
) -> Report:
    """Return the report of a comparison. `n_grades_by_layer` maps the names of layers to the number
    of their grades that the scores include. If a section other than the verdict fails, for example
    because of a plug-in measure, the other sections are still computed."""
    overview_page, errors = overview(study, comparison), dict[str, Exception]()
    is_tested = comparison.focus not in overview_page.too_few and not comparison.is_single_run

    def make_section_or_default(name: str, make_section: Callable[[], Part], default: Part) -> Part:
        try:
            return make_section()
        except Exception as error:
            errors[name] = error
            return default

    robustness = Robustness()
    if is_tested:
        robustness = make_section_or_default(
            "checks", lambda: robustness_summary(study, comparison), robustness
        )
    return Report(
        overview=overview_page,
        ranking=pairs(study, comparison).title if len(study.names) > 2 else Sentence(),
        robustness=robustness,
        open_judgments=make_section_or_default(
            "checks", lambda: _open_judgments(study, comparison, robustness), None
        ),
        groups=make_section_or_default(
            "groups", lambda: _report_groups(study, comparison, overview_page), None
        ),
        curves=make_section_or_default("curves", lambda: curves(study, comparison), None)
        if study.is_computed(comparison.measure)
        else None,
        losses=make_section_or_default(
            "losses",
            lambda: _report_cases(study, comparison, overview_page.worse.head(LISTED_QUERIES)),
            [],
        ),
        wins=make_section_or_default(
            "wins",
            lambda: _report_cases(study, comparison, overview_page.better.head(LISTED_QUERIES)),
            [],
        ),
        queries=make_section_or_default(
            "queries", lambda: query_list(study, comparison, QueryListRequest()), None
        ),
        lists=make_section_or_default(
            "queries",
            lambda: query_masks(study, comparison, study.scores(comparison, comparison.measure)),
            {},
        ),
        grades=tuple(study.grades),
        methods=_report_methods(study, comparison, files, n_grades_by_layer or {}),
        notes=make_section_or_default(
            "noted", lambda: _query_notes(study, comparison, remarks), pd.DataFrame()
        ),
        examples=make_section_or_default(
            "examples", lambda: _example_queries(study, comparison), {}
        ),
        errors=errors,
    )


def _open_judgments(
    study: Study, comparison: Comparison, robustness: Robustness
) -> OpenJudgments | None:
    may_matter = any(c.part == "unjudged" and c.tone != "firm" for c in robustness.checks)
    if not may_matter or robustness.settling_checks or study.runs_without_doc_ids(comparison.pair):
        return None
    judgments = next_judgments(study, comparison)
    n_unjudged = count_unjudged_documents(study, comparison)
    pair, n_to_settle = compared_pair(study, comparison), judgments.n_to_settle
    return OpenJudgments(
        unjudged_effects(study, comparison),
        judgments,
        judging_finding(comparison.cutoff, n_unjudged, n_to_settle, pair.leader(pair.side))
        if n_to_settle
        else strong_span("Judge the documents that matter most"),
        judge_next_finding(judgments, pair, n_unjudged),
    )


def _query_notes(study: Study, comparison: Comparison, remarks: Remarks) -> pd.DataFrame:
    """Return the notes on the queries in view, in the order of the queries: query_id, text, tags,
    notes."""
    frame = query_list(study, comparison, QueryListRequest()).frame[["query_id", "text"]].copy()
    for column in COLUMNS:
        frame[column.name] = remarks.column_values(column, frame["query_id"])
    return frame[(frame["tags"] != "") | (frame["notes"] != "")]


def _report_groups(
    study: Study, comparison: Comparison, overview_page: Overview
) -> tuple[Breakdown, GroupRows] | None:
    if overview_page.grouping is None:
        return None
    page = breakdown(study, comparison, overview_page.grouping)
    if len(page.groups) < 2:
        return None
    return page, select_groups(page, GroupTableRequest(), is_single_run=comparison.is_single_run)


def _report_cases(study: Study, comparison: Comparison, rows: pd.DataFrame) -> list[Case]:
    if comparison.is_single_run or not study.judged:
        return []
    records = rows.to_dict("records")
    return [
        Case(row, query_page(study, comparison, str(row["query_id"]), QueryListRequest()))
        for row in records
    ]


def _example_queries(study: Study, comparison: Comparison) -> dict[str, Case]:
    if comparison.is_single_run or not study.judged:
        return {}
    scores = study.scores(comparison, comparison.measure)
    pair = scores.select_runs(comparison.pair)
    with_results = np.array(pair.query_ids)[~pair.missing.any(axis=0)]
    rows = query_differences(scores, comparison.measure, *comparison.pair)
    rows = rows.assign(unlisted_by=run_without_results_by_query(scores, comparison), cause="")
    cases = {}
    for part, kind in (("losses", "worse"), ("wins", "better")):
        ids = query_list(study, comparison, QueryListRequest(show=kind)).rows["query_id"]
        for query_id in pd.concat([ids[ids.isin(with_results)], ids]).head(1):
            page = query_page(study, comparison, str(query_id), QueryListRequest(), CASE_ROWS)
            row = study.with_texts(rows[rows["query_id"] == query_id]).to_dict("records")[0]
            cases[part] = Case(row, page)
    return cases


def _report_methods(
    study: Study,
    comparison: Comparison,
    files: tuple[UsedFile, ...],
    n_grades_by_layer: Mapping[str, int],
) -> ReportMethods:
    measures = overview_measures(study, comparison)
    names = [str(measure) for measure in measures]
    return ReportMethods(
        measures=[_describe_measure(study, measure) for measure in measures],
        files=files,
        versions=" · ".join(
            [f"Ranklens {__version__}", *(f"{name} {version(name)}" for name in _LIBRARIES)]
        ),
        missing=count_unanswered(study, comparison, comparison.runs),
        file_changes=tuple(filter(None, _describe_file_changes(study, n_grades_by_layer))),
        command=""
        if any(n_grades_by_layer.values())
        else _command_line(study, comparison, names, files),
    )


def changes_methods(study: Study, files: tuple[UsedFile, ...]) -> ReportMethods:
    """Return how the numbers of a report were computed, for runs without judgments."""
    versions = f"Ranklens {__version__}"
    return ReportMethods(
        [], files, versions, tuple(filter(None, _describe_file_changes(study, {}))), {}, ""
    )


def _describe_measure(study: Study, measure: Measure) -> tuple[str, str, str]:
    """Return the name, the meaning and the LaTeX formula of a measure."""
    if study.is_given(measure):
        return str(measure), "Read from a file, not computed.", ""
    words = describe_measure(measure.declaration).answer
    if measure.cutoff is not None:
        words = re.sub(r"\bk\b", w.format_count(measure.cutoff), words)
    return str(measure), words, formula_with_values(measure)


def _describe_file_changes(study: Study, n_grades_by_layer: Mapping[str, int]) -> list[str]:
    """Return sentences on the id maps and exclusions in use, and on grades that were given in
    addition to the grades in the files."""
    mapped = id_maps_sentence(study)
    grades = [f"{w.format_count(n)} of {name}" for name, n in n_grades_by_layer.items() if n]
    return [
        f"{w.sentence_case(mapped)}." if mapped else "",
        exclusion_sentence(study),
        "In addition to the grades in the files, these grades from Ranklens count:"
        f" {w.join_words(grades)}."
        if grades
        else "",
    ]


def _command_line(
    study: Study, comparison: Comparison, measures: list[str], files: tuple[UsedFile, ...]
) -> str:
    """Return the command that prints the same differences as the report. Returns "" if there is no
    such command."""
    narrowed = comparison.filters or comparison.is_limited_to_shared_queries
    if narrowed or comparison.is_single_run or comparison.method != DEFAULT_METHOD:
        return ""
    path_by_run = {file.run: file.name for file in files if file.run}
    qrels = next((file for file in files if file.kind == "qrels"), None)
    runs = (comparison.baseline, comparison.focus, *comparison.other_runs)
    scores = [part for f in files if f.kind == "scores" for part in ("--scores", f.name)]
    settings, arguments = study.settings, [*scores, "--baseline", comparison.baseline]
    if study.runs:
        if qrels is None or not all(run in path_by_run for run in runs):
            return ""
        arguments = ["--collection"] * qrels.ready + [qrels.name]
        arguments += [*(path_by_run[run] for run in runs), *scores]
    if study.given_tables and not scores:
        return ""
    for name, is_higher in settings.directions:
        if is_higher is not None:
            arguments += ["--higher" if is_higher else "--lower", name]
    paths = " ".join(map(quote, arguments))
    reading_options = [("--map-queries", settings.map_queries), ("--map-docs", settings.map_docs)]
    flags = [f" {flag} {quote(value)}" for flag, value in reading_options if value]
    flags += [" --exclude-self"] if settings.exclude_self else []
    options = f"-m {quote(','.join(measures))}{''.join(flags)}"
    return f"metrics-core compare {paths} {options}"
