"""Library: which files are there, what each one holds, and which of them make up the study.

Files come from the sample, from a folder given at the start, or from the workspace. A file that
cannot be read stays in the library with its error. No Streamlit here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from dashboard.opened.study import Study
from metrics_core import formats
from metrics_core.checks.stored_scores import with_stored_compared
from metrics_core.errors import RanklensError
from metrics_core.formats.registry import Kind, kind_of
from metrics_core.notes import Note
from metrics_core.tables import Documents, Qrels, Queries, Run, Table
from metrics_core.tables.run_names import told_apart

Origin = Literal["sample", "folder", "upload"]

SAMPLE_FOLDER = Path(__file__).resolve().parents[2] / "sample_runs"
_MOST_FILES = 200
_NO_DATA = {".py", ".md", ".html", ".png", ".svg", ".pyc", ".pdf"}


@dataclass(frozen=True)
class File:
    """One file and what became of it: a table, or the error. `key` tells files apart,
    `version` two states of one file."""

    key: str
    file: str
    origin: Origin
    version: str = ""
    table: Table | None = None
    read_as: str = ""
    error: RanklensError | None = None
    slot: int | None = None
    used: bool = True
    why_not: str = ""

    @property
    def kind(self) -> Kind | None:
        """What the table is; None for a file that could not be read."""
        return None if self.table is None else kind_of(self.table)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What reading noticed."""
        return () if self.table is None else self.table.notes

    @property
    def queries(self) -> int | None:
        """Number of queries the table speaks of; None for documents."""
        if isinstance(self.table, Queries):
            return len(self.table)
        if isinstance(self.table, (Run, Qrels)):
            return len(self.table.query_ids)
        return None


def list_folder(folder: Path) -> list[Path]:
    """Files of a folder and its subfolders that may hold data, in a stable order."""
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.suffix.lower() not in _NO_DATA
        and path.stem.lower() not in ("readme", "license", "licence", "license-data")
        and not any(part.startswith((".", "__")) for part in path.relative_to(folder).parts)
    ]
    return found[:_MOST_FILES]


def read_files(path: Path, *, shown: str, origin: Origin) -> list[File]:
    """Read one file of a folder, which may hold several tables; never raises for what it holds."""
    if path.is_file() and formats.is_detailed(path):
        try:
            loaded = with_stored_compared(formats.read_set(path, name=shown))
        except RanklensError as error:
            return [File(key=f"{origin}:{shown}", file=shown, origin=origin, error=error)]
        return [
            File(
                key=f"{origin}:{shown}#{part.kind}",
                file=shown,
                origin=origin,
                table=part.table,
                read_as=part.title,
            )
            for part in loaded
        ]
    return [read_file(path, shown=shown, origin=origin)]


def read_file(path: Path, *, shown: str, origin: Origin) -> File:
    """Read one file of a folder; never raises for what the file holds."""
    try:
        loaded = formats.read(path, name=shown)
    except RanklensError as error:
        return File(key=f"{origin}:{shown}", file=shown, origin=origin, error=error)
    return File(
        key=f"{origin}:{shown}",
        file=shown,
        origin=origin,
        table=loaded.table,
        read_as=loaded.title,
    )


@dataclass(frozen=True)
class Library:
    """All files, and the study they make; None while judgments or runs are missing."""

    files: tuple[File, ...]
    study: Study | None
    notes: tuple[Note, ...] = ()

    @property
    def slots(self) -> dict[str, int]:
        """Run name -> its colour and shape."""
        return {
            f.table.name: f.slot if f.slot is not None else i
            for i, f in enumerate(f for f in self.files if isinstance(f.table, Run))
            if isinstance(f.table, Run)
        }

    def of_kind(self, kind: Kind) -> list[File]:
        """The files that hold this kind of table."""
        return [f for f in self.files if f.kind == kind]


def assemble(files: Iterable[File], *, qrels_key: str = "") -> Library:
    """Make the study of these files: all runs, and one table of each other kind.

    Of several qrels the chosen one is used, else the one that shares most queries with the runs; of
    several queries the file with most of the judged ones, of several documents the last. What is
    not used says why.
    """
    listed = list(files)
    runs, run_notes = told_apart([f.table for f in listed if isinstance(f.table, Run)])
    listed = _with_run_names(listed, runs)
    qrels = _choose_qrels([f for f in listed if isinstance(f.table, Qrels)], runs, qrels_key)
    queries = _choose_queries([f for f in listed if isinstance(f.table, Queries)], qrels)
    documents = _last([f for f in listed if isinstance(f.table, Documents)])
    chosen = {f.key for f in (qrels, queries, documents) if f is not None}
    listed = [
        f
        if f.kind in (None, "run") or f.key in chosen
        else replace(f, used=False, why_not="not used: another file of its kind is")
        for f in listed
    ]
    study = None
    if qrels is not None and runs and isinstance(qrels.table, Qrels):
        study = Study(
            runs,
            qrels.table,
            queries.table if queries and isinstance(queries.table, Queries) else None,
            documents.table if documents and isinstance(documents.table, Documents) else None,
        )
    return Library(files=tuple(listed), study=study, notes=tuple(run_notes))


def _with_run_names(files: Sequence[File], runs: Sequence[Run]) -> list[File]:
    """Files of runs carry the run as it is told apart; a second file of one run is not used."""
    left = list(runs)
    named = []
    for f in files:
        if not isinstance(f.table, Run):
            named.append(f)
            continue
        own = next((r for r in left if r.table is f.table.table), None)
        if own is None:
            named.append(replace(f, used=False, why_not="not used: the same run as another file"))
            continue
        left.remove(own)
        named.append(replace(f, table=own))
    return named


def _choose_qrels(files: Sequence[File], runs: Sequence[Run], key: str) -> File | None:
    asked = next((f for f in files if f.key == key), None)
    if asked is not None or not files:
        return asked
    wanted = {q for run in runs for q in run.query_ids}

    def shared(f: File) -> int:
        return len(wanted & set(f.table.query_ids)) if isinstance(f.table, Qrels) else 0

    return max(files, key=lambda f: (shared(f), files.index(f)))


def _choose_queries(files: Sequence[File], qrels: File | None) -> File | None:
    judged = set(qrels.table.query_ids) if qrels and isinstance(qrels.table, Qrels) else set()

    def known(f: File) -> int:
        table = f.table
        return len(judged & set(table.frame["query_id"])) if isinstance(table, Queries) else 0

    return max(files, key=lambda f: (known(f), files.index(f)), default=None)


def _last(files: Sequence[File]) -> File | None:
    return files[-1] if files else None
