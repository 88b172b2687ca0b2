"""The formats that are known: one declaration each, which readers, `formats` and docs all use.

To add a format, write one module with a function decorated with `reader`, which says all there is
to know of the format, its endings and how it is written included; import it in
`formats/__init__.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from importlib import import_module
from pathlib import PurePath
from typing import Any, BinaryIO, Literal, TypeVar

from metrics_core.base.errors import FileFormatError
from metrics_core.base.notes import Note
from metrics_core.base.plugins import (
    Registry,
    declaring_package,
    describe_error,
    guard_function,
    warn_once,
)
from metrics_core.formats.parsing.json_beginning import Beginning, parse_beginning
from metrics_core.formats.source.source import Source
from metrics_core.formats.source.unpacking import PACKING_ENDINGS, strip_packing
from metrics_core.formats.values import Grades, is_number
from metrics_core.tables import Documents, Duplicates, Qrels, Queries, Run, Table

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
Name = TypeVar("Name", bound=str)


def limit_kinds(
    recognise: Callable[[Asked], Mapping[Name, int]],
    kinds: Collection[Name],
    message: str,
    package: str,
) -> Callable[[Asked], Mapping[Name, int]]:
    """What a plug-in of the package `package` recognises, of the kinds that it reads; nothing, and
    a word on stderr, where it fails."""

    def recognise_known(sample: Asked) -> dict[Name, int]:
        return {
            kind: int(sureness) for kind, sureness in recognise(sample).items() if kind in kinds
        }

    return with_fallback(wraps(recognise)(recognise_known), {}, message, package)


def with_fallback(
    function: Callable[[Asked], Answer], fallback: Answer, message: str, package: str
) -> Callable[[Asked], Answer]:
    """A function of a plug-in that gives `fallback` where it fails, which is said once."""

    @wraps(function)
    def call_function(argument: Asked) -> Answer:
        try:
            return function(argument)
        except KeyboardInterrupt:  # of whoever waits for it
            raise
        except BaseException as error:
            warn_once(f"{message}: {package} failed. {describe_error(error)}", package)
            return fallback

    return call_function


Kind = Literal["run", "qrels", "queries", "documents"]

KINDS: tuple[Kind, ...] = ("run", "qrels", "queries", "documents")

KIND_TITLES: Mapping[Kind, str] = {
    "run": "a run",
    "qrels": "judgments (qrels)",
    "queries": "queries",
    "documents": "documents",
}

Evidence = Literal["said", "columns", "name", "loaded", "guess"]
"""By what a file was taken for what it is; `formats.kinds` says what each means."""

TOOL_SPECIFIC, SPECIFIC, TOOL_AMBIGUOUS, AMBIGUOUS, UNNAMED, CERTAIN = 98, 97, 96, 95, 94, 90
LIKELY, IF_REQUESTED, POSSIBLE, IMPOSSIBLE = 60, 40, 30, 0
"""How sure a format is that a file is of its own: the surest wins. OF_A_TOOL is for the shape that
one tool writes, SPECIFIC for a special shape of what another format reads, too; ASKED for one that
may be of several kinds, none likelier, TOOL_ASKED if one tool writes it, UNNAMED if no name says
what its documents are; IF_SAID for a kind that has all it needs and is not likely."""


_ENDINGS_OF_TOOLS = {".dat", ".letor", ".lz4"}
"""Endings of files that only formats of tools have: to name a run none of these is loaded."""

_TREC_COLUMNS = {6: 4, 4: 3}
"""The number of columns of TREC's runs and judgments, and the place of the number in them."""


Columns = Mapping[str, str]
"""Our name of a column -> the file's, where the reader says which is which; empty where not."""


@dataclass(frozen=True)
class Loaded:
    """One file, read: its table and how it was understood.

    `title` is what people see as "read as", `format` the short name of the format, `file` the name
    the user gave, `tag` the run name written inside a TREC run ("" elsewhere), `stored` the scores
    that stand beside a run's results: query_id -> name -> value. `evidence` says by what the file
    was taken for what it is: one that is a guess should be asked about. `others` are the further
    runs of a file of several systems, while it is read.
    """

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
        """What the table is."""
        return kind_of(self.table)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was odd but usable."""
        return self.table.notes


class MissingKindError(FileFormatError):
    """A file that may hold several kinds of table holds none of the one that is asked for."""


@dataclass(frozen=True)
class Request:
    """What the caller asked for: how to read, not what."""

    kind: Kind
    duplicates: Duplicates = "error"
    grades: Grades = "integer"
    run_name: str = "run"
    columns: Columns = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Sample:
    """The beginning of a file, for recognising it: `text` is "" for binary files, `columns` are
    those that the reader names."""

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
        """The first of these lines; "" if there is none."""
        return next(iter(self.lines), "")

    @cached_property
    def _beginning(self) -> Beginning:
        return parse_beginning(self.text)

    @property
    def json(self) -> Any:
        """The JSON value that the file begins with, what is open closed; None where it is none."""
        return self._beginning.value

    @property
    def has_first_record(self) -> bool:
        """Whether that is all of it, so that what is not in it is not there."""
        return self._beginning.is_whole or (isinstance(self.json, list) and len(self.json) > 1)

    @cached_property
    def has_trec_lines(self) -> bool:
        """Whether the lines are those of a TREC run or of judgments beyond doubt, with Q0 or 0 in
        the second column, so that the file is of no tool."""
        fields = [line.split() for line in self.lines]
        index = _TREC_COLUMNS.get(len(fields[0]) if fields else 0)
        return (
            index is not None
            and all(
                len(row_fields) == len(fields[0])
                and row_fields[1] in ("Q0", "0")
                and is_number(row_fields[index])
                # RankLib's comments, with their mark
                and not (index == 4 and row_fields[2].startswith("#"))
                for row_fields in fields
            )
            and self.text.lstrip()[:1] not in "{[<"
            and self.lines[0].count("\t") != 2
        )

    @cached_property
    def path(self) -> str:
        """The file's name in lower case, with forward slashes, without what says it is packed."""
        return strip_packing(self.source.name.lower().replace("\\", "/"))

    def named(self, *words: str) -> bool:
        """Whether one of these words stands in the last part of the file's name or its folder."""
        parts = self.path.split("/")[-2:]
        return any(word in part for word in words for part in parts)


