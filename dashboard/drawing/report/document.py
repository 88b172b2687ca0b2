"""A report as one HTML file: verdict, runs and measures, groups, robustness, curves, the largest
losses and wins, every query, and the methods.

The sections look the same as on the pages. Charts are SVG, colours follow the reader's theme, and
links lead to other sections of the file. The file loads nothing from the network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup

from dashboard.answers.report import Report
from dashboard.drawing.blocks import report as blocks
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.parts import ReportParts, ReportRequest, query_count_text
from dashboard.drawing.report.sheet import make_sheet_for_markup, read_report_sheet
from dashboard.drawing.report.slides import make_slides
from dashboard.drawing.theme import BY_THEME, font_face
from dashboard.workspace.exports import report_data
from metrics_core.formats.source.limits import format_size

_HERE = Path(__file__).parent
_LINK_TO_NOWHERE = re.compile(r'<a\b((?:(?!>).)*?)\shref=""((?:(?!>).)*)>(.*?)</a>', re.DOTALL)


def make_report_page(report: Report, drawing: Drawing, request: ReportRequest) -> str:
    """Return the HTML file of a report. `drawing` has the comparison and the styles of the runs;
    its palette is replaced by colours that follow the reader's theme."""
    drawing = replace(drawing, palette=BY_THEME)
    report_parts = ReportParts(report, drawing, request)
    parts = [report_parts.draw_verdict(), *report_parts.draw_parts()]
    pair = f"scores of {drawing.focus}" if drawing.is_single_run else ""
    pair = pair or f"{drawing.focus} vs {drawing.baseline}"
    contents = [
        ("verdict", "Verdict"),
        *((key, report_parts.part_title(key)) for key in report_parts.keys),
    ]
    slides, versions = _draw_slides(report_parts), report.methods.versions
    return assemble_report_page(
        pair, contents, parts, slides, versions, request, f" on {drawing.name}"
    )


def assemble_report_page(
    pair: str,
    contents: Sequence[tuple[str, str]],
    parts: Sequence[Markup],
    slides: Markup,
    versions: str,
    request: ReportRequest,
    title_suffix: str = "",
) -> str:
    """Return the HTML file of a report that consists of these parts. `contents` has the anchor and
    the title of each part."""
    head = blocks.draw_title_line(
        request.title, pair, request.date, request.left_out_note, request.text
    )
    page_markup = blocks.draw_report_page(
        f"{request.title}: {pair}{title_suffix}",
        head,
        contents,
        parts,
        slides,
        versions.split(" · ")[0],
        f"Created on {request.date} at {request.made:%H:%M %Z} with {versions}.",
        blocks.draw_data_note(request.title, format_size(len(request.data)))
        if request.data
        else Markup(),
    )
    page = remove_dead_links(page_markup)
    sheet = make_sheet_for_markup(page, font_face(), read_report_sheet("report.css"))
    script = "".join((_HERE / name).read_text("utf-8") for name in ("present.js", "report.js"))
    page = page.replace("<style></style>", f"<style>{sheet}</style>", 1)
    page = page.replace("<script></script>", f"<script>{script}</script>", 1).lstrip()
    if not request.data:
        return page
    # Added last, so that the replacements above do not search the data.
    body, end, rest = page.rpartition("</body>")
    return f"{body}{report_data.make_data_markup(request.data)}{end}{rest}"


def make_presentation(report: Report, drawing: Drawing, request: ReportRequest) -> str:
    """Return the findings of a report as slides for a presentation, with their style sheet. The
    slides are shown over a page that has its own palette."""
    report_parts = ReportParts(
        report, replace(drawing, palette=BY_THEME), replace(request, parts=())
    )
    slides = remove_dead_links(_draw_slides(report_parts))
    return (
        f"<style>{make_sheet_for_markup(slides, read_report_sheet('report.css'))}</style>{slides}"
    )


def _draw_slides(report_parts: ReportParts) -> Markup:
    source = (
        f"{report_parts.request.title} · {report_parts.drawing.name} ·"
        f" {query_count_text(report_parts.report)}"
    )
    return blocks.draw_slides(make_slides(report_parts), source)


def remove_dead_links(page_markup: Markup) -> str:
    """Replace links whose target is not in the page by plain text, and return the page."""
    return _LINK_TO_NOWHERE.sub(r"<span\1\2>\3</span>", str(page_markup))
