"""Parse the beginning of a JSON file, so that the file can be recognised."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from metrics_core.formats.parsing.json_text import NumberText

_BEGINNING = 1 << 15
_TOKEN = re.compile(
    r'(?P<key>"[^"\\]*(?:\\.[^"\\]*)*"\s*:)|"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],]|[^\s{}\[\]:,"]+'
)
_CLOSING = {"{": "}", "[": "]"}


class Beginning(NamedTuple):
    """The value at the beginning of a string (None if the string does not start with JSON), and
    whether the string contains the whole value."""

    value: Any
    is_whole: bool


_NOTHING = Beginning(None, is_whole=False)


def parse_json_prefix(text: str, size: int = _BEGINNING) -> Beginning:
    """Return the JSON value at the start of a string, read up to `size` characters.

    Unclosed brackets are closed. Numbers become NumberText."""
    text = text.lstrip()[:size]
    if not text.startswith(("{", "[")):
        return _NOTHING
    open_brackets: list[str] = []
    complete_end = position = 0
    has_key = False
    for token in _TOKEN.finditer(text):
        if text[position : token.start()].strip():
            break
        position, word = token.end(), token[0]
        is_cut = position == len(text) and word[0] not in '"{}[]'
        if token["key"]:
            has_key = True
        if word == "," or token["key"] or is_cut:
            continue
        if word in ("}", "]"):
            if open_brackets.pop() != word:
                return _NOTHING
        elif open_brackets and open_brackets[-1] == "}" and not has_key:
            break  # a key whose colon is cut off
        has_key = False
        if word in _CLOSING:
            open_brackets.append(_CLOSING[word])
        complete_end = position
        if not open_brackets:
            break
    closing_brackets = "".join(reversed(open_brackets))
    try:
        value = json.loads(
            text[:complete_end] + closing_brackets, parse_int=NumberText, parse_float=NumberText
        )
    except (ValueError, RecursionError):
        return _NOTHING
    return Beginning(value, is_whole=not closing_brackets)
