"""Somebody judges and the process is killed. `python -m tests.reliability.judging --count 300` is
the long form."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.reliability.judging import judged

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's")

COUNT = int(os.environ.get("RANKLENS_JUDGING_KILLS", "12"))


def test_a_kill_loses_at_most_the_grade_being_given(tmp_path: Path) -> None:
    found = judged(COUNT, 3, tmp_path / "workspace")
    assert found.kept > 0 and found.in_an_act > 0
