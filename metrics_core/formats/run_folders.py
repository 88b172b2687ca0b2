"""A folder of runs, or a zip of one, as PyTerrier's experiments are saved: a TREC run for each
system, called by its file, beside tables of scores, which hold no documents."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Unpack, cast

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.read_as import ReadAs, ReadingChoices
from metrics_core.formats.reading import read_source
from metrics_core.formats.registry import Loaded, run_name
from metrics_core.formats.source.limits import USUAL_LIMIT, Limit
from metrics_core.formats.source.members import check_count, members_of
from metrics_core.formats.source.opening import legible
from metrics_core.formats.source.unpacking import without_packing
from metrics_core.tables import Run

RUN_ENDINGS = (".run", ".res", ".trec")
_SCORES = ("perquery.csv", "aggregated.csv")


def holds_runs(source: str | Path | bytes) -> bool:
    """Whether a folder has files that are called runs; or a zip of several files nothing else,
    but for tables of their scores."""
    try:
        with members_of(source, "", USUAL_LIMIT, partial(_no_runs, "")) as members:
            runs, others = _parted(members.names)
    except FileFormatError:
        return False
    if isinstance(source, (str, Path)) and Path(source).is_dir():
        return bool(runs)
    scores = all(name.endswith(_SCORES) for name in others)
    return bool(runs) and len(members.names) > 1 and scores


def run_in_folder(folder: Path, name: str) -> Path | None:
    """The file of a folder that is called a run of this name, BM25.res.gz for BM25; None where it
    has none."""
    if not folder.is_dir():
        return None
    runs, _ = _parted([file.name for file in folder.iterdir() if file.is_file()])
    return next((folder / file for file in runs if run_name(file) == name), None)


def read_run_folder(
    source: str | Path | bytes,
    *,
    name: str | None = None,
    **choices: Unpack[ReadingChoices],
) -> list[Loaded]:
    """The runs of a folder, or of a zip of one; a note names the files beside them, which are not
    read. Raises FileFormatError where there are none, or one cannot be read."""
    shown = legible(name or ("the file" if isinstance(source, bytes) else str(source)))
    read_as = ReadAs(kind="run", **choices)
    with members_of(source, shown, Limit.of(read_as.limit), partial(_no_runs, shown)) as members:
        runs, others = _parted(members.names)
        check_count(shown, len(runs))
        if not runs:
            raise _no_runs(shown, f"{len(others):,} files, none of them named like a run")
        loaded: list[Loaded] = []
        for member in runs:
            opened = read_as.opened(members.content(member), f"{shown}/{member}")
            loaded += read_source(opened, read_as, insists=True)
    if others:
        message = f"besides the runs, {_counted(len(others))} not read"
        note = Note("left_out", message, len(others), tuple(others[:3]))
        loaded[0] = replace(loaded[0], table=loaded[0].table.noting(note))
    return loaded


def runs_of_folder(source: str | Path) -> list[Run]:
    """The same as runs, with the usual choices."""
    return [cast(Run, loaded.table) for loaded in read_run_folder(source)]


def _parted(names: Collection[str]) -> tuple[list[str], list[str]]:
    """The files that are called runs, in the order of their names, and the others."""
    runs = sorted(n for n in names if without_packing(n.lower()).endswith(RUN_ENDINGS))
    hidden = (PurePosixPath(n).name.startswith((".", "_")) for n in names)
    seen = [n for n, is_hidden in zip(names, hidden, strict=True) if not is_hidden]
    return runs, sorted(set(seen) - set(runs))


def _counted(files: int) -> str:
    return "a file that was" if files == 1 else f"{files:,} files that were"


def _no_runs(shown: str, found: str) -> FileFormatError:
    return FileFormatError(
        shown,
        [LineProblem(None, found, "a folder of runs, or a zip of one")],
        hint="Runs must be named NAME.res, NAME.run or NAME.trec, compressed or not.",
    )
