"""Two processes that write into one folder. `python -m tests.reliability.writers --count 500` is
the long form."""

from __future__ import annotations

import os
from pathlib import Path

from tests.reliability.writers import together

COUNT = int(os.environ.get("RANKLENS_WRITES", "60"))


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    together(COUNT, tmp_path / "workspace")
