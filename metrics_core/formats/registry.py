"""Registry of file formats, which is used for reading, by the command `formats` and in the docs.

To add a format, write a module with a function decorated with `reader`. The decorator declares
everything about the format, including file endings and writing. Import the module in
`formats/__init__.py`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from importlib import import_module
from pathlib import PurePath
from typing import Any, BinaryIO, Literal, TypeVar

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.base.notes import Note
from metrics_core.base.plugins import (
    Registry,
    declaring_package,
    guard_function,
    guard_with_fallback,
)
from metrics_core.formats.parsing.json_beginning import Beginning, parse_json_prefix
from metrics_core.formats.source.source import Source
from metrics_core.formats.source.unpacking import PACKING_ENDINGS, strip_packing
from metrics_core.formats.values import Grades, is_number
from metrics_core.tables import Documents, Duplicates, GivenScores, Qrels, Queries, Run, Table

Asked = TypeVar("Asked")
Name = TypeVar("Name", bound=str)


def limit_kinds(
    recognise: Callable[[Asked], Mapping[Name, int]],
    kinds: Collection[Name],
    message: str,
    package: str,
) -> Callable[[Asked], Mapping[Name, int]]:
    """Return the `recognise` function of a plug-in, limited to the kinds that its format reads.

    If the function fails, the file is not recognised, and a warning that starts with `message`
    names `package`."""

    def recognise_declared_kinds(sample: Asked) -> dict[Name, int]:
        return {
            kind: int(sureness) for kind, sureness in recognise(sample).items() if kind in kinds
        }

    return guard_with_fallback(wraps(recognise)(recognise_declared_kinds), {}, message, package)


Kind = Literal["run", "qrels", "queries", "documents", "scores"]

KINDS: tuple[Kind, ...] = ("run", "qrels", "queries", "documents")
ALL_KINDS: tuple[Kind, ...] = (*KINDS, "scores")

KIND_TITLES: Mapping[Kind, str] = {
    "run": "a run",
    "qrels": "judgments (qrels)",
    "queries": "queries",
    "documents": "documents",
    "scores": "scores by query",
}

Evidence = Literal["said", "columns", "name", "loaded", "guess"]
"""The evidence for the kind of a file. `formats.file_kinds` explains each value."""

TOOL_SPECIFIC, SPECIFIC, TOOL_AMBIGUOUS, AMBIGUOUS, UNNAMED, CERTAIN = 98, 97, 96, 95, 94, 90
LIKELY, IF_REQUESTED, POSSIBLE, ONLY_IF_REQUESTED, IMPOSSIBLE = 60, 40, 30, 5, 0
"""Confidence that a file has a format and a kind; the highest value wins.

TOOL_SPECIFIC, SPECIFIC    a structure of one tool, or a special case of another format
TOOL_AMBIGUOUS, AMBIGUOUS  the same, but the kind of table is ambiguous
UNNAMED                    the kind is ambiguous and no name identifies the document ids
IF_REQUESTED               a kind that is not likely, although all columns that it needs exist
ONLY_IF_REQUESTED          never chosen unless the user names the kind"""


Sureness = Mapping[Kind, int]
"""The kinds of table that a file may contain, with the confidence in each kind."""

UNCLEAR: Sureness = dict.fromkeys(KINDS, POSSIBLE - 20)
"""The confidence in each kind if a file is in a format, but its kind is not known."""

_ENDINGS_OF_TOOLS = {".dat", ".letor", ".lz4"}
"""File extensions of formats of tools, listed so that naming a run does not load these formats."""

_TREC_COLUMNS = {6: 4, 4: 3}
"""Map the number of columns of a TREC run or TREC judgments to the index of the column that
contains a number."""


Columns = Mapping[str, str]
"""The assigned columns: standard name -> name in the file. Empty if the user assigned none."""


@dataclass(frozen=True)
class Loaded:
    """A file that was read: its table, and how it was interpreted.

    table     the run, judgments, queries or documents
    format    short name of the format
    title     name of the format as users see it
    file      file name as the user gave it
    tag       run name in a TREC run, in judged ranks (the ranks of judged documents in place of a
              run) or in a file of several systems; otherwise ""
    stored    scores in the file next to a run's results: query_id -> name -> value
    evidence  why this kind was chosen; if it is "guess", ask the user
    others    the other runs of a file with several systems; filled only while the file is read"""

    table: Table
    format: str
    title: str
    file: str
    tag: str = ""
    stored: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    evidence: Evidence = "columns"
    others: tuple[Loaded, ...] = ()

    @property
    def kind(self) -> Kind:
        """The kind of `table`."""
        return kind_of(self.table)

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes on `table`: irregularities that did not prevent reading."""
        return self.table.notes


