"""What `pip install -r requirements.txt` brings is enough for `pytest`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.packaging.conftest import ROOT, install, linked, plain_environment

CORE = "metrics_core and (judging or tables) and not (while_reading or formats or commands)"
"""Some of its tests, which are done in seconds."""


@pytest.mark.parametrize("by_pip", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_all_tests_are_collected_and_those_of_the_core_pass(tmp_path: Path, by_pip: bool) -> None:
    environment = tmp_path / "environment"
    script = 'python3 -m venv --without-pip "$MADE"\n'
    if by_pip:
        pip = 'python3 -m pip --python "$MADE/bin/python" install --quiet'
        script += f'{pip} -r "$SOURCES/requirements.txt"'
    install(script, tmp_path, MADE=str(environment), SOURCES=str(ROOT))
    if not by_pip:
        linked(environment, (ROOT / "requirements.txt").read_text())
    done = subprocess.run(
        [
            environment / "bin" / "python",
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-k",
            CORE,
        ],
        cwd=ROOT,
        env=plain_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counts = {what: int(n) for n, what in re.findall(r"(\d+) (passed|deselected)", done.stdout)}
    assert counts["passed"] > 200 and counts["deselected"] > 5000
    for missing in ("playwright", "ir_measures", "pytrec_eval", "yaml"):
        assert f"could not import '{missing}'" in done.stdout
