"""Data: what is loaded, does it fit?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from dashboard.library import File, Library
from metrics_core import findings
from metrics_core.errors import RanklensError
from metrics_core.fit import FitLine
from metrics_core.tables import Documents, Note, Qrels, Queries, Run

_KINDS = {"run": "Run", "qrels": "Judgments", "queries": "Queries", "documents": "Documents"}
_PREVIEWED = 5


@dataclass(frozen=True)
class FileRow:
    """One file as the table shows it."""

    file: File
    kind: str
    run: str | None
    rows: int
    judged: float | None
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class Data:
    """What the Data page shows."""

    finding: findings.Sentence
    files: list[FileRow]
    errors: list[RanklensError]
    fit: list[FitLine]
    notes: tuple[Note, ...]


def data(library: Library, refused: int, cutoff: int) -> Data:
    """The Data page. `refused` counts uploads that could not be read."""
    study = library.study
    rows = [_row(f, library, cutoff) for f in library.files if f.table is not None]
    errors = [f.error for f in library.files if f.error is not None]
    errors += list(study.refused.values()) if study else []
    fit = study.fit(cutoff) if study else []
    needed = [
        name
        for name, kind in (("judgments are", "qrels"), ("runs are", "run"))
        if rows and not library.of_kind(kind)  # type: ignore[arg-type]
    ]
    return Data(
        finding=findings.files_finding(
            len(rows),
            refused + len(errors),
            fits=_fits(library),
            missing=" and ".join(needed).replace("judgments are and runs are", "both are"),
        ),
        files=rows,
        errors=errors,
        fit=fit,
        notes=library.notes,
    )


def _fits(library: Library) -> bool:
    """Whether the files belong together: every run can be judged, and no id is only nearly the
    same. A few missing queries or texts do not speak against it; the table below names them."""
    study = library.study
    if study is None:
        return True
    odd = {"no_judged_document", "near_query_ids", "near_document_ids"}
    return not study.refused and not any(
        note.kind in odd for name in study.names for note in study.notes(name)
    )


def _row(file: File, library: Library, cutoff: int) -> FileRow:
    study, table = library.study, file.table
    assert file.kind is not None and table is not None
    run = table.name if isinstance(table, Run) and file.used else None
    notes = list(file.notes)
    judged = None
    if run is not None and study is not None and run in study.judged:
        ranks = study.judged[run]
        judged = study.judged_share(run, cutoff)
        notes += study.notes(run)
        notes += _missing(ranks.missing_queries)
    if not file.used:
        notes.append(Note("not_used", file.why_not))
    return FileRow(file, _KINDS[file.kind], run, len(table), judged, tuple(notes))


def _missing(query_ids: tuple[str, ...]) -> list[Note]:
    if not query_ids:
        return []
    first = ", ".join(query_ids[:3])
    if len(query_ids) == 1:
        return [Note("missing", f"query {first} is missing; it counts as 0", 1)]
    more = f" and {len(query_ids) - 3:,} more" if len(query_ids) > 3 else ""
    return [Note("missing", f"queries {first}{more} are missing; they count as 0", len(query_ids))]


def first_rows(file: File) -> pd.DataFrame:
    """The first rows of a file's table, for a preview."""
    table: Any = file.table
    if isinstance(table, Queries):
        return table.frame.head(_PREVIEWED)
    if isinstance(table, (Run, Qrels)):
        head = table.table.slice(0, _PREVIEWED)
        return head.to_pandas().astype({"query_id": object})
    assert isinstance(table, Documents)
    return table.table.slice(0, _PREVIEWED).to_pandas()
