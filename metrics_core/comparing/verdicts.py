"""The verdict on a difference, and its reason: the one place that says when a run is better."""

from __future__ import annotations

from typing import NamedTuple

BETTER_RUN, WORSE_RUN = "better", "worse"
BETTER_BY_LITTLE = "better, by less than matters"
WORSE_BY_LITTLE = "worse, by less than matters"
NO_MATTER = "no difference that matters"
CANNOT_TELL = "cannot tell"

AHEAD = frozenset({BETTER_RUN, BETTER_BY_LITTLE})
BEHIND = frozenset({WORSE_RUN, WORSE_BY_LITTLE})
CLEAR = AHEAD | BEHIND
"""Verdicts by which one of the two is ahead."""

FEWEST_QUERIES = 10
"""With fewer queries two runs are examples, not a result: there is no test and no verdict."""


FEWEST_DIFFERING = 6
"""Where fewer queries differ there is no test: of five differences all have the same sign by chance
in 1 of 16 cases, and many draws would hold none of them and so have no error to be measured by."""


class Verdict(NamedTuple):
    """One of the six words, and in a few words why."""

    word: str
    reason: str


def verdict(
    difference: float,
    p_corrected: float,
    *,
    queries: int,
    differing: int,
    level: float,
    within: bool = False,
    contrary: bool = False,
    skewed: bool = False,
) -> Verdict:
    """The verdict on a mean difference, positive where the run does better.

    `p_corrected` alone decides whether there is one; it is NaN where there was no test. `within`
    says that the difference is smaller than the margin, by two one-sided tests, `contrary` that a
    test which does not ask about the mean found more on its other side, `skewed` that there was no
    test because the differences are too skewed for so few queries.
    """
    if queries < FEWEST_QUERIES:
        return Verdict(CANNOT_TELL, f"fewer than {FEWEST_QUERIES} queries")
    if p_corrected != p_corrected:
        reason = "the differences are too skewed for so few queries"
        return Verdict(CANNOT_TELL, reason if skewed else _untested(differing))
    found = p_corrected <= 1 - level + 1e-12 and difference != 0
    if found and contrary:
        return Verdict(CANNOT_TELL, "the mean and this test point to different runs")
    if within:
        if not found:
            return Verdict(NO_MATTER, "the interval lies within the margin")
        word = BETTER_BY_LITTLE if difference > 0 else WORSE_BY_LITTLE
        return Verdict(word, "the interval excludes zero and lies within the margin")
    if found:
        word = BETTER_RUN if difference > 0 else WORSE_RUN
        return Verdict(word, f"p is at most {1 - level:.2g} after correction")
    if not differing:
        return Verdict(CANNOT_TELL, _untested(differing))
    return Verdict(CANNOT_TELL, f"p is above {1 - level:.2g} after correction")


def _untested(differing: int) -> str:
    if not differing:
        return "no query differs"
    if differing >= FEWEST_DIFFERING:
        return "too few queries carry the difference"
    return "only one query differs" if differing == 1 else f"only {differing} queries differ"
