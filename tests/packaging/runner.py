"""GitHub's runner, as far as our action and the workflows of the documentation need one: steps in
their order in a plain bash, `if`, `uses` of an action beside it, expressions that are a name or
compare one with a text. Another action of GitHub is only noted; any other is an error."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

Step = Mapping[str, Any]
GITHUBS_OWN = ("actions/checkout@v4", "actions/setup-python@v5", "actions/upload-artifact@v4")
FAKE_GH = Path(__file__).with_name("fake_gh.py")
REPOSITORY = "shop/search"

_EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")


def action_steps(path: Path) -> Sequence[Step]:
    """The steps of a composite action."""
    return loaded(path)["runs"]["steps"]  # type: ignore[no-any-return]


def loaded(path: Path | str) -> dict[Any, Any]:
    """A YAML file, or text."""
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(path if isinstance(path, str) else path.read_text())  # type: ignore[no-any-return]


def pull_request(number: int = 7, head: str = REPOSITORY) -> dict[str, Any]:
    """The event of a pull request to `main` whose branch is in the repository `head`."""
    branches = {"head": {"repo": {"full_name": head}}, "base": {"ref": "main"}}
    return {"pull_request": {"number": number, **branches}}


@dataclass
class Runner:
    """A runner at the `workspace`; `temp` is for it alone. A `run` adds to the `log` and to `used`,
    the actions of GitHub with what they were given."""

    workspace: Path
    temp: Path
    environment: Mapping[str, str]
    event_name: str = "pull_request"
    event: Mapping[str, Any] = field(default_factory=pull_request)
    token: str = "t"
    log: str = ""
    used: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)

    def job(self, job: Mapping[str, Any], matrix: Mapping[str, str] | None = None) -> int:
        """Run a job of a workflow; its status is that of the first step that failed."""
        return self._run(job["steps"], {"matrix": matrix or {}})[0]

    def action(self, folder: Path, given: Mapping[str, str]) -> tuple[int, dict[str, str]]:
        """Run the action of a folder; returns its status and outputs."""
        action = loaded(folder / "action.yml")
        assert given.keys() <= action["inputs"].keys(), given
        missing = [name for name, own in action["inputs"].items() if own.get("required")]
        assert set(missing) <= given.keys(), missing
        inputs = {
            name: given.get(name, self._filled(own.get("default", ""), {}))
            for name, own in action["inputs"].items()
        }
        status, steps = self._run(
            action["runs"]["steps"], {"inputs": inputs}, {"GITHUB_ACTION_PATH": str(folder)}
        )
        outputs = action["outputs"].items()
        return status, {name: self._filled(own["value"], steps) for name, own in outputs}

    @cached_property
    def summary(self) -> Path:
        """What the steps wrote as their summary."""
        (self.temp / "summary.md").touch()
        return self.temp / "summary.md"

    @property
    def comments(self) -> list[dict[str, Any]]:
        """The comments of the pull request."""
        kept = self.temp / "comments.json"
        return json.loads(kept.read_text()) if kept.exists() else []  # type: ignore[no-any-return]

    def _run(
        self, steps: Sequence[Step], context: dict[str, Any], more: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, Any]]:
        context["steps"] = outputs = {}
        status = 0
        for step in steps:
            wanted = str(step.get("if", "success()"))
            if (status and "always()" not in wanted) or not self._true(wanted, context):
                continue
            ended, told = self.step(step, context, more or {})
            if "id" in step:
                outputs[step["id"]] = {"outputs": told}
            if not step.get("continue-on-error"):
                status = status or ended
        return status, context

    def step(
        self, step: Step, context: Mapping[str, Any], more: Mapping[str, str]
    ) -> tuple[int, dict[str, str]]:
        """Run a step, beside what earlier ones left in the `context`, with `more` variables."""
        given = {k: self._filled(v, context) for k, v in step.get("with", {}).items()}
        if "run" in step:
            own = {k: self._filled(v, context) for k, v in step.get("env", {}).items()}
            return self._bash(self._filled(step["run"], context), {**more, **own})
        if step["uses"].startswith("./"):
            return self.action(self.workspace / step["uses"], given)
        assert step["uses"] in GITHUBS_OWN, step["uses"]
        self.used.append((step["uses"], given))
        return 0, {}

    def _bash(self, script: str, own: Mapping[str, str]) -> tuple[int, dict[str, str]]:
        """Run a step in the shell; returns its status and outputs."""
        output = self.temp / "output.txt"
        output.write_text("")
        (self.temp / "event.json").write_text(json.dumps(self.event))
        programs = self.temp / "programs"
        programs.mkdir(exist_ok=True)
        (programs / "gh").unlink(missing_ok=True)
        (programs / "gh").symlink_to(FAKE_GH)
        given = {
            **self.environment,
            "PATH": os.pathsep.join([str(programs), self.environment["PATH"]]),
            "HOME": str(self.temp),
            "COMMENTS": str(self.temp / "comments.json"),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_BASE_REF": self.event.get("pull_request", {}).get("base", {}).get("ref", ""),
            "GITHUB_EVENT_NAME": self.event_name,
            "GITHUB_EVENT_PATH": str(self.temp / "event.json"),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_WORKSPACE": str(self.workspace),
            **own,
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.workspace,
            env=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.log += done.stdout
        return done.returncode, dict(line.split("=", 1) for line in output.read_text().splitlines())

    # Expressions

    def _filled(self, text: Any, context: Mapping[str, Any]) -> str:
        if isinstance(text, bool):
            return str(text).lower()
        return _EXPRESSION.sub(lambda found: self._value(found[1], context), str(text))

    def _true(self, text: str, context: Mapping[str, Any]) -> bool:
        bare = _EXPRESSION.sub(r"\1", text)
        return all(self._value(part, context) not in ("", "false") for part in bare.split("&&"))

    def _value(self, text: str, context: Mapping[str, Any]) -> str:
        for sign, same in (("==", True), ("!=", False)):
            left, found, right = text.partition(sign)
            if found:
                equal = self._value(left, context) == self._value(right, context)
                return str(equal is same).lower()
        text = text.strip()
        if text in ("always()", "success()"):
            return "true"
        if text.startswith("'"):
            return text.strip("'")
        assert re.fullmatch(r"[\w-]+(\.[\w-]+)+", text), f"an expression that is not known: {text}"
        found_at: Any = {**context, "github": self._github}
        for name in text.split("."):
            found_at = (found_at or {}).get(name, "")
        return str(found_at)

    @property
    def _github(self) -> dict[str, Any]:
        return {
            "event": self.event,
            "event_name": self.event_name,
            "repository": REPOSITORY,
            "sha": "0123abc",
            "token": self.token,
        }
