"""A workspace whose process is killed at any moment. `python -m tests.reliability.crashes --count
1000` is the long form."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.reliability.crashes import crash

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's")

COUNT = int(os.environ.get("RANKLENS_KILLS", "15"))


def test_what_was_acknowledged_outlives_kills(tmp_path: Path) -> None:
    kills = crash(COUNT, 9, tmp_path)
    assert kills.acknowledged > COUNT and kills.in_an_act > 0