class MissingKindError(FileFormatError):
    """Error for a file that may contain several kinds of table, but not the requested kind."""


def missing_kind_error(source: Source, kind: Kind, actual: str, hint: str = "") -> MissingKindError:
    """Return the error for a file without a table of this kind. `actual` describes its content."""
    return MissingKindError(source.name, [LineProblem(None, actual, KIND_TITLES[kind])], hint=hint)


@dataclass(frozen=True)
class Request:
    """Request to a reader of a file: the kind of table to read, and choices of `ReadAs`."""

    kind: Kind
    duplicates: Duplicates = "error"
    grades: Grades = "integer"
    run_name: str = "run"
    columns: Columns = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Sample:
    """The beginning of a file, used to recognise the file. `columns` are the columns that the user
    assigned. `text` is "" for binary files."""

    source: Source
    text: str
    columns: Columns = field(default_factory=dict)

    @cached_property
    def lines(self) -> list[str]:
        """Up to 200 lines of the text that are neither blank nor comments."""
        lines = self.text.split("\n")
        return [line for line in lines[:1000] if line.strip() and not line.startswith("#")][:200]

    @property
    def first_line(self) -> str:
        """The first line that is neither blank nor a comment; "" if there is none."""
        return next(iter(self.lines), "")

    @cached_property
    def _json_prefix(self) -> Beginning:
        return parse_json_prefix(self.text)

    @property
    def json(self) -> Any:
        """The JSON value at the start, with unclosed brackets closed; None for other files."""
        return self._json_prefix.value

    @property
    def has_first_record(self) -> bool:
        """Whether `json` has the whole first record, so that a key not in it is missing."""
        return self._json_prefix.is_whole or (isinstance(self.json, list) and len(self.json) > 1)

    @cached_property
    def has_trec_lines(self) -> bool:
        """Whether all lines are certainly lines of a TREC run or of TREC judgments, with Q0 or 0 in
        the second column. If this is true, formats of tools are not considered."""
        fields = [line.split() for line in self.lines]
        index = _TREC_COLUMNS.get(len(fields[0]) if fields else 0)
        return (
            index is not None
            and all(
                len(row_fields) == len(fields[0])
                and row_fields[1] in ("Q0", "0")
                and is_number(row_fields[index])
                # RankLib writes its comments in this column, starting with #.
                and not (index == 4 and row_fields[2].startswith("#"))
                for row_fields in fields
            )
            and self.text.lstrip()[:1] not in "{[<"
            and self.lines[0].count("\t") != 2
        )

    @cached_property
    def path(self) -> str:
        """File name in lower case with forward slashes. If the file is packed, the extension of the
        packing format, such as .gz, is removed."""
        return strip_packing(self.source.name.lower().replace("\\", "/"))

    def has_name_with(self, *words: str) -> bool:
        """Return whether the file name or the name of its folder contains one of these words."""
        parts = self.path.split("/")[-2:]
        return any(word in part for word in words for part in parts)


def build_sample(source: Source, columns: Columns | None = None) -> Sample:
    """Return the beginning of a text file as a sample."""
    return Sample(source, source.head.decode(), columns or {})


def is_json(sample: Sample) -> bool:
    """Return whether a file starts like JSON, with an object or a list."""
    return sample.text.lstrip().startswith(("{", "["))


@dataclass(frozen=True)
class FirstRows:
    """Column names, spelled as in the file, and the first rows as text."""

    names: list[str]
    rows: list[list[str]]


Audience = Literal["search", "rag", "recommender"]


@dataclass(frozen=True)
class Tool:
    """A tool whose files can be read with a format. Its strings are phrases for table cells.

    export     the export that the user must choose in the tool
    makes      the tables that Ranklens reads from the export
    unknown    the data that the export lacks; "" if nothing is missing
    audiences  audiences of the start page to which the tool is shown"""

    name: str
    export: str
    makes: str
    unknown: str = ""
    audiences: tuple[Audience, ...] = ()


FirstRowsReader = Callable[[Sample], FirstRows | None]
Recogniser = Callable[[Sample], Sureness]
KindsFinder = Callable[[Sample], Collection[Kind]]
Reader = Callable[[Source, Request], Loaded]
Writer = Callable[[Any, BinaryIO], None]


