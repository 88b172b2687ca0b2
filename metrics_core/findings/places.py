"""Who may be the best, and which places are clear: the Ranking, and the Overview of many."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.comparing.winners import side_of
from metrics_core.findings.cutoffs import MOST_OF_TITLE
from metrics_core.findings.sentence import Sentence, aside, joined, muted, run, strong
from metrics_core.findings.verdicts import too_few

_NAMED = 3


def places_title(found: AllPairs, measure: str, queries: int) -> Sentence:
    """Who may be the best of all runs; below ten queries, whose mean is the highest. `measure` is
    its name, `queries` how many are in view."""
    if queries < FEWEST_QUERIES:
        return _highest(found, measure)
    bests = found.possible_bests
    if len(bests) == 1:
        if found.last[found.runs.index(bests[0])] == 1:
            return run(bests[0]) + strong(f" alone ranks first on {measure}")
        # Clearly behind some run is every other, but not all of them behind this one.
        return strong("Only ") + run(bests[0]) + strong(f" may be the best on {measure}")
    if len(bests) == len(found.runs) > 2:
        return strong(f"Any of the {w.number(len(bests))} runs may be the best on {measure}")
    named = _listed(bests, "or") + strong(f" may be the best on {measure}")
    if len(bests) <= _NAMED and len(named.text) <= MOST_OF_TITLE:
        return named
    of = f"{w.sentence_case(w.number(len(bests)))} of {w.number(len(found.runs))} runs"
    return strong(f"{of} may be the best on {measure}")


def places_lead(found: AllPairs, measure: str, queries: int) -> Sentence:
    """Who may be the best where the title of `places_title` only counts them, the other places that
    are clear, and how many pairs are."""
    if queries < FEWEST_QUERIES:
        return too_few(queries) + muted("No pair is tested.")
    bests, title = found.possible_bests, places_title(found, measure, queries)
    told = []
    if len(bests) < len(found.runs) and not any(span.role == "run" for span in title.spans):
        told.append(_listed(bests) + muted("."))
    told = [sentence for sentence in (*told, _rest(found)) if sentence]
    said = joined(told, " ")
    return said + aside(f"{' ' if said else ''}{_pairs(found)}")


def first_alone(bests: Mapping[str, str], chosen: str) -> Sentence:
    """On which other measures than the `chosen` one a run is first alone; `bests` is that run by
    measure. Empty without one."""
    by_run: dict[str, list[str]] = {}
    for measure, name in bests.items():
        if measure != chosen:
            by_run.setdefault(name, []).append(measure)
    told = [
        muted(f"On {w.listing(measures)} " if not i else f"on {w.listing(measures)} ")
        + run(name)
        + muted(" alone ranks first")
        for i, (name, measures) in enumerate(by_run.items())
    ]
    return joined(told, ", ") + muted(".") if told else Sentence()


def _pairs(found: AllPairs) -> str:
    clear, every = int(found.clear.sum()) // 2, found.n_pairs
    if every == 1:
        return f"The difference is {'' if clear else 'not '}significant."
    of = "None" if not clear else "All" if clear == every else w.sentence_case(w.number(clear))
    verb = "is" if clear in (0, 1) else "are"
    which = f"{of} {w.number(every)}" if of == "All" else f"{of} of {w.number(every)}"
    return f"{which} pairs {verb} significantly different after correction for all pairs."


def _highest(found: AllPairs, measure: str) -> Sentence:
    """Whose mean is the highest, where there is no verdict."""
    if not found.runs or math.isnan(found.means[0]):
        return strong(f"No run has a mean on {measure}")
    top = [
        name
        for name, mean in zip(found.runs, found.means, strict=True)
        if not side_of(float(mean - found.means[0]))
    ]
    if len(top) == 1:
        return run(top[0]) + strong(f" scores highest on {measure}")
    if len(top) == len(found.runs):
        return strong(f"All {w.number(len(top))} runs score the same on {measure}")
    return strong(f"{w.sentence_case(w.number(len(top)))} runs score highest on {measure}")


def _rest(found: AllPairs) -> Sentence:
    """The places of those that cannot be the best, as far as they are clear."""
    others = [
        (name, int(first), int(last))
        for name, first, last in zip(found.runs, found.first, found.last, strict=True)
        if first > 1
    ]
    settled = [(name, first) for name, first, last in others if first == last]
    if not settled:
        return Sentence()
    if len(settled) > _NAMED:
        every = len(settled) == len(others)
        of = "All" if every else f"{w.sentence_case(w.number(len(settled)))} of"
        return muted(f"{of} {w.number(len(others))} other runs have a definite rank.")
    told = [run(name) + muted(f" ranks {w.ordinal(place)}") for name, place in settled]
    *head, end = told
    return (joined(head, ", ") + muted(" and ") + end if head else end) + muted(".")


def _listed(names: Sequence[str], last: str = "and") -> Sentence:
    """Runs as a reader lists them: all while they are few, else three and how many more; the `last`
    follows on this word."""
    shown = names if len(names) <= _NAMED + 1 else names[:_NAMED]
    parts = [run(name) for name in shown]
    if len(shown) < len(names):
        parts.append(strong(f"{w.count(len(names) - len(shown))} more"))
    sentence = parts[0]
    for place, part in enumerate(parts[1:], 2):
        sentence = sentence + strong(f" {last} " if place == len(parts) else ", ") + part
    return sentence
