"""Ways in which a verdict could turn that lie in the files: equal scores, and queries that a run
does not list. See `firmness`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from metrics_core.base import wording as w
from metrics_core.comparing.winners import side_of
from metrics_core.findings.firmness import Tone, WayToTurn
from metrics_core.findings.verdict_risks import cannot, could
from metrics_core.tables.ranked_run import as_judged_ranks

_SHORT = 14
"""Characters of a run's name that has room in a few words."""


def ties(
    span: tuple[float, float], difference: float, counts: tuple[int, int], exact: bool
) -> WayToTurn | None:
    """Could the order within equal scores turn it, or part two that are level? `counts` are the
    queries with equal scores and all queries; None without any."""
    tied, queries = counts
    if not tied:
        return None
    low, high = span
    now, ends_on = side_of(difference), {side_of(low), side_of(high)}
    turned = bool(ends_on - {0, now})

    def entry(word: str, tone: Tone) -> WayToTurn:
        return WayToTurn("ties", "Ties", word, tone, reason, of_orders(word))

    noun = w.plural(queries, "query", "queries")
    ends = f"{w.difference(low)} and {w.difference(high)}"
    have = f"{noun} {w.plural(tied, 'has', 'have')}"
    reason = f"{w.count(tied)} of {w.count(queries)} {have} ties that could affect scores. "
    if side_of(high - low) == 0:
        reason += "No order of the ties changes the difference."
        return entry(cannot(now), "firm")
    if not exact:
        reason += f"In the two tie orders tried, the difference is between {ends}."
        return entry(could(now) if turned else w.DASH, "")
    reason += f"However ties are broken, the difference stays between {ends}."
    if turned:
        return entry(could(now), "not firm")
    return entry(cannot(now), "firm")


def of_orders(word: str) -> str:
    """What the order of ties does, said of the orders."""
    if word == w.DASH:
        return "two orders tried, not all"
    verb = word.removeprefix("cannot ").removeprefix("could ").replace("reverse", "reverses")
    verb = verb.replace("separate ", "separates ").replace("make ", "makes ")
    return f"{'no' if word.startswith('cannot') else 'some'} order {verb}"


def ties_unknown(runs: Sequence[str]) -> WayToTurn:
    """The entry of `ties` where these runs came as judged ranks, without scores."""
    reason = f"{as_judged_ranks(runs)}, without scores"
    told = f"{reason}, so ties are unknown."
    return WayToTurn("ties", "Ties", "unknown", "", told, "unknown without scores")


def lacking_queries(
    lacking: Mapping[str, int], difference: float, on_shared: float, shared: int
) -> WayToTurn | None:
    """Does it come from queries that a run does not list? `lacking` counts them by run; None where
    there are none. `on_shared` is the difference over the queries that both list."""
    runs = [
        f"{run} has no results for {w.count(n)} {w.plural(n, 'query', 'queries')}"
        for run, n in lacking.items()
        if n
    ]
    if not runs:
        return None
    counted = w.plural(sum(lacking.values()), "an empty list", "empty lists")
    reason = f"{w.listing(runs)}, scored as {counted}."

    def entry(word: str, tone: Tone, reason: str, without: str) -> WayToTurn:
        brief = f"{_lacking(lacking)}; {without}"
        return WayToTurn("missing", "Missing", word, tone, reason, brief)

    if not shared or np.isnan(on_shared):
        reason += " No query has results from both runs."
        return entry("decide it", "not firm", reason, "no query has results from both runs")
    noun = w.plural(shared, "query", "queries")
    reason += (
        f" On the {w.count(shared)} {noun} with results from both runs, the difference is"
        f" {w.difference(on_shared)}."
    )
    now, without = side_of(difference), side_of(on_shared)
    if now == without:
        word = "cannot reverse it" if now else "cannot separate them"
        return entry(word, "firm", reason, f"{'holds' if now else 'tied'} without them")
    word = "reverse it" if now and without else "cause all of it" if now else "make them tied"
    told = "reversed" if now and without else "tied" if now else "not tied"
    return entry(word, "not firm", reason, f"{told} without them")


def _lacking(lacking: Mapping[str, int]) -> str:
    """How many queries are lacking, and in which run where its name is short and only one."""
    counts = {run: n for run, n in lacking.items() if n}
    if len(counts) > 1:
        return f"{w.listing(map(w.count, counts.values()))} lacking"
    ((run, n),) = counts.items()
    return f"{run if len(run) <= _SHORT else 'one run'} lacks {w.count(n)}"
