"""Robustness checks that concern the files: tied scores, and queries for which a run has no
results.

See `findings.robustness.build_robustness`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from metrics_core.base import wording as w
from metrics_core.comparing.coverage import QueryCoverage
from metrics_core.comparing.winners import better_run_sign
from metrics_core.findings.robustness import RobustnessCheck, Tone
from metrics_core.findings.sentence import Sentence, muted_span
from metrics_core.findings.verdict_risks import cannot_reverse_text, could_reverse_text
from metrics_core.scoring.intervals import LEVEL
from metrics_core.tables.ranked_run import judged_ranks_clause

_MIN_MISSING_SHARE = 0.2
MISSING_QUERIES = "queries without results"
"""Subject of the brief answers of `missing_queries_check`."""


def ties_check(
    bounds: tuple[float, float],
    difference: float,
    tied_and_all_counts: tuple[int, int],
    is_exact: bool,
) -> RobustnessCheck | None:
    """Check whether the order of ties could reverse the lead, or separate two tied runs.

    `bounds` are the lowest and the highest difference over the orders of ties. If `is_exact` is
    false, they are the differences of only two orders. `tied_and_all_counts` are the number of
    queries with ties and the number of all queries. Returns None if no query has ties."""
    tied, queries = tied_and_all_counts
    if not tied:
        return None
    low, high = bounds
    side, ends_on = better_run_sign(difference), {better_run_sign(low), better_run_sign(high)}
    can_turn = bool(ends_on - {0, side})

    def make_ties_check(word: str, tone: Tone, range_text: str = "") -> RobustnessCheck:
        brief = describe_tie_order_effect(word)
        return RobustnessCheck("ties", "Ties", word, tone, reason + range_text, brief, range_text)

    noun = w.plural(queries, "query", "queries")
    ends = f"{w.format_difference(low)} and {w.format_difference(high)}"
    have = f"{noun} {w.plural(tied, 'has', 'have')}"
    reason = (
        f"{w.format_count(tied)} of {w.format_count(queries)} {have} ties that could affect"
        " scores. "
    )
    if better_run_sign(high - low) == 0:
        reason += "No order of the ties changes the difference."
        return make_ties_check(cannot_reverse_text(side), "firm")
    if not is_exact:
        reason += f"In the two tie orders tried, the difference is between {ends}."
        return make_ties_check(could_reverse_text(side) if can_turn else w.DASH, "")
    range_text = f"Whichever way ties are broken, the difference stays between {ends}."
    if can_turn:
        return make_ties_check(could_reverse_text(side), "not firm", range_text)
    return make_ties_check(cannot_reverse_text(side), "firm", range_text)


def describe_tie_order_effect(word: str) -> str:
    """Return the brief form of the answer of `ties_check`: the effect of the order of ties. `word`
    is the full answer."""
    return "only two orders were tried" if word == w.DASH else f"other orders {word}"


def unknown_ties_check(runs: Sequence[str]) -> RobustnessCheck:
    """Return the check on ties for runs that were loaded as judged ranks (the ranks of judged
    documents, without scores). Its answer is unknown."""
    reason = f"{judged_ranks_clause(runs)}, without scores"
    sentence = f"{reason}, so ties are unknown."
    return RobustnessCheck("ties", "Ties", "unknown", "", sentence, "unknown without scores")


def missing_scores_check(missing_counts: Mapping[str, int]) -> RobustnessCheck:
    """Check whether scores that another tool computed are missing.

    `missing_counts` maps each run to the number of queries without a score of this run. These
    queries are excluded."""
    lacks = [
        f"{run} has no score for {w.format_query_count(n)}"
        for run, n in missing_counts.items()
        if n
    ]
    if not lacks:
        text = "no scores are missing in either run"
        return RobustnessCheck("missing", "Missing results", "none", "firm", f"{text}.", text)
    text = w.join_words(lacks)
    reason = f"{text}. Such queries are excluded, not scored 0, although they may be harder."
    return RobustnessCheck(
        "missing", "Missing results", "left out", "", reason, f"{text}; left out"
    )


def missing_queries_check(
    missing_counts: Mapping[str, int],
    difference: float,
    shared_difference: float,
    n_shared: int,
    p_value: float = math.nan,
    level: float = LEVEL,
    share: float = math.nan,
) -> RobustnessCheck | None:
    """Check whether the lead is due to queries for which a run has no results.

    `missing_counts` maps each run to the number of these queries. `shared_difference` is the mean
    difference over the `n_shared` queries with results from both runs. `p_value` is the corrected
    p-value of `shared_difference`; NaN if the difference over all queries is not significant.
    `share` is the share of the difference that comes from queries without results. Returns None if
    both runs have results for all queries."""
    runs = [
        f"{run} has no results for {w.format_query_count(n)}"
        for run, n in missing_counts.items()
        if n
    ]
    if not runs:
        return None
    reason = f"{w.join_words(runs)}."
    if _MIN_MISSING_SHARE <= share < 1:
        reason += f" These queries account for {w.format_share(share)} of the difference."

    def make_missing_check(word: str, tone: Tone, reason: str) -> RobustnessCheck:
        brief = f"{MISSING_QUERIES} {word}"
        return RobustnessCheck("missing", "Missing results", word, tone, reason, brief)

    if not n_shared or np.isnan(shared_difference):
        reason += " No query has results from both runs."
        return make_missing_check("decide it", "not firm", reason)
    reason += f" Without them, the difference is {w.format_difference(shared_difference)}"
    is_lost = p_value > 1 - level + 1e-12
    if p_value == p_value:
        reason += f" ({'not significant, ' if is_lost else ''}{w.format_p_value(p_value)})"
    reason += "."
    side, side_without = better_run_sign(difference), better_run_sign(shared_difference)
    if side == side_without and is_lost:
        return make_missing_check("carry its significance", "", reason)
    if side == side_without:
        lead = "in the same direction" if side else "tied"
        answer = f"still {lead if np.isnan(p_value) else 'significant'} on the other queries"
        return RobustnessCheck("missing", "Missing results", answer, "firm", reason, answer)
    word = (
        "reverse it"
        if side and side_without
        else "cause all of the difference"
        if side
        else "make them tied"
    )
    return make_missing_check(word, "not firm", reason)


def missing_queries_caveat(
    coverage: QueryCoverage, difference: float, shared_difference: float
) -> Sentence:
    """State the difference without the queries for which a run has no results.

    The sentence is empty if leaving out these queries changes the difference by less than a
    fifth."""
    if not abs(difference - shared_difference) >= _MIN_MISSING_SHARE * abs(difference):
        return Sentence()
    missing = [run for run, queries in coverage.lacking.items() if queries]
    return muted_span(
        f"Without the {w.format_query_count(coverage.judged - coverage.shared)} that"
        f" {w.join_words(missing, 'or')} has no results for, the difference is"
        f" {w.format_difference(shared_difference)}."
    )
