"""The report of a comparison, with or without judgments."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.address.view import Comparison
from dashboard.answers.list_changes import changes_overview
from dashboard.answers.queries import QueryListRequest, query_list
from dashboard.answers.query_notes import NOTHING_NOTED, Remarks
from dashboard.answers.report import UsedFile, changes_methods, make_report
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import make_report_page
from dashboard.drawing.report.list_changes import make_changes_page
from dashboard.drawing.report.parts import ReportRequest
from dashboard.study.study import Study


def make_any_report(
    study: Study,
    comparison: Comparison,
    drawing: Drawing,
    request: ReportRequest,
    files: tuple[UsedFile, ...] = (),
    *,
    remarks: Remarks = NOTHING_NOTED,
    own_grades: Mapping[str, int] | None = None,
) -> str:
    """Return the report as an HTML file. The arguments are those of `make_report` and
    `make_report_page`."""
    if study.is_unjudged:
        return make_changes_page(
            changes_overview(study, comparison),
            query_list(study, comparison, QueryListRequest()),
            drawing,
            request,
            changes_methods(study, files),
        )
    report = make_report(study, comparison, files, remarks=remarks, own_grades=own_grades)
    return make_report_page(report, drawing, request)
