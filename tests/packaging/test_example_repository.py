"""The workflow of somebody who uses Ranklens: red on a change that loses, else green."""

from __future__ import annotations

import json

import pytest

from tests.packaging import changes
from tests.packaging.conftest import EXAMPLE, commit_to_main
from tests.packaging.runner import Runner, loaded

WORKFLOW = loaded(EXAMPLE / ".github" / "workflows" / "retrieval.yml")


@pytest.mark.parametrize(
    ("change", "status"),
    [(changes.titles_only, 1), pytest.param(changes.accepted, 0, marks=pytest.mark.thorough)],
)
def test_a_pull_request(runner: Runner, change: changes.Change, status: int) -> None:
    commit_to_main(runner.workspace)
    change(runner.workspace)
    assert runner.job(WORKFLOW["jobs"]["gate"]) == status, runner.log
    [comment] = runner.comments
    assert ("❌ Worse" in comment["body"]) == bool(status)
    assert ("❌ Worse" in runner.summary.read_text()) == bool(status)
    assert "The baseline `baseline.json` is the same on `main`" in comment["body"]


def test_the_baseline_is_that_of_the_search_as_it_is(runner: Runner) -> None:
    """What the main branch makes of it is what is committed, but for the label."""
    runner.event_name, runner.event = "push", {"ref": "refs/heads/main"}
    assert runner.job(WORKFLOW["jobs"]["gate"]) == 0, runner.log
    made = json.loads((runner.workspace / "ranklens-report" / "baseline.json").read_text())
    kept = json.loads((runner.workspace / "baseline.json").read_text())
    assert made["scores"] == kept["scores"]
    assert not runner.comments
