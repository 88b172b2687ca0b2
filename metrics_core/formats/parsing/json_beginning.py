"""The beginning of a JSON file as a value, for recognising it."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from metrics_core.formats.parsing.json_text import NumberText

_BEGINNING = 1 << 15
_TOKEN = re.compile(
    r'(?P<key>"[^"\\]*(?:\\.[^"\\]*)*"\s*:)|"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],]|[^\s{}\[\]:,"]+'
)
_CLOSED = {"{": "}", "[": "]"}


class Beginning(NamedTuple):
    """A JSON value as far as it was looked at, None where none begins, and whether that is all of
    it."""

    value: Any
    whole: bool


_NOTHING = Beginning(None, whole=False)


def beginning(text: str, size: int = _BEGINNING) -> Beginning:
    """The JSON value at the beginning of a text, read up to `size` characters; what is open there
    is closed. Numbers are NumberText."""
    text = text.lstrip()[:size]
    if not text.startswith(("{", "[")):
        return _NOTHING
    open_now: list[str] = []
    whole = at = 0
    keyed = False
    for token in _TOKEN.finditer(text):
        if text[at : token.start()].strip():
            break
        at, word = token.end(), token[0]
        cut = at == len(text) and word[0] not in '"{}[]'
        if token["key"]:
            keyed = True
        if word == "," or token["key"] or cut:
            continue
        if word in ("}", "]"):
            if open_now.pop() != word:
                return _NOTHING
        elif open_now and open_now[-1] == "}" and not keyed:
            break  # a key of which the colon is cut off
        keyed = False
        if word in _CLOSED:
            open_now.append(_CLOSED[word])
        whole = at
        if not open_now:
            break
    closed = "".join(reversed(open_now))
    try:
        value = json.loads(text[:whole] + closed, parse_int=NumberText, parse_float=NumberText)
    except (ValueError, RecursionError):
        return _NOTHING
    return Beginning(value, whole=not closed)
