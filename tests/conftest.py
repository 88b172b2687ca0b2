"""What all tests share: reproducible hypothesis runs, and clear words on what was skipped."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Generator
from typing import TypeVar

import pytest
from hypothesis import settings

from metrics_core.base.compiled.machine import compiled_functions, find_object_file
from metrics_core.base.compiled.signatures import SIGNATURES
from tests.packages import OPTIONAL

# "Every measure" and "every format" are ours, whatever else is installed here.
os.environ["RANKLENS_PLUGINS"] = "none"

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")

_FOLDERS = ("browser", "spark")
_BROUGHT = re.compile(
    rf"could not import '(?!(?:{'|'.join(OPTIONAL)})\b)|no (browser|package index)"
)
"""The reasons of a skip for something that `make test` brings."""

Report = TypeVar("Report", pytest.CollectReport, pytest.TestReport)


def _reason(report: pytest.CollectReport | pytest.TestReport) -> str:
    """The reason of a skipped report."""
    return str(report.longrepr[2]).removeprefix("Skipped: ")  # type: ignore[index]


def _failed_in_ci(report: Report) -> Report:
    """The report, failed if it was skipped for something that CI has."""
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = _reason(report)
        if _BROUGHT.match(reason):
            report.outcome = "failed"
            report.longrepr = f"Skipped, though CI is set: {reason}"
    return report


def pytest_sessionstart() -> None:
    """Compile what `make` compiles: a test would find the announcement in its output."""
    for part in SIGNATURES:
        if find_object_file(part) is None:
            compiled_functions(part)


def pytest_collection_finish() -> None:
    """Leave what the tests were collected as out of every later look for garbage: a tenth of the
    time of those that open pages."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _failed_in_ci((yield))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _failed_in_ci((yield))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say clearly which kinds of tests were not run, as something is missing."""
    skipped = terminalreporter.stats.get("skipped", [])
    for folder in _FOLDERS:
        left_out = [report for report in skipped if f"tests/{folder}" in str(report.nodeid)]
        if left_out:
            terminalreporter.section("NOT RUN", sep="!", red=True, bold=True)
            reasons = "; ".join(sorted({_reason(report) for report in left_out}))
            terminalreporter.line(f"Tests of tests/{folder} were not run: {reasons}.")
