"""The pipelines of docs/ci.md: each is run on the example's repository; and our own."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.code_blocks import PAGES, PIPELINES, blocks_of
from tests.packaging import changes
from tests.packaging.conftest import EXAMPLE, ROOT, Built, commit_to_main, git, plain_environment
from tests.packaging.runner import GITHUBS_OWN, loaded
from tests.packaging.test_distributions import PROJECT

BLOCKS = [b for page in PAGES for b in blocks_of(page) if b.language in PIPELINES]
GITHUB, GITLAB, SHELL, BOTH, PRE_COMMIT = (block.text for block in BLOCKS)
"""All that there are: one more is refused here, and gets its test."""


def ran(script: str, repository: Path, built: Built) -> int:
    """The status of a script, for which Ranklens is what was built."""
    script = script.replace("pip install ../ranklens", "pip install ranklens")
    given = plain_environment()
    given["PATH"] = os.pathsep.join([str(built.environment / "bin"), given["PATH"]])
    given |= {"PIP_PYTHON": str(built.environment / "bin" / "python"), "PIP_NO_INDEX": "1"}
    given |= {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "BASE": "main"}
    return subprocess.run(["bash", "-c", script], cwd=repository, env=given).returncode


def test_the_workflow_for_github_is_that_of_the_example() -> None:
    """Which `test_example_repository` runs."""
    assert (EXAMPLE / ".github" / "workflows" / "retrieval.yml").read_text() == GITHUB


def test_gitlab(built: Built, example: Path) -> None:
    job = loaded(GITLAB)["retrieval"]
    commit_to_main(example)
    changes.titles_only(example)
    (example / "baseline.json").write_text("{}")
    script = "set -e\n" + "\n".join(job["script"])
    assert ran(f"{{ {script}\n}} > told.txt", example, built) == 1
    assert "This merge request changes the baseline." in (example / "told.txt").read_text()
    assert (job["variables"]["PIP_CACHE_DIR"]).endswith(job["cache"]["paths"][0])
    kept = [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]
    assert all((example / name).stat().st_size for name in kept)
    assert ElementTree.parse(example / "gate.xml").find(".//failure") is not None


@pytest.mark.parametrize(
    ("change", "status"),
    [(changes.titles_only, 1), pytest.param(changes.accepted, 0, marks=pytest.mark.thorough)],
)
def test_a_plain_shell(built: Built, example: Path, change: changes.Change, status: int) -> None:
    change(example)
    assert ran(SHELL, example, built) == status
    assert ("❌ Worse" in (example / "comment.md").read_text()) == bool(status)


def test_both_runs_in_one_pipeline(built: Built, example: Path) -> None:
    """By the branch's own search; the baseline's file plays no part."""
    (example / "baseline.json").unlink()
    commit_to_main(example)
    assert ran(BOTH, example, built) == 0
    base = (example / "base.run").read_bytes()
    assert base == (example / "search.run").read_bytes()
    git(example, "worktree", "remove", "--force", "../base")
    changes.titles_only(example)
    assert ran(BOTH, example, built) == 1
    assert base == (example / "base.run").read_bytes() != (example / "search.run").read_bytes()


def test_pytest_has_the_fixture_where_the_core_is_installed(built: Built, tmp_path: Path) -> None:
    [asked] = [b.text for p in PAGES for b in blocks_of(p) if "(ranklens)" in b.text]
    for name in ("qrels.txt", "dense.run", "hybrid.run"):
        (tmp_path / name).symlink_to(ROOT / "sample_runs" / name)
    worse = asked.replace("is_not_worse(", "gets_worse(", 1).replace(
        '"nDCG@10", margin=0.03', '"AP", margin=0.02'
    )
    (tmp_path / "test_search.py").write_text(asked + worse)
    assert ran("python -m pytest -q > told.txt", tmp_path, built) == 1
    told = (tmp_path / "told.txt").read_text()
    assert "1 failed, 1 passed" in told and "Worse: AP falls by 0.023" in told


def test_the_hook_of_pre_commit(built: Built, example: Path) -> None:
    """Its command, with the arguments of the documentation, where pre-commit would install it."""
    hooks = {hook["id"]: hook for hook in loaded(ROOT / ".pre-commit-hooks.yaml")}
    [asked] = loaded(PRE_COMMIT)["repos"][0]["hooks"]
    hook = hooks[asked["id"]]
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
    # By whatever name the run is committed.
    assert hook["always_run"] and not {"files", "types", "exclude"} & hook.keys()
    changes.titles_only(example)
    command = f"{hook['entry']} {shlex.join(asked['args'])}"
    assert ran(f"python search.py > search.run && {command}", example, built) == 1


@pytest.mark.parametrize(("change", "status", "_", "told"), changes.RUNS)
def test_an_odd_run_fails_everywhere(
    built: Built, example: Path, change: changes.Change, status: int, _: str, told: str
) -> None:
    """Of GitLab's pipeline, the hook and pytest; `test_action` has the action."""
    change(example)
    commit_to_main(example)
    job = loaded(GITLAB)["retrieval"]
    steps = [step for step in job["script"] if "search.py" not in step]
    gitlab = "set -e\n" + "\n".join(steps)
    [hook] = loaded(PRE_COMMIT)["repos"][0]["hooks"]
    before_commit = f"metrics-core compare {shlex.join(hook['args'])}"
    test = (
        'def test_search(ranklens):\n    ranklens.assert_not_worse("search.run", "baseline.json", '
    )
    (example / "test_search.py").write_text(f'{test}"qrels.txt", "nDCG@10", margin=0.03)\n')
    for script, own in (
        (gitlab, status), (before_commit, status), ("python -m pytest -q test_search.py", 1)
    ):  # fmt: skip
        assert ran(f"{{ {script}\n}} > told.txt 2>&1", example, built) == own, script
        assert told in (example / "told.txt").read_text().replace("\nE   ", ""), script


