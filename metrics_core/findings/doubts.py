"""What makes a test of the mean doubtful, in sentences."""

from __future__ import annotations

from metrics_core.base import wording as w
from metrics_core.comparing.doubts import (
    MOST_OF_ANOTHER_HYPOTHESIS,
    Doubts,
    asks_something_else,
)
from metrics_core.findings.sentence import Sentence, muted


def doubts_findings(doubts: Doubts, *, found: bool = True) -> list[Sentence]:
    """One sentence for each doubt there is about the mean difference; none where there is none.

    Who carries it is said only where one is `found`: few queries carry half of a mean that may as
    well be zero.
    """
    said = []
    if doubts.few_differ:
        said.append(muted(_differing(doubts)))
    if found and doubts.carried_by_few:
        verb = w.plural(doubts.carriers, "carries", "carry")
        said.append(muted(f"{_counted(doubts.carriers)} {verb} half of the difference."))
    if doubts.skewed:
        said.append(muted(_skewed(doubts)))
    return said


def greyed_finding(test: str, queries: int) -> Sentence:
    """Why a test is greyed with so many queries; empty where it is not."""
    if not asks_something_else(test, queries):
        return Sentence()
    return muted(
        "It does not ask about the mean, and with more than"
        f" {w.count(MOST_OF_ANOTHER_HYPOTHESIS)} queries it finds nearly every difference clear."
    )


def _counted(queries: int) -> str:
    return w.sentence_case(f"{w.number(queries)} {w.plural(queries, 'query', 'queries')}")


def _differing(doubts: Doubts) -> str:
    verb = w.plural(doubts.differing, "differs", "differ")
    return f"Only {w.number(doubts.differing)} of {w.count(doubts.queries)} queries {verb} at all."


def _skewed(doubts: Doubts) -> str:
    needed = doubts.queries_for_skewness
    side = "high" if doubts.skewness > 0 else "low"
    return (
        f"The differences reach far to the {side} side: a mean of such needs about"
        f" {w.count(max(round(needed, -1), doubts.queries + 1))} queries before its interval can be"
        " trusted."
    )
