"""JSON as Ranklens takes it: numbers keep their digits, keys stand once, no NaN, no lone surrogate.

Python's own reader supplies the syntax; where it stops, or where something is refused that it would
take, the physical line is found by walking over the tokens once more.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from metrics_core.errors import LineProblem
from metrics_core.formats.lines import refuse
from metrics_core.formats.source import Source, shortened

MOST_DIGITS = 400
"""A number of more characters than this is refused; a double has at most some 330."""


class NumberText(str):
    """A JSON number as it was written, so that an id keeps its digits."""

    __slots__ = ()


class _RefusedError(ValueError):
    """Valid JSON that Ranklens refuses: what was found, what was expected, and a hint."""

    def __init__(self, found: str, expected: str, hint: str = "") -> None:
        super().__init__(found)
        self.found, self.expected, self.hint = found, expected, hint


def parse_json(source: Source, text: str, line: int | None = None) -> Any:
    """The value of a JSON text: dict, list, str, NumberText, bool or None.

    `line` is the physical line of the text where it is one line of a file. Raises FileFormatError
    for broken JSON and for what is refused.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        found = f"{error.msg} at character {error.colno}"
        problem = LineProblem(line or error.lineno, found, "JSON", _around(text, error.pos))
        end = error.pos >= len(text.rstrip())
        hint = f"The {'line' if line else 'file'} seems to be cut off." if end else ""
        raise refuse(source, [problem], hint=hint) from error
    except _RefusedError as error:
        at = line or _line_of_refused(text)
        problem = LineProblem(at, error.found, error.expected, hint=error.hint)
        raise refuse(source, [problem]) from error
    except RecursionError as error:
        problem = LineProblem(line, "values nested too deeply", "a few levels of JSON")
        raise refuse(source, [problem]) from error


def check_characters(source: Source, text: str, values: Iterable[str], line: int | None) -> None:
    """Refuse decoded `values` of `text` that hold a lone surrogate, which is no character."""
    if not _SURROGATE.search(text):
        return
    for value in values:
        try:
            value.encode()
        except UnicodeEncodeError as error:
            code = ascii(value[error.start])[1:-1]
            at = line or text.count("\n", 0, max(text.lower().find(code), 0)) + 1
            problem = LineProblem(at, f"half a character ({code})", "whole characters")
            hint = "The text was cut inside an emoji or a rare character."
            raise refuse(source, [problem], hint=hint) from error


def line_of_pair(text: str, query_id: str, doc_id: str) -> int | None:
    """The line of a document's entry under its query in `{query: {doc: value}}`; None if the ids
    are written with escapes of their own."""
    at = 0
    for key in (query_id, doc_id):
        at = text.find(json.dumps(key, ensure_ascii=False) + ":", at)
        if at < 0:
            return None
    return text.count("\n", 0, at) + 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise _RefusedError(
            f"the key `{shortened(twice)}` twice in one object",
            "each key once",
            "Only one of the values would count; keep the right one.",
        )
    return values


def strings_in(value: Any) -> Iterator[str]:
    """All texts in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)


def first_object(text: str) -> dict[str, Any]:
    """The object with which a text begins; empty if there is none that is whole."""
    try:
        value, _ = json.JSONDecoder(parse_int=str).raw_decode(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _number(text: str) -> NumberText:
    if len(text) > MOST_DIGITS:
        raise _RefusedError(f"a number of {len(text):,} characters", "a number of ordinary length")
    return NumberText(text)


def _constant(name: str) -> Any:
    hint = "JSON has no such number. Leave the document out, or give it a score."
    raise _RefusedError(f"`{name}`", "a finite number", hint)


def _line_of_refused(text: str) -> int | None:
    """The line of the first repeated key, NaN or overlong number, by a walk over the tokens."""
    objects: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        value = token[0]
        if value in "{[":
            objects.append(set())
        elif value in "}]":
            objects.pop()
        elif token["key"] is not None:
            if token["key"] in objects[-1]:
                return text.count("\n", 0, token.start()) + 1
            objects[-1].add(token["key"])
        elif value in ("NaN", "Infinity", "-Infinity") or (
            len(value) > MOST_DIGITS and not value.startswith('"')
        ):
            return text.count("\n", 0, token.start()) + 1
    return None


def _around(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    return shortened(text[max(start, at - 60) : at + 40].split("\n")[0])


_STRING = r'"(?:[^"\\]|\\.)*"'
_TOKEN = re.compile(rf"(?P<key>{_STRING})\s*:|{_STRING}|[{{}}\[\]]|[^\s{{}}\[\]:,\"]+")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_float=_number,
    parse_int=_number,
    parse_constant=_constant,
)
