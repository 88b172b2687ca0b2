"""The files of a folder, each with its table or its error.

A file that cannot be read is kept together with its error. This module does not import
Streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from dashboard.files.query_zip import is_notes_or_layers
from dashboard.files.shape_choices import add_remembered_choices_note, select_remembered_choices
from dashboard.workspace.disk.durable import file_state
from dashboard.workspace.exports.notes_and_layers import LAYERS_FILE, NOTES_FILE
from dashboard.workspace.long_runs.tables import count_queries
from metrics_core import formats
from metrics_core.base.errors import RanklensError
from metrics_core.base.memo import Memo
from metrics_core.base.notes import Note
from metrics_core.checks.stored_scores import compare_stored_scores
from metrics_core.formats import Loaded
from metrics_core.formats.parsing.ranks_parts import (
    is_marker_file,
    is_part_file,
    join_run_parts,
    shared_part_name,
)
from metrics_core.formats.registry import Evidence, Kind, kind_of
from metrics_core.tables import Table

Origin = Literal["sample", "folder", "upload"]

SAMPLE_FOLDER = Path(__file__).resolve().parents[2] / "sample_runs"
_MOST_FILES = 200
_HEAD = 200
BEFORE = "as_before"
"""Key that marks the choices for a file as remembered from an earlier file of the same shape."""
_GLANCES = Memo(10_000)
_NONE: Mapping[str, Any] = MappingProxyType({})
_NO_DATA = {".py", ".md", ".html", ".png", ".svg", ".pyc", ".pdf"}


@dataclass(frozen=True)
class File:
    """A file with its table or its error.

    `key` identifies the file, and `version` identifies its state. `number` is the number of a file
    in the workspace, and `content` is the hash of its rows. `written` is the time when it was last
    written or added to the workspace, in UTC as ISO 8601; it is empty if unknown. For a file from a
    folder, `evidence` says how its kind was recognised."""

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
        """The kind of the file's table. It is None if the file could not be read."""
        return None if self.table is None else kind_of(self.table)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes about anything noticed while the file was read."""
        return () if self.table is None else self.table.notes

    @property
    def queries(self) -> int | None:
        """The number of queries in the table. It is None for documents."""
        return None if self.table is None else count_queries(self.table)


@dataclass(frozen=True)
class FolderListing:
    """The files in a folder. `read` are the files to read; `left_out` are the files that are not
    read because there are too many."""

    read: tuple[Path, ...]
    left_out: tuple[Path, ...] = ()


def list_folder(
    folder: Path, max_files: int = _MOST_FILES, *, workspace: Path | None = None
) -> FolderListing:
    """List the files of a folder and its subfolders that may contain data, in a stable order.

    A subfolder that contains judged ranks (the ranks of judged documents in place of a run) counts
    as one file. If the `workspace` is inside the folder, it is skipped. If there are more than
    `max_files`, runs are left out first, because judgments are useful without them, but not vice
    versa. The files of a subfolder stay together."""
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and workspace not in path.parents
        and path.suffix.lower() not in _NO_DATA
        and path.stem.lower() not in ("readme", "license", "licence", "license-data")
        and not any(part.startswith((".", "__")) for part in path.relative_to(folder).parts)
        and not is_marker_file(path.name)
        and not (path.name in (NOTES_FILE, LAYERS_FILE) and _has_notes_or_layers(path))
    ]
    paths = _merge_rank_folders(folder, files)
    units = {path: shared_part_name(str(path)) for path in paths}
    if len(set(units.values())) <= max_files:
        return FolderListing(tuple(paths))
    needed = sorted(paths, key=lambda path: guess_kind(path) in ("run", None))
    chosen_units = set(list(dict.fromkeys(units[path] for path in needed))[:max_files])
    return FolderListing(
        tuple(path for path in paths if units[path] in chosen_units),
        tuple(path for path in paths if units[path] not in chosen_units),
    )


def _merge_rank_folders(folder: Path, files: Sequence[Path]) -> list[Path]:
    """Return `files` with one change: if a subfolder contains only judged ranks (the ranks of
    judged documents), the subfolder replaces the files in it."""
    of_folder: dict[Path, list[Path]] = {}
    for path in files:
        of_folder.setdefault(path.parent, []).append(path)
    paths: list[Path] = []
    for parent, folder_files in of_folder.items():
        is_one = parent != folder and all(is_part_file(path.name) for path in folder_files)
        paths += [parent] if is_one and guess_kind(parent) == "run" else folder_files
    return sorted(paths)


def _has_notes_or_layers(path: Path) -> bool:
    """Return whether a file contains notes or layers, and not a table. Such a file is not listed,
    because the grades of a layer must not be used as a judgment file."""
    try:
        with path.open("rb") as file:
            return is_notes_or_layers(file.read(_HEAD))
    except OSError:
        return False


def guess_kind(path: Path) -> Kind | None:
    """Return the probable kind of a file or subfolder, None if it is unclear. The kind of a file is
    guessed from its first lines. A subfolder is a run if it contains judged ranks, that is, only
    the ranks of judged documents."""
    return _GLANCES((path, file_state(path)), lambda: _guess_kind(path))


def _guess_kind(path: Path) -> Kind | None:
    if path.is_dir():
        return "run" if formats.has_judged_ranks(path) else None
    recognised = formats.guess_file_kind(path)
    return None if recognised is None else recognised.kind


def read_file(
    path: Path, *, display_name: str, origin: Origin, choices: Mapping[str, Any] = _NONE
) -> list[File]:
    """Read a single file of a folder with the user's `choices`. Return a File for each table in it.

    If `choices` contains BEFORE, the choices were made for an earlier file of the same shape, and
    are used only if the file can be read with them. If something cannot be read, the result has a
    File with the error; no exception is raised."""
    if BEFORE in choices:
        earlier_choices = select_remembered_choices(choices)
        with suppress(RanklensError):  # then it is unlike the earlier file
            loaded = formats.read_all_tables(path, name=display_name, **earlier_choices)
            return make_files(
                [
                    add_remembered_choices_note(loaded_table, earlier_choices)
                    for loaded_table in loaded
                ],
                display_name,
                origin,
            )
        choices = _NONE
    try:
        if "kind" not in choices and formats.is_set(path):
            loaded = compare_stored_scores(formats.read_set(path, name=display_name, **choices))
        else:
            loaded = formats.read_all_tables(path, name=display_name, **choices)
    except RanklensError as error:
        return [File(key=f"{origin}:{display_name}", file=display_name, origin=origin, error=error)]
    return make_files(loaded, display_name, origin)


def make_files(loaded: Sequence[Loaded], display_name: str, origin: Origin) -> list[File]:
    """Return a File for each table in the file with this name."""
    return [
        File(
            key=f"{origin}:{part.file}#{part.kind}"
            if len(loaded) > 1
            else f"{origin}:{display_name}",
            file=part.file,
            origin=origin,
            table=part.table,
            read_as=part.title,
            evidence=part.evidence,
        )
        for part in loaded
    ]


def join_run_files(files: Sequence[File]) -> list[File]:
    """Join runs that are spread over several files. The file with the first part gets the whole
    run; the files with the other parts are marked as not used."""
    listed = list(files)
    for first, other_positions, run in join_run_parts([(f.file, f.table) for f in files]):
        listed[first] = replace(listed[first], table=run)
        reason = f"part of {run.name}, together with {listed[first].file}"
        for position in other_positions:
            listed[position] = replace(listed[position], used=False, why_not=reason)
    return listed


def join_loaded_run_files(loaded_files: Sequence[Loaded]) -> list[Loaded]:
    """Join each run that is spread over several files into one table, if these files were uploaded
    together."""
    joined: list[Loaded | None] = list(loaded_files)
    for first, other_positions, run in join_run_parts(
        [(part.file, part.table) for part in loaded_files]
    ):
        joined[first] = replace(
            loaded_files[first], table=run, file=shared_part_name(loaded_files[first].file)
        )
        for position in other_positions:
            joined[position] = None
    return [loaded for loaded in joined if loaded is not None]
