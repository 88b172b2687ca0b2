"""Files that hold several tables at once: BEIR sets, detailed results of a benchmark, judged ranks
of several runs, folders of runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from metrics_core.base.errors import FileFormatError, ParameterError
from metrics_core.formats import beir
from metrics_core.formats.detailed import is_detailed, is_json, read_detailed_set
from metrics_core.formats.judged_ranks import holds_ranks, read_ranks_set
from metrics_core.formats.kinds import sample_of
from metrics_core.formats.listed import kinds_in_lists
from metrics_core.formats.parquet_lists import open_records
from metrics_core.formats.reading import check_choices, read_each
from metrics_core.formats.registry import KINDS, Kind, Loaded, NothingOfKindError, formats
from metrics_core.formats.run_folders import holds_runs, read_run_folder
from metrics_core.formats.source.limits import Size
from metrics_core.formats.values import Grades
from metrics_core.tables import Duplicates


def is_set(source: str | Path | bytes) -> bool:
    """Whether a folder or a file holds several tables: a BEIR set, detailed results, judged ranks,
    records of queries with judgments inside, what another tool writes into one file, or runs in a
    folder or a zip."""
    ours = holds_ranks(source) or beir.is_set(source) or is_detailed(source)
    more = len(_kinds_in(source)) > 1 or _of_a_tool(source) is not None
    return ours or more or holds_runs(source)


def _of_a_tool(source: str | Path | bytes) -> tuple[str, list[Kind]] | None:
    """The format of a file of another tool, and the kinds of table that it seems to hold; None
    where it is of none, or holds one kind."""
    if isinstance(source, (str, Path)) and not Path(source).is_file():
        return None
    try:
        sample = sample_of(open_records(source, glance=True))
    except FileFormatError:
        return None
    for declared in formats():
        found = declared.recognise(sample) if declared.together else {}
        if len(found) > 1:
            return declared.name, [kind for kind in KINDS[::-1] if kind in found]
    return None


def _read_of_a_tool(
    format: str, kinds: list[Kind], read: Callable[..., list[Loaded]]
) -> list[Loaded]:
    """The tables of these kinds that the file has."""
    found: list[Loaded] = []
    lacking: list[NothingOfKindError] = []
    for kind in kinds:
        try:
            found += read(kind=kind, format=format)
        except NothingOfKindError as error:
            lacking.append(error)
    if not found:
        raise lacking[0]
    return found


def _kinds_in(source: str | Path | bytes) -> list[Kind]:
    """The kinds of table that records with judgments inside hold; none where they have none."""
    if not is_json(source):
        return []
    try:
        found = kinds_in_lists(sample_of(open_records(source, glance=True)))
    except FileFormatError:
        return []
    return found if "qrels" in found else []


def read_set(
    source: str | Path | bytes,
    *,
    name: str | None = None,
    duplicates: Duplicates = "error",
    grades: Grades = "integer",
    encoding: str | None = None,
    limit: Size | None = None,
    columns: Mapping[str, str] | None = None,
) -> list[Loaded]:
    """Read a BEIR set (a folder, a zip of one, its bytes), a file of detailed results, records of
    queries with judgments inside, what another tool writes into one file, judged ranks (a Parquet
    file, a folder of such, a zip of one), or a folder of runs, or a zip of one.

    Gives its documents, queries, judgments and runs. The choices are those of `read`, and hold for
    every file of the set; in detailed results a document counts once and no grades stand; `columns`
    are for files of tools that have them by name. Raises FileFormatError where it is no such set or
    cannot be read.
    """
    check_choices(None, None, duplicates, grades)
    tool = _of_a_tool(source)
    named = tool is not None and next(f for f in formats() if f.name == tool[0]).first_rows
    if columns and not named:
        what = "a file of one table, or of a tool that names its columns, such as Ragas' samples"
        raise ParameterError(f"columns are for {what}.", "Leave them out.")
    if holds_ranks(source):
        return read_ranks_set(source, name=name, limit=limit)
    if tool is not None:
        read = partial(
            read_each,
            source,
            name=name,
            duplicates=duplicates,
            grades=grades,
            encoding=encoding,
            limit=limit,
            columns=columns,
        )
        return _read_of_a_tool(*tool, read)
    if is_json(source) and not beir.is_set(source):
        kinds = [] if is_detailed(source) else _kinds_in(source)
        if kinds:
            read = partial(read_each, source, name=name, duplicates=duplicates, grades=grades)
            own = (read(kind=kind, encoding=encoding, limit=limit) for kind in kinds)
            return [loaded for tables in own for loaded in tables]
        return read_detailed_set(source, name=name, encoding=encoding, limit=limit)
    if not beir.is_set(source) and holds_runs(source):
        return read_run_folder(
            source, name=name, duplicates=duplicates, encoding=encoding, limit=limit
        )
    return beir.read_set(
        source, name=name, duplicates=duplicates, grades=grades, encoding=encoding, limit=limit
    )
