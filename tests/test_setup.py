"""What the wheel says of itself: its description and addresses, with a homepage and without."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

from metrics_core import __version__
from tests.packages import ROOT

SETUP = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")
HOMEPAGE = "https://example.org/ranklens"
README = (
    "# A\n\n![The\npicture](docs/a.png)\n\nSee [docs/a.md](docs/a.md#b), [a site](https://b.org/).\n"
    "```python\nx = [1](docs/a.md)\n```\n"
)

PROGRAM = """
import os, sys
from setuptools import build_meta
for folder in sys.argv[1:]:
    os.chdir(folder)
    os.mkdir("made")
    build_meta.prepare_metadata_for_build_wheel("made")
"""


def test_without_a_homepage_links_are_text_and_pictures_are_left_out() -> None:
    assert SETUP["addresses"]("") == {}
    assert SETUP["description"](README, "") == (
        "# A\n\nSee docs/a.md, [a site](https://b.org/).\n```python\nx = [1](docs/a.md)\n```\n"
    )


def test_with_a_homepage_they_are_absolute() -> None:
    assert SETUP["addresses"](HOMEPAGE)["Changelog"] == f"{HOMEPAGE}/blob/HEAD/CHANGELOG.md"
    assert SETUP["description"](README, HOMEPAGE) == (
        f"# A\n\n![The\npicture]({HOMEPAGE}/raw/HEAD/docs/a.png)\n\n"
        f"See [docs/a.md]({HOMEPAGE}/blob/HEAD/docs/a.md#b), [a site](https://b.org/).\n"
        "```python\nx = [1](docs/a.md)\n```\n"
    )


def test_what_addresses_lead_to_is_there() -> None:
    inside = f"{HOMEPAGE}/blob/HEAD/"
    led = [a.removeprefix(inside) for a in SETUP["addresses"](HOMEPAGE).values() if inside in a]
    assert led and all((ROOT / path).is_file() for path in led)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[Message]:
    """The metadata of the wheel without a homepage, and with an invented one."""
    pytest.importorskip("setuptools", minversion="77")
    folders = [_sources(tmp_path_factory.mktemp("wheel"), line) for line in ("", HOMEPAGE)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, folders)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [
        message_from_string(next(folder.glob("made/*.dist-info/METADATA")).read_text("utf-8"))
        for folder in folders
    ]


def _sources(folder: Path, homepage: str) -> Path:
    """What the metadata are made of, with this homepage."""
    for name in (
        "setup.py",
        "README.md",
        "LICENSE",
        "pytest_ranklens.py",
        "metrics_core/__init__.py",
        "metrics_core/base/__init__.py",
        "metrics_core/base/version.py",
        "dashboard/static/inter-LICENSE.txt",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    told = (ROOT / "pyproject.toml").read_text("utf-8")
    line = f'homepage = "{homepage}"'
    made, found = re.subn(r'^homepage = ".*"$', line, told, flags=re.MULTILINE)
    assert found == 1
    (folder / "pyproject.toml").write_text(made, "utf-8")
    return folder


def test_the_wheel_leads_nowhere_while_the_line_is_empty(built: list[Message]) -> None:
    plain, _ = built
    assert (plain["Version"], plain["Description-Content-Type"]) == (__version__, "text/markdown")
    assert plain.get_all("Project-URL") is None and plain["Home-page"] is None
    said = str(plain.get_payload())
    assert said.strip().startswith("# Ranklens") and "docs/guide.md" in said
    assert not re.findall(r"\]\((?!https?://).*", said)


def test_one_line_gives_addresses_and_links(built: list[Message]) -> None:
    _, invented = built
    assert f"Homepage, {HOMEPAGE}" in invented.get_all("Project-URL", [])
    said = str(invented.get_payload())
    assert f"]({HOMEPAGE}/raw/HEAD/docs/overview.png)" in said
    links = re.findall(r"\]\(([^)]+)\)", said)
    assert len(links) > 10 and all(link.startswith("https://") for link in links)
