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
from metrics_core.formats.file_kinds import read_sample
from metrics_core.formats.judged_ranks import has_judged_ranks, read_ranks_set
from metrics_core.formats.read_as import DEFAULT_CHOICES, ReadAs, ReadingChoices
from metrics_core.formats.reading import read_source
from metrics_core.formats.registry import (
    KIND_TITLES,
    KINDS,
    Format,
    Kind,
    Loaded,
    MissingKindError,
    formats_for,
)
from metrics_core.formats.run_folders import has_runs, read_run_folder
from metrics_core.formats.source.source import Source
from metrics_core.formats.source.unpacking import is_zip


def is_set(source: str | Path | bytes) -> bool:
    """Whether a folder or a file holds several tables, so that `read_beir_set` reads it."""
    file_source = None
    with suppress(FileFormatError):  # reading it says so
        file_source = _open_file(source)
    is_known_set = has_judged_ranks(source) or beir.is_beir_set(source)
    return is_known_set or _find_set_format(file_source) is not None or has_runs(source)


def _open_file(
    source: str | Path | bytes, name: str | None = None, read_as: ReadAs = DEFAULT_CHOICES
) -> Source | None:
    """A file by itself, opened; None for a folder. Raises FileFormatError, as for a zip of
    several."""
    if isinstance(source, bytes) or Path(source).is_file():
        return read_as.open_file(source, name)
    return None


def _find_set_format(source: Source | None) -> tuple[Format, list[Kind]] | None:
    """The format of a file that holds several tables, the surest of them, and their kinds; None
    where it holds one."""
    if source is None:
        return None
    try:
        sample = read_sample(source)
        candidates = [
            (max(file_format.recognise(sample).values()), file_format, kinds)
            for file_format in formats_for(sample)
            if file_format.together is not None and len(kinds := file_format.together(sample)) > 1
        ]
    except FileFormatError:  # reading it says so
        return None
    if not candidates:
        return None
    _, file_format, kinds = max(candidates, key=lambda candidate: candidate[0])
    return file_format, [kind for kind in KINDS[::-1] if kind in kinds]


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
    if not read_as.columns and has_judged_ranks(source):
        return read_ranks_set(source, name=name, limit=read_as.limit)
    file_source, open_error = None, None
    try:
        file_source = _open_file(source, name, read_as)
    except FileFormatError as error:
        open_error = error
    set_format = _find_set_format(file_source)
    if read_as.columns and (set_format is None or not set_format[0].first_rows):
        description = (
            "a file with one table, or a tool's file with named columns, such as Ragas samples"
        )
        raise ParameterError(f"columns applies only to {description}.", "Omit it.")
    if file_source is not None and set_format is not None:
        return _read_tables(file_source, *set_format, read_as)
    if not beir.is_beir_set(source):
        if has_runs(source):
            return read_run_folder(source, name=name, **choices)
        if file_source is not None:
            raise _single_table_error(file_source, read_as)
        if open_error is not None and not is_zip(
            source if isinstance(source, bytes) else Path(source)
        ):
            raise open_error
    return beir.read_beir_set(source, name=name, read_as=read_as)


def _single_table_error(source: Source, read_as: ReadAs) -> FileFormatError:
    """The error for a file of one table, or the one that reading it ends with."""
    first_table, *_ = read_source(source, read_as, force_kind=read_as.forces_kind)
    problem = LineProblem(None, KIND_TITLES[first_table.kind], "several tables in one file")
    return FileFormatError(source.name, [problem], hint="`read` accepts a file with one table.")


def _read_tables(
    source: Source, file_format: Format, kinds: list[Kind], read_as: ReadAs
) -> list[Loaded]:
    """The tables of these kinds that the file has."""
    loaded: list[Loaded] = []
    errors: list[MissingKindError] = []
    for kind in kinds:
        # What stands beside its own tables is read as it is anywhere.
        format_name = file_format.name if kind in file_format.kinds else None
        try:
            kind_choices = replace(read_as, kind=kind, format=format_name)
            loaded += read_source(source, kind_choices, force_kind=read_as.forces_kind)
        except MissingKindError as error:
            errors.append(error)
    if not loaded:
        raise errors[0]
    return loaded
