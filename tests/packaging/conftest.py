"""What pip installs, once for all workers: the wheel that is built here, without the dashboard, in
an environment that has what the wheel says that it needs, by the action's own step. And a copy of
the example's repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest
from filelock import FileLock
from packaging.requirements import Requirement

from tests.packages import ROOT, SOURCES
from tests.packaging.runner import Runner, action_steps

EXAMPLE = ROOT / "tests" / "example_repository"
COLLECTION = ("articles.jsonl", "queries.csv", "qrels.txt")
"""What the example has of the sample: the texts and their judgments."""


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
    for name in SOURCES:
        if (ROOT / name).is_dir():
            caches = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(ROOT / name, sources / name, ignore=caches)
        else:
            shutil.copy(ROOT / name, sources / name)
    pytest.importorskip("build")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist"]
    done = subprocess.run([*command, sources], capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr


def _install(folder: Path) -> None:
    """By the first step of the action."""
    wheel, environment = next((folder / "dist").glob("*.whl")), folder / "temp" / "ranklens"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    with zipfile.ZipFile(wheel) as packed:
        metadata = next(name for name in packed.namelist() if name.endswith("/METADATA"))
        needed = re.findall(r"^Requires-Dist: (.*)", packed.read(metadata).decode(), re.MULTILINE)
    linked(environment, "\n".join([*needed, "pytest"]))  # pytest is a stranger's
    script = action_steps(ROOT / "action.yml")[0]["run"]
    install(script, folder, PACKAGE=str(wheel), PLUGINS="", RUNNER_TEMP=str(folder / "temp"))


def install(script: str, folder: Path, **more: str) -> None:
    """Run a script that installs packages, in the locked versions: a release that others publish
    meanwhile breaks no test. The folder takes the list of them."""
    text = (ROOT / "requirements-dev.lock").read_text()
    # A constraint names no extra.
    locked = re.findall(r"^\w\S*==.*?(?= \\$)", re.sub(r"\[\w+\]", "", text), re.MULTILINE)
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


def required(text: str) -> dict[str, Requirement]:
    """Every requirement that a list of them comes to with those of each in turn, by its name, in
    the releases that are installed here."""
    found: dict[str, Requirement] = {}
    waiting = [(line, ("",)) for line in re.findall(r"^\w.*", text, re.MULTILINE)]
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


def linked(environment: Path, requirements: str) -> None:
    """What a list of requirements comes to as links to the same releases here: pip takes a minute,
    and Python another for what nobody has compiled yet."""
    (site,) = environment.glob("lib/python*/site-packages")
    for name in required(requirements):
        own = distribution(name)
        for part in {file.parts[0] for file in own.files or ()} - {"..", "__pycache__"}:
            if not (site / part).exists():
                (site / part).symlink_to(str(own.locate_file(part)))


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the example's repository, with its texts."""
    copy = tmp_path / "repository"
    shutil.copytree(EXAMPLE, copy)
    for name in COLLECTION:
        shutil.copy(ROOT / "sample_runs" / name, copy / name)
    return copy


def git(repository: Path, *words: str) -> None:
    """Run git as somebody of no name, whatever this machine's own settings are."""
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=a", "-c", "user.email=a@a.test")
    subprocess.run(["git", *who, *words], cwd=repository, check=True, env=os.environ | own)


def commit_to_main(repository: Path, *, shallow: bool = True) -> None:
    """Make a checkout of a pull request: `origin` has what there is now on its branch main. A
    shallow one has not asked for that branch yet, as that of actions/checkout."""
    origin = repository.with_name("origin.git")
    git(repository, "init", "--quiet", "--initial-branch=main")
    commit = ("commit", "--quiet", "--allow-empty", "--message=accepted")
    for words in (commit, ("add", "."), commit):
        git(repository, *words)
    git(repository, "clone", "--quiet", "--bare", ".", str(origin))
    git(repository, "remote", "add", "origin", origin.as_uri())
    git(repository, "checkout", "--quiet", "-b", "change")
    if shallow:
        git(repository, "fetch", "--quiet", "--depth=1", "origin", "main")
        git(repository, "update-ref", "-d", "refs/remotes/origin/main")


@pytest.fixture
def runner(built: Built, example: Path, tmp_path: Path) -> Iterator[Runner]:
    """A runner that checked the example out, and Ranklens beside it."""
    temp = tmp_path / "temp"
    temp.mkdir()
    (temp / "ranklens").symlink_to(built.environment)
    (example / ".ranklens").symlink_to(built.sources)
    yield Runner(example, temp, plain_environment())
