"""What is written from the declarations is up to date, and what ships is clean."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_generated_pages_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_sample_runs_can_be_built_again() -> None:
    command = [sys.executable, str(ROOT / "sample_runs" / "build.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_locked_dependencies_have_hashes_and_no_address() -> None:
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-spark.txt"):
        text = (ROOT / name).read_text()
        assert "://" not in text and "index-url" not in text and "find-links" not in text
        pinned = re.findall(r"^[\w.\-\[\]]+==.*", text, re.MULTILINE)
        assert pinned and text.count("--hash=sha256:") >= len(pinned)


def test_every_direct_dependency_has_its_reason() -> None:
    reasons = (ROOT / "docs" / "dependencies.md").read_text()
    for name in ("requirements.in", "requirements-dev.in", "requirements-spark.in"):
        for line in (ROOT / name).read_text().splitlines():
            if line and not line.startswith(("#", "-")):
                assert re.split(r"[=<>]", line)[0] in reasons, line


def test_links_in_the_readme_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text()):
        assert (ROOT / target).exists(), target
