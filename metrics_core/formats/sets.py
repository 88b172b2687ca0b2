"""Read sources with several tables, such as BEIR sets, files of tools and folders of runs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from metrics_core.base.errors import FileFormatError, ParameterError, content_error
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
from metrics_core.formats.source.unpacking import PathOrBytes, is_zip


def is_set(source: PathOrBytes) -> bool:
    """Return whether a folder or file contains several tables and can therefore be read with
    `read_set`."""
    file_source = None
    with suppress(FileFormatError):  # reported when it is read
        file_source = _open_file(source)
    is_known_set = has_judged_ranks(source) or beir.is_beir_set(source)
    return is_known_set or _find_set_format(file_source) is not None or has_runs(source)


def _open_file(
    source: PathOrBytes, name: str | None = None, read_as: ReadAs = DEFAULT_CHOICES
) -> Source | None:
    """Open a single file and return its source. Returns None for a folder.

    Raises FileFormatError if the file cannot be opened, or if it is a zip of several files."""
    if isinstance(source, bytes) or Path(source).is_file():
        return read_as.open_file(source, name)
    return None


def _find_set_format(source: Source | None) -> tuple[Format, list[Kind]] | None:
    """Return the most likely format of a file with several tables, and the kinds of these tables.

    Returns None if the file contains a single table."""
    if source is None:
        return None
    try:
        sample = read_sample(source)
        candidates = [
            (max(file_format.recognise(sample).values()), file_format, kinds)
            for file_format in formats_for(sample)
            if file_format.together is not None and len(kinds := file_format.together(sample)) > 1
        ]
    except FileFormatError:  # reported when it is read
        return None
    if not candidates:
        return None
    _, file_format, kinds = max(candidates, key=lambda candidate: candidate[0])
    return file_format, [kind for kind in (*KINDS[::-1], "scores") if kind in kinds]


def read_set(
    source: PathOrBytes, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> list[Loaded]:
    """Read a source with several tables: documents, queries, judgments and runs.

    The source is one of

        a BEIR set          a folder, a zip of a folder, or the bytes of the zip
        a single file       detailed results, records of queries with judgments, a tool's file
        judged ranks        a Parquet file, a folder of such files, or a zip of such a folder
        a folder of runs    a folder, or a zip of a folder

    The choices are the same as for `read` and apply to every file of the set; `columns` applies
    only to a tool's file with named columns. A repeated document in detailed results counts once.
    Raises FileFormatError if the source contains a single table or cannot be read, and
    ParameterError for an invalid choice."""
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
        raise ParameterError(
            f"The columns option applies only to {description}.", "Omit the option."
        )
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
    """Return the error that says that a file contains only one table. If the file cannot be read,
    the error of reading it is raised instead."""
    first_table, *_ = read_source(source, read_as, force_kind=read_as.must_be_judgments)
    return content_error(
        source.name,
        KIND_TITLES[first_table.kind],
        "several tables in one file",
        "To read a file with one table, use `read`.",
    )


def _read_tables(
    source: Source, file_format: Format, kinds: list[Kind], read_as: ReadAs
) -> list[Loaded]:
    """Return the tables of these kinds that the file contains.

    Raises MissingKindError if the file contains none of them."""
    loaded: list[Loaded] = []
    errors: list[MissingKindError] = []
    for kind in kinds:
        # Kinds that the format itself does not read are read in whatever format recognises them.
        format_name = file_format.name if kind in file_format.kinds else None
        try:
            kind_choices = replace(read_as, kind=kind, format=format_name)
            loaded += read_source(source, kind_choices, force_kind=read_as.must_be_judgments)
        except MissingKindError as error:
            errors.append(error)
    if not loaded:
        raise errors[0]
    return loaded
