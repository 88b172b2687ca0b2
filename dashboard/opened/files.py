"""Files: what each one of a folder holds, a table or an error.

A file that cannot be read stays with its error. No Streamlit here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from metrics_core import formats
from metrics_core.checks.stored_scores import with_stored_compared
from metrics_core.errors import RanklensError
from metrics_core.formats.registry import Kind, kind_of
from metrics_core.notes import Note
from metrics_core.tables import Qrels, Queries, Run, Table

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
