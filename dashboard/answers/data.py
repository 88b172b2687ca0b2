"""The Files page: the loaded files, and whether they fit together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dashboard.address.measure_key import read_measure
from dashboard.address.view import Comparison
from dashboard.answers.id_offers import IdOffer, find_offered_id_maps
from dashboard.files.files import File
from dashboard.study.library import Library
from dashboard.study.study import Study
from metrics_core.base.errors import RanklensError
from metrics_core.base.notes import Note
from metrics_core.checks.corpus import duplicate_text_notes, missing_document_notes
from metrics_core.checks.fit import FitLine, fit_report
from metrics_core.findings.files import files_finding
from metrics_core.findings.sentence import Sentence
from metrics_core.measures import Measure
from metrics_core.scoring.curves import judged_share
from metrics_core.tables import Documents, GivenScores, Qrels, Queries, Run

_KINDS = {
    "qrels": "Judgments",
    "queries": "Queries",
    "documents": "Documents",
    "run": "Run",
    "scores": "Scores",
}
_JUDGMENT_NOTE = "no_relevant"
_PREVIEW_ROWS = 5


@dataclass(frozen=True)
class FileRow:
    """One row of the table of files. `run` is the run's name, or None if the file is not a run.
    `judged` is the share of judged documents in the first ranks, from 0 to 1."""

    file: File
    kind: str
    run: str | None
    rows: int
    judged: float | None
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class Data:
    """The content of the Files page. `unread` has the files that could not be read, with their
    errors. `errors` has the error of each run that does not fit the judgments."""

    finding: Sentence
    files: list[FileRow]
    unread: list[File]
    errors: list[RanklensError]
    fit: list[FitLine]
    offers: list[IdOffer]
    notes: tuple[Note, ...]


def cutoff_and_measure(comparison: Comparison | None) -> tuple[int, Measure]:
    """Return the cutoff and measure that the page uses. If there is nothing to compare yet, these
    are 10 and the default measure."""
    if comparison is not None:
        return comparison.cutoff, comparison.measure
    return 10, read_measure("", 10).measure


def files_page(
    library: Library,
    n_refused_uploads: int,
    measure: Measure,
    cutoff: int,
    unclear_files: Sequence[str] = (),
    ambiguous_files: Sequence[str] = (),
) -> Data:
    """Return the content of the Files page. `n_refused_uploads` is the number of uploads that could
    not be read. The page asks the user about the fields of `unclear_files`, and whether
    `ambiguous_files` are judgments or runs. Notes on ties refer to `measure`."""
    study = library.study
    loaded_files = [f for f in library.files if f.table is not None]
    loaded_files.sort(key=lambda f: list(_KINDS).index(f.kind or "run"))
    rows = [_file_row(f, library, measure, cutoff) for f in loaded_files]
    unread = [f for f in library.files if f.error is not None]
    fit = study.cached_answer(_fit_report_lines, cutoff) if study and study.judged else []
    offers = find_offered_id_maps(library)
    judged = study.judged.values() if study else ()
    missing_tables = ""
    if rows and not (study and study.names and not study.judged):
        has_runs, has_judgments = (library.files_of_kind(kind) for kind in ("run", "qrels"))
        missing_tables = "" if has_judgments else "a second run or judgments"
        if not has_runs:
            missing_tables = "runs" if has_judgments else "judgments and runs"
    return Data(
        finding=files_finding(
            len(rows),
            n_refused_uploads + len(unread),
            files_fit=not offers and _do_files_fit(library, measure),
            n_unjudged=_count_unjudged_queries(study),
            missing_table=missing_tables,
            n_incomplete=sum(bool(ranks.missing_queries) for ranks in judged),
            has_only_scores=study is not None and not study.judged and bool(study.given_tables),
            is_unjudged=study is not None and study.is_unjudged,
            unclear_files=unclear_files,
            ambiguous_files=ambiguous_files,
            n_waiting=len({*unclear_files, *ambiguous_files} - {row.file.file for row in rows}),
        ),
        files=rows,
        unread=unread,
        errors=list(study.refused.values()) if study else [],
        fit=fit,
        offers=offers,
        notes=library.notes,
    )


def _fit_report_lines(study: Study, cutoff: int) -> list[FitLine]:
    return fit_report(
        list(study.runs.values()),
        list(study.judged.values()),
        study.qrels,
        study.queries,
        study.documents,
        cutoff=cutoff,
    )


def _do_files_fit(library: Library, measure: Measure) -> bool:
    """Return whether the files belong together. They do if every run can be joined with the
    judgments, and if there are no ids that are almost the same. A few missing queries or texts are
    accepted; the table names them."""
    study = library.study
    if study is None:
        return True
    odd = {"no_judged_document", "near_query_ids", "near_document_ids"}
    return not study.refused and not any(
        note.kind in odd for name in study.names for note in study.notes(name, measure)
    )


def _count_unjudged_queries(study: Study | None) -> int:
    """Count the queries that are in the runs but not in the judgments."""
    if study is None:
        return 0
    return len({q for name in study.judged for q in study.judged[name].unjudged_queries})


def _file_row(file: File, library: Library, measure: Measure, cutoff: int) -> FileRow:
    study, table = library.study, file.table
    assert file.kind is not None and table is not None
    run = table.name if isinstance(table, Run) and file.used else None
    notes = list(file.notes)
    share = None
    if run is not None and study is not None and run in study.judged:
        share = judged_share(study.judged[run], cutoff)
        # The row of the judgments and the table of matching files show the other notes.
        shown_elsewhere = _JUDGMENT_NOTE, "missing"
        notes += [n for n in study.notes(run, measure) if n.kind not in shown_elsewhere]
    if isinstance(table, Qrels) and file.used and study is not None and study.names:
        about_run = study.notes(study.names[0], measure)
        notes += [n for n in about_run if n.kind == _JUDGMENT_NOTE]
    if isinstance(table, Documents) and file.used and study is not None:
        notes += study.cached_answer(_corpus_notes)
    if not file.used:
        notes.append(Note("not_used", file.why_not))
    return FileRow(file, _KINDS[file.kind], run, len(table), share, tuple(notes))


def _corpus_notes(study: Study) -> tuple[Note, ...]:
    assert study.documents is not None
    return (
        *missing_document_notes(study.documents, study.qrels),
        *duplicate_text_notes(study.documents),
    )


def first_rows(table: Any) -> pd.DataFrame:
    """Return the first rows of a table for a preview, with the table's columns."""
    if isinstance(table, Queries):
        return table.frame.head(_PREVIEW_ROWS)
    if isinstance(table, Run):
        # Each query has at least one row.
        table = table.select_queries(table.query_ids[:_PREVIEW_ROWS])
    if isinstance(table, (Run, Qrels)):
        head = table.table.slice(0, _PREVIEW_ROWS)
        return head.to_pandas().astype({"query_id": object})
    assert isinstance(table, (Documents, GivenScores))
    return table.table.slice(0, _PREVIEW_ROWS).to_pandas()
