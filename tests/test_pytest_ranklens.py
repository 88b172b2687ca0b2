"""The fixture in somebody else's tests: what passes, what fails and how it is told."""

from __future__ import annotations

import subprocess
import sys

import pytest

import metrics_core.python_gate  # noqa: F401 - loaded before, for the tests inside to find it
from tests.code_blocks import ROOT

pytest_plugins = ["pytester"]

TESTS = """
QRELS = {f"q{i:02}": {"a": 2, "b": 1} for i in range(30)}
GOOD = {query: ["a", "b", "c"] for query in QRELS}
BAD = {query: ["c", "b", "a"] if i % 5 else ["b", "a"] for i, query in enumerate(QRELS)}
FEW = {query: BAD[query] if query < "q04" else GOOD[query] for query in QRELS}
KINDS = {query: {"kind": "long" if i % 2 else "short"} for i, query in enumerate(QRELS)}

def test_same(ranklens):
    report = ranklens.assert_not_worse(GOOD, GOOD, QRELS, "nDCG@10", margin=0.01)
    assert report.outcomes[0].is_unchanged

def test_worse(ranklens):
    ranklens.assert_not_worse(BAD, GOOD, QRELS, "nDCG@10", margin=0.01)

def test_of_some(ranklens):
    asked = "nDCG@10[kind=long]"
    ranklens.assert_not_worse(BAD, GOOD, QRELS, asked, margin=0.01, queries=KINDS)

def test_unclear(ranklens):
    ranklens.assert_not_worse(FEW, GOOD, QRELS, "nDCG@10", margin=0.01)

def test_unclear_fails(ranklens):
    ranklens.assert_not_worse(FEW, GOOD, QRELS, "nDCG@10", margin=0.01, if_unclear="fail")

def test_few_have_results(ranklens):
    some = {query: ranking for query, ranking in GOOD.items() if query > "q02"}
    ranklens.assert_not_worse(some, some, QRELS, "nDCG@10", margin=0.01)

def test_no_measure(ranklens):
    ranklens.assert_not_worse(FEW, GOOD, QRELS, "nDGC@10", margin=0.01)
"""


def test_what_passes_fails_and_warns(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_inprocess("-p", "pytest_ranklens")
    result.assert_outcomes(passed=3, failed=4, warnings=2)
    result.stdout.fnmatch_lines(
        [
            "*run against run (baseline), 30 queries: 1 gate failed.",
            "*Worse: nDCG@10 falls by *",
            "result *measure *difference*",
            "*Five worst of 30 lost queries (nDCG@10):",
            "q01 *ranked too low",
            "*_ test_of_some _*",
            "*Worse: nDCG@10 on long falls by *",
            "*_ test_unclear_fails _*",
            "*Cannot tell: nDCG@10 *",
            "*inconclusive checks applies: fail*",
            "There is no measure 'nDGC'.",
            "Did you mean nDCG *",
            "*UnclearGate: *",
            "*The 4 changed queries (nDCG@10): q0*",
            "*UnansweredQueries: *run has no results for 3 of 30 judged queries: q00, q01, q02.",
        ]
    )
    assert "pytest_ranklens.py" not in result.stdout.str()


def test_with_xdist(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xdist")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(TESTS)
    asked = ("-p", "pytest_ranklens", "-n", "1", "-k", "same or worse")
    result = pytester.runpytest_subprocess(*asked)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*Worse: nDCG@10 falls by *"])


def test_loading_it_loads_nothing_else() -> None:
    """Every pytest of an environment loads it, whether it asks for Ranklens or not."""
    code = (
        "import pytest, sys; before = set(sys.modules); import pytest_ranklens;"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["pytest_ranklens"], done.stderr
