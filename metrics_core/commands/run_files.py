"""The runs that a command line names: a file's run, each of several systems in a file, the runs of
judged ranks or of a folder, or one of those, `runs.trec/bm25`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, cast

from metrics_core import formats
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError, UnknownRunError
from metrics_core.commands.own_columns import choices_for, file_and_run
from metrics_core.commands.reading_options import ReadingOptions
from metrics_core.formats.parsing.ranks_parts import joined_parts
from metrics_core.tables import Run
from metrics_core.tables.run_names import AnyRun

_SHOWN = 5


@dataclass(frozen=True)
class OfFile(Generic[AnyRun]):
    """A run, or what was judged of it, and where a command line finds it: its file, with its name
    behind where that holds several."""

    run: AnyRun
    file: str

    @property
    def name(self) -> str:
        """The name that tells the run apart."""
        return self.run.name

    def renamed(self, name: str) -> OfFile[AnyRun]:
        """The same run under another name."""
        return replace(self, run=self.run.renamed(name))


def runs_given(options: ReadingOptions) -> list[tuple[str, Run]]:
    """The runs with the files that they are in, parts of one run as one. Raises RanklensError where
    one is asked for and a file holds several."""
    given: list[tuple[str, Run]] = []
    for place, path in enumerate(options.all_runs):
        own = _runs_in(path, options)
        if len(own) > 1 and (options.one_run or (place == 0 and options.baseline is not None)):
            names = w.listing([run.name for run in own[:_SHOWN]])
            what = "judged ranks of " if formats.holds_ranks(path) else ""
            raise RanklensError(
                f"{path} contains {what}{len(own):,} runs, but only one is allowed: {names}.",
                f"Name one of them, such as {path.rstrip('/')}/{own[0].name}.",
            )
        given += [(path, run) for run in own]
    return _with_parts_joined(given)


def _runs_in(path: str, options: ReadingOptions) -> list[Run]:
    file, name = file_and_run(path)
    if path != "-" and formats.holds_ranks(file):
        runs: list[Run] = [*formats.read_judged_ranks(file, limit=options.read_as.limit)]
    elif path != "-" and formats.holds_runs(file):
        loaded = formats.read_run_folder(file, **options.read_as.choices(columns=None))
        runs = [cast(Run, one.table) for one in loaded]
    else:
        runs = formats.read_runs(file, **choices_for(file, "run", options))
    if name is None:
        return runs
    own = [run for run in runs if run.name == name]
    if not own:
        raise UnknownRunError(name, [run.name for run in runs])
    return own


def _with_parts_joined(given: Sequence[tuple[str, Run]]) -> list[tuple[str, Run]]:
    """The same, the parts of one run of judged ranks as one."""
    listed: list[tuple[str, Run] | None] = list(given)
    named = [(f"{path}/{run.name}", run) for path, run in given]
    for first, others, run in joined_parts(named):
        listed[first] = given[first][0], run
        for place in others:
            listed[place] = None
    return [one for one in listed if one is not None]
