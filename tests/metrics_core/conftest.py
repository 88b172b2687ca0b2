"""What the tests of metrics_core share."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISDIR

import pytest


@pytest.fixture
def to_disk(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What from now on is done so that a file outlives a power cut: "file" or "folder" for one that
    is flushed, "name" for one that is moved into its place."""
    done: list[str] = []
    flush, move = os.fsync, Path.replace

    def flushed(handle: int) -> None:
        done.append("folder" if S_ISDIR(os.fstat(handle).st_mode) else "file")
        flush(handle)

    def moved(path: Path, target: Path) -> Path:
        done.append("name")
        return move(path, target)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(Path, "replace", moved)
    return done
