"""What all tests share: reproducible hypothesis runs, a loud word on what was not run."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# "Every measure" and "every format" are ours, whatever else is installed here.
os.environ["RANKLENS_PLUGINS"] = "none"

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")


_NOT_RUN = {"browser": "there is no browser", "spark": ""}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly that the tests in a browser, or on Spark, were not run."""
    skipped = terminalreporter.stats.get("skipped", [])
    for folder, reason in _NOT_RUN.items():
        left_out = [report for report in skipped if f"tests/{folder}" in str(report.nodeid)]
        if left_out:
            why = reason or str(left_out[0].longrepr[2]).removeprefix("Skipped: ")
            terminalreporter.section("NOT RUN", sep="!", red=True, bold=True)
            terminalreporter.line(f"{len(left_out)} {folder} tests were not run: {why}.")
