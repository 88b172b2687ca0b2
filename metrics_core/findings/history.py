"""The versions of a system in a sentence: is the last the best, and what broke on the way."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats
from metrics_core.comparing.winners import side_of
from metrics_core.findings.sentence import Sentence, muted, run, strong


def no_versions_finding(runs: Sequence[str]) -> Sentence:
    """What is said instead of runs of which nothing tells that they are versions of one system."""
    return strong("Are these versions of one system? ") + muted(
        f"The names {w.named(list(runs))} do not show it, so no order is assumed. Put them in"
        " order to see how the measure changed and which queries got worse."
    )


def not_versions_finding() -> Sentence:
    """What is said where a reader said that the runs are no versions of one system."""
    return strong("These runs are different systems. ") + muted(
        "No progress is reported; Ranking compares all of them."
    )


def history_finding(
    versions: Sequence[str],
    means: Floats,
    measure: str,
    *,
    now_bad: int,
    flickering: int,
    since: str,
    is_best: bool,
) -> Sentence:
    """Whether the last of the `versions` is clearly worse than the best was, and since when
    (`since`, "" where it is not). `means` are the versions' means, greater is better; `measure` is
    its name, `now_bad` how many queries were fine once and are not now; `is_best` says that the
    last is clearly better than each other version, as all pairs tell it."""
    last = versions[-1]
    if np.isnan(means).all():
        return strong("No query has a score, so the versions cannot be compared.")
    best = versions[int(np.nanargmax(means))]
    if np.isnan(means[-1]):
        head = run(last) + strong(f" has no score on {measure}; ") + run(best)
        head += strong(" is the best so far. ")
    elif since:
        head = run(last) + strong(f" is significantly worse on {measure} than ") + run(best)
        head += strong(" was")
        if since != last:
            head += strong("; it has been since ") + run(since)
        head += strong(". ")
    elif best == last:
        head = run(last) + strong(f", the last of {w.number(len(versions))} versions, ")
        head += strong(f"{'is the best' if is_best else 'has the best mean'} on {measure}")
        head += strong(". ") if is_best else strong(", but not significantly. ")
    else:
        level = side_of(means[-1] - np.nanmax(means)) == 0
        told = (
            f" is tied on {measure} with "
            if level
            else f" is not significantly worse on {measure} than "
        )
        head = run(last) + strong(told) + run(best) + strong(", the best so far. ")
    if since:
        by = w.score(float(np.nanmax(means) - means[-1]))
        number = math.comb(len(versions), 2)
        pairs = "the pair" if number == 1 else f"all {w.number(number)} pairs"
        head += muted(
            f"The means differ by {by}, significant after correction for {pairs} (two-sided). "
        )
    broken = f"{w.count(now_bad)} {w.plural(now_bad, 'query', 'queries')} regressed"
    flicker = f"; {w.count(flickering)} went back and forth"
    return head + muted(f"{broken}{flicker if flickering else ''}.")