@dataclass(frozen=True)
class Format:
    """A declared file format.

    name         short, unique name
    endings      usual file extensions
    example      first lines of such a file
    recognise    function that returns the kinds that a sample may be, with a confidence (0 to 100)
    read         function that reads the file
    write        function that writes each kind of table in this format
    magic        first bytes of a binary file, b"" for a text format
    first_rows   function that returns the named columns of a sample, or None if the sample has a
                 different format; None if the format has no named columns
    together     function that returns the kinds of table in a sample that contains several tables;
                 None if a file of this format is always one table
    tools        tools that write this format
    added_by     package of the plug-in, "" for built-in formats"""

    name: str
    title: str
    kinds: tuple[Kind, ...]
    endings: tuple[str, ...]
    explanation: str
    example: str
    recognise: Recogniser
    read: Reader
    write: Mapping[Kind, Writer] = field(default_factory=dict)
    magic: bytes = b""
    first_rows: FirstRowsReader | None = None
    together: KindsFinder | None = None
    tools: tuple[Tool, ...] = ()
    added_by: str = ""


_FORMATS = Registry[Format]("ranklens.formats", "format", lambda file_format: {file_format.name})


def reader(
    name: str,
    *,
    title: str,
    kinds: tuple[Kind, ...],
    endings: tuple[str, ...],
    explanation: str,
    example: str,
    recognise: Recogniser,
    write: Mapping[Kind, Writer] | None = None,
    magic: bytes = b"",
    first_rows: FirstRowsReader | None = None,
    together: KindsFinder | None = None,
    tools: tuple[Tool, ...] = (),
) -> Callable[[Reader], Reader]:
    """Return a decorator for a function that reads the files of a format. The decorator declares
    the format; the arguments are fields of `Format`."""

    def declare(function: Reader) -> Reader:
        package, label = declaring_package(function.__module__), f"The format {name}"
        file_format = Format(
            *(name, title, kinds, endings, explanation, example, recognise, function),
            write=write or {},
            magic=magic,
            first_rows=first_rows,
            together=together,
            tools=tools,
            added_by=package,
        )
        if package:
            file_format = replace(
                file_format,
                recognise=limit_kinds(recognise, kinds, f"{label} recognises no file", package),
                read=guard_function(function, label, package),
                write={
                    kind: guard_function(writer, label, package)
                    for kind, writer in (write or {}).items()
                },
                first_rows=first_rows
                and guard_with_fallback(first_rows, None, f"{label} has no columns", package),
                together=together
                and guard_with_fallback(together, (), f"{label} has one table", package),
            )
        _FORMATS.add(name, file_format, function.__module__)
        return function

    return declare


def formats() -> list[Format]:
    """Return all formats that can be read, in the order of their declarations. Formats of plug-ins
    come last."""
    import_module("metrics_core.formats.tools")
    return _FORMATS.all()


def formats_for(sample: Sample) -> list[Format]:
    """Return the formats that a sample may have. If all lines are TREC lines, the formats of tools
    are left out."""
    return _core_formats() if sample.has_trec_lines else formats()


def has_magic(magic: bytes) -> bool:
    """Return whether a file that starts with these bytes is in a binary format that can be read."""
    # Of the binary files of tools, only Parquet starts with bytes that text could start with.
    candidates = formats() if magic[:1] < b" " else _core_formats()
    return magic.startswith(tuple(candidate.magic for candidate in candidates if candidate.magic))


def _core_formats() -> list[Format]:
    """Return the formats that are already loaded. The formats of tools are not loaded for this,
    because loading them is slow. If there are plug-ins, however, all formats are loaded and
    returned."""
    # A plug-in's name is compared with the names of all built-in formats.
    return formats() if _FORMATS.has_plugins() else _FORMATS.loaded_declarations()


def tools() -> list[Tool]:
    """Return all tools whose files can be read, sorted by name."""
    all_tools = (tool for file_format in formats() for tool in file_format.tools)
    return sorted(all_tools, key=lambda tool: tool.name.casefold())


def add_notes(loaded: Loaded, *notes: Note) -> Loaded:
    """Return a loaded file with additional notes on its table."""
    return replace(loaded, table=loaded.table.with_notes(*notes))


def kind_of(table: Table) -> Kind:
    """Return the kind of a table."""
    classes = (Run, Qrels, Queries, Documents, GivenScores)
    return ALL_KINDS[[isinstance(table, table_class) for table_class in classes].index(True)]


def run_name(file: str) -> str:
    """Return the name of the run in a file: the last part of its path, without known extensions."""
    path = PurePath(file.replace("\\", "/"))
    endings = {ending for f in _core_formats() for ending in f.endings}
    endings |= PACKING_ENDINGS | _ENDINGS_OF_TOOLS
    while path.suffix.lower() in endings and path.stem:
        path = path.with_suffix("")
    return path.name or "run"
