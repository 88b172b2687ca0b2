"""Files: what each one holds, a table or an error; those of a folder.

A file that cannot be read stays with its error. No Streamlit here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from dashboard.files.query_zip import is_carried
from dashboard.files.remembered import kept_choices, read_as_before
from dashboard.workspace.disk.durable import state_of
from dashboard.workspace.long_runs.tables import queries_of
from dashboard.workspace.taken_out.carried import LAYERS_FILE, NOTES_FILE
from metrics_core import formats
from metrics_core.base.errors import RanklensError
from metrics_core.base.memo import Memo
from metrics_core.base.notes import Note
from metrics_core.checks.stored_scores import with_stored_compared
from metrics_core.formats import Loaded
from metrics_core.formats.parsing.ranks_parts import (
    is_beside_parts,
    is_part,
    joined_parts,
    whole_of_part,
)
from metrics_core.formats.registry import Evidence, Kind, kind_of
from metrics_core.tables import Table

Origin = Literal["sample", "folder", "upload"]

SAMPLE_FOLDER = Path(__file__).resolve().parents[2] / "sample_runs"
_MOST_FILES = 200
_HEAD = 200
BEFORE = "as_before"
"""Among the choices for a file: that they are those for files of its shape."""
_GLANCES = Memo(10_000)
_NONE: Mapping[str, Any] = MappingProxyType({})
_NO_DATA = {".py", ".md", ".html", ".png", ".svg", ".pyc", ".pdf"}


@dataclass(frozen=True)
class File:
    """One file and what became of it: a table, or the error. `key` tells files apart,
    `version` two states of one file; `number` is that of a file in the workspace, `content` the
    hash of its rows. `written` is when it was last written or came into the workspace, in UTC as
    ISO 8601 has it; "" where unknown. `evidence` is by what a file of a folder was taken for what
    it is."""

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
    number: str = ""
    content: str = ""
    written: str = ""
    evidence: Evidence = "columns"

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
        return None if self.table is None else queries_of(self.table)


@dataclass(frozen=True)
class Listing:
    """The files of a folder that are read, and those that are left out because they are many."""

    read: tuple[Path, ...]
    left_out: tuple[Path, ...] = ()


def list_folder(folder: Path, most: int = _MOST_FILES, *, workspace: Path | None = None) -> Listing:
    """Files of a folder and its subfolders that may hold data, in a stable order; a subfolder of
    judged ranks is one of them, and a `workspace` that lies within holds none. Beyond the `most`
    that are read, runs are left out first: without judgments the others say nothing; parts of one
    folder stay together."""
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and workspace not in path.parents
        and path.suffix.lower() not in _NO_DATA
        and path.stem.lower() not in ("readme", "license", "licence", "license-data")
        and not any(part.startswith((".", "__")) for part in path.relative_to(folder).parts)
        and not is_beside_parts(path.name)
        and not (path.name in (NOTES_FILE, LAYERS_FILE) and _is_carried(path))
    ]
    found = _with_folders_of_ranks(folder, files)
    units = {path: whole_of_part(str(path)) for path in found}
    if len(set(units.values())) <= most:
        return Listing(tuple(found))
    needed = sorted(found, key=lambda path: glanced(path) in ("run", None))
    chosen = set(list(dict.fromkeys(units[path] for path in needed))[:most])
    return Listing(
        tuple(path for path in found if units[path] in chosen),
        tuple(path for path in found if units[path] not in chosen),
    )


def _with_folders_of_ranks(folder: Path, files: Sequence[Path]) -> list[Path]:
    """The files, those of a subfolder that holds nothing but parts of judged ranks as that."""
    of_folder: dict[Path, list[Path]] = {}
    for path in files:
        of_folder.setdefault(path.parent, []).append(path)
    found: list[Path] = []
    for parent, own in of_folder.items():
        is_one = parent != folder and all(is_part(path.name) for path in own)
        found += [parent] if is_one and glanced(parent) == "run" else own
    return sorted(found)


def _is_carried(path: Path) -> bool:
    """Whether a file holds notes or layers, which are no tables: grades of a layer are never taken
    for judgments of a file."""
    try:
        with path.open("rb") as file:
            return is_carried(file.read(_HEAD))
    except OSError:
        return False


def glanced(path: Path) -> Kind | None:
    """What a file seems to hold by its first lines, or a folder that may be one of judged ranks;
    None where they do not tell."""
    return _GLANCES((path, state_of(path)), lambda: _glanced(path))


def _glanced(path: Path) -> Kind | None:
    if path.is_dir():
        return "run" if formats.holds_ranks(path) else None
    found = formats.at_a_glance(path)
    return None if found is None else found.kind


def read_files(
    path: Path, *, shown: str, origin: Origin, choices: Mapping[str, Any] = _NONE
) -> list[File]:
    """Read one file of a folder, which may hold several tables, with the reader's `choices`, which
    may be those for a file of its shape (BEFORE); never raises for what it holds."""
    if BEFORE in choices:
        before = kept_choices(choices)
        with suppress(RanklensError):  # then it is not like the file before
            loaded = formats.read_each(path, name=shown, **before)
            return _of_tables([read_as_before(one, before) for one in loaded], shown, origin)
        choices = _NONE
    try:
        if "kind" not in choices and formats.is_set(path):
            loaded = with_stored_compared(formats.read_set(path, name=shown, **choices))
        else:
            loaded = formats.read_each(path, name=shown, **choices)
    except RanklensError as error:
        return [File(key=f"{origin}:{shown}", file=shown, origin=origin, error=error)]
    return _of_tables(loaded, shown, origin)


def _of_tables(loaded: Sequence[Loaded], shown: str, origin: Origin) -> list[File]:
    return [
        File(
            key=f"{origin}:{part.file}#{part.kind}" if len(loaded) > 1 else f"{origin}:{shown}",
            file=part.file,
            origin=origin,
            table=part.table,
            read_as=part.title,
            evidence=part.evidence,
        )
        for part in loaded
    ]


def fingerprint(path: Path) -> str:
    """The SHA-256 of what a file holds."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def with_parts_joined(files: Sequence[File]) -> list[File]:
    """The files, the first part of each run holding all of it; the others are not used by
    themselves."""
    listed = list(files)
    for first, others, run in joined_parts([(f.file, f.table) for f in files]):
        listed[first] = replace(listed[first], table=run)
        why = f"part of {run.name}, together with {listed[first].file}"
        for place in others:
            listed[place] = replace(listed[place], used=False, why_not=why)
    return listed


def parts_as_one(read: Sequence[Loaded]) -> list[Loaded]:
    """Tables that were given at once, the parts of each run as one file of it."""
    made: list[Loaded | None] = list(read)
    for first, others, run in joined_parts([(one.file, one.table) for one in read]):
        made[first] = replace(read[first], table=run, file=whole_of_part(read[first].file))
        for place in others:
            made[place] = None
    return [loaded for loaded in made if loaded is not None]
