"""Read the runs that a command line names.

A path can be a file of one or several runs, a folder of runs, a file or folder of judged ranks (the
ranks of judged documents, used in place of a run), or a single run in a file by name
(`runs.trec/bm25`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, cast

from metrics_core import formats
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError, UnknownRunError
from metrics_core.commands.file_columns import reading_choices, split_run_path
from metrics_core.commands.reading_options import ReadingOptions
from metrics_core.formats.parsing.ranks_parts import join_run_parts
from metrics_core.tables import Run
from metrics_core.tables.run_names import AnyRun

_MAX_NAMED = 5


@dataclass(frozen=True)
class FileRun(Generic[AnyRun]):
    """A run, or its judged ranks, with its path on the command line.

    The path is the file's path, followed by the run's name if the file contains several runs."""

    run: AnyRun
    file: str

    @property
    def name(self) -> str:
        """The unique name of the run."""
        return self.run.name

    def renamed(self, name: str) -> FileRun[AnyRun]:
        """Return the same run with another name."""
        return replace(self, run=self.run.renamed(name))


def read_file_runs(options: ReadingOptions) -> list[tuple[str, Run]]:
    """Read the runs, each with the path of its file. Parts of the same run are joined.

    Raises RanklensError if a file contains several runs but only one is allowed."""
    named_runs: list[tuple[str, Run]] = []
    for position, path in enumerate(options.all_run_paths):
        file_runs = _read_runs_at_path(path, options)
        if len(file_runs) > 1 and (
            options.one_run or (position == 0 and options.baseline is not None)
        ):
            names = w.join_words([run.name for run in file_runs[:_MAX_NAMED]])
            kind_text = "ranks of judged documents from " if formats.has_judged_ranks(path) else ""
            raise RanklensError(
                f"{path} contains {kind_text}{len(file_runs):,} runs, but only one is allowed:"
                f" {names}.",
                f"Name one of them, such as {path.rstrip('/')}/{file_runs[0].name}.",
            )
        named_runs += [(path, run) for run in file_runs]
    return _join_run_parts(named_runs)


def _read_runs_at_path(path: str, options: ReadingOptions) -> list[Run]:
    file, name = split_run_path(path)
    if path != "-" and formats.has_judged_ranks(file):
        runs: list[Run] = [*formats.read_judged_ranks(file, limit=options.read_as.limit)]
    elif path != "-" and formats.has_runs(file):
        loaded = formats.read_run_folder(file, **options.read_as.to_keyword_choices(columns=None))
        runs = [cast(Run, part.table) for part in loaded]
    else:
        runs = formats.read_runs(file, **reading_choices(file, "run", options))
    if name is None:
        return runs
    matching_runs = [run for run in runs if run.name == name]
    if not matching_runs:
        raise UnknownRunError(name, [run.name for run in runs])
    return matching_runs


def _join_run_parts(named_runs: Sequence[tuple[str, Run]]) -> list[tuple[str, Run]]:
    """Join the parts of each run that is divided into several files of judged ranks."""
    listed: list[tuple[str, Run] | None] = list(named_runs)
    named_paths = [(f"{path}/{run.name}", run) for path, run in named_runs]
    for first, other_positions, run in join_run_parts(named_paths):
        listed[first] = named_runs[first][0], run
        for position in other_positions:
            listed[position] = None
    return [entry for entry in listed if entry is not None]
