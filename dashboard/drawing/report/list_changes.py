"""A report and a notebook's output for runs without judgments: what changed between two lists."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from markupsafe import Markup

from dashboard.address.view import Comparison
from dashboard.answers.list_changes import ChangesOverview, changes_overview
from dashboard.answers.queries import QueryListRequest, query_list
from dashboard.answers.report import UsedFile, changes_methods, make_report
from dashboard.drawing.blocks import list_changes as blocks
from dashboard.drawing.blocks import markup
from dashboard.drawing.blocks import report as report_blocks
from dashboard.drawing.blocks.queries import column_texts
from dashboard.drawing.blocks.robustness_checks import Cell, draw_table
from dashboard.drawing.blocks.table import Column
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import assemble_report_page, make_report_page
from dashboard.drawing.report.parts import PARTS, ReportRequest
from dashboard.drawing.theme import BY_THEME
from dashboard.study.study import Study
from metrics_core.findings.list_changes import list_changes_finding
from metrics_core.findings.verdicts import VerdictFinding

CHANGE_PARTS = ("queries", "measured")
"""The optional parts of a report without judgments."""
_METHOD = (
    "Compared",
    "The documents in the lists and their order, without judgments. Overlap: share of the first"
    " k documents in common. If both lists are shorter than k, it is the share of the longer list."
    " RBO: rank-biased overlap, persistence 0.9, extrapolated beyond k. Intervals: 95%, over"
    " queries.",
)


def draw_changes(
    answer: ChangesOverview, drawing: Drawing, result: VerdictFinding | None = None
) -> Markup:
    """Draw the Overview of runs without judgments. The blocks contain no links. `result` is the
    result on the randomly drawn queries. If it is given, it replaces the sentences on the
    changes."""
    changes = answer.changes
    parts = [
        markup.draw_finding(result or list_changes_finding(changes), drawing.styles),
        blocks.draw_kept_documents(changes, drawing),
        blocks.draw_change_classes(changes, drawing, _no_link),
        blocks.draw_change_strip(answer.queries, changes.k, drawing, _no_link),
        blocks.draw_change_facts(answer.runs, drawing.focus, changes),
    ]
    if len(answer.runs) > 1:
        parts.insert(4, blocks.draw_changed_runs(answer.runs, drawing, _no_link))
    if changes.n_changed:
        parts.append(blocks.draw_lists_of_changes(answer, drawing, _no_link, _no_link, _no_link))
    return Markup().join(parts)


def make_html_report(
    study: Study,
    comparison: Comparison,
    drawing: Drawing,
    request: ReportRequest,
    files: tuple[UsedFile, ...] = (),
    drawn_result: VerdictFinding | None = None,
    **more: Any,
) -> str:
    """Return the report on runs with or without judgments as an HTML file. `drawn_result` is the
    result on the randomly drawn queries; it is used only if there are no judgments. `more` are
    additional arguments of `make_report`; they are used only if there are judgments."""
    if not study.is_unjudged:
        return make_report_page(make_report(study, comparison, files, **more), drawing, request)
    drawing = replace(drawing, palette=BY_THEME)
    answer = changes_overview(study, comparison)
    listed = query_list(study, comparison, QueryListRequest())
    methods = changes_methods(study, files)
    texts = column_texts(listed.columns, listed.rows).values()
    heads = [
        Column("Query" if c.kind == "text" else c.title, c.kind * (c.kind == "number"))
        for c in listed.columns
    ]
    rows = [[*map(Cell, row)] for row in zip(*texts, strict=True)]
    inside = {
        "queries": draw_table(heads, rows, PARTS["queries"]),
        "measured": report_blocks.draw_methods_section(methods, [], [_METHOD]),
    }
    keys = [key for key in CHANGE_PARTS if key in request.parts]
    parts = [
        report_blocks.draw_report_section(key, PARTS[key], "", inside[key], drawing.styles)
        for key in keys
    ]
    verdict = draw_changes(answer, drawing, drawn_result)
    verdict = Markup('<section id="verdict">{}</section>').format(verdict)
    contents = [("verdict", "What changed"), *((key, PARTS[key]) for key in keys)]
    pair = f"{drawing.focus} vs {drawing.baseline}, top {drawing.cutoff}"
    return assemble_report_page(
        pair, contents, [verdict, *parts], Markup(), methods.versions, request
    )


def _no_link(*_: Any, **__: Any) -> str:
    return ""
