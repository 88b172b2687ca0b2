"""Parse lists in a table cell, written as JSON or as printed by Python (`['d1', "it's", 7]`)."""

from __future__ import annotations

import ast
import re
from typing import Any

from metrics_core.formats.parsing.json_text import NumberText

_VALUE = r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|None|null"""
_ITEM = re.compile(rf"\s*({_VALUE})\s*(,|\Z)")


def parse_list(cell: str) -> list[Any] | None:
    """Return the items of the list in a cell; None if the cell is not a list of strings and
    numbers."""
    text = cell.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    content, items, position = text[1:-1], list[Any](), 0
    if not content.strip():
        return []
    while position < len(content):
        item = _ITEM.match(content, position)
        if item is None:
            return None
        try:
            items.append(_parse_value(item[1]))
        except (ValueError, SyntaxError):
            return None
        position = item.end()
    return items


def _parse_value(literal: str) -> Any:
    """Return the value of a literal: a string with escapes resolved, a number in its original
    spelling, or None for the literal None or null."""
    if literal in ("None", "null"):
        return None
    if literal[0] not in "'\"":
        return NumberText(literal)
    return ast.literal_eval(literal) if "\\" in literal else literal[1:-1]
