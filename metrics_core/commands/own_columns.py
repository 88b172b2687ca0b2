"""Which of the columns that `--columns` names a file has: judgments and runs have columns of their
own, and files of other formats have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from metrics_core import formats
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.commands.reading_options import ReadingOptions
from metrics_core.formats.parsing.chosen_columns import NO_COLUMN, absent, by_number, there
from metrics_core.formats.parsing.columns import NAMES, position
from metrics_core.formats.read_as import ReadingChoices
from metrics_core.formats.registry import Columns

_IDS = ("query_id", "doc_id")
_NUMBERS: Mapping[formats.Kind, Sequence[str]] = {
    "run": ("score", "rank"),
    "qrels": ("relevance",),
}
_MORE: Mapping[formats.Kind, Sequence[str]] = {"run": ("run",), "qrels": ("subtopic",)}


def file_and_run(path: str) -> tuple[str, str | None]:
    """The file or folder of runs that a path names, and which of its runs, `runs.trec/bm25`; None
    where it names them all."""
    if path == "-" or Path(path).exists():
        return path, None
    named = formats.run_in_folder(Path(path).parent, Path(path).name)
    if named is not None:
        return str(named), None
    for above in Path(path).parents:
        is_ranks = above == Path(path).parent and formats.holds_ranks(above)
        if above.is_file() or is_ranks:
            return str(above), Path(path).relative_to(above).as_posix()
    return path, None


def shown_and_file(path: str) -> tuple[str, str]:
    """How a path is named where its folder does not matter, with the run in its file if it names
    one, and the path of the file."""
    file, run = file_and_run(path)
    name = Path(file).name
    return name if run is None else f"{name}/{run}", file


def choices_for(path: str, kind: formats.Kind, options: ReadingOptions) -> ReadingChoices:
    """The reading choices for a file of this kind, with the columns named that it has."""
    return options.read_as.choices(columns=_own_columns(path, kind, options))


def _own_columns(path: str, kind: formats.Kind, options: ReadingOptions) -> Columns | None:
    """The columns named that a file of this kind is to be read by; None if it has none of them."""
    roles = (*_IDS, *_NUMBERS[kind], *_MORE[kind])
    asked = {role: name for role, name in (options.read_as.columns or {}).items() if role in roles}
    if not asked or path == "-":
        return asked or None
    if by_number(asked):
        number = any(role in asked for role in _NUMBERS[kind])
        return asked if number and _names(path, options) is not None else None
    names = _names(path, options) or []
    systems = NO_COLUMN in asked.values() and position(names, NAMES["tag"]) >= 0
    return asked if systems or len(absent(names, asked)) < len(there(asked)) else None


def refuse_unused_columns(options: ReadingOptions) -> None:
    """Raise RanklensError where no file has a column that `--columns` names."""
    if options.read_as.columns is None:
        return
    runs = [file_and_run(path)[0] for path in options.all_runs]
    of_runs = (_own_columns(path, "run", options) for path in runs)
    if _own_columns(options.qrels, "qrels", options) is None and not any(of_runs):
        named = ", ".join(f"`{name}`" for name in options.read_as.columns.values())
        names = _names(options.qrels, options), *(_names(path, options) for path in runs)
        there = dict.fromkeys(f"`{name}`" for own in names for name in own or ())
        raise RanklensError(
            f"No file has a column {named}.",
            f"Available columns: {', '.join(there)}."
            if there
            else "The files have no named columns.",
        )


def _names(path: str, options: ReadingOptions) -> list[str] | None:
    """The names of a file's columns; None where it has none."""
    try:
        rows = formats.first_rows(path, **options.read_as.choices(columns=None))
    except (FileFormatError, OSError):
        return None  # reading it says what is wrong
    return None if rows is None else rows.names
