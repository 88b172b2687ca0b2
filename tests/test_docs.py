"""What is written from the declarations is up to date, and what ships is clean."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from metrics_core import __version__
from tests.code_blocks import (
    PAGES,
    PIPELINES,
    ROOT,
    Block,
    UnknownBlockError,
    anchor_of,
    blocks_of,
    missing_in,
    prepare,
    run_block,
)
from tests.packages import install_example, with_packages

BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def compiles(block: Block) -> bool:
    """Whether it takes ten seconds in a process of its own."""
    return "from ranx import" in block.text


def test_the_generated_pages_are_up_to_date(tmp_path: Path) -> None:
    """Also where a package is installed that adds to what there is."""
    install_example(tmp_path)
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=with_packages(tmp_path)
    )
    assert done.returncode == 0, done.stderr


def test_the_tutorial_runs_from_top_to_bottom() -> None:
    """In a real kernel; what it says is what is saved, which is small."""
    pytest.importorskip("nbclient")
    command = [sys.executable, str(ROOT / "docs" / "tutorial.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (ROOT / "docs" / "tutorial.ipynb").stat().st_size < 300_000


@pytest.mark.thorough
def test_the_sample_runs_can_be_built_again() -> None:
    pytest.importorskip("sklearn")
    command = [sys.executable, str(ROOT / "sample_runs" / "build.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_locked_dependencies_have_hashes_and_no_address() -> None:
    for name in ("requirements.lock", "requirements-dev.lock", "requirements-spark.lock"):
        text = (ROOT / name).read_text()
        assert "://" not in text and "index-url" not in text and "find-links" not in text
        pinned = re.findall(r"^[\w.\-\[\]]+==.*", text, re.MULTILINE)
        assert pinned and text.count("--hash=sha256:") >= len(pinned)


def test_the_newest_changes_are_those_of_this_version() -> None:
    """Each version says what its users see, and what is inside."""
    said = (ROOT / "CHANGELOG.md").read_text()
    heads = re.findall(r"^## (\S+?)(?:,.*)?$", said, re.MULTILINE)
    assert heads[0] == __version__
    assert len(set(heads)) == len(heads)
    for own in re.split(r"^## .*$", said, flags=re.MULTILINE)[1:]:
        assert re.findall(r"^### (.*)$", own, re.MULTILINE) == ["What you see", "Inside"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {__version__}\n" in citation
    [state] = re.findall(rf"^## {re.escape(__version__)}, (.*)$", said, re.MULTILINE)
    dates = re.findall(r'^date-released: "(.*)"$', citation, re.MULTILINE)
    assert dates == [] if state == "unreleased" else dates == [state]


def test_files_that_the_docs_name_are_there() -> None:
    folders = ("metrics_core", "dashboard", "tests", "benchmarks", "docs")
    own = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    there = {"/" + path.relative_to(ROOT).as_posix() for path in own}
    named = {
        (page.name, name)
        for page in (ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
        for name in re.findall(r"`([\w/]+/\w+\.(?:py|js|css|j2))`", page.read_text())
    }
    gone = {one for one in named if not any(path.endswith(f"/{one[1]}") for path in there)}
    assert named and gone == set()


def _needed() -> list[str]:
    """What the core and the dashboard need, of which `make lock` makes requirements.lock."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["app"]]


