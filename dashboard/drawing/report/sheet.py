"""The style sheet of exported documents. It has only the rules that apply to the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from dashboard.drawing.theme import css_variables

_DRAWING = Path(__file__).parents[1]
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CLASS = re.compile(r"\.(-?[_a-zA-Z][-\w]*)")
_NOT_MET = re.compile(r":not\([^()]*\)")
"""Pattern of `:not(…)` in a selector. It is removed before matching, because the classes in it are
classes that an element must not have."""


def make_sheet_for_markup(markup: str, *own_sheets: str) -> str:
    """Return the style sheet for this markup. It has the colour palette, the rules of the common
    style sheet whose classes occur in the markup, and the `own_sheets`, unchanged."""
    classes = {name for names in re.findall(r'class="([^"]*)"', markup) for name in names.split()}
    rules_css = "".join(_used_rules(_read_common_rules(), classes))
    return css_variables() + rules_css + "".join(own_sheets)


@cache
def read_report_sheet(name: str) -> str:
    """Return a style sheet of this folder, without comments."""
    return _COMMENT.sub("", (Path(__file__).parent / name).read_text("utf-8"))


@cache
def _read_common_rules() -> tuple[tuple[str, str], ...]:
    return tuple(_split_rules(_COMMENT.sub("", (_DRAWING / "style.css").read_text("utf-8"))))


def _split_rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield each rule of a style sheet as (text before the braces, text between the braces)."""
    begin = 0
    while (opening := css.find("{", begin)) >= 0:
        depth, end = 1, opening + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(css[end], 0)
            end += 1
        yield " ".join(css[begin:opening].split()), " ".join(css[opening + 1 : end - 1].split())
        begin = end


def _used_rules(rules: tuple[tuple[str, str], ...], classes: set[str]) -> Iterator[str]:
    for head, body in rules:
        if head.startswith(("@media", "@container", "@supports")):
            inside = "".join(_used_rules(tuple(_split_rules(body)), classes))
            if inside:
                yield f"{head}{{{inside}}}"
        elif head.startswith("@") or any(
            _may_match(selector, classes) for selector in _split_selectors(head)
        ):
            yield f"{head}{{{body}}}"


def _split_selectors(selector_list: str) -> list[str]:
    """Return the selectors of a rule. They are separated by commas; commas within brackets do not
    separate selectors."""
    parts, depth = [""], 0
    for letter in selector_list:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _may_match(selector: str, classes: set[str]) -> bool:
    """Return whether a selector may match something in markup with these classes. If the selector
    lists alternatives in brackets, it is enough if one of them may match."""
    plain = _NOT_MET.sub("", selector)
    while (choice := re.search(r":(?:is|where|has)\(([^()]*)\)", plain)) is not None:
        options = [_CLASS.findall(option) for option in choice[1].split(",")]
        if not any(set(names) <= classes for names in options):
            return False
        plain = plain.replace(choice[0], "", 1)
    return set(_CLASS.findall(plain)) <= classes
