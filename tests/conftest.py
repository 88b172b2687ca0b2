"""What all tests share: reproducible hypothesis runs, and a loud word where no browser is."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly that the browser tests were not run."""
    skipped = terminalreporter.stats.get("skipped", [])
    left_out = [report for report in skipped if "tests/browser" in str(report.nodeid)]
    if left_out:
        terminalreporter.section("NOT RUN", sep="!", red=True, bold=True)
        terminalreporter.line(f"{len(left_out)} browser tests were not run: there is no browser.")