def test_what_is_needed_is_locked() -> None:
    assert "$(RESOLVE) pyproject.toml --extra app -o" in (ROOT / "Makefile").read_text()
    locked = re.findall(r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert {re.split(r"[=<>]", line)[0] for line in _needed()} <= set(locked)


def _direct(name: str) -> list[str]:
    """The packages with bounds that a list for people names."""
    return re.findall(r"^[^#\s].*$", (ROOT / name).read_text(), re.MULTILINE)


def test_pip_gets_the_bounds_of_the_project_and_what_the_tests_need() -> None:
    direct = _direct("requirements.txt")
    assert set(_needed()) <= set(direct)
    tests = [re.split(r"[=<>]", line)[0] for line in direct if line not in _needed()]
    assert tests == ["hypothesis", "pytest"]
    assert all(re.search(r"[=<>]", line) for line in direct)


def test_every_direct_dependency_has_its_reason() -> None:
    reasons = (ROOT / "docs" / "dependencies.md").read_text()
    for name in ("requirements.txt", "requirements-dev.in", "requirements-spark.in"):
        for line in _direct(name):
            assert re.split(r"[=<>]", line)[0] in reasons, line


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that blocks name."""
    made = tmp_path_factory.mktemp("blocks")
    prepare(made)
    return made


@pytest.fixture(autouse=True)
def _no_provider() -> Iterator[None]:
    """What a block changes in ir_measures is changed back."""
    yield
    provider = sys.modules.get("metrics_core.compatible.ir_measures_provider")
    if provider is not None:
        provider.uninstall()


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(block, id=str(block), marks=pytest.mark.thorough if compiles(block) else ())
        for block in BLOCKS
        if block.language not in PIPELINES
    ],
)
def test_every_block_runs(block: Block, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in missing_in(block):
        pytest.skip(f"could not import {name!r}")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (folder / "mlruns").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    if compiles(block):
        # It compiles itself while it is imported, which other tests of this process switch off.
        beside = os.environ | {"PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-c", block.text], env=beside, check=True)
        return
    run_block(block)


def test_every_fence_is_a_block() -> None:
    assert {block.page.name for block in BLOCKS} >= {"README.md", "scale.md", "ir_measures.md"}
    for page in PAGES:
        fences = re.findall(r"^\s*(?:```|~~~)", page.read_text(), re.MULTILINE)
        assert len(fences) == 2 * sum(block.page == page for block in BLOCKS), page


@pytest.mark.parametrize(
    ("language", "text"),
    [("", "a\n"), ("ruby", "puts 1\n"), ("sh", "curl example\n"), ("sh", "make run\nls\n")],
)
def test_a_block_that_nobody_can_run_is_no_block_that_runs(language: str, text: str) -> None:
    with pytest.raises(UnknownBlockError):
        run_block(Block(ROOT / "README.md", 1, language, text, ""))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "from metrics_core import ir_measures_provider\n"),
        ("python", "1 + 1  # 3\n"),
        ("python", "from metrics_core import evaluate\nevaluate(spark, a='b')\n"),
        ("python", "from metrics_core.scoring.spark import gone\ngone(spark)\n"),
        ("sh", "metrics-core evaluate qrels.txt bm25.run --what\n"),
        ("sh", "metrics-core evaluate --spark yarn qrels.txt bm25.run --what\n"),
        ("sh", "metrics-core evaluate qrels.txt gone.run\n"),
        ("sh", "make gone\n"),
        ("sh", "make run GONE=1\n"),
        ("sh", "pip install '.[gone]'\n"),
        ("math", "1 + 1\n"),
    ],
)
def test_a_block_that_fails_is_seen(
    language: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises((AssertionError, ImportError, AttributeError, TypeError, SystemExit)):
        run_block(Block(ROOT / "README.md", 1, language, text, ""))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda p: p.name)
def test_modules_and_what_is_in_them_are_there(page: Path) -> None:
    named = r"`(?:python -m )?((?:metrics_core|dashboard|benchmarks|tests)(?:\.\w+)+)"
    for dotted in set(re.findall(named, page.read_text())):
        _find(dotted)


def _find(dotted: str) -> object:
    """The module of this name, or what of that name is in one."""
    try:
        return importlib.import_module(dotted)
    except ModuleNotFoundError as error:
        if not dotted.startswith(str(error.name)):
            pytest.skip(f"could not import {error.name!r}")
        module, _, name = dotted.rpartition(".")
        return getattr(_find(module), name)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", page.read_text()):
        linked = page.parent / target if target else page
        assert linked.exists(), target
        if anchor:
            heads = re.findall(r"^#+ (.+)$", linked.read_text(), re.MULTILINE)
            assert anchor in map(anchor_of, heads), f"{target}#{anchor}"


def test_all_that_is_kept_is_listed() -> None:
    page = (ROOT / "docs" / "caches.md").read_text()
    keeping = [
        path.relative_to(ROOT).as_posix()
        for package in ("metrics_core", "dashboard")
        for path in (ROOT / package).rglob("*.py")
        if re.search(r"\bMemo\(|@st\.cache", path.read_text())
    ]
    assert not [path for path in keeping if "/".join(path.split("/")[-2:]) not in page]
