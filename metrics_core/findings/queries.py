"""Describe on how many queries the run in focus is better, and the data that a view of queries is
based on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import BETTER, SAME, WORSE
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.phrases import COMPARE_ANOTHER_RUN, NO_DIRECTION, NO_SCORE_WITH_BOTH
from metrics_core.findings.sentence import Sentence, muted_span, run_span, strong_span


@dataclass(frozen=True)
class ViewFacts:
    """The data on which every number of a view is based.

    unanswerable  number of queries without a relevant document
    missing       run -> number of queries without results. These queries score as an empty list or,
                  if `left_out` is true, are excluded
    all_zero      number of queries on which all runs score 0
    every_run     wording that means all runs, such as "every run"
    judged_share  share of judged results, from 0 to 1
    judged_text   phrase for the results and runs to which `judged_share` refers
    complete      whether the user declared that all unjudged documents are not relevant"""

    queries: int
    judgments: int
    lowest_grade: float
    highest_grade: float
    judged_share: float
    judged_text: str
    all_zero: int
    missing: Mapping[str, int]
    unjudged: int
    unanswerable: int = 0
    every_run: str = "every run"
    left_out: bool = False
    complete: bool = False

    LITTLE_JUDGED = 0.8

    @property
    def is_little_judged(self) -> bool:
        """Whether differences may be due to missing judgments."""
        return bool(self.judged_share < self.LITTLE_JUDGED) and not self.complete


@dataclass(frozen=True)
class QueryCounts:
    """Numbers of queries: `all_zero` counts the queries on which all runs score 0.

    `broken` counts those that are good with the baseline but not with the run in focus.
    `every_run` is the wording that means all runs. If `has_direction` is false, the direction
    of the measure is not declared, and the outcome "better" means higher."""

    all_zero: int
    every_run: str
    has_direction: bool = True
    broken: int = 0


def queries_finding(
    differences: pd.DataFrame, focus: str, baseline: str, query_counts: QueryCounts
) -> Sentence:
    """State on how many queries the run in focus is better, and on how many it is worse.

    `differences` is the frame of `query_differences` over the queries in view, from which the
    column outcome is used."""
    total = len(differences)
    queries = w.format_query_count(total)
    if focus == baseline:
        verb = w.plural(query_counts.all_zero, "scores 0", "score 0")
        failing_text = (
            f"{w.format_count(query_counts.all_zero)} of {queries} {verb} with"
            f" {query_counts.every_run}"
        )
        return strong_span(failing_text if query_counts.all_zero else queries)
    won, lost = (int((differences["outcome"] == outcome).sum()) for outcome in (BETTER, WORSE))
    if not won and not lost:
        return strong_span(f"No query differs by more than {SAME:g}")
    higher, lower = ("better", "worse") if query_counts.has_direction else ("higher", "lower")
    return run_span(focus) + strong_span(
        f" is {higher} on {won:,} of {queries}, {lower} on {lost:,}"
    )


def queries_subtitle(
    differences: pd.DataFrame, focus: str, baseline: str, query_counts: QueryCounts
) -> Sentence:
    """State the median differences of better and of worse queries, and how many queries to look at
    first.

    If too few queries have a score from both runs, the text says that nothing is coloured.
    `differences` is the same as for `queries_finding`; its columns outcome and difference are
    used."""
    if focus == baseline:
        return muted_span(f"{COMPARE_ANOTHER_RUN} which queries it wins and loses.")
    if not query_counts.has_direction:
        return muted_span(NO_DIRECTION)
    won = differences[differences["outcome"] == BETTER]["difference"]
    lost = differences[differences["outcome"] == WORSE]["difference"]
    paired = int(differences["difference"].notna().sum())
    parts = []
    if not paired:
        parts.append(f"{NO_SCORE_WITH_BOTH}, so nothing is coloured.")
    elif paired < FEWEST_QUERIES:
        few = w.format_query_count(paired)
        parts.append(f"Only {few}: too few to test, so nothing is coloured.")
    medians = [
        f"{w.format_difference(median, w.distinguishing_decimals(median, 0))} where {name}"
        for name, sizes in ((BETTER, won), (WORSE, lost))
        if len(sizes) >= 2
        for median in [float(sizes.median())]
    ]
    if medians:
        parts.append(f"Median difference: {', '.join(medians)}.")
    if n := query_counts.broken:
        them = w.plural(n, "the broken query", f"the {n:,} broken queries")
        parts.append(
            f"Start with {them}: {baseline} reaches two thirds of the ideal score,"
            f" {focus} does not."
        )
    return muted_span(" ".join(parts))
