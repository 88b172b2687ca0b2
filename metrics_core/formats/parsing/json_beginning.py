"""The beginning of a JSON file as a value, for recognising it."""

from __future__ import annotations

import json
import re
from typing import Any

_BEGINNING = 1 << 15
_DEEPEST = 100
_TOKEN = re.compile(
    r'(?P<key>"[^"\\]*(?:\\.[^"\\]*)*"\s*:)|"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],]|[^\s{}\[\]:,"]+'
)
_CLOSED = {"{": "}", "[": "]"}


def beginning(text: str) -> Any:
    """The JSON value that begins a text, as far as the first 32 KB have it, what is open there
    closed; None where none begins, or it goes very deep. Numbers are texts."""
    text = text.lstrip()[:_BEGINNING]
    if not text.startswith(("{", "[")):
        return None
    closed, open_now = "", [""]
    whole = 0
    at = 0
    for token in _TOKEN.finditer(text):
        if text[at : token.start()].strip():
            break
        at, word = token.end(), token[0]
        if word in _CLOSED:
            open_now.append(_CLOSED[word])
            if len(open_now) > _DEEPEST:
                return None
        elif word in ("}", "]"):
            if open_now.pop() != word:
                return None
        elif word == "," or token["key"] or (at == len(text) and word[0] != '"'):
            continue
        whole, closed = at, "".join(reversed(open_now))
        if not closed:
            break
    try:
        return json.loads(text[:whole] + closed, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
