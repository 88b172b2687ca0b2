"""Choices for reading a file, in one object that the readers, the Python API, the commands and the
dashboard share.

To add a reading choice, add a field to `ReadAs` (with its command line option, if it needs one) and
a line to `ReadingChoices`; then let the readers use it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypedDict, cast

from metrics_core.base.errors import ParameterError
from metrics_core.base.wording import shorten_value
from metrics_core.formats.parsing.chosen_columns import resolve_columns
from metrics_core.formats.registry import ALL_KINDS, Columns, Kind, Request, formats
from metrics_core.formats.source.limits import Limit, Size, parse_size
from metrics_core.formats.source.opening import open_source
from metrics_core.formats.source.source import Source
from metrics_core.formats.source.unpacking import PathOrBytes
from metrics_core.formats.values import Grades
from metrics_core.tables import Duplicates
from metrics_core.tables.finite_numbers import to_finite_number


class ReadingChoices(TypedDict, total=False):
    """The fields of `ReadAs` as keyword arguments of functions that read one kind of table."""

    format: str | None
    columns: Mapping[str, str] | None
    encoding: str | None
    limit: Size | None
    duplicates: Duplicates
    grades: Grades


class KindChoices(ReadingChoices, total=False):
    """Keyword arguments of functions that read any kind of table: `kind`, and the fields of
    `ReadingChoices`."""

    kind: Kind | None


FileInput = PathOrBytes | Sequence[Mapping[str, Any]]
"""A path, the bytes of a file, or records as Python dictionaries."""


def parse_column_choice(text: str) -> Columns:
    """Parse column choices, such as `query=user,doc=item`, into a dictionary.

    Raises ParameterError for a malformed string."""
    names_by_role: dict[str, str] = {}
    for part in text.split(","):
        word, equals, name = (piece.strip() for piece in part.partition("="))
        if not (equals and name) or word in names_by_role:
            raise ParameterError(f"{part!r} is not of the form ROLE=NAME, such as query=user")
        names_by_role[word] = name
    return resolve_columns(names_by_role)


def parse_grade_choice(text: str) -> Grades:
    """Parse a grade choice: `integer`, `real`, or a value for each word, such as `good=1,bad=0`.

    Raises ParameterError for a malformed string."""
    if text == "integer":
        return "integer"
    if text == "real":
        return "real"
    grades = {}
    for part in text.split(","):
        word, equals, number = part.rpartition("=")
        try:
            grades[word.strip()] = float(number)
        except ValueError:
            equals = ""
        if not (equals and word.strip() and math.isfinite(grades.get(word.strip(), math.nan))):
            raise ParameterError(
                f"{part!r} is not a valid way to read grades; use integer, real, or WORD=NUMBER"
                " such as relevant=1"
            )
    return grades


@dataclass(frozen=True, kw_only=True)
class ReadAs:
    """Choices for reading one file.

    kind        kind of table; detected from the content by default
    format      short name of its format; detected by default
    columns     the column of each role, if names are not recognised: {"query": "user",
                "doc": "item", "score": "prediction"}. In a file without a header, columns are given
                by number ("1"). "-distance" uses the negated values as scores
    encoding    character encoding if it is not UTF-8
    limit       maximum unpacked size: bytes, or a string such as 8GB (default 4 GB)
    duplicates  how a document that occurs twice in a query's list is treated: "error" (raise an
                error), "best" (keep the best score) or "first" (keep the first row)
    grades      how grades are read: as whole numbers ("integer"), as real-valued gains ("real"), or
                as words that a mapping converts to numbers

    A field with metadata is a command line option; argparse gets its metadata as arguments. The
    function `type` in the metadata raises ParameterError for a malformed value. The constructor
    raises ParameterError for an invalid choice."""

    kind: Kind | None = None
    format: str | None = None
    duplicates: Duplicates = field(
        default="error",
        metadata={
            "choices": ["error", "best", "first"],
            "help": "if a document is listed twice: refuse the file, keep the best score, or keep"
            " the first row",
        },
    )
    grades: Grades = field(
        default="integer",
        metadata={
            "type": parse_grade_choice,
            "metavar": "integer|real|WORD=NUMBER,…",
            "help": "how to read grades: integers, real-valued gains, or words that each have a"
            " value",
        },
    )
    columns: Mapping[str, str] | None = field(
        default=None,
        metadata={
            "type": parse_column_choice,
            "metavar": "ROLE=NAME,…",
            "help": "assign columns by name, such as"
            " 'query=user,doc=item,grade=stars,score=prediction' (also rank and system), or by"
            " number (query=1) in files without a header; score=-distance inverts the order;"
            " system=- reads everything as one run; grade='1' makes every document relevant",
        },
    )
    encoding: str | None = field(
        default=None,
        metadata={"metavar": "NAME", "help": "encoding such as latin-1 (default: UTF-8)"},
    )
    limit: Size | None = field(
        default=None,
        metadata={
            "type": parse_size,
            "metavar": "SIZE",
            "help": "maximum unpacked size of a file, such as 8GB (default: 4GB)",
        },
    )

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in ALL_KINDS:
            raise ParameterError(
                f"There is no kind {self.kind!r}.", f"The kinds are: {', '.join(ALL_KINDS)}."
            )
        format_names = [f.name for f in formats()] if self.format not in (None, "trec") else []
        if format_names and self.format not in format_names:
            raise ParameterError(
                f"There is no format {self.format!r}.",
                f"The formats are: {', '.join(format_names)}.",
            )
        if self.duplicates not in ("error", "best", "first"):
            raise ParameterError(
                f"duplicates must be error, best or first, not {self.duplicates!r}."
            )
        if isinstance(self.grades, str) and self.grades not in ("integer", "real"):
            raise ParameterError(
                f"grades must be integer, real or a mapping of words, not {self.grades!r}."
            )
        for word, grade in self.grades.items() if isinstance(self.grades, Mapping) else ():
            if to_finite_number(grade) is None:
                raise ParameterError(
                    f"grades maps {word!r} to {shorten_value(grade)}, which is not a finite number."
                )
        Limit.from_size(self.limit)
        if not isinstance(self.columns, Mapping | None):
            raise ParameterError(
                f"columns must be a dictionary, not {shorten_value(self.columns)}.",
                'For example: columns={"query": "user", "doc": "hits[].id"}.',
            )
        resolve_columns(self.columns or {})

    @property
    def must_be_judgments(self) -> bool:
        """Whether the file must be read as judgments, even if it looks more like another kind of
        table. This is the case if the user chose to read grades in another way than as integers,
        the default."""
        return self.grades != "integer"

    def unsupported_choices(self, supported: Collection[str]) -> dict[str, Any]:
        """Return the choices that differ from the default and are not in `supported`, as a
        dictionary from name to value."""
        others = ((c, getattr(self, c.name)) for c in fields(self) if c.name not in supported)
        return {choice.name: value for choice, value in others if value != choice.default}

    def to_keyword_choices(self, *, columns: Columns | None) -> ReadingChoices:
        """Return the choices as keyword arguments, without `kind` and with the argument `columns`
        in place of the chosen columns."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "kind"}
        return cast(ReadingChoices, {**values, "columns": columns})

    def open_file(self, source: PathOrBytes, name: str | None = None) -> Source:
        """Open a file with `open_source`, using the encoding and the size limit of these
        choices."""
        return open_source(source, name, self.encoding, self.limit)

    def build_request(self, kind: Kind, run_name: str) -> Request:
        """Create the request that is passed to a reader."""
        columns = resolve_columns(self.columns or {})
        return Request(kind, self.duplicates, self.grades, run_name, columns)


DEFAULT_CHOICES = ReadAs()
"""The default reading choices: kind, format and columns are detected."""
