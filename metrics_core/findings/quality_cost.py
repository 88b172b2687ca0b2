"""Sentences beside the chart of quality against cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.verdicts import BETTER_RUN, CANNOT_TELL, WORSE_RUN
from metrics_core.findings.sentence import Sentence, muted_span, run_span, strong_span

_MOST = 4
_OUTCOMES = {
    BETTER_RUN: (" beats ", ", and gains"),
    WORSE_RUN: (" falls behind ", ", and loses"),
    CANNOT_TELL: (" shows no clear difference from ", ", and shows no significant loss"),
}
"""Phrases for a verdict: between two runs, and about the cheapest run."""


def quality_cost_sentences(
    costs: Mapping[str, float],
    pairs: Sequence[AllPairs],
    names: Sequence[str],
    compared_runs: tuple[str, str],
) -> list[Sentence]:
    """Describe the run in focus, the baseline, more expensive runs and the cheapest run, in at most
    four sentences.

    `costs` has the mean cost of each run, lowest first. `pairs` are the comparisons of all runs on
    quality and on cost, and `names` the names of the two measures. `compared_runs` are the run in
    focus and the baseline. Mean costs are stated as ratios without a verdict."""
    focus, baseline = compared_runs
    quality, cost = pairs

    def describe_price(run: str, other: str) -> str:
        if not costs[other] > 0:
            return f"a mean {names[1]} of {w.format_score(costs[run])}"
        return f"{w.format_score(costs[run] / costs[other], 2)} times the mean {names[1]}"

    def find_verdict(results: AllPairs, run: str, other: str) -> str:
        return str(results.verdict[results.runs.index(run), results.runs.index(other)])

    def comparison_sentence(run: str, words: str, other: str, rest: str) -> Sentence:
        cell = quality.runs.index(run), quality.runs.index(other)
        ends = quality.low[cell], quality.high[cell]
        evidence = f"{names[0]} {w.format_with_interval(quality.difference[cell], *ends)}."
        start = run_span(run) + strong_span(words) + run_span(other)
        return start + muted_span(f"{rest}: {evidence}")

    outcome = _OUTCOMES[find_verdict(quality, focus, baseline)][0]
    first = comparison_sentence(focus, outcome, baseline, f", at {describe_price(focus, baseline)}")
    dearer, steps = [], []
    for run in (run for run in costs if run != baseline and costs[run] > costs[focus]):
        verdict, price = find_verdict(quality, run, focus), describe_price(run, focus)
        if verdict == BETTER_RUN:
            steps.append(comparison_sentence(run, " costs more and beats ", focus, f", at {price}"))
        elif verdict == find_verdict(cost, run, focus) == WORSE_RUN:
            dearer.append(
                comparison_sentence(run, " falls behind ", focus, f" on both, at {price}")
            )
        else:
            costly = f" has {price} of "
            dearer.append(
                comparison_sentence(run, costly, focus, ", but shows no significant gain")
            )
    last, cheapest = [], next(iter(costs))
    if cheapest not in compared_runs:
        words = f" is the cheapest, at {describe_price(cheapest, baseline)} of "
        outcome = _OUTCOMES[find_verdict(quality, cheapest, baseline)][1]
        last = [comparison_sentence(cheapest, words, baseline, outcome)]
    most = _MOST - 1 - len(steps[:1]) - len(last)
    return [first, *dearer[:most], *steps[:1], *last]
