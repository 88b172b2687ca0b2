"""Who may be the best, and which places are clear: the Ranking page, and the Overview of many."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.sentence import Sentence, joined, muted, run, strong
from metrics_core.findings.verdicts import too_few

_NAMED = 3


def places_finding(found: AllPairs, measure: str, queries: int) -> Sentence:
    """Who may be the best of all runs, then the places that are clear. `measure` is its name,
    `queries` how many are in view."""
    if queries < FEWEST_QUERIES:
        return too_few(queries) + _highest(found, measure)
    bests = found.possible_bests
    of = w.number(len(found.runs))
    if len(bests) == len(found.runs):
        both = "The two" if len(bests) == 2 else f"None of the {of}"
        verb = "cannot be told apart" if len(bests) == 2 else "can be told apart from another"
        return strong(f"{both} {verb} on {measure}: ") + muted("any may be the best.")
    if len(bests) == 1:
        head = run(bests[0]) + strong(f" is the best of {of}. ")
    else:
        may = "may both be" if len(bests) == 2 else "may each be"
        head = _listed(bests) + strong(f" {may} the best of {of}. ")
    return head + _rest(found)


def _highest(found: AllPairs, measure: str) -> Sentence:
    """Whose mean is the best, where there is no verdict."""
    if not found.runs or math.isnan(found.means[0]):
        return muted("No run has a mean.")
    score = w.score(float(found.means[0]))
    return run(found.runs[0]) + muted(f" has the best mean, {score} on {measure}.")


def _rest(found: AllPairs) -> Sentence:
    """The places of those that cannot be the best."""
    others = [
        (name, int(first), int(last))
        for name, first, last in zip(found.runs, found.first, found.last, strict=True)
        if first > 1
    ]
    settled = [(name, first) for name, first, last in others if first == last]
    if not settled:
        if len(others) == 1:
            return run(others[0][0]) + muted(" is clearly behind one of them; its place is open.")
        return muted(
            f"The other {w.number(len(others))} are each clearly behind another run; their places"
            " are open."
        )
    if len(settled) > _NAMED:
        of = f"the other {w.number(len(others))}"
        if len(settled) == len(others):
            return muted(f"The places of {of} are all clear.")
        return muted(f"Of {of}, {w.number(len(settled))} have a clear place.")
    first, *more = settled
    told = [run(first[0]) + muted(f" comes {w.ordinal(first[1])}")]
    told += [run(name) + muted(f" {w.ordinal(place)}") for name, place in more]
    if len(settled) < len(others):
        clear = "that place is" if len(settled) == 1 else "those places are"
        end = f": only {clear} clear."
    else:
        end = ": that place is clear." if len(settled) == 1 else ": those places are clear."
    return joined(told, ", ") + muted(end)


def _listed(names: Sequence[str]) -> Sentence:
    """Runs as a reader lists them: all while they are few, else three and how many more."""
    shown = names if len(names) <= _NAMED + 1 else names[:_NAMED]
    parts = [run(name) for name in shown]
    if len(shown) < len(names):
        parts.append(strong(f"{w.count(len(names) - len(shown))} more"))
    sentence = parts[0]
    for place, part in enumerate(parts[1:], 2):
        sentence = sentence + strong(" and " if place == len(parts) else ", ") + part
    return sentence