# Our own


def test_before_a_commit_stands_what_ci_checks_besides_the_tests() -> None:
    [local] = loaded(ROOT / ".pre-commit-config.yaml")["repos"]
    rule = (ROOT / "Makefile").read_text().partition("\ntest:")[2].partition("\n\n")[0]
    checks = re.findall(r"^\t(\$\(BIN\)/(?:ruff|mypy)\b.*?)(?: & .*)?$", rule, re.MULTILINE)
    assert local["repo"] == "local"
    assert [hook["entry"].replace(".venv/bin", "$(BIN)") for hook in local["hooks"]] == checks
    assert not any(hook["pass_filenames"] for hook in local["hooks"])


def test_our_workflow_runs_the_commands_of_the_readme_with_every_python() -> None:
    jobs = loaded(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    job, lowest = jobs["tests"], jobs["lowest"]
    pythons = job["strategy"]["matrix"]["python"]
    named = [c.rpartition(" :: ")[2] for c in PROJECT["classifiers"] if "Python :: 3." in c]
    assert pythons == named
    assert PROJECT["requires-python"] == f">={pythons[0]}"
    assert [step["run"] for step in job["steps"] if "run" in step] == ["make test"]
    assert "\nmake test " in (ROOT / "README.md").read_text()
    assert lowest["steps"][1]["with"]["python-version"] == pythons[0]
    assert [step["run"] for step in lowest["steps"] if "run" in step] == ["make lowest"]


@pytest.mark.parametrize(
    "path",
    [*ROOT.glob(".github/workflows/*.yml"), *EXAMPLE.glob(".github/workflows/*.yml")],
    ids=lambda path: path.name,
)
def test_workflows_use_github_s_own_actions_and_ours_alone(path: Path) -> None:
    steps: list[dict[str, Any]] = [s for j in loaded(path)["jobs"].values() for s in j["steps"]]
    assert {s["uses"] for s in steps if "uses" in s} <= {*GITHUBS_OWN, "./.ranklens"}
    assert not [s for s in steps if "${{" in s.get("run", "")]
