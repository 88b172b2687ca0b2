"""Parse JSON strictly: numbers keep their digits; repeated keys, NaN and lone surrogates are
refused.

The text is parsed with Python's parser. If this fails, or accepts something that is refused here,
the tokens are scanned again to find the physical line."""

from __future__ import annotations

import json
import json.scanner
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from metrics_core.base.errors import LineProblem
from metrics_core.formats.source.limits import TREE_FACTOR
from metrics_core.formats.source.lines import file_error, line_error
from metrics_core.formats.source.source import Source, shorten_line

MAX_DIGITS = 400
"""Maximum length of a number in characters. A double needs at most about 330."""

MAX_LEVELS = 100
"""Maximum nesting depth of values. It is low enough that code that walks over the values never
exceeds the recursion limit."""

_BATCH_CHARACTERS = 200_000
"""Lines are parsed in batches of about this number of characters."""


class NumberText(str):
    """A JSON number in its original spelling, so that an id keeps its digits."""

    __slots__ = ()


class _UnsupportedJsonError(ValueError):
    """Error for valid JSON that is refused: the refused text, a description of accepted JSON, and a
    hint.

    `at` is the position of the refused text if it is known. Otherwise the text is somewhere after
    `start`."""

    def __init__(self, actual: str, expected: str, hint: str = "", at: int | None = None) -> None:
        super().__init__(actual)
        self.found, self.expected, self.hint = actual, expected, hint
        self.at, self.start = at, 0


def parse_json(source: Source, text: str, line: int | None = None) -> Any:
    """Parse a JSON text and return its value: dict, list, str, NumberText, bool or None.

    If the text is one line of a file, `line` is its physical line. Raises FileFormatError for
    malformed or refused JSON."""
    with _convert_errors(source, text, line):
        value = _DECODER.decode(text)
        _check_nesting_depth(value, 0)
    if has_surrogates(text):
        check_strings(source, text, find_strings(value), line)
    return value


def parse_file(source: Source) -> Any:
    """Parse the JSON value of a whole file. Raises FileFormatError for malformed or refused
    JSON."""
    return parse_json(source, source.content(TREE_FACTOR))


