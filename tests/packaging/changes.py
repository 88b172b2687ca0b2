"""Changes of the example's search that a pull request may bring."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
