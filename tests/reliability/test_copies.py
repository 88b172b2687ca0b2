"""Copies of a folder in use. `python -m tests.reliability.copies --count 200` is the long form."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.reliability.copies import copied

COUNT = int(os.environ.get("RANKLENS_COPIES", "5"))


def _has_tar() -> bool:
    return os.name == "posix" and shutil.which("tar") is not None


pytestmark = pytest.mark.skipif(not _has_tar(), reason="no tar to copy with")


@pytest.mark.parametrize("count", [COUNT, pytest.param(200, marks=pytest.mark.thorough)])
def test_what_was_acknowledged_is_in_every_copy(tmp_path: Path, count: int) -> None:
    found = copied(count, 9, tmp_path)
    assert found["changes while copying"] > count and found["with an older file"]
