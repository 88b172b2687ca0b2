"""The reference of the Python interface is made, and has all that is public."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import metrics_core
from metrics_core import extending, lists
from tests.code_blocks import ROOT


def test_the_reference_has_everything_public(tmp_path: Path) -> None:
    pytest.importorskip("pdoc")
    command = [sys.executable, str(ROOT / "docs" / "api.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Warn" not in done.stderr
    for page, names in (
        ("metrics_core", metrics_core.__all__),
        ("metrics_core/lists", lists.__all__),
        ("metrics_core/extending", extending.__all__),
    ):
        text = (tmp_path / f"{page}.html").read_text()
        assert not [name for name in names if f'<section id="{name}"' not in text]
