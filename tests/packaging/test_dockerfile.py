"""The Dockerfile, as far as one can tell without building it."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatch

from dashboard import start
from dashboard.environment import WORKSPACE_VARIABLE
from tests.packages import ROOT
from tests.packaging.release import MODULES, PACKAGES

STEPS = re.findall(r"^([A-Z]+) (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def of(name: str) -> list[str]:
    return [words for step, words in STEPS if step == name]


def test_it_has_two_stages_and_ends_as_an_account_without_rights() -> None:
    assert len(of("FROM")) == 2
    last = STEPS[[step for step, _ in STEPS].index("FROM", 1) :]
    [user] = [words for step, words in last if step == "USER"]
    assert re.search(rf"\buseradd\b.*\b{user}\b", "\n".join(of("RUN")))
    after = [step for step, _ in last[last.index(("USER", user)) :]]
    assert {"ENTRYPOINT", "CMD", "VOLUME"} <= set(after) and not {"RUN", "COPY"} & set(after)


def test_the_workspace_is_the_volume() -> None:
    [volume] = of("VOLUME")
    assert f"{WORKSPACE_VARIABLE}={volume}" in " ".join(of("ENV"))
    assert re.search(rf"install -d -o \w+ -m 700 {volume}$", "\n".join(of("RUN")), re.MULTILINE)


def test_it_starts_the_command_with_options_that_there_are() -> None:
    assert [json.loads(words) for words in of("ENTRYPOINT")] == [["ranklens"]]
    [words] = of("CMD")
    options = start._make_parser().parse_args(json.loads(words))
    assert (str(options.host), options.port) == ("0.0.0.0", int(of("EXPOSE")[0]))
    assert not options.no_token


def test_all_that_the_wheel_is_built_from_is_sent() -> None:
    ignored = re.findall(r"^[^#\s].*$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    needed = {*PACKAGES, *MODULES, "LICENSE", "README.md", "pyproject.toml", "setup.py"}
    needed |= {"MANIFEST.in", "requirements.lock"}
    assert not [name for name in needed if any(fnmatch(name, one) for one in ignored)]
    assert any(fnmatch(".git", one) for one in ignored)