def is_incomplete_json(line: str) -> bool:
    """Return whether a line is only the beginning of a JSON value."""
    try:
        json.JSONDecoder(parse_int=str).raw_decode(line)
    except (ValueError, RecursionError):
        return True
    return False


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines of a string with their line numbers, which count from 1."""
    number, last_start = 1, 0
    for match in _NOT_BLANK.finditer(text):
        number += text.count("\n", last_start, match.start())
        last_start = match.start()
        yield number, match[0]


def parse_json_lines(source: Source, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Any]]:
    """Yield the line number and the value of each line of JSON Lines. Blank lines are skipped.
    Raises the errors of `parse_json`.

    Lines are parsed in batches, because parsing them one by one takes twice as long."""
    pending: list[tuple[int, str]] = []
    size = 0
    for number, line in lines:
        if line.strip():
            pending.append((number, line))
            size += len(line)
        if size > _BATCH_CHARACTERS:
            yield from _parse_lines_together(source, pending)
            pending, size = [], 0
    yield from _parse_lines_together(source, pending)


def _parse_lines_together(
    source: Source, lines: list[tuple[int, str]]
) -> Iterator[tuple[int, Any]]:
    numbers, texts = [number for number, _ in lines], [text.strip() for _, text in lines]
    # Each line becomes a list of one object, so that no object can span two lines.
    joined_text = "],[".join(texts)
    if all(text[0] == "{" and text[-1] == "}" for text in texts) and not has_surrogates(
        joined_text
    ):
        with suppress(ValueError, RecursionError):  # parsing line by line gives the error's line
            values = [value for (value,) in _DECODER.decode(f"[[{joined_text}]]")]
            for value in values:
                _check_nesting_depth(value, 0)
            if len(values) == len(texts):
                yield from zip(numbers, values, strict=True)
                return
    for number, text in lines:
        yield number, parse_json(source, text, number)


class JsonEntry(NamedTuple):
    """An entry of an object: the key, the positions of key and value in the text, and the value."""

    key: str
    key_start: int
    value_start: int
    value: Any


def read_entries(source: Source, text: str) -> Iterator[JsonEntry]:
    """Yield the entries of the object in a JSON text, one at a time. Raises the errors of
    `parse_json`.

    Numbers are returned as bytes, because there may be millions of them. Their length is not
    checked here; the caller must check it."""
    with _convert_errors(source, text, None):
        keys: set[str] = set()
        for entry in scan_entries(text, _skip_blanks(text, 0), is_whole_text=True):
            if entry.key in keys:
                raise _repeated_key_error(entry.key, entry.key_start)
            keys.add(entry.key)
            _check_nesting_depth(entry.value, entry.value_start)
            yield entry


def scan_entries(text: str, position: int, *, is_whole_text: bool = False) -> Iterator[JsonEntry]:
    """Yield the entries of the object that starts at this position.

    If `is_whole_text` is true, nothing may follow the object. Raises JSONDecodeError for malformed
    JSON, and _UnsupportedJsonError for valid JSON that is refused."""
    position = _skip_blanks(text, position + 1)
    mark = text[position : position + 1]
    while mark != "}":
        if text[position : position + 1] != '"':
            raise json.JSONDecodeError(
                "Expecting property name enclosed in double quotes", text, position
            )
        key_start = position
        key, position = _SCAN(text, position)
        position = _skip_blanks(text, position)
        if text[position : position + 1] != ":":
            raise json.JSONDecodeError("Expecting ':' delimiter", text, position)
        value_start = _skip_blanks(text, position + 1)
        value, position = _scan_value(text, value_start)
        yield JsonEntry(key, key_start, value_start, value)
        position = _skip_blanks(text, position)
        mark = text[position : position + 1]
        if mark not in (",", "}"):
            raise json.JSONDecodeError("Expecting ',' delimiter", text, position)
        position = _skip_blanks(text, position + 1) if mark == "," else position
    end = _skip_blanks(text, position + 1)
    if is_whole_text and end < len(text):
        raise json.JSONDecodeError("Extra data", text, end)


def _scan_value(text: str, position: int) -> tuple[Any, int]:
    """Return the value that starts at this position, and the position of its end."""
    try:
        value, end = _QUICK_SCAN(text, position)
        # If there are only as many quotes as the distinct keys need, no key is repeated.
        has_unique_keys = type(value) is dict and text.count('"', position, end) == 2 * len(value)
        if has_unique_keys and _NUMBERS.issuperset(map(type, value.values())):
            return value, end
        return _SCAN(text, position)
    except StopIteration as error:
        raise json.JSONDecodeError("Expecting value", text, error.value) from None
    except _UnsupportedJsonError as error:
        error.start = position
        raise


def _skip_blanks(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return match.end() if match else position


@contextmanager
def _convert_errors(source: Source, text: str, line: int | None) -> Iterator[None]:
    """Convert errors of the JSON parser raised in the `with` block to FileFormatError."""
    try:
        yield
    except json.JSONDecodeError as error:
        actual = f"invalid syntax at character {error.colno} ({error.msg})"
        is_at_end = not text[error.pos :].strip()
        hint = f"The {'line' if line else 'file'} seems to be truncated." if is_at_end else ""
        context = _extract_context(text, error.pos)
        problem = LineProblem(line or error.lineno, actual, "JSON", context)
        raise file_error(source, [problem], hint=hint) from error
    except _UnsupportedJsonError as error:
        line_number = line or _find_refused_line(text, error)
        raise line_error(source, line_number, error.found, error.expected, error.hint) from error
    except RecursionError as error:
        raise line_error(source, line, *_TOO_DEEP) from error


def _check_nesting_depth(value: Any, position: int) -> None:
    """Raise _UnsupportedJsonError for a value that is nested too deeply."""
    level = [value] if type(value) in _NESTING else []
    for _ in range(MAX_LEVELS):
        if not level:
            return
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) in _NESTING
        ]
    if level:
        raise _UnsupportedJsonError(*_TOO_DEEP, at=position)


def has_surrogates(text: str) -> bool:
    """Return whether a JSON text contains an escaped surrogate, either alone or in a pair."""
    return _SURROGATE.search(text) is not None


def check_strings(source: Source, text: str, values: Iterable[str], line: int | None) -> None:
    """Raise FileFormatError if one of `values` contains a lone surrogate. `text` is the JSON from
    which they were parsed."""
    for value in values:
        try:
            value.encode()
        except UnicodeEncodeError as error:
            code = ascii(value[error.start])[1:-1]
            line_number = line or find_line(text, max(text.lower().find(code), 0))
            hint = "The text was truncated inside an emoji or a rare character."
            raise line_error(
                source, line_number, f"half a character ({code})", "whole characters", hint
            ) from error


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise _repeated_key_error(next(key for key, count in counts.items() if count > 1))
    return values


def _repeated_key_error(key: str, position: int | None = None) -> _UnsupportedJsonError:
    hint = "Only one of the values can be used; keep the correct one."
    return _UnsupportedJsonError(
        f"the key `{shorten_line(key)}` twice in one object", "each key once", hint, position
    )


def find_strings(value: Any) -> Iterator[str]:
    """Yield all strings in a JSON value, including keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from find_strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from find_strings(inner)


