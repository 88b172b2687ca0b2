"""The action: what it writes before it fails, who gets a comment, what it refuses."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging import changes
from tests.packaging.conftest import ROOT, commit_to_main, git
from tests.packaging.runner import Runner, action_steps, loaded, pull_request

ACTION = loaded(ROOT / "action.yml")
GATE = {
    "qrels": "qrels.txt",
    "baseline": "baseline.json",
    "runs": "search.run",
    "gates": "\n  nDCG@10 > -0.03\n\n  R@10 > -0.05\n",
    "queries": "queries.csv",
}


def outcome(
    runner: Runner, change: changes.Change | None = None, **given: str
) -> tuple[int, dict[str, str]]:
    """Status and outputs of the gate on a pull request with this change."""
    if change:
        change(runner.workspace)
    search = [sys.executable, "search.py"]
    with (runner.workspace / "search.run").open("w") as file:
        subprocess.run(search, cwd=runner.workspace, stdout=file, check=True)
    return runner.action(runner.workspace / ".ranklens", {**GATE, **given})


def test_a_change_that_is_not_worse_passes(runner: Runner) -> None:
    status, outputs = outcome(runner, changes.accepted, gates="nDCG@10 > -0.03")
    assert (status, outputs["status"], outputs["outcome"]) == (0, "0", "not worse")
    [comment] = runner.comments
    assert comment["body"] == (runner.workspace / outputs["comment"]).read_text()
    marker, _, told = comment["body"].partition("\n")
    assert (marker, told) == ("<!-- ranklens: ranklens -->", runner.summary.read_text())
    assert "✅ Not worse" in told


def test_a_loss_is_told_everywhere_before_it_fails(runner: Runner) -> None:
    """A second run writes its comment anew; one of another name has its own."""
    marker = "<!-- ranklens: ranklens -->"
    others = [
        {"id": 5, "body": "Nice!", "user": {"login": "anna"}},
        {"id": 6, "body": f"{marker}\nMine!", "user": {"login": "mallory"}},
    ]
    runner.temp.joinpath("comments.json").write_text(json.dumps(others))
    status, outputs = outcome(runner, changes.titles_only, snapshot="next.json")
    assert (status, outputs["status"], outputs["outcome"]) == (1, "1", "worse")
    assert not (runner.workspace / "next.json").exists()
    report = runner.workspace / "ranklens-report"
    assert json.loads((report / "gate.json").read_text())["status"] == 1
    assert "<failure" in (report / "gate.xml").read_text()
    assert "❌ Worse: nDCG@10" in runner.summary.read_text()
    assert "::error title=Worse" in runner.log
    [(used, kept)] = runner.used
    assert (used, kept["path"]) == ("actions/upload-artifact@v4", "ranklens-report")
    first = runner.comments
    assert first[:2] == others, "of whoever begins a comment as ours does"
    assert [c["body"].splitlines()[0] for c in first[2:]] == [marker]
    runner.token = "mute"
    (runner.workspace / "search.run").unlink()
    assert runner.action(runner.workspace / ".ranklens", GATE)[0] == 2
    assert [c["id"] for c in runner.comments] == [c["id"] for c in first]
    assert "could not be computed" in runner.comments[2]["body"] and runner.comments[:2] == others
    assert not (report / "gate.json").exists(), "what an earlier run found"


def test_a_pull_request_of_a_fork_is_told_by_the_summary_and_fails_as_it_should(
    runner: Runner,
) -> None:
    runner.event, runner.token = pull_request(head="stranger/search"), ""
    assert outcome(runner, changes.titles_only)[0] == 1
    assert "No comment: the pull request is from a fork" in runner.log
    assert not runner.comments
    assert "❌ Worse: nDCG@10" in runner.summary.read_text()


def accept_the_loss(repository: Path, runner: Runner) -> None:
    """A pull request that loses much and brings a baseline that accepts it."""
    changes.titles_only(repository)
    with (repository / "search.run").open("w") as file:
        search = [sys.executable, "search.py"]
        subprocess.run(search, cwd=repository, stdout=file, check=True)
    core = runner.temp / "ranklens" / "bin" / "metrics-core"
    words = ("snapshot", "qrels.txt", "search.run", "-o", "baseline.json", "-m", "nDCG@10,R@10")
    subprocess.run([core, *words], cwd=repository, env=runner.environment, check=True)


def digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


@pytest.mark.parametrize("shallow", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_a_baseline_that_the_pull_request_changes_is_told_and_not_used(
    runner: Runner, shallow: bool
) -> None:
    repository = runner.workspace
    commit_to_main(repository, shallow=shallow)
    before = digest_of(repository / "baseline.json")
    accept_the_loss(repository, runner)
    given = {**GATE, "baseline-from": "base"}
    status, outputs = runner.action(repository / ".ranklens", given)
    assert (status, outputs["outcome"]) == (1, "worse"), runner.log
    after = digest_of(repository / "baseline.json")
    told = f"from {before} on `main` to {after}. The gate uses that of `main`."
    said = "The baseline `baseline.json` changes in this pull request"
    for text in (runner.comments[0]["body"], runner.summary.read_text(), runner.log):
        assert f"⚠️ **{said}**, {told}" in text
    # By its own it passes, and the comment says so.
    status, outputs = runner.action(repository / ".ranklens", GATE)
    assert (status, outputs["outcome"]) == (0, "not worse")
    assert told.removesuffix("`main`.") + "this pull request." in runner.comments[0]["body"]


def test_a_baseline_that_stays_is_told(runner: Runner) -> None:
    commit_to_main(runner.workspace)
    given = {"gates": "nDCG@10 > -0.03", "baseline-from": "base"}
    assert outcome(runner, changes.accepted, **given)[0] == 0, runner.log
    digest = digest_of(runner.workspace / "baseline.json")
    told = f"The baseline `baseline.json` is the same on `main` ({digest})."
    assert told in runner.comments[0]["body"] and told in runner.summary.read_text()


def test_a_new_baseline_is_told_and_is_none_of_the_target_branch(runner: Runner) -> None:
    repository = runner.workspace
    kept = (repository / "baseline.json").read_bytes()
    (repository / "baseline.json").unlink()
    commit_to_main(repository)
    (repository / "baseline.json").write_bytes(kept)
    status, outputs = outcome(runner, **{"baseline-from": "base"})
    assert (status, outputs["outcome"]) == (2, "error")
    assert "The branch main has no baseline.json to compare with" in runner.comments[0]["body"]
    git(repository, "add", "baseline.json")
    assert outcome(runner)[0] == 0
    told = (
        f"`baseline.json` is new in this pull request** ({digest_of(repository / 'baseline.json')})"
    )
    assert told in runner.comments[0]["body"]


def test_without_a_target_branch_its_own_baseline_is_used(runner: Runner) -> None:
    """On the main branch, and where the checkout has no origin."""
    runner.event_name, runner.event = "push", {}
    assert outcome(runner, **{"baseline-from": "base"})[0] == 0, runner.log
    runner.event_name, runner.event = "pull_request", pull_request()
    assert outcome(runner)[0] == 0
    assert "this pull request" not in runner.comments[0]["body"]
    assert outcome(runner, **{"baseline-from": "base"})[0] == 2
    assert outcome(runner, **{"baseline-from": "main"})[0] == 2
    assert "baseline-from is base or head, not main." in runner.comments[0]["body"]


@pytest.mark.parametrize(("change", "status", "outcome_word", "told"), changes.RUNS)
def test_an_odd_run_is_told_in_the_comment(
    runner: Runner, change: changes.Change, status: int, outcome_word: str, told: str
) -> None:
    change(runner.workspace)
    ended, outputs = runner.action(runner.workspace / ".ranklens", GATE)
    assert (ended, outputs["outcome"]) == (status, outcome_word), runner.log
    assert told in runner.comments[0]["body"] and told in runner.summary.read_text()


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ({"event": {"pull_request": {"number": 7, "head": {"repo": None}}}}, "is from a fork"),
        ({"token": ""}, "there is no token"),
        ({"token": "read"}, "GitHub refused it"),
        ({"event_name": "push", "event": {}}, "this is not a pull request"),
    ],
)
def test_who_may_not_comment_is_told_why(
    runner: Runner, setting: dict[str, object], why: str
) -> None:
    for name, value in setting.items():
        setattr(runner, name, value)
    comment = runner.temp / "comment.md"
    comment.write_text("<!-- ranklens: ranklens -->\n## Worse\n")
    [step] = [step for step in ACTION["runs"]["steps"] if step["name"] == "Comment"]
    context = {
        "steps": {"gate": {"outputs": {"comment": str(comment)}}},
        "inputs": {"comment": "true", "token": runner.token},
    }
    status, _ = runner.step(step, context, {"GITHUB_ACTION_PATH": str(ROOT)})
    assert (status, runner.comments) == (0, [])
    assert re.search(f"^No comment: .*{why}.* The step summary has", runner.log, re.MULTILINE)


@pytest.mark.parametrize(
    ("given", "status", "told"),
    [
        ({"runs": "gone.run"}, 2, "gone.run"),
        ({"options": "--columns=" + "x" * 120_000}, 2, "xxx"),
        ({"baseline": ""}, 2, "A gate needs a baseline"),
        ({"gates": "", "floors": ""}, 2, "Nothing to do"),
        ({"if-unclear": "fail", "gates": "nDCG@10 > -0.0001"}, 3, "Cannot tell"),
    ],
)
def test_other_endings_are_told_in_the_comment(
    runner: Runner, given: dict[str, str], status: int, told: str
) -> None:
    ended, outputs = outcome(runner, changes.accepted, **given)
    assert (ended, outputs["status"]) == (status, str(status))
    assert outputs["outcome"] == ("error" if status == 2 else "cannot tell")
    assert told in runner.comments[0]["body"] and len(runner.comments[0]["body"]) < 65_536
    assert told in runner.summary.read_text()
    assert told in runner.log


def test_on_the_main_branch_it_writes_a_snapshot(runner: Runner) -> None:
    runner.event_name, runner.event = "push", {}
    given = {"snapshot": "next.json", "measures": "nDCG@10", "label": "a; touch b $(touch c)"}
    assert outcome(runner, gates="", **given) == (0, {"status": "0", "outcome": "", "comment": ""})
    kept = json.loads((runner.workspace / "next.json").read_text())
    assert (kept["label"], kept["measures"]) == (given["label"], ["nDCG@10"])
    assert not {"b", "c"} & {path.name for path in runner.workspace.iterdir()}


def test_what_a_file_says_is_no_command_to_the_runner(runner: Runner) -> None:
    """What is quoted of files stands where the runner looks for none."""
    (runner.workspace / "qrels.txt").write_text("::add-mask::all\n")
    assert outcome(runner)[0] == 2
    before, _, after = runner.log.partition("::add-mask::all")
    stop = re.findall(r"^::stop-commands::(\S+)$", before, re.MULTILINE)[-1]
    assert after and f"::{stop}::" not in before and f"\n::{stop}::\n" in after


def test_it_installs_itself_where_no_package_is_named(tmp_path: Path) -> None:
    python = tmp_path / "python3"
    python.write_text('#!/bin/bash\nprintf "%s\\n" "$@" >> "$RUNNER_TEMP/asked"\n')
    python.chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_ACTION_PATH": "/the action",
        "PACKAGE": "",
        "PLUGINS": "",
    }
    install = action_steps(ROOT / "action.yml")[0]["run"]
    subprocess.run(["bash", "-ec", install], env=environment, check=True)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[-1] == "/the action" and str(tmp_path / "ranklens") in asked


def test_what_users_give_reaches_the_shell_as_variables_only() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), step["name"]
        assert ("run" in step) == ("shell" in step), step["name"]


def test_every_input_is_used_and_none_is_made_up() -> None:
    text = (ROOT / "action.yml").read_text()
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(ACTION["inputs"])
    for step, script in (("Compare", "gate.sh"), ("Comment", "comment.sh")):
        [own] = [s for s in ACTION["runs"]["steps"] if s["name"] == step]
        body = (ROOT / ".github" / "action" / script).read_text()
        assert script in own["run"]
        assert not [name for name in own["env"] if not re.search(rf"\b{name}\b", body)]
