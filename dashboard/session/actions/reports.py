"""A report of what is open: its files with their fingerprints, and what may leave of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from dashboard.answers.remarks import NOTHING_NOTED, Remarks
from dashboard.answers.report import UsedFile, report
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import document, meeting
from dashboard.drawing.report.parts import Asked
from dashboard.files.files import File, fingerprint
from dashboard.session.actions.collections import packed_collection
from dashboard.session.open_collection import all_collections, collection, library_here
from dashboard.session.view import Opened
from dashboard.study.sharing import Shared, without_names, without_texts
from dashboard.workspace.disk.durable import state_of
from metrics_core.tables import Run

Readers = Literal["public", "no texts", "all"]
"""For whom a report is: ids and numbers alone, names without texts, or whoever may read it all."""


def saved(
    here: Opened,
    readers: Readers,
    title: str,
    text: str,
    parts: Sequence[str],
    files: Sequence[UsedFile],
    *,
    noted: Remarks = NOTHING_NOTED,
    carried: str = "",
) -> bytes:
    """The file, of the view as it is, made without a look at the session; `carried` is the id of
    the collection that goes along, for who may read everything."""
    make = {"public": without_names, "no texts": without_texts, "all": Shared}[readers]
    shared = make(here.study)
    study, view = shared.study, shared.comparison(here.comparison)
    slots = (
        {shared.runs.get(name, name): place for place, name in enumerate(here.study.names)}
        if shared.runs
        else {name: style.slot for name, style in here.look.styles.items()}
    )
    drawing = Drawing.of(view, study.names, slots, here.look.palette)
    data = packed_collection(carried) if carried and readers == "all" else b""
    asked = Asked(title, text, tuple(parts), texts=not shared.said, said=shared.said, data=data)
    used = () if readers == "public" else tuple(files)
    # What people wrote may name anything.
    remarks = noted if readers == "all" else NOTHING_NOTED
    found = report(study, view, used, remarks=remarks, own_grades=own_grades(here, readers))
    return document(found, drawing, asked).encode()


def own_grades(here: Opened, readers: Readers) -> dict[str, int]:
    """The grades that were given in Ranklens and count, by whose they are."""
    if readers == "public":
        return {"people": sum(len(layer) for layer in here.layers)}
    return {layer.name: len(layer) for layer in here.layers}


def presented(here: Opened) -> str:
    """The screens of a meeting, of the view as it is."""
    asked = Asked(collection_title(), parts=())
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
