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
    CANNOT_TELL: (" shows no clear difference from ", ", with no loss to be seen"),
}
"""Phrases for a verdict: between two runs, and about the cheapest run."""


def quality_cost_sentences(
    costs: Mapping[str, float],
    pairs: Sequence[AllPairs],
    names: Sequence[str],
    compared_runs: tuple[str, str],
) -> list[Sentence]:
    """Describe the run in focus, the baseline, dearer runs and the cheapest run, in at most four
    sentences.

    `costs` has the mean cost of each run, lowest first. `pairs` are the comparisons of all runs on
    quality and on cost, and `names` the names of the two measures. `compared_runs` are the
    run in focus and the baseline. Mean costs are stated as ratios without a verdict."""
    focus, baseline = compared_runs
    quality, cost = pairs

    def describe_evidence(run: str, other: str) -> str:
        cell = quality.runs.index(run), quality.runs.index(other)
        ends = quality.low[cell], quality.high[cell]
        return f"{names[0]} {w.format_with_interval(quality.difference[cell], *ends)}."

    def describe_price(run: str, other: str) -> str:
        if not costs[other] > 0:
            return f"a mean {names[1]} of {w.format_score(costs[run])}"
        return f"{w.format_score(costs[run] / costs[other], 2)} times the mean {names[1]}"

    def find_verdict(results: AllPairs, run: str, other: str) -> str:
        return str(results.verdict[results.runs.index(run), results.runs.index(other)])

    outcome = _OUTCOMES[find_verdict(quality, focus, baseline)][0]
    first = run_span(focus) + strong_span(outcome) + run_span(baseline)
    price = describe_price(focus, baseline)
    first += muted_span(f", at {price}: {describe_evidence(focus, baseline)}")
    dearer, steps = [], []
    for run in (run for run in costs if run != baseline and costs[run] > costs[focus]):
        verdict, evidence = find_verdict(quality, run, focus), describe_evidence(run, focus)
        price = describe_price(run, focus)
        if verdict == BETTER_RUN:
            step = run_span(run) + strong_span(" is the next clear step up from ")
            steps.append(step + run_span(focus) + muted_span(f", at {price}: {evidence}"))
        elif verdict == find_verdict(cost, run, focus) == WORSE_RUN:
            text = f" on both. {run} has {price}; {evidence}"
            both = run_span(focus) + strong_span(" beats ")
            dearer.append(both + run_span(run) + muted_span(text))
        else:
            text = f", with no gain to be seen: {evidence}"
            costly = run_span(run) + strong_span(f" has {price} of ")
            dearer.append(costly + run_span(focus) + muted_span(text))
    last, cheapest = [], next(iter(costs))
    if cheapest not in compared_runs:
        outcome = _OUTCOMES[find_verdict(quality, cheapest, baseline)][1]
        text = f", at {describe_price(cheapest, baseline)} of "
        evidence = describe_evidence(cheapest, baseline)
        last = [run_span(cheapest) + strong_span(" is the cheapest") + muted_span(text)
                + run_span(baseline) + muted_span(f"{outcome}: {evidence}")]  # fmt: skip
    room = _MOST - 1 - len(steps[:1]) - len(last)
    return [first, *dearer[:room], *steps[:1], *last]
