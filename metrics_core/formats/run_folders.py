"""Read a folder of runs, or a zip of one, as written by experiments of PyTerrier.

The folder contains a TREC run for each system, named after the system, and tables of scores without
documents."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import Unpack, cast

from metrics_core.base.errors import FileFormatError, content_error
from metrics_core.base.notes import note_on_cases
from metrics_core.formats.read_as import ReadAs, ReadingChoices
from metrics_core.formats.reading import read_source
from metrics_core.formats.registry import Loaded, add_notes, run_name
from metrics_core.formats.source.limits import DEFAULT_LIMIT, Limit
from metrics_core.formats.source.members import check_file_count, open_members
from metrics_core.formats.source.opening import name_source
from metrics_core.formats.source.unpacking import PathOrBytes, strip_packing
from metrics_core.tables import Run

RUN_ENDINGS = (".run", ".res", ".trec")
_SCORES = ("perquery.csv", "aggregated.csv")
_EXPECTED = (
    "a folder of runs, or a zip of one",
    "Runs must be named NAME.res, NAME.run or NAME.trec, compressed or not.",
)


def has_runs(source: PathOrBytes) -> bool:
    """Return whether a folder or zip contains files that are named like runs.

    A zip must contain several files, and all files that are not runs must be tables of scores."""
    try:
        with open_members(source, "", DEFAULT_LIMIT, _EXPECTED) as members:
            runs, others = _split_names(members.names)
    except FileFormatError:
        return False
    if isinstance(source, (str, Path)) and Path(source).is_dir():
        return bool(runs)
    are_scores = all(name.endswith(_SCORES) for name in others)
    return bool(runs) and len(members.names) > 1 and are_scores


def find_run_file(folder: Path, name: str) -> Path | None:
    """Return the file of a run in a folder, such as BM25.res.gz for BM25. Returns None if there is
    none."""
    if not folder.is_dir():
        return None
    runs, _ = _split_names([file.name for file in folder.iterdir() if file.is_file()])
    return next((folder / file for file in runs if run_name(file) == name), None)


def read_run_folder(
    source: PathOrBytes,
    *,
    name: str | None = None,
    **choices: Unpack[ReadingChoices],
) -> list[Loaded]:
    """Read the runs of a folder or of a zip of a folder. A note names the files that are not runs.

    Raises FileFormatError if there is no run, or if a run cannot be read."""
    source_name = name_source(source, name)
    read_as = ReadAs(kind="run", **choices)
    limit = Limit.from_size(read_as.limit)
    with open_members(source, source_name, limit, _EXPECTED) as members:
        runs, others = _split_names(members.names)
        check_file_count(source_name, len(runs))
        if not runs:
            actual = f"{len(others):,} files, none of them named like a run"
            raise content_error(source_name, actual, *_EXPECTED)
        loaded: list[Loaded] = []
        for member in runs:
            member_source = read_as.open_file(members.content(member), f"{source_name}/{member}")
            loaded += read_source(member_source, read_as, force_kind=True)
    if others:
        message = f"{_format_file_count(len(others))} not read, because they are not runs"
        note = note_on_cases("left_out", message, others)
        loaded[0] = add_notes(loaded[0], note)
    return loaded


def read_folder_runs(source: str | Path) -> list[Run]:
    """Return the runs of a folder, read with default choices."""
    return [cast(Run, loaded.table) for loaded in read_run_folder(source)]


def _split_names(names: Collection[str]) -> tuple[list[str], list[str]]:
    """Return two sorted lists of the visible files: the files named like runs, and all others."""
    runs = sorted(n for n in names if strip_packing(n.lower()).endswith(RUN_ENDINGS))
    hidden_flags = (PurePosixPath(n).name.startswith((".", "_")) for n in names)
    visible_names = [n for n, is_hidden in zip(names, hidden_flags, strict=True) if not is_hidden]
    return runs, sorted(set(visible_names) - set(runs))


def _format_file_count(n_files: int) -> str:
    return "a file that was" if n_files == 1 else f"{n_files:,} files that were"