_BEGINNINGS = json.JSONDecoder(parse_int=NumberText, parse_float=NumberText)


def parse_first_object(text: str) -> dict[str, Any]:
    """Return the object at the beginning of a string. It is empty if the string contains no
    complete object."""
    try:
        value, _ = _BEGINNINGS.raw_decode(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _parse_number(text: str) -> NumberText:
    if len(text) > MAX_DIGITS:
        raise _UnsupportedJsonError(*describe_long_number(len(text)))
    return NumberText(text)


def describe_long_number(length: int) -> tuple[str, str]:
    """Return two descriptions for an error about an overlong number: of the number found, with its
    `length` in characters, and of a valid number."""
    return f"a number of {length:,} characters", "a shorter number"


def _refuse_constant(name: str) -> Any:
    hint = "JSON does not allow this number. Remove the document, or give it a score."
    raise _UnsupportedJsonError(f"`{name}`", "a finite number", hint)


def find_line(text: str, position: int) -> int:
    """Return the physical line of a position in a string."""
    return text.count("\n", 0, position) + 1


def _find_refused_line(text: str, error: _UnsupportedJsonError) -> int | None:
    """Return the physical line of the refused text. If its position is unknown, scan the tokens for
    the first repeated key, NaN or overlong number."""
    if error.at is not None or text.find("\n", error.start) < 0:
        return find_line(text, error.start if error.at is None else error.at)
    objects: list[set[str]] = []
    for token in _TOKEN.finditer(text, error.start):
        value = token[0]
        if value in "{[":
            objects.append(set())
        elif value in "}]":
            objects.pop()
        elif token["key"] is not None:
            if token["key"] in objects[-1]:
                return find_line(text, token.start())
            objects[-1].add(token["key"])
        # The decoder refuses every value that begins with such a word: `NaN24.5`.
        elif value.startswith(("NaN", "Infinity", "-Infinity")) or (
            len(value) > MAX_DIGITS and not value.startswith('"')
        ):
            return find_line(text, token.start())
    return None


def _extract_context(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    return shorten_line(text[max(start, position - 60) : position + 40].split("\n")[0])


_NESTING = frozenset((dict, list))
_TOO_DEEP = ("values nested too deeply", f"at most {MAX_LEVELS} levels of JSON")
_BLANKS = re.compile(r"[ \t\n\r]*")
_NOT_BLANK = re.compile(r"[^\n]*\S[^\n]*")
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_TOKEN = re.compile(rf"(?P<key>{_STRING})\s*:|{_STRING}|[{{}}\[\]]|[^\s{{}}\[\]:,\"]+")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_DECODER = json.JSONDecoder(
    object_pairs_hook=_build_object,
    parse_float=_parse_number,
    parse_int=_parse_number,
    parse_constant=_refuse_constant,
)
_NUMBERS = frozenset((bytes,))


def _make_scanner(**hooks: Any) -> Callable[[str, int], tuple[Any, int]]:
    # Bytes distinguish numbers from texts and are not tracked by the garbage collector.
    decoder: Any = json.JSONDecoder(
        parse_float=str.encode, parse_int=str.encode, parse_constant=_refuse_constant, **hooks
    )
    return json.scanner.make_scanner(decoder)


_SCAN = _make_scanner(object_pairs_hook=_build_object)
_QUICK_SCAN = _make_scanner()
"""Scanner that is three times as fast as the strict one, but keeps only the last value of a
repeated key."""
