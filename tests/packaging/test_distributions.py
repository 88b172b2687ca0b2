"""What is built: the files in it, what it says of itself, its start without the dashboard."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

from metrics_core import __version__
from tests.packages import ROOT, SOURCES
from tests.packaging import release
from tests.packaging.conftest import Built
from tests.packaging.release import PROJECT


@pytest.fixture(scope="module")
def metadata(built: Built) -> Message:
    with zipfile.ZipFile(built.wheel) as wheel:
        [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_string(wheel.read(name).decode())


def test_the_sdist_holds_all_of_the_sources_and_the_wheel_the_packages(
    built: Built,
) -> None:
    paths = (path for path in built.sources.rglob("*") if path.is_file())
    sources = {path.relative_to(built.sources).as_posix() for path in paths}
    sources = {name for name in sources if not name.startswith("ranklens.egg-info/")}
    assert {"CHANGELOG.md", "CITATION.cff", "docs/guide.md", "tests/test_ranklens.py"} < sources
    assert release.wrong_contents(built.sdist, built.wheel, sources) == []
    one_more = {*sources, "docs/new.md", "metrics_core/new.py"} - {"metrics_core/lists.py"}
    assert release.wrong_contents(built.sdist, built.wheel, one_more) == [
        "sdist: metrics_core/lists.py is not of the sources",
        "sdist: docs/new.md is missing",
        "sdist: metrics_core/new.py is missing",
        "wheel: metrics_core/lists.py is not of the packages",
        "wheel: metrics_core/new.py is missing",
    ]


def test_everything_in_the_repository_is_built_from() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a repository")
    assert {name.partition("/")[0] for name in release.tracked_files()} <= {*SOURCES}


def test_a_release_runs_what_the_readme_shows() -> None:
    commands = [" ".join(words) for words in release.readme_commands()]
    assert "ranklens report qrels.txt bm25.run dense.run -o report.html" in commands
    assert any(c.startswith("python -c") and "ranklens.show(" in c for c in commands)
    assert len(commands) > 15 and not [c for c in commands if "spark" in c or "pip" in c]


def test_no_file_says_how_to_install_it_from_an_index(built: Built) -> None:
    """Nobody has put it there; `install_command` names the file it was installed from."""
    with zipfile.ZipFile(built.wheel) as wheel:
        texts = {name: wheel.read(name) for name in wheel.namelist()}
    assert not [name for name, text in texts.items() if re.search(rb"pip install .?ranklens", text)]


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
