"""What `pip install -r requirements.txt` brings is enough for `pytest`."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.packaging.conftest import ROOT, install, plain_environment

CORE = "metrics_core and (judging or tables) and not (while_reading or formats or commands)"
"""Some of its tests, which are done in seconds."""


def required(text: str, extras: tuple[str, ...] = ("",)) -> dict[str, Requirement]:
    """Every requirement that a list of them comes to with those of each in turn, by its name, in
    the releases that are installed here."""
    found: dict[str, Requirement] = {}
    waiting = [(line, extras) for line in re.findall(r"^\w.*", text, re.MULTILINE)]
    while waiting:
        line, of = waiting.pop()
        one = Requirement(line)
        if one.marker and not any(one.marker.evaluate({"extra": extra}) for extra in of):
            continue
        own = distribution(one.name)
        assert one.specifier.contains(own.version, prereleases=True), (line, own.version)
        if not one.extras and one.name in found:
            continue
        found[one.name] = one
        waiting += [(further, ("", *one.extras)) for further in own.requires or ()]
    return found


def linked(environment: Path) -> None:
    """The packages of requirements.txt as links to the same releases here: pip takes a minute, and
    Python another for what nobody has compiled yet."""
    (site,) = environment.glob("lib/python*/site-packages")
    for name in required((ROOT / "requirements.txt").read_text()):
        own = distribution(name)
        for part in {file.parts[0] for file in own.files or ()} - {"..", "__pycache__"}:
            if not (site / part).exists():
                (site / part).symlink_to(str(own.locate_file(part)))


@pytest.mark.parametrize("by_pip", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_all_tests_are_collected_and_those_of_the_core_pass(tmp_path: Path, by_pip: bool) -> None:
    environment = tmp_path / "environment"
    script = 'python3 -m venv --without-pip "$MADE"\n'
    if by_pip:
        pip = 'python3 -m pip --python "$MADE/bin/python" install --quiet'
        script += f'{pip} -r "$SOURCES/requirements.txt"'
    install(script, tmp_path, MADE=str(environment), SOURCES=str(ROOT))
    if not by_pip:
        linked(environment)
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
