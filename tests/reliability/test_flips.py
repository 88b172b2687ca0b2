"""Stored files that are not as they were written. `python -m tests.reliability.flips --count 1000`
is the long form."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.random_cases import in_this_run
from tests.reliability.flips import harms

COUNT = int(os.environ.get("RANKLENS_FLIPS", in_this_run("10", "30")))


@pytest.mark.random
def test_a_damaged_file_costs_that_file_only(tmp_path: Path) -> None:
    assert harms(COUNT, 9, tmp_path)["flip"] > COUNT // 3