@dataclass(frozen=True)
class FirstRows:
    """The columns of a file as it names them, and its first rows as texts."""

    names: list[str]
    rows: list[list[str]]


Audience = Literal["search", "rag", "recommender"]


@dataclass(frozen=True)
class Tool:
    """A tool whose files a format reads: what to `export` from it, what Ranklens `makes` of that,
    and what it cannot know (`unknown`, "" where that is nothing), each as a phrase for a cell of a
    table. `audiences` are those of the first screen that name the tool to their readers."""

    name: str
    export: str
    makes: str
    unknown: str = ""
    audiences: tuple[Audience, ...] = ()


FirstRowsReader = Callable[[Sample], FirstRows | None]
Recogniser = Callable[[Sample], Mapping[Kind, int]]
KindsFinder = Callable[[Sample], Collection[Kind]]
Reader = Callable[[Source, Request], Loaded]
Writer = Callable[[Any, BinaryIO], None]


@dataclass(frozen=True)
class Format:
    """A declared format: `name` is short and unique, `make_example` shows its first lines,
    `endings` are usual in file names, `write` has the kinds of table that can be written so,
    `magic` the first bytes of a file that is not text, and `read_first_rows` gives the columns of
    a sample by name, None where it is of another format; without it the format has none.
    `together` gives the kinds of table that a sample's file holds beside each other, or most of
    them; without it a file is one table. `tools` are those that write such files. `added_by` is
    the package of a plug-in, "" for ours."""

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
    """Declare a format: the decorated function reads it, `write` has what writes each kind."""

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
                and with_fallback(first_rows, None, f"{label} has no columns", package),
                together=together
                and with_fallback(together, (), f"{label} has one table", package),
            )
        _FORMATS.add(name, file_format, function.__module__)
        return function

    return declare


def formats() -> list[Format]:
    """All formats that can be read, in the order in which they were declared; those of plug-ins
    last."""
    import_module("metrics_core.formats.tools")
    return _FORMATS.all()


def formats_for(sample: Sample) -> list[Format]:
    """The formats that a file may be of. Those of tools are not loaded for TREC lines."""
    return _core_formats() if sample.has_trec_lines else formats()


def has_magic(magic: bytes) -> bool:
    """Whether a file of these first bytes is of a format that is not text."""
    # No tool's file that is not text begins as a text could, but for those of Parquet.
    candidates = formats() if magic[:1] < b" " else _core_formats()
    return magic.startswith(tuple(candidate.magic for candidate in candidates if candidate.magic))


def _core_formats() -> list[Format]:
    """All formats, perhaps but for those of tools, whose modules take long to load."""
    # A plug-in is compared with every name of ours.
    return formats() if _FORMATS.has_plugins() else _FORMATS.loaded_declarations()


def tools() -> list[Tool]:
    """What is exported from which tools, by their names."""
    all_tools = (tool for file_format in formats() for tool in file_format.tools)
    return sorted(all_tools, key=lambda tool: tool.name.casefold())


def kind_of(table: Table) -> Kind:
    """What kind of table this is."""
    kinds: dict[type, Kind] = {
        Run: "run",
        Qrels: "qrels",
        Queries: "queries",
        Documents: "documents",
    }
    return next(kind for table_class, kind in kinds.items() if isinstance(table, table_class))


def run_name(file: str) -> str:
    """A run's name from its file's name: the last part, without the endings we know."""
    path = PurePath(file.replace("\\", "/"))
    endings = {ending for f in _core_formats() for ending in f.endings}
    endings |= PACKING_ENDINGS | _ENDINGS_OF_TOOLS
    while path.suffix.lower() in endings and path.stem:
        path = path.with_suffix("")
    return path.name or "run"
