"""On which queries is the run in focus better, and what a view of them rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import BETTER, SAME, WORSE
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.phrases import COMPARE_ANOTHER_RUN, NO_SCORE_WITH_BOTH
from metrics_core.findings.sentence import Sentence, muted, run, strong


@dataclass(frozen=True)
class Facts:
    """What every number of a view rests on. `unanswerable` queries have no relevant document;
    `missing` is, for each of the compared runs that lacks queries, how many; they count as an empty
    list, or are `left_out`; `every_run` says of which runs `all_zero` speaks. The reader has said
    that the judgments are `complete`: what is not judged is not relevant."""

    queries: int
    judgments: int
    lowest_grade: float
    highest_grade: float
    judged_share: float
    cutoff: int
    all_zero: int
    missing: Mapping[str, int]
    unjudged: int
    unanswerable: int = 0
    every_run: str = "every run"
    left_out: bool = False
    complete: bool = False

    LITTLE_JUDGED = 0.8

    @property
    def little_judged(self) -> bool:
        """Whether differences may come from missing judgments."""
        return bool(self.judged_share < self.LITTLE_JUDGED) and not self.complete


@dataclass(frozen=True)
class Turned:
    """What is told of single queries beside their differences: how many are fixed and broken, and
    on how many `every_run` scores 0."""

    fixed: int
    broken: int
    all_zero: int
    every_run: str


def queries_finding(differences: pd.DataFrame, focus: str, baseline: str, told: Turned) -> Sentence:
    """Which queries? `differences` is the frame of `differences` over the queries in view."""
    total = len(differences)
    queries = f"{w.count(total)} {w.plural(total, 'query', 'queries')}"
    if focus == baseline:
        verb = w.plural(told.all_zero, "fails", "fail")
        few = f"{w.count(told.all_zero)} of {queries} {verb} with {told.every_run}"
        return strong(few if told.all_zero else queries)
    won, lost = (int((differences["outcome"] == outcome).sum()) for outcome in (BETTER, WORSE))
    if not won and not lost:
        return strong(f"No query differs by more than {SAME:g}")
    return run(focus) + strong(f" is better on {won:,} of {queries}, worse on {lost:,}")


def queries_lead(differences: pd.DataFrame, focus: str, baseline: str, told: Turned) -> Sentence:
    """How much, and what became of queries that failed; nothing colours where too few queries have
    a score in both runs."""
    if focus == baseline:
        return muted(f"{COMPARE_ANOTHER_RUN} which queries it wins and loses.")
    won = differences[differences["outcome"] == BETTER]["difference"]
    lost = differences[differences["outcome"] == WORSE]["difference"]
    paired = int(differences["difference"].notna().sum())
    parts = []
    if not paired:
        parts.append(f"{NO_SCORE_WITH_BOTH}, so nothing is coloured.")
    elif paired < FEWEST_QUERIES:
        noun = w.plural(paired, "query", "queries")
        parts.append(f"Only {paired} {noun}: too few to test, so nothing is coloured.")
    if len(won) >= 2:
        parts.append(f"Median win {w.score(float(won.abs().median()))}.")
    elif len(lost) >= 2:
        parts.append(f"Median loss {w.score(float(lost.abs().median()))}.")
    facts = [
        (told.fixed, ("that failed is", "that failed are"), "fixed"),
        (told.broken, ("that worked is", "that worked are"), "broken"),
        (told.all_zero, ("fails", "fail"), f"with {told.every_run}"),
    ]
    said = [f"{w.count(n)} # {w.plural(n, *verbs)} {word}" for n, verbs, word in facts if n]
    if said:
        first = w.plural(next(n for n, *_ in facts if n), "query", "queries")
        text = ", ".join(said).replace("#", first, 1).replace(" #", "")
        parts.append(f"{text}.")
    return muted(" ".join(parts))
