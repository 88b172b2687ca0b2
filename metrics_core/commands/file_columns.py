"""Select, for each file, the columns of `--columns` that it has. Judgments and runs can have
different columns; files of some formats have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from metrics_core import formats
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.commands.reading_options import ReadingOptions
from metrics_core.formats.mapping.paths import is_path, parse_path
from metrics_core.formats.parsing.chosen_columns import (
    NO_COLUMN,
    are_columns_numbered,
    drop_unassigned_roles,
    find_absent_columns,
)
from metrics_core.formats.parsing.columns import NAMES, find_position
from metrics_core.formats.read_as import ReadingChoices
from metrics_core.formats.registry import Columns

_IDS = ("query_id", "doc_id")
_NUMBER_ROLES: Mapping[formats.Kind, Sequence[str]] = {
    "run": ("score", "rank"),
    "qrels": ("relevance",),
}
_OTHER_ROLES: Mapping[formats.Kind, Sequence[str]] = {"run": ("run",), "qrels": ("subtopic",)}


def split_run_path(path: str) -> tuple[str, str | None]:
    """Split a path such as `runs.trec/bm25` into the path of the file or folder and the name of a
    run in it.

    Returns None if the path does not name a single run."""
    if path == "-" or Path(path).exists():
        return path, None
    run_path = formats.find_run_file(Path(path).parent, Path(path).name)
    if run_path is not None:
        return str(run_path), None
    for folder in Path(path).parents:
        is_ranks = folder == Path(path).parent and formats.has_judged_ranks(folder)
        if folder.is_file() or is_ranks:
            return str(folder), Path(path).relative_to(folder).as_posix()
    return path, None


def split_name_and_file(path: str) -> tuple[str, str]:
    """Return the name of a file without its folder, and the file's path. If the path names a run in
    the file, the name includes this run."""
    file, run = split_run_path(path)
    name = Path(file).name
    return name if run is None else f"{name}/{run}", file


def reading_choices(path: str, kind: formats.Kind, options: ReadingOptions) -> ReadingChoices:
    """Return the reading choices for a file of this kind. The columns named in `--columns` are
    included only if they apply to the file."""
    return options.read_as.to_keyword_choices(columns=_columns_in_file(path, kind, options))


def _columns_in_file(path: str, kind: formats.Kind, options: ReadingOptions) -> Columns | None:
    """Return the columns named in `--columns` whose roles belong to this kind of table. Returns
    None if there are none, or if the file has none of these columns."""
    roles = (*_IDS, *_NUMBER_ROLES[kind], *_OTHER_ROLES[kind])
    columns = {
        role: name for role, name in (options.read_as.columns or {}).items() if role in roles
    }
    if not columns or path == "-":
        return columns or None
    if are_columns_numbered(columns):
        number = any(role in columns for role in _NUMBER_ROLES[kind])
        return columns if number and _read_column_names(path, options) is not None else None
    names = _read_column_names(path, options) or []
    systems = NO_COLUMN in columns.values() and find_position(names, NAMES["tag"]) >= 0
    absent = [n for n in find_absent_columns(names, columns) if not _starts_with_field(n, names)]
    return columns if systems or len(absent) < len(drop_unassigned_roles(columns)) else None


def _starts_with_field(path: str, names: Sequence[str]) -> bool:
    """Return whether the first step of a path such as `search.key` is one of the fields of a
    record."""
    if not is_path(path):
        return False
    return any(alternative.steps[0].name in ("", *names) for alternative in parse_path(path))


def refuse_unused_columns(options: ReadingOptions) -> None:
    """Raise RanklensError if no file has any of the columns named in `--columns`. Also raises it if
    the judgments and a run would be read from the same list of records in the same file."""
    chosen = options.read_as.columns
    if chosen is None:
        return
    runs = [split_run_path(path)[0] for path in options.all_run_paths]
    doc = chosen.get("doc_id", "")
    if options.qrels in runs and is_path(doc) and "relevance" not in chosen:
        raise RanklensError(
            f"The list {doc} would be used both as the judgments and as the run.",
            "Use a separate file for each, or rename the lists so that they are recognised, such as"
            " `retrieved` and `expected`.",
        )
    of_runs = (_columns_in_file(path, "run", options) for path in runs)
    if _columns_in_file(options.qrels, "qrels", options) is None and not any(of_runs):
        names_text = ", ".join(f"`{name}`" for name in chosen.values())
        names = (
            _read_column_names(options.qrels, options),
            *(_read_column_names(path, options) for path in runs),
        )
        columns = dict.fromkeys(
            f"`{name}`" for column_names in names for name in column_names or ()
        )
        raise RanklensError(
            f"No file has a column {names_text}.",
            f"Available columns: {', '.join(columns)}."
            if columns
            else "The files have no named columns.",
        )


def _read_column_names(path: str, options: ReadingOptions) -> list[str] | None:
    """Return the column names of a file; None if the file has no columns or cannot be read."""
    try:
        rows = formats.read_first_rows(path, **options.read_as.to_keyword_choices(columns=None))
    except (FileFormatError, OSError):
        return None  # reading the file reports the error
    return None if rows is None else rows.names
