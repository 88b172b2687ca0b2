"""No difference that matters is a result: the words for what could make one of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from metrics_core.comparing.agreement import Agreement
from metrics_core.comparing.crossings import Crossings
from metrics_core.findings import file_risks, verdict_risks
from metrics_core.findings import margin_risks as ways
from metrics_core.findings.robustness import (
    ComparedPair,
    RobustnessCheck,
    build_robustness,
    robustness_finding,
)
from metrics_core.scoring.intervals import Interval
from metrics_core.unjudged.bounds import DifferenceBounds
from metrics_core.unjudged.expected_difference import EstimatedDifference

SMALL = ComparedPair("new", "old", "nDCG@10", "no difference that matters", 1)
ENTRIES = [
    RobustnessCheck(
        "unjudged", "Unjudged documents", "could make it matter", "not firm", "Why.", "-"
    ),
    RobustnessCheck("ties", "Equal scores", "cannot make it matter", "firm", "Why.", "-"),
]


@pytest.mark.parametrize("side", [1, 0])
def test_it_is_a_result_whose_ways_keep_their_tones(side: int) -> None:
    pair = ComparedPair(SMALL.run, SMALL.baseline, SMALL.measure, SMALL.verdict, side)
    found = build_robustness(pair, ENTRIES, 104)
    assert [entry.tone for entry in found.all_checks] == ["not firm", "firm"]
    assert found.text.startswith("Two checks show whether the difference could matter.")
    assert robustness_finding(found).text == (
        "“No difference that matters” holds in one of two checks; one fails."
        " Unjudged documents could make it matter."
    )


@pytest.mark.parametrize(
    ("ends", "likely", "word", "tone"),
    [
        ((-0.01, 0.015), (0.0, 0.01), "cannot make it matter", "firm"),
        ((-0.01, 0.03), (0.0, 0.01), "unlikely to make it matter", ""),
        ((-0.04, 0.03), (-0.03, 0.01), "could make it matter", "not firm"),
        ((-0.04, 0.03), (np.nan, np.nan), "could make it matter", ""),
    ],
)
def test_unjudged_documents(
    ends: tuple[float, float], likely: tuple[float, float], word: str, tone: str
) -> None:
    reached = DifferenceBounds(0.005, *ends, np.zeros(1), np.zeros(1), True, "")
    usual = EstimatedDifference(None, "Nothing tells.")
    if not np.isnan(likely[0]):
        usual = EstimatedDifference(Interval(*np.array([sum(likely) / 2, *likely])))
    turned = verdict_risks.unjudged_check(reached, usual, 0.12, 10)
    entry = ways.unjudged_check(turned, reached, usual, 0.02)
    assert (entry.word, entry.tone) == (word, tone)
    assert entry.reason.endswith(
        f" In the other direction, the difference could reach +{ends[1]:.3f}."
    )


@pytest.mark.parametrize(
    ("values", "word", "said"),
    [
        (
            [0.01, -0.01] * 20,
            "no query makes it matter",
            "No query’s difference reaches 0.02.",
        ),
        (
            [0.05, -0.05] * 20,
            "removing 12 queries makes it matter",
            "Removing 12 of 40 queries would make the difference 0.02 or more.",
        ),
        (
            [0.9, -0.9] + [0.0] * 38,
            "removing only 1 query makes it matter",
            "Removing 1 of 40 queries",
        ),
    ],
)
def test_single_queries(values: list[float], word: str, said: str) -> None:
    entry = ways.single_queries_check(np.array(values), 0.02)
    assert entry.word == word and entry.reason.startswith(said)


@pytest.mark.parametrize(
    ("difference", "low", "high", "word", "tone", "said"),
    [
        (
            [0.0, 0.01],
            [-0.01, -0.01],
            [0.01, 0.015],
            "does not matter at any k",
            "firm",
            "The simultaneous band for all k stays",
        ),
        (
            [0.05, 0.01],
            [0.01, -0.01],
            [0.09, 0.015],
            "matters at k = 1",
            "not firm",
            "new is significantly ahead",
        ),
        (
            [0.0, 0.01],
            [-0.03, -0.01],
            [0.01, 0.015],
            "may matter at k = 1",
            "",
            "may be as large as the margin",
        ),
        (
            [0.0, 0.01],
            [np.nan] * 2,
            [np.nan] * 2,
            "no confidence band",
            "",
            "No confidence band can",
        ),
    ],
)
def test_cutoffs(
    difference: list[float], low: list[float], high: list[float], word: str, tone: str, said: str
) -> None:
    gap, lows, highs = (np.array(values) for values in (difference, low, high))
    side, clear = np.sign(gap).astype(int), np.where(lows > 0, 1, np.where(highs < 0, -1, 0))
    found = Crossings(gap, side, np.array([1, 2]), lows, highs, clear)
    entry = ways.cutoff_check(found, SMALL, 0.02)
    assert (entry.word, entry.tone) == (word, tone) and said in entry.reason


def test_other_measures() -> None:
    def told(sides: list[int], verdicts: list[str]) -> tuple[str, str, str]:
        names = ["nDCG@10", "P@1", "RR"]
        table = pd.DataFrame(
            {"measure": names, "difference": 0.1, "side": sides, "verdict": verdicts}
        )
        entry = ways.other_measures_check(Agreement(table, np.eye(3)), SMALL)
        return entry.word, entry.tone, entry.reason

    unclear = ["no difference that matters", "cannot tell", "cannot tell"]
    assert told([1, -1, 1], unclear)[:2] == ("none is significant", "")
    clear = told([1, -1, 1], ["no difference that matters", "worse", "cannot tell"])
    assert clear == ("1 of 2 is significant", "not firm", "old is significantly ahead on P@1.")


def test_equal_scores_and_missing_queries() -> None:
    tied = file_risks.ties_check((0.0, 0.03), 0.005, (3, 9), True)
    could = ways.margin_check(tied, (0.0, 0.03), 0.02)
    assert (could.word, could.brief) == (
        "could make it matter",
        "other orders could make it matter",
    )
    assert ways.margin_check(tied, (0.0, 0.01), 0.02).word == "cannot make it matter"
    assert ways.margin_check(None, (0.0, 0.0), 0.02) is None
    missing = file_risks.missing_queries_check({"old": 2}, 0.005, 0.05, 7)
    found = ways.margin_check(missing, (0.05, 0.05), 0.02)
    assert (found.tone, found.brief) == ("not firm", "queries without results could make it matter")
    unknown = file_risks.ties_check((0.0, 0.01), 0.005, (3, 9), False)
    assert ways.margin_check(unknown, (0.0, 0.01), 0.02, is_exact=False).tone == ""
