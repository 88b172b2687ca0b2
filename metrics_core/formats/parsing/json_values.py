"""JSON of other tools, value by value: each knows where it stands, so that what is wrong with it is
refused there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.formats.parsing.json_text import (
    NumberText,
    is_incomplete,
    json_lines,
    lines_of,
    parse_file,
)
from metrics_core.formats.registry import Request
from metrics_core.formats.source.limits import TREE
from metrics_core.formats.source.lines import refuse
from metrics_core.formats.source.source import Source, shortened
from metrics_core.formats.values import (
    A_SCORE,
    grade_problem,
    is_number,
    why_not_a_number,
)

_WHOLE = re.compile(r"-?\d+")
_SHOWN = 200
"""Characters of a key in a path."""


class JsonValue:
    """A value of a file: its line where each record has one, and its path from the record, such as
    `results[3].score`. `hint` says what such a file looks like.

    There is one for each of millions of values, so it is no dataclass, and writes its path only
    when somebody asks: `above` is the value that holds it, by the key or the place `at`."""

    __slots__ = ("_above", "_at", "hint", "line", "source", "value")

    def __init__(
        self,
        source: Source,
        value: Any,
        hint: str = "",
        line: int | None = None,
        above: JsonValue | None = None,
        at: str | int = "",
    ) -> None:
        self.source, self.value, self.hint, self.line = source, value, hint, line
        self._above, self._at = above, at

    @property
    def path(self) -> str:
        """The path from the record; of a key no more than is shown, for it may be a long id."""
        if self._above is None:
            return ""
        above, at = self._above.path, self._at
        if isinstance(at, int):
            return f"{above}[{at}]"
        return f"{above}.{at[:_SHOWN]}" if above else at[:_SHOWN]

    def refused(
        self, expected: str, *, found: str = "", hint: str = "", offer: str = ""
    ) -> FileFormatError:
        """The error that something else was expected here; `offer` names a reading choice that
        would take it."""
        shown = found or _shown(self.value)
        where = f" at {shortened(self.path)}" if self.path else ""
        problem = LineProblem(self.line, f"{shown}{where}", expected)
        return refuse(self.source, [problem], hint=hint or self.hint, offer=offer)

    def holding(self, value: Any) -> JsonValue:
        """Another value that stands here, such as what a text has inside."""
        return JsonValue(self.source, value, self.hint, self.line, self._above, self._at)

    def items(self) -> Iterator[tuple[str, JsonValue]]:
        """Key and value of each entry of an object."""
        if not isinstance(self.value, dict):
            raise self.refused("an object")
        for name, value in self.value.items():
            yield name, JsonValue(self.source, value, self.hint, self.line, self, name)

    def each(self) -> Iterator[JsonValue]:
        """The values of a list."""
        if not isinstance(self.value, list):
            raise self.refused("a list")
        for i, value in enumerate(self.value):
            yield JsonValue(self.source, value, self.hint, self.line, self, i)

    def find(self, *names: str) -> JsonValue | None:
        """What an object has by the first of these names under which there is something."""
        if not isinstance(self.value, dict):
            raise self.refused("an object")
        for name in names:
            value = self.value.get(name)
            if value is not None:
                return JsonValue(self.source, value, self.hint, self.line, self, name)
        return None

    def named(self, *names: str) -> JsonValue:
        """The same of what an object must have."""
        found = self.find(*names)
        if found is None:
            there = ", ".join(map(str, self.value)) or "nothing"
            wanted = " or ".join(f"`{name}`" for name in names)
            raise self.refused(wanted, found=f"an object with {shortened(there)}")
        return found

    def id(self) -> str:
        """An id: a text, or a whole number by its digits."""
        whole = not isinstance(self.value, NumberText) or _WHOLE.fullmatch(self.value)
        if not isinstance(self.value, str) or not self.value or not whole:
            raise self.refused("an id, as a text or a whole number")
        return str(self.value)

    def number(self) -> str:
        """A finite number, as it is written; also as a text."""
        if not isinstance(self.value, str) or not is_number(self.value):
            hint = why_not_a_number(self.value) if isinstance(self.value, str) else ""
            raise self.refused(A_SCORE, hint=hint)
        return str(self.value)

    def grade(self, request: Request) -> str:
        """A grade as it is written; one that is asked for must be such as the request takes."""
        if request.kind != "qrels":
            return self.text()
        if not isinstance(self.value, str):
            raise self.refused("a grade")
        problem = grade_problem(self.value, request.grades)
        if problem:
            raise self.refused(problem.expected, hint=problem.hint, offer=problem.offer)
        return str(self.value)

    def text(self) -> str:
        """A text, a number as it is written, anything else as JSON."""
        return (
            self.value
            if isinstance(self.value, str)
            else json.dumps(self.value, ensure_ascii=False)
        )


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        what = "an object" if isinstance(value, dict) else "a list"
        return what if value else f"{what} with nothing in it"
    text = value if isinstance(value, NumberText) else json.dumps(value, ensure_ascii=False)
    return f"`{shortened(text)[:60]}`"


def whole_json(source: Source, hint: str) -> JsonValue:
    """The one value of a file."""
    return JsonValue(source, parse_file(source), hint)


def json_records(source: Source, hint: str) -> Iterator[JsonValue]:
    """The records of a file: of a list, the only one, or one a line. Raises FileFormatError."""
    if source.head.lstrip().startswith(b"["):
        yield from whole_json(source, hint).each()
        return
    text = source.content(TREE)
    if _is_one(text):
        yield whole_json(source, hint)
        return
    for number, record in json_lines(source, lines_of(text)):
        yield JsonValue(source, record, hint, number)


def _is_one(text: str) -> bool:
    """Whether an object goes over several lines, so that it is the only one."""
    return is_incomplete(text.lstrip().partition("\n")[0]) and "\n" in text.strip()
