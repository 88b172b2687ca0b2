"""Ranklens in pytest: the fixture `ranklens`, whose assertion is a gate.

    def test_search(ranklens):
        ranklens.assert_not_worse("new.run", "baseline.json", "qrels.txt", "nDCG@10", margin=0.01)

Every pytest loads this module if Ranklens is installed, so nothing else is imported until it is
used.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from metrics_core.findings.gate_report import GateReport


class UnclearGate(UserWarning):
    """A gate cannot tell whether a run is worse, which is set to pass."""


class UnansweredQueries(UserWarning):
    """A run has no results for some judged queries."""


class Ranklens:
    """Assertions of the fixture `ranklens`."""

    def assert_not_worse(
        self,
        run: Any,
        baseline: Any,
        qrels: Any,
        measure: str,
        *,
        margin: float,
        queries: Any = None,
        if_unclear: Literal["pass", "fail"] = "pass",
        allow_changed: bool = False,
    ) -> GateReport:
        """Fail if the run is worse than its baseline by more than the margin.

        `run`, `baseline` and `qrels` are as in `metrics_core.gate`: paths, a snapshot as the
        baseline, or tables in Python; so are the other arguments. `measure` may be restricted to
        some queries, whose column is in `queries`: "nDCG@10[category=Billing]". If the gate cannot
        tell, warns with UnclearGate, or fails with `if_unclear="fail"`; otherwise warns with
        UnansweredQueries of queries without results. The message of a failure is the command's
        table, or the error in the input. Returns the report.
        """
        __tracebackhide__ = True
        from metrics_core import RanklensError, gate
        from metrics_core.commands.gate.terminal import format_terminal_report
        from metrics_core.comparing.gate_conditions import Gate
        from metrics_core.comparing.verdicts import CANNOT_TELL

        try:
            report = gate(
                run,
                baseline,
                qrels,
                Gate.from_margin(measure, margin),
                queries=queries,
                if_unclear=if_unclear,
                allow_changed=allow_changed,
            )
        except RanklensError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        if report.status:
            pytest.fail(format_terminal_report(report), pytrace=False)
        if CANNOT_TELL in report.words:
            warnings.warn(UnclearGate(str(report)), stacklevel=2)
        elif report.unanswered:
            told = " ".join(one.sentence for one in report.unanswered)
            warnings.warn(UnansweredQueries(told), stacklevel=2)
        return report


@pytest.fixture(scope="session")
def ranklens() -> Ranklens:
    """Assertions on runs: `ranklens.assert_not_worse(run, baseline, qrels, "nDCG@10",
    margin=0.01)`."""
    return Ranklens()
