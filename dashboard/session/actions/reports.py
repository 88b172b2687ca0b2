"""Reports on the current view: the used files with their fingerprints, and the sections that a
report may contain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dashboard.answers.query_notes import NOTHING_NOTED, Remarks
from dashboard.answers.report import UsedFile, make_report
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import make_presentation
from dashboard.drawing.report.list_changes import make_html_report
from dashboard.drawing.report.parts import ReportRequest
from dashboard.files.files import File
from dashboard.session.actions.collections import pack_collection
from dashboard.session.context import PageContext
from dashboard.session.open_collection import (
    all_collections,
    current_collection_id,
    current_library,
)
from dashboard.study.sharing import Include, make_shareable_study
from dashboard.workspace.disk.durable import file_sha256
from metrics_core.explaining.drawn_judging import DrawnJudgments
from metrics_core.findings.drawn_queries import drawn_queries_finding
from metrics_core.tables import Run


def make_report_file(
    context: PageContext,
    include: Include,
    title: str,
    text: str,
    parts: Sequence[str],
    files: Sequence[UsedFile],
    *,
    query_remarks: Remarks = NOTHING_NOTED,
    embedded_collection_id: str = "",
    random_judgments: DrawnJudgments | None = None,
) -> bytes:
    """Return the report on the current view as an HTML file. This function does not access the
    session.

    `embedded_collection_id` is the id of the collection to embed. It is embedded only if full texts
    are included. `random_judgments` is the judge's progress on the randomly drawn queries; the
    result on these queries is included once enough of them are judged to show the comparison."""
    shared_study = make_shareable_study(context.study, include)
    study, view = shared_study.study, shared_study.rename_comparison(context.comparison)
    slots = (
        {shared_study.runs.get(name, name): slot for slot, name in enumerate(context.study.names)}
        if shared_study.runs
        else {name: style.slot for name, style in context.look.styles.items()}
    )
    drawing = Drawing.for_comparison(view, study.names, slots, context.look.palette)
    everything = include == "full texts"
    data = pack_collection(embedded_collection_id) if embedded_collection_id and everything else b""
    request = ReportRequest(
        title, text, tuple(parts), left_out_note=shared_study.omissions, data=data
    )
    listed_files = () if include == "scores only" else tuple(files)
    # Notes may name anything.
    remarks = query_remarks if everything else NOTHING_NOTED
    grades = count_grades_by_layer(context, include)
    result = None
    if random_judgments and random_judgments.is_comparison_shown:
        # A run may be named by a letter.
        result = drawn_queries_finding(
            replace(random_judgments, run=view.focus, baseline=view.baseline)
        )
    return make_html_report(
        study,
        view,
        drawing,
        request,
        listed_files,
        result,
        remarks=remarks,
        n_grades_by_layer=grades,
    ).encode()


def count_grades_by_layer(context: PageContext, include: Include) -> dict[str, int]:
    """Return the number of grades given in Ranklens for each active layer. Unless full texts are
    included, return only the total of all layers, under the key "people"."""
    if include != "full texts":
        return {"people": sum(len(layer) for layer in context.layers)}
    return {layer.name: len(layer) for layer in context.layers}


def make_presentation_screens(context: PageContext) -> str:
    """Return the screens of a presentation of the current view, as HTML."""
    request = ReportRequest(collection_title(), parts=())
    return make_presentation(
        make_report(context.study, context.comparison, ()), context.drawing, request
    )


def collection_title() -> str:
    """Return the default title of a report on the open collection."""
    return all_collections().name_of(current_collection_id()) or "Comparison"


def used_files() -> tuple[UsedFile, ...]:
    """Return the files of the open collection that are in use, for the report."""
    folder = all_collections().folder_of(current_collection_id())
    return tuple(
        _used_file(f, folder) for f in current_library().files if f.used and f.table is not None
    )


def _used_file(file: File, folder: Path | None) -> UsedFile:
    assert file.table is not None and file.kind is not None
    run = file.table.name if isinstance(file.table, Run) else ""
    path = None if folder is None or file.origin == "upload" else folder / file.file
    digest = file_sha256(path) if path is not None and path.is_file() else file.content
    return UsedFile(file.file, file.kind, run, len(file.table), file.queries, digest)
