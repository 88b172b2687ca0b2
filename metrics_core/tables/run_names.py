"""Names of several runs: make them unique, and keep a file that is loaded twice as one run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from os.path import normpath
from pathlib import PurePath
from typing import Protocol, Self, TypeVar

from metrics_core.base.notes import Note


class HasName(Protocol):
    """Protocol of objects that have a name and can be renamed."""

    @property
    def name(self) -> str:
        """The unique name of the run."""

    def renamed(self, name: str) -> Self:
        """Return the same object with another name."""


AnyRun = TypeVar("AnyRun", bound=HasName)


def make_names_unique(
    runs: Sequence[AnyRun], is_same: Callable[[AnyRun, AnyRun], bool] = lambda *_: False
) -> tuple[list[AnyRun], list[Note]]:
    """Return the runs with distinct names, and notes about the changes.

    If `is_same` is true for a run and an earlier run, the later run is omitted, because the same
    file was loaded twice. Two files with the same rows remain two runs with equal scores."""
    unique_runs: list[AnyRun] = []
    notes: list[Note] = []
    for run in runs:
        twin = next((k for k in unique_runs if is_same(k, run)), None)
        if twin is not None:
            notes.append(
                Note(
                    "same_run",
                    f"{run.name} was loaded twice, so it is shown only once",
                    1,
                    (twin.name,),
                )
            )
            continue
        name = find_free_name(run.name, {k.name for k in unique_runs})
        if name != run.name:
            notes.append(
                Note(
                    "same_name",
                    f"two runs are named {run.name}, so one is shown as {name}",
                    1,
                    (name,),
                )
            )
        unique_runs.append(run.renamed(name))
    return unique_runs, notes


def add_folder_names(runs: Sequence[AnyRun], files: Sequence[str]) -> list[AnyRun]:
    """Return the runs, with the names of folders put in front of run names that occur several
    times: a/run and b/run.

    `files` has the file of each run. As many folders are added as are needed to make the names
    differ."""
    folders = [PurePath(normpath(file)).parts[:-1] for file in files]
    renamed_runs: list[AnyRun] = []
    for run, parts in zip(runs, folders, strict=True):
        same_name_folders = {
            f for other, f in zip(runs, folders, strict=True) if other.name == run.name
        }
        # The complete folders differ, so a depth up to the longest is always enough.
        depths = range(max(map(len, same_name_folders)) + 1)
        depth = next(
            d
            for d in depths
            if len({_last_parts(f, d) for f in same_name_folders}) == len(same_name_folders)
        )
        name = "/".join((*_last_parts(parts, depth), run.name)).lstrip("/")
        renamed_runs.append(run if name == run.name else run.renamed(name))
    return renamed_runs


def _last_parts(parts: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return the last `count` parts of a path."""
    return parts[max(len(parts) - count, 0) :]


def baseline_name(name: str, runs: Collection[str]) -> str:
    """Return the name under which a baseline is shown next to these runs: its own name, or "NAME
    (baseline)" if one of the runs has the same name.

    Equal names are common, because a run is usually the next version of the baseline."""
    return find_free_name(f"{name} (baseline)", runs) if name in runs else name


def find_free_name(name: str, used_names: Collection[str]) -> str:
    """Return the name if it is not used; otherwise the first of "name (2)", "name (3)", … that is
    not used."""
    candidate, number = name, 2
    while candidate in used_names:
        candidate, number = f"{name} ({number})", number + 1
    return candidate
