"""Backups of a folder in use. `python -m tests.reliability.backups --count 200` is the long
form."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.reliability.backups import backed_up

COUNT = int(os.environ.get("RANKLENS_BACKUPS", "5"))


@pytest.mark.parametrize("count", [COUNT, pytest.param(200, marks=pytest.mark.thorough)])
def test_what_was_acknowledged_is_in_every_backup(tmp_path: Path, count: int) -> None:
    found = backed_up(count, 9, tmp_path)
    assert found["changes meanwhile"] and found["files"] > count
