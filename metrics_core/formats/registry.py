"""The formats that are known: one declaration each, which readers, `formats` and docs all use.

To add a format, write one function decorated with `reader` (and, where it can be written, one with
`writer`), and import its module in `formats/__init__.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Any, BinaryIO, Literal

from metrics_core.formats.source import Source
from metrics_core.formats.values import Grades
from metrics_core.notes import Note
from metrics_core.tables import Documents, Duplicates, Qrels, Queries, Run, Table

Kind = Literal["run", "qrels", "queries", "documents"]

KINDS: tuple[Kind, ...] = ("run", "qrels", "queries", "documents")

KIND_TITLES: Mapping[Kind, str] = {
    "run": "a run",
    "qrels": "judgments (qrels)",
    "queries": "queries",
    "documents": "documents",
}

CERTAIN, LIKELY, POSSIBLE, NO = 90, 60, 30, 0
"""How sure a format is that a file is of its own: the surest wins."""

_ENDINGS = frozenset(
    (
        *(".run", ".res", ".txt", ".trec", ".qrels", ".qrel", ".tsv", ".csv", ".json", ".jsonl"),
        *(".ndjson", ".parquet", ".xml", ".gz", ".zst", ".zip"),
    )
)


@dataclass(frozen=True)
class Loaded:
    """One file, read: its table and how it was understood.

    `title` is what people see as "read as", `format` the short name of the format, `file` the name
    the user gave, `tag` the run name written inside a TREC run ("" elsewhere), `stored` the scores
    that stand beside a run's results: query_id -> name -> value.
    """

    table: Table
    format: str
    title: str
    file: str
    tag: str = ""
    stored: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """What the table is."""
        return kind_of(self.table)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was odd but usable."""
        return self.table.notes


@dataclass(frozen=True)
class Request:
    """What the caller asked for: how to read, not what."""

    kind: Kind
    duplicates: Duplicates = "error"
    grades: Grades = "integer"
    run_name: str = "run"


@dataclass(frozen=True)
class Sample:
    """The beginning of a file, for recognising it: `text` is "" for binary files."""

    source: Source
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """Up to 200 lines of the text that are neither blank nor comments."""
        lines = self.text.split("\n")
        return [line for line in lines[:1000] if line.strip() and not line.startswith("#")][:200]

    @cached_property
    def path(self) -> str:
        """The file's name in lower case, with forward slashes."""
        return self.source.name.lower().replace("\\", "/")

    def named(self, *words: str) -> bool:
        """Whether one of these words stands in the last part of the file's name or its folder."""
        parts = self.path.split("/")[-2:]
        return any(word in part for word in words for part in parts)


Recogniser = Callable[[Sample], Mapping[Kind, int]]
Reader = Callable[[Source, Request], Loaded]
Writer = Callable[[Any, BinaryIO], None]


@dataclass(frozen=True)
class Format:
    """A declared format: `name` is short and unique, `example` shows its first lines."""

    name: str
    title: str
    kinds: tuple[Kind, ...]
    endings: tuple[str, ...]
    explanation: str
    example: str
    recognise: Recogniser
    read: Reader


_FORMATS: dict[str, Format] = {}
_WRITERS: dict[tuple[str, Kind], Writer] = {}


def reader(
    name: str,
    *,
    title: str,
    kinds: tuple[Kind, ...],
    endings: tuple[str, ...],
    explanation: str,
    example: str,
    recognise: Recogniser,
) -> Callable[[Reader], Reader]:
    """Declare the decorated function as the reader of a format."""

    def declare(function: Reader) -> Reader:
        _FORMATS[name] = Format(
            name, title, kinds, endings, explanation, example, recognise, function
        )
        return function

    return declare


def writer(name: str, *kinds: Kind) -> Callable[[Writer], Writer]:
    """Declare the decorated function as the writer of these kinds of table in a format."""

    def declare(function: Writer) -> Writer:
        _WRITERS.update({(name, kind): function for kind in kinds})
        return function

    return declare


def formats() -> list[Format]:
    """All formats that can be read, in the order in which they were declared."""
    return list(_FORMATS.values())


def writers() -> Mapping[tuple[str, Kind], Writer]:
    """What can be written: by format name and kind of table."""
    return _WRITERS


def kind_of(table: Table) -> Kind:
    """What kind of table this is."""
    kinds: dict[type, Kind] = {
        Run: "run",
        Qrels: "qrels",
        Queries: "queries",
        Documents: "documents",
    }
    return kinds[type(table)]


def run_name(file: str) -> str:
    """A run's name from its file's name: the last part, without the endings we know."""
    path = PurePath(file.replace("\\", "/"))
    while path.suffix.lower() in _ENDINGS and path.stem:
        path = path.with_suffix("")
    return path.name or "run"
