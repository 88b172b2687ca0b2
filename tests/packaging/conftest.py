"""What pip installs, once for all workers: the wheel that is built here, without the dashboard, in
an environment of its own, by the action's own step. And a copy of the example's repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from tests.packaging.runner import Runner, action_steps

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tests" / "example_repository"
COLLECTION = ("articles.jsonl", "queries.csv", "qrels.txt")
"""What the example has of the sample: the texts and their judgments."""

_SOURCES = (
    ".github",
    "LICENSE",
    "MANIFEST.in",
    "README.md",
    "action.yml",
    "dashboard",
    "metrics_core",
    "pyproject.toml",
    "pytest_ranklens.py",
    "sample_runs",
    "setup.py",
    "tests",
)
"""What of a checkout counts for what is built and for the action."""


@dataclass(frozen=True)
class Built:
    """A copy of the sources, the sdist of it, the wheel made of that, and the environment with the
    wheel and what it needs."""

    sources: Path
    sdist: Path
    wheel: Path
    environment: Path

    def run(self, *words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """What a command of the environment does, away from the sources."""
        program = self.environment / "bin" / str(words[0])
        return subprocess.run(
            [program, *words[1:]],
            cwd=self.environment,
            env=plain_environment() | more,
            capture_output=True,
            text=True,
            check=False,
        )


def plain_environment() -> dict[str, str]:
    """What a process of a stranger has. Code that was compiled for this machine is the same there
    and need not be compiled again."""
    compiled = ROOT / "metrics_core" / "base" / "compiled" / "__pycache__"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {"PATH": path, "RANKLENS_CACHE": str(compiled), "LC_ALL": "C.UTF-8"}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Built and installed by the worker that comes first."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = shared / "packaging"
    with FileLock(shared / "packaging.lock"):
        if not (folder / "whole").exists():
            shutil.rmtree(folder, ignore_errors=True)
            _build(folder)
            _install(folder)
            (folder / "whole").touch()
    sdist, wheel = (next((folder / "dist").glob(f"*.{end}")) for end in ("tar.gz", "whl"))
    return Built(folder / "sources", sdist, wheel, folder / "temp" / "ranklens")


def _build(folder: Path) -> None:
    """In a copy: setuptools leaves its work beside the sources, and takes from it what is gone."""
    sources = folder / "sources"
    for name in _SOURCES:
        if (ROOT / name).is_dir():
            caches = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, sources / name, ignore=caches)
        else:
            shutil.copy(ROOT / name, sources / name)
    pytest.importorskip("build")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist"]
    done = subprocess.run([*command, sources], capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr


def _install(folder: Path) -> None:
    """By the first step of the action."""
    (folder / "temp").mkdir()
    script = action_steps(ROOT / "action.yml")[0]["run"]
    script += 'python3 -m pip --python "$made/bin/python" install --quiet pytest'  # a stranger's
    wheel = str(next((folder / "dist").glob("*.whl")))
    install(script, folder, PACKAGE=wheel, PLUGINS="", RUNNER_TEMP=str(folder / "temp"))


def install(script: str, folder: Path, **more: str) -> None:
    """Run a script that installs packages, in the locked versions: a release that others publish
    meanwhile breaks no test. The folder takes the list of them."""
    text = (ROOT / "requirements-dev.lock").read_text()
    locked = re.findall(r"^\w\S*==.*?(?= \\$)", text, re.MULTILINE)
    (folder / "locked.txt").write_text("\n".join(locked))
    environment = {
        **os.environ,
        "PATH": plain_environment()["PATH"],
        "PIP_CONSTRAINT": str(folder / "locked.txt"),
        "PIP_COMPILE": "0",
        **more,
    }
    done = subprocess.run(["bash", "-ec", script], env=environment, capture_output=True, text=True)
    if "No matching distribution found" in done.stderr:
        pytest.skip("no package index")
    assert not done.returncode, done.stdout + done.stderr


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the example's repository, with its texts."""
    copy = tmp_path / "repository"
    shutil.copytree(EXAMPLE, copy)
    for name in COLLECTION:
        shutil.copy(ROOT / "sample_runs" / name, copy / name)
    return copy


@pytest.fixture
def runner(built: Built, example: Path, tmp_path: Path) -> Iterator[Runner]:
    """A runner that checked the example out, and Ranklens beside it."""
    temp = tmp_path / "temp"
    temp.mkdir()
    (temp / "ranklens").symlink_to(built.environment)
    (example / ".ranklens").symlink_to(built.sources)
    yield Runner(example, temp, plain_environment())
