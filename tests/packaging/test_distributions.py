"""What is built: the files in it, what it says of itself, its start without the dashboard."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

from metrics_core import __version__
from tests.packaging.conftest import ROOT, Built

PACKAGES = ("dashboard", "metrics_core", "sample_runs")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def metadata(built: Built) -> Message:
    with zipfile.ZipFile(built.wheel) as wheel:
        [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_string(wheel.read(name).decode())


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    there = {
        path.relative_to(built.sources).as_posix()
        for package in PACKAGES
        for path in (built.sources / package).rglob("*")
        if path.is_file()
    }
    assert held == there | {"pytest_ranklens.py"}


def test_the_sdist_holds_what_it_is_built_from_and_no_tests(built: Built) -> None:
    with tarfile.open(built.sdist) as sdist:
        members = sdist.getmembers()
    assert all(member.isfile() or member.isdir() for member in members)
    names = {member.name for member in members if member.isfile()}
    assert {name.partition("/")[0] for name in names} == {f"ranklens-{__version__}"}
    inside = {name.partition("/")[2] for name in names}
    assert {"LICENSE", "README.md", "pyproject.toml", "PKG-INFO"} <= inside
    assert {name.partition("/")[0] for name in inside if "/" in name} == {
        *PACKAGES,
        "ranklens.egg-info",
    }


@pytest.mark.thorough
def test_the_wheel_of_the_sources_is_that_of_the_sdist(built: Built, tmp_path: Path) -> None:
    """`built` has the latter."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    to = ["--no-build-isolation", "--wheel-dir", tmp_path, built.sources]
    subprocess.run([*command, *to], check=True, capture_output=True)
    [made] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(made) as own, zipfile.ZipFile(built.wheel) as other:
        assert {i.filename: i.CRC for i in own.infolist()} == {
            i.filename: i.CRC for i in other.infolist()
        }


def test_nothing_in_it_knows_this_machine(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        holding = {name for name in wheel.namelist() if str(ROOT).encode() in wheel.read(name)}
    assert not holding


def test_what_it_says_of_itself(metadata: Message) -> None:
    assert metadata["Name"] == "ranklens"
    assert metadata["Version"] == __version__
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_all("License-File") == PROJECT["license-files"]
    description = metadata.get_payload()
    assert isinstance(description, str) and description.startswith("# Ranklens")
    assert "](docs/" not in description and metadata.get_all("Project-URL") is None
    needed = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert sorted(needed) == sorted(PROJECT["dependencies"])


def test_the_core_alone_scores(built: Built) -> None:
    runs = [built.sources / "sample_runs" / f"{name}.run" for name in ("bm25", "dense")]
    qrels = built.sources / "sample_runs" / "qrels.txt"
    done = built.run("metrics-core", "evaluate", qrels, *runs, "-m", "nDCG@10")
    assert done.returncode == 0, done.stderr
    assert re.search(r"bm25 .*0\.548", done.stdout) and re.search(r"dense .*0\.636", done.stdout)


def test_the_core_alone_brings_no_dashboard_and_says_what_does(built: Built) -> None:
    packages = {path.name for path in (built.environment / "lib").glob("python*/site-packages/*")}
    assert "numpy" in packages and not {"streamlit", "plotly"} & packages
    done = built.run("ranklens")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and f"pip install '{built.wheel}[app]'" in done.stderr
