"""Changes of the example's search that a pull request may bring, and runs as broken ones write."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Change = Callable[[Path], None]


def accepted(repository: Path) -> None:
    """One more ending is cut, which changes some queries by little."""
    _replace(repository, 'removesuffix("s")', 'removesuffix("s").removesuffix("ing")')


def titles_only(repository: Path) -> None:
    """The texts are not searched any more, which loses much."""
    _replace(repository, ', "text": 1', "")


def _replace(repository: Path, old: str, new: str) -> None:
    search = repository / "search.py"
    text = search.read_text()
    assert old in text, old
    search.write_text(text.replace(old, new))


def lacking_run(repository: Path) -> None:
    """The run has no results for half of the queries."""
    kept = [line for line in _searched(repository) if not line.startswith(LACKING)]
    _write_run(repository, kept)


def empty_run(repository: Path) -> None:
    """The run has no line."""
    _write_run(repository, [])


def other_run(repository: Path) -> None:
    """The run has results for other queries than the judged ones."""
    _write_run(repository, [f"x{line[1:]}" for line in _searched(repository)])


LACKING = tuple(f"q0{digit}" for digit in range(5))
RUNS = [
    pytest.param(
        lacking_run, 1, "worse", "search has no results for 52 of 104 judged queries", id="lacking"
    ),
    pytest.param(empty_run, 2, "error", "The file is empty.", id="empty"),
    pytest.param(other_run, 2, "error", "Run and judgments have no query in common", id="other"),
]
"""Each odd run with the status of a gate on it, the outcome's word, and a part of what is said."""


def _searched(repository: Path) -> list[str]:
    command = [sys.executable, "search.py"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    return done.stdout.splitlines(keepends=True)


def _write_run(repository: Path, lines: list[str]) -> None:
    (repository / "search.run").write_text("".join(lines))
