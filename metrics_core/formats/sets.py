"""Files that hold several tables at once: BEIR sets, detailed results of a benchmark, records of
queries with judgments inside, what other tools write, judged ranks of several runs, folders of
runs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from metrics_core.base.errors import FileFormatError, LineProblem, ParameterError
from metrics_core.formats import beir
from metrics_core.formats.judged_ranks import holds_ranks, read_ranks_set
from metrics_core.formats.kinds import sample_of
from metrics_core.formats.read_as import AS_USUAL, ReadAs, ReadingChoices
from metrics_core.formats.reading import read_source
from metrics_core.formats.registry import (
    KIND_TITLES,
    KINDS,
    Format,
    Kind,
    Loaded,
    NothingOfKindError,
    formats_for,
)
from metrics_core.formats.run_folders import holds_runs, read_run_folder
from metrics_core.formats.source.source import Source
from metrics_core.formats.source.unpacking import is_zip


def is_set(source: str | Path | bytes) -> bool:
    """Whether a folder or a file holds several tables, so that `read_set` reads it."""
    opened = None
    with suppress(FileFormatError):  # reading it says so
        opened = _file(source)
    ours = holds_ranks(source) or beir.is_set(source)
    return ours or _together(opened) is not None or holds_runs(source)


def _file(
    source: str | Path | bytes, name: str | None = None, read_as: ReadAs = AS_USUAL
) -> Source | None:
    """A file by itself, opened; None for a folder. Raises FileFormatError, as for a zip of
    several."""
    if isinstance(source, bytes) or Path(source).is_file():
        return read_as.opened(source, name)
    return None


def _together(opened: Source | None) -> tuple[Format, list[Kind]] | None:
    """The format of a file that holds several tables, the surest of them, and their kinds; None
    where it holds one."""
    if opened is None:
        return None
    try:
        sample = sample_of(opened)
        found = [
            (max(declared.recognise(sample).values()), declared, kinds)
            for declared in formats_for(sample)
            if declared.together is not None and len(kinds := declared.together(sample)) > 1
        ]
    except FileFormatError:  # reading it says so
        return None
    if not found:
        return None
    _, declared, kinds = max(found, key=lambda one: one[0])
    return declared, [kind for kind in KINDS[::-1] if kind in kinds]


def read_set(
    source: str | Path | bytes, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> list[Loaded]:
    """Read a BEIR set (a folder, a zip of one, its bytes), a file of detailed results, records of
    queries with judgments inside, what another tool writes into one file, judged ranks (a Parquet
    file, a folder of such, a zip of one), or a folder of runs, or a zip of one.

    Gives its documents, queries, judgments and runs. The choices are those of `read`, and hold for
    every file of the set; in detailed results a document counts once and no grades stand; `columns`
    are for files of tools that have them by name. Raises FileFormatError where it is no such set or
    cannot be read.
    """
    read_as = ReadAs(**choices)
    if not read_as.columns and holds_ranks(source):
        return read_ranks_set(source, name=name, limit=read_as.limit)
    opened, refused = None, None
    try:
        opened = _file(source, name, read_as)
    except FileFormatError as error:
        refused = error
    found = _together(opened)
    if read_as.columns and (found is None or not found[0].first_rows):
        what = "a file with one table, or a tool's file with named columns, such as Ragas samples"
        raise ParameterError(f"columns applies only to {what}.", "Omit it.")
    if opened is not None and found is not None:
        return _read_together(opened, *found, read_as)
    if not beir.is_set(source):
        if holds_runs(source):
            return read_run_folder(source, name=name, **choices)
        if opened is not None:
            raise _one_table(opened, read_as)
        if refused is not None and not is_zip(
            source if isinstance(source, bytes) else Path(source)
        ):
            raise refused
    return beir.read_set(source, name=name, read_as=read_as)


def _one_table(opened: Source, read_as: ReadAs) -> FileFormatError:
    """The error for a file of one table, or the one that reading it ends with."""
    one, *_ = read_source(opened, read_as, insists=read_as.insists)
    problem = LineProblem(None, KIND_TITLES[one.kind], "several tables in one file")
    return FileFormatError(opened.name, [problem], hint="`read` accepts a file with one table.")


def _read_together(
    opened: Source, declared: Format, kinds: list[Kind], read_as: ReadAs
) -> list[Loaded]:
    """The tables of these kinds that the file has."""
    found: list[Loaded] = []
    lacking: list[NothingOfKindError] = []
    for kind in kinds:
        # What stands beside its own tables is read as it is anywhere.
        own = declared.name if kind in declared.kinds else None
        try:
            of_kind = replace(read_as, kind=kind, format=own)
            found += read_source(opened, of_kind, insists=read_as.insists)
        except NothingOfKindError as error:
            lacking.append(error)
    if not found:
        raise lacking[0]
    return found
