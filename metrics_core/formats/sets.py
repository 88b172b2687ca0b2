"""Files that hold several tables at once: BEIR sets, and detailed results of a benchmark."""

from __future__ import annotations

from pathlib import Path

from metrics_core.formats import beir
from metrics_core.formats.detailed import is_detailed, read_detailed_set
from metrics_core.formats.registry import Loaded


def is_set(source: str | Path | bytes) -> bool:
    """Whether a folder or a file holds several tables: a BEIR set, or detailed results."""
    return beir.is_set(source) or is_detailed(source)


def read_set(source: str | Path | bytes, *, name: str | None = None) -> list[Loaded]:
    """Read a BEIR set (a folder, a zip of one, its bytes) or a file of detailed results.

    Gives its documents, queries, judgments and runs. Raises FileFormatError where it is no such
    set or cannot be read.
    """
    if is_detailed(source):
        return read_detailed_set(source, name=name)
    return beir.read_set(source, name=name)
