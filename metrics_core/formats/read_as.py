"""How a file is to be read: one value that readers, Python, the commands and the dashboard take.

To add a reading choice, add its field to `ReadAs`, with its option of the command line if it has
one, and its line to `ReadingChoices`; then let the readers use it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypedDict, cast

from metrics_core.base.errors import ParameterError
from metrics_core.base.wording import shorten_value
from metrics_core.formats.parsing.chosen_columns import resolve_columns
from metrics_core.formats.registry import KINDS, Columns, Kind, Request, formats
from metrics_core.formats.source.limits import Limit, Size, parse_size
from metrics_core.formats.source.opening import open_source
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import Grades
from metrics_core.tables import Duplicates
from metrics_core.tables.finite_numbers import to_finite_number


class ReadingChoices(TypedDict, total=False):
    """The fields of `ReadAs` as keywords of the functions that read one kind."""

    format: str | None
    columns: Mapping[str, str] | None
    encoding: str | None
    limit: Size | None
    duplicates: Duplicates
    grades: Grades


class KindChoices(ReadingChoices, total=False):
    """The same with the kind, for functions that read several."""

    kind: Kind | None


FileInput = str | Path | bytes | Sequence[Mapping[str, Any]]
"""A path, the bytes of a file, or a program's records."""


def parse_column_choice(text: str) -> Columns:
    """Return the columns named by `query=user,doc=item`. Raises ParameterError."""
    names_by_role: dict[str, str] = {}
    for part in text.split(","):
        word, equals, name = (piece.strip() for piece in part.partition("="))
        if not (equals and name) or word in names_by_role:
            raise ParameterError(f"{part!r} is not ROLE=NAME, such as query=user")
        names_by_role[word] = name
    return resolve_columns(names_by_role)


def parse_grade_choice(text: str) -> Grades:
    """Return the reading of grades named by `integer`, `real` or `good=1,bad=0`. Raises
    ParameterError."""
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
                f"{part!r} is not integer, real or WORD=NUMBER, such as relevant=1"
            )
    return grades


@dataclass(frozen=True, kw_only=True)
class ReadAs:
    """How one file is to be read.

    kind        what it holds; recognised from the content unless it is given
    format      the short name of its format; recognised likewise
    columns     which column is which if they have other names: {"query": "user", "doc": "item",
                "score": "prediction"}; by numbers ("1") in a file without a header, "-distance"
                being the score turned round
    encoding    a character set in place of UTF-8
    limit       how much the file may take: bytes, or a text such as 8GB (4 GB by default)
    duplicates  what becomes of a document twice in a query of a run: "error", "best" score, "first"
                row
    grades      whole numbers ("integer"), gains ("real") or words by a mapping

    Choices with metadata are options of the command line: it is what argparse takes, `type` raising
    ParameterError. Raises ParameterError for an invalid choice.
    """

    kind: Kind | None = None
    format: str | None = None
    duplicates: Duplicates = field(
        default="error",
        metadata={
            "choices": ["error", "best", "first"],
            "help": "a document listed twice: refuse, keep the best score, or keep the first",
        },
    )
    grades: Grades = field(
        default="integer",
        metadata={
            "type": parse_grade_choice,
            "metavar": "integer|real|WORD=NUMBER,…",
            "help": "how to read grades: integers, real-valued gains, or words with a value each",
        },
    )
    columns: Mapping[str, str] | None = field(
        default=None,
        metadata={
            "type": parse_column_choice,
            "metavar": "ROLE=NAME,…",
            "help": "assign columns by name: 'query=user,doc=item,grade=stars,score=prediction',"
            " rank, system; by number (query=1) in files without a header; score=-distance"
            " inverts the order, system=- reads everything as one run, grade='1' makes"
            " every document relevant",
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
        if self.kind is not None and self.kind not in KINDS:
            raise ParameterError(
                f"There is no kind {self.kind!r}.", f"The kinds are: {', '.join(KINDS)}."
            )
        format_names = [f.name for f in formats()] if self.format not in (None, "trec") else []
        if format_names and self.format not in format_names:
            raise ParameterError(
                f"There is no format {self.format!r}.", f"They are: {', '.join(format_names)}."
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
        resolve_columns(self.columns or {})

    @property
    def forces_kind(self) -> bool:
        """Whether a file is judgments even if it looks more like another kind."""
        return self.grades != "integer"

    def unsupported_choices(self, supported: Collection[str]) -> dict[str, Any]:
        """The choices that are neither the default nor among those that are honoured, by name."""
        others = ((c, getattr(self, c.name)) for c in fields(self) if c.name not in supported)
        return {choice.name: value for choice, value in others if value != choice.default}

    def to_choices(self, *, columns: Columns | None) -> ReadingChoices:
        """These choices with other columns, as keywords of the functions that read one kind."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "kind"}
        return cast(ReadingChoices, {**values, "columns": columns})

    def open_file(self, source: str | Path | bytes, name: str | None = None) -> Source:
        """The file as `open_source` opens it."""
        return open_source(source, name, self.encoding, self.limit)

    def build_request(self, kind: Kind, run_name: str) -> Request:
        """What a reader is asked for."""
        columns = resolve_columns(self.columns or {})
        return Request(kind, self.duplicates, self.grades, run_name, columns)


DEFAULT_CHOICES = ReadAs()
"""Everything recognised, nothing chosen."""
