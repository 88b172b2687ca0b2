"""A report of what is open: its files with their fingerprints, and what may leave of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from dashboard.answers.query_notes import NOTHING_NOTED, Remarks
from dashboard.answers.report import UsedFile, report
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import document, meeting
from dashboard.drawing.report.parts import ReportRequest
from dashboard.files.files import File, fingerprint
from dashboard.session.actions.collections import packed_collection
from dashboard.session.open_collection import all_collections, collection, library_here
from dashboard.session.view import Opened
from dashboard.study.sharing import Include, shared
from dashboard.workspace.disk.durable import state_of
from metrics_core.tables import Run


def saved(
    here: Opened,
    include: Include,
    title: str,
    text: str,
    parts: Sequence[str],
    files: Sequence[UsedFile],
    *,
    noted: Remarks = NOTHING_NOTED,
    carried: str = "",
) -> bytes:
    """The file, of the view as it is, made without a look at the session; `carried` is the id of
    the collection that goes along with the full texts."""
    leaving = shared(here.study, include)
    study, view = leaving.study, leaving.comparison(here.comparison)
    slots = (
        {leaving.runs.get(name, name): place for place, name in enumerate(here.study.names)}
        if leaving.runs
        else {name: style.slot for name, style in here.look.styles.items()}
    )
    drawing = Drawing.of(view, study.names, slots, here.look.palette)
    everything = include == "full texts"
    data = packed_collection(carried) if carried and everything else b""
    asked = ReportRequest(title, text, tuple(parts), said=leaving.said, data=data)
    used = () if include == "scores only" else tuple(files)
    # What people wrote may name anything.
    remarks = noted if everything else NOTHING_NOTED
    found = report(study, view, used, remarks=remarks, own_grades=own_grades(here, include))
    return document(found, drawing, asked).encode()


def own_grades(here: Opened, include: Include) -> dict[str, int]:
    """The grades that were given in Ranklens and count, by whose they are."""
    if include != "full texts":
        return {"people": sum(len(layer) for layer in here.layers)}
    return {layer.name: len(layer) for layer in here.layers}


def presented(here: Opened) -> str:
    """The screens of a meeting, of the view as it is."""
    asked = ReportRequest(collection_title(), parts=())
    return meeting(report(here.study, here.comparison, ()), here.drawing, asked)


def collection_title() -> str:
    """What a report of the open collection is called."""
    return all_collections().name_of(collection()) or "Comparison"


def used_files() -> tuple[UsedFile, ...]:
    """The files that the open study is made of."""
    folder = all_collections().folder_of(collection())
    return tuple(_used(f, folder) for f in library_here().files if f.used and f.table is not None)


def _used(file: File, folder: Path | None) -> UsedFile:
    assert file.table is not None and file.kind is not None
    run = file.table.name if isinstance(file.table, Run) else ""
    own = None if folder is None or file.origin == "upload" else folder / file.file
    found = _fingerprint(own, state_of(own)) if own is not None and own.is_file() else file.content
    return UsedFile(file.file, file.kind, run, len(file.table), file.queries, found)


@lru_cache(maxsize=500)
def _fingerprint(path: Path, _state: object) -> str:
    return fingerprint(path)
