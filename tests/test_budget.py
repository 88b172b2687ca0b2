"""How much code there is, and what would make it grow unseen: names that mean several things, and
aliases and sentences that are written twice."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("metrics_core", "dashboard")

TOKENS = {"metrics_core": 365_124, "dashboard": 259_316}
"""What a package may have: it is set to what it has after a change that removes some, and rises
only where an issue allows it."""
LINES = 7_954
"""Lines of .js, .css and .j2 of both packages."""

_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}
_WORDS = 5


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def tokens(path: Path) -> int:
    """Tokens of code: names, operators, numbers and texts; a docstring counts as one. Counted in
    the code as Python writes it anew, so that line breaks, with their brackets and commas, are
    free."""
    code = io.BytesIO(ast.unparse(ast.parse(path.read_bytes())).encode())
    return sum(token.type not in _NO_CODE for token in tokenize.tokenize(code.readline))


@pytest.mark.parametrize("package", PACKAGES)
def test_the_code_does_not_grow(package: str) -> None:
    found = sum(map(tokens, modules(package)))
    assert found <= TOKENS[package], (
        f"{package} has {found:,} tokens of code; {TOKENS[package]:,} are allowed. Reuse what there"
        " is, or delete what your change makes unnecessary; what was asked for may raise the cap."
    )


def test_scripts_styles_and_templates_do_not_grow() -> None:
    files = (p for e in ("js", "css", "j2") for f in PACKAGES for p in (ROOT / f).rglob(f"*.{e}"))
    found = sum(len(path.read_text("utf-8").splitlines()) for path in files)
    assert found <= LINES, f"{found:,} lines of .js, .css and .j2; {LINES:,} are allowed"


def test_a_public_class_has_a_name_of_its_own() -> None:
    found = defaultdict(list)
    for path in (p for package in PACKAGES for p in modules(package)):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_arrays_are_named_in_one_module() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {ast.unparse(node)}"
        for package in PACKAGES
        for path in modules(package)
        if path != ROOT / "metrics_core" / "base" / "arrays.py"
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("npt.NDArray[")
    ]
    assert found == [], "declare it in metrics_core/base/arrays.py"


def _sentences(path: Path) -> Iterator[str]:
    """Each run of five words of a module's texts, docstrings left out."""
    for node in ast.walk(tree := ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Expr):
            node.value = ast.Constant(0) if isinstance(node.value, ast.Constant) else node.value
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split()
            yield from (" ".join(words[at : at + _WORDS]) for at in range(len(words) - _WORDS + 1))


def test_no_sentence_is_written_in_two_modules_of_findings() -> None:
    found = defaultdict(set)
    for path in modules("metrics_core/findings"):
        for sentence in _sentences(path):
            found[sentence].add(path.name)
    assert {text: names for text, names in found.items() if len(names) > 1} == {}


def test_tests_import_public_names() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {node.module}.{alias.name}"
        for path in modules("tests")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.endswith("__")
    ]
    assert found == []
