"""The verdict on a difference, and its reason: the one place that says when a run is better."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
in 1 of 16 cases."""


def can_be_tested(
    queries: npt.NDArray[np.int64], differing: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Of which differences a test says something, by how many queries there are and on how many of
    them the runs differ: the one rule of all pages. Where no query differs it says that."""
    enough = (differing >= FEWEST_DIFFERING) | (differing == 0)
    return np.asarray((queries >= FEWEST_QUERIES) & enough)


def are_significant(p_corrected: npt.NDArray[np.float64], level: float) -> npt.NDArray[np.bool_]:
    """Which differences a test finds at a level; none where there was no test (NaN)."""
    return np.asarray(p_corrected <= 1 - level + 1e-12)


class Verdict(NamedTuple):
    """One of the six words, and in a few words why."""

    word: str
    reason: str


def decide_verdict(
    difference: float,
    p_corrected: float,
    *,
    queries: int,
    differing: int,
    level: float,
    is_within_margin: bool = False,
    is_contrary: bool = False,
) -> Verdict:
    """The verdict on a mean difference, positive where the run does better.

    `p_corrected` alone decides whether there is one; it is NaN where there was no test.
    `is_within_margin` says that the difference is smaller than the margin, by two one-sided tests
    or by the few queries that differ, `is_contrary` that a
    test which does not ask about the mean found more on its other side.
    """
    if queries < FEWEST_QUERIES:
        return Verdict(CANNOT_TELL, f"fewer than {FEWEST_QUERIES} queries")
    if p_corrected != p_corrected and not is_within_margin:
        return Verdict(CANNOT_TELL, _untested_reason(differing))
    is_significant = p_corrected <= 1 - level + 1e-12 and difference != 0
    if is_significant and is_contrary:
        return Verdict(CANNOT_TELL, "the mean and this test point to different runs")
    if is_within_margin:
        if not is_significant:
            return Verdict(NO_MATTER, "the interval lies within the margin")
        word = BETTER_BY_LITTLE if difference > 0 else WORSE_BY_LITTLE
        return Verdict(word, "the interval excludes zero and lies within the margin")
    if is_significant:
        word = BETTER_RUN if difference > 0 else WORSE_RUN
        return Verdict(word, f"p is at most {1 - level:.2g} after correction")
    if not differing:
        return Verdict(CANNOT_TELL, _untested_reason(differing))
    return Verdict(CANNOT_TELL, f"p is above {1 - level:.2g} after correction")


def _untested_reason(differing: int) -> str:
    if not differing:
        return "no query differs"
    return "only one query differs" if differing == 1 else f"only {differing} queries differ"
