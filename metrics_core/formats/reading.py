"""From a file to a table: recognise the format, read it, refuse what cannot be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

from metrics_core.base.errors import FileFormatError, ParameterError, RanklensError
from metrics_core.base.wording import shown
from metrics_core.formats.kinds import recognise, sample_of
from metrics_core.formats.loaded_judgments import why_a_run
from metrics_core.formats.parquet_lists import open_records
from metrics_core.formats.parsing.chosen_columns import chosen_columns
from metrics_core.formats.parsing.systems import only_run
from metrics_core.formats.registry import (
    KINDS,
    Columns,
    FirstRows,
    Format,
    Kind,
    Loaded,
    Request,
    formats,
    run_name,
)
from metrics_core.formats.source.limits import Size
from metrics_core.formats.source.opening import memory_enough
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import Grades
from metrics_core.tables import Documents, Duplicates, Qrels, Queries, Run
from metrics_core.tables.given_numbers import finite_number


def read(
    source: str | Path | bytes,
    *,
    kind: Kind | None = None,
    format: str | None = None,
    name: str | None = None,
    duplicates: Duplicates = "error",
    grades: Grades = "integer",
    encoding: str | None = None,
    limit: Size | None = None,
    columns: Mapping[str, str] | None = None,
) -> Loaded:
    """Read one file, packed or not, and say how it was understood.

    `source` is a path (`-` for the standard input; a pipe will do), or the bytes of a file whose
    `name` then should be given. Kind and format
    are recognised from the content unless they are given. `duplicates` says what becomes of a
    document twice in a query of a run ("error", "best" score, "first" row), `grades` whether grades
    are whole numbers ("integer"), gains ("real") or words by a mapping, `encoding` replaces UTF-8.
    `limit` is how much the file may take: bytes, or a text such as 8GB (4 GB unless it is given).
    `columns` says which column is which where they have other names: {"query": "user", "doc":
    "item", "score": "prediction"}; by numbers ("1") in a file without a header, "-distance" being
    the score turned round.
    Raises FileFormatError where the file cannot be read so.
    """
    opened, each = _each(source, kind, format, name, duplicates, grades, encoding, limit, columns)
    return only_run(opened, each)


def read_each(
    source: str | Path | bytes,
    *,
    kind: Kind | None = None,
    format: str | None = None,
    name: str | None = None,
    duplicates: Duplicates = "error",
    grades: Grades = "integer",
    encoding: str | None = None,
    limit: Size | None = None,
    columns: Mapping[str, str] | None = None,
    judgments: Sequence[Qrels] = (),
) -> list[Loaded]:
    """Read one file: its table or, where a run's name tells several systems apart, a run for each,
    called by it. Arguments and errors as in `read`, which takes files of one table. A file of which
    neither columns nor name say what it is may be told by `judgments` that are there already."""
    return _each(
        source, kind, format, name, duplicates, grades, encoding, limit, columns, judgments
    )[1]


def _each(
    source: str | Path | bytes,
    kind: Kind | None,
    format: str | None,
    name: str | None,
    duplicates: Duplicates,
    grades: Grades,
    encoding: str | None,
    limit: Size | None,
    columns: Mapping[str, str] | None,
    judgments: Sequence[Qrels] = (),
) -> tuple[Source, list[Loaded]]:
    """What is in a file, and the file."""
    check_choices(kind, format, duplicates, grades)
    opened = open_records(source, name, encoding, limit)
    chosen, insists = chosen_columns(columns or {}), grades != "integer"
    return opened, read_source(
        opened,
        kind,
        format,
        duplicates,
        grades,
        insists=insists,
        columns=chosen,
        judgments=judgments,
    )


def read_source(
    opened: Source,
    kind: Kind | None,
    format: str | None,
    duplicates: Duplicates,
    grades: Grades,
    *,
    insists: bool,
    columns: Columns | None = None,
    judgments: Sequence[Qrels] = (),
) -> list[Loaded]:
    """What `read_each` gives of an opened source. Who `insists` on the kind knows it from
    elsewhere: a file that looks more like another is read all the same."""
    name = run_name(opened.name)

    def fits(declared: Format) -> str:
        if not judgments:
            return ""
        with suppress(RanklensError):  # what cannot be read as a run is none
            request = Request("run", duplicates, grades, name, columns or {})
            table = declared.read(opened, request).table
            return why_a_run(table, judgments) if isinstance(table, Run) else ""
        return ""

    found = recognise(
        opened,
        sample_of(opened, columns),
        kind,
        format,
        insists=insists,
        fits=fits,
    )
    request = Request(found.kind, duplicates, grades, name, columns or {})
    with memory_enough(opened):
        loaded = found.format.read(opened, request)
    noted = () if found.note is None else (found.note,)
    first = replace(loaded, table=loaded.table.noting(*noted), others=())
    return [replace(one, evidence=found.evidence) for one in (first, *loaded.others)]


def read_run(
    source: str | Path | bytes,
    *,
    format: str | None = None,
    name: str | None = None,
    duplicates: Duplicates = "error",
    encoding: str | None = None,
    limit: Size | None = None,
    columns: Mapping[str, str] | None = None,
) -> Run:
    """Read a run; raises FileFormatError if the file is something else, or holds several
    (`read_runs`). Arguments as in `read`."""
    loaded = read(
        source,
        kind="run",
        format=format,
        name=name,
        duplicates=duplicates,
        encoding=encoding,
        limit=limit,
        columns=columns,
    )
    return cast(Run, loaded.table)


def read_runs(
    source: str | Path | bytes,
    *,
    format: str | None = None,
    name: str | None = None,
    duplicates: Duplicates = "error",
    encoding: str | None = None,
    limit: Size | None = None,
    columns: Mapping[str, str] | None = None,
) -> list[Run]:
    """Read the run of a file, or the runs of one of several systems, each called by the name that
    tells them apart; raises FileFormatError as `read_run`. Arguments as in `read`."""
    each = read_each(
        source,
        kind="run",
        format=format,
        name=name,
        duplicates=duplicates,
        encoding=encoding,
        limit=limit,
        columns=columns,
    )
    return [cast(Run, loaded.table) for loaded in each]


def read_qrels(
    source: str | Path | bytes,
    *,
    format: str | None = None,
    name: str | None = None,
    grades: Grades = "integer",
    encoding: str | None = None,
    limit: Size | None = None,
    columns: Mapping[str, str] | None = None,
) -> Qrels:
    """Read judgments; raises FileFormatError if the file is something else. Arguments as in
    `read`."""
    loaded = read(
        source,
        kind="qrels",
        format=format,
        name=name,
        grades=grades,
        encoding=encoding,
        limit=limit,
        columns=columns,
    )
    return cast(Qrels, loaded.table)


def read_queries(
    source: str | Path | bytes,
    *,
    format: str | None = None,
    name: str | None = None,
    encoding: str | None = None,
    limit: Size | None = None,
) -> Queries:
    """Read queries; raises FileFormatError if the file is something else. Arguments as in
    `read`."""
    loaded = read(source, kind="queries", format=format, name=name, encoding=encoding, limit=limit)
    return cast(Queries, loaded.table)


def read_documents(
    source: str | Path | bytes,
    *,
    format: str | None = None,
    name: str | None = None,
    encoding: str | None = None,
    limit: Size | None = None,
) -> Documents:
    """Read documents; raises FileFormatError if the file is something else. Arguments as in
    `read`."""
    loaded = read(
        source, kind="documents", format=format, name=name, encoding=encoding, limit=limit
    )
    return cast(Documents, loaded.table)


def recognised(opened: Source, kind: Kind | None) -> tuple[str, Kind]:
    """The name of the format in which a source is read as this kind, or as what it seems to be, and
    the kind. Raises FileFormatError."""
    found = recognise(opened, sample_of(opened), kind, None)
    return found.format.name, found.kind


def kind_at_a_glance(source: str | Path | bytes) -> Kind | None:
    """What the beginning of a file says it holds; None where it says nothing."""
    try:
        opened = open_records(source, glance=True)
        return recognise(opened, sample_of(opened), None, None).kind
    except (RanklensError, OSError):
        return None


def first_rows(
    source: str | Path | bytes,
    *,
    name: str | None = None,
    encoding: str | None = None,
    limit: Size | None = None,
) -> FirstRows | None:
    """The columns of a file by their names, with its first rows, for choosing which is which
    (`columns` of `read`); None where its format has no columns by name or between tabs. Raises
    FileFormatError."""
    opened = open_records(source, name, encoding, limit)
    sample = sample_of(opened)
    try:
        own = recognise(opened, sample, None, None).format
    except FileFormatError:
        own = None  # columns of names that nobody knows
    between = sample.text.lstrip()[:1] not in "{[<" and "\t" in (*sample.lines, "")[0]
    asked = [own] if own is not None and (own.first_rows or not between) else formats()
    found = (f.first_rows(sample) for f in asked if f.first_rows is not None)
    return next((rows for rows in found if rows is not None), None)


def check_choices(kind: str | None, format: str | None, duplicates: str, grades: Grades) -> None:
    """Refuse a reading choice that there is not with a ParameterError."""
    if kind is not None and kind not in KINDS:
        raise ParameterError(f"There is no kind {kind!r}.", f"The kinds are: {', '.join(KINDS)}.")
    known = [f.name for f in formats()] if format not in (None, "trec") else []
    if known and format not in known:
        raise ParameterError(f"There is no format {format!r}.", f"They are: {', '.join(known)}.")
    if duplicates not in ("error", "best", "first"):
        raise ParameterError(f"duplicates is error, best or first, not {duplicates!r}.")
    if isinstance(grades, str) and grades not in ("integer", "real"):
        raise ParameterError(f"grades is integer, real or a mapping of words, not {grades!r}.")
    for word, grade in grades.items() if isinstance(grades, Mapping) else ():
        if finite_number(grade) is None:
            raise ParameterError(
                f"grades makes {word!r} the grade {shown(grade)}, which is not a finite number."
            )
