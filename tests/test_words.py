"""The language of the code and the screen: words that CONTRIBUTING's glossary replaces."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("metrics_core", "dashboard")

NAMES = {
    *("found", "told", "shown", "own", "known", "place"),
    *("here", "given", "asked", "kept", "wanted", "held"),
}
"""As a name alone they do not say what they hold: `scores`, `message`, `matched_ids` do."""

STABLE = {
    "dashboard/address/address.py: _place",
    "metrics_core/base/errors.py: found",
    "metrics_core/formats/mapping/presets.py: found",
    "metrics_core/judging/while_reading/segments.py: place",
}
"""Names that other people's programs use, or that are found by their text."""

COMPILED = ROOT / "metrics_core" / "base" / "compiled"
"""What is compiled is not checked: its names are those of the signatures."""

PHRASES = re.compile(
    r"\b(stands?|(is|are) (told|said|level)|of which|those of|so many|where nobody|takes? it back"
    r"|not firm(ly)?|firm(ly)? (lead|from|at)|turned round|nobody (has )?judged)\b",
    re.IGNORECASE,
)
"""What a reader on the screen has to read twice, or what the field calls otherwise."""


def bound_names(tree: ast.Module) -> Iterator[str]:
    """Each name that a module binds: variables, parameters, functions, classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler):
            yield node.name or ""


def modules() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def texts(path: Path) -> Iterator[str]:
    """The texts of a module that are sentences or parts of one; docstrings left out."""
    if path.suffix == ".j2":
        plain = re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", path.read_text("utf-8"), flags=re.DOTALL)
        yield from plain.splitlines()
        return
    tree = ast.parse(path.read_text("utf-8"))
    documented = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in documented and node.value.count(" ") >= 2:
            yield node.value


def test_names_say_what_they_hold() -> None:
    bad = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules()
        if COMPILED not in path.parents
        for name in bound_names(ast.parse(path.read_text("utf-8")))
        if name.strip("_") in NAMES
    }
    assert bad - STABLE == set()
    assert STABLE - bad == set(), "gone: take it off the list"


def test_sentences_use_the_words_of_the_field() -> None:
    templates = (p for package in PACKAGES for p in sorted((ROOT / package).rglob("*.j2")))
    bad = [
        f"{path.relative_to(ROOT)}: {text}"
        for path in (*modules(), *templates)
        for text in texts(path)
        if PHRASES.search(text)
    ]
    assert bad == []
