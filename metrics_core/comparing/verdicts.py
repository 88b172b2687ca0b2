"""Decide the verdict on a difference, with its reason. Only this module decides whether a run is
better."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.wording import DASH

BETTER_RUN, WORSE_RUN = "better", "worse"
BETTER_BY_LITTLE = "better, but within the margin"
WORSE_BY_LITTLE = "worse, but within the margin"
NO_MATTER = "no difference that matters"
CANNOT_TELL = "cannot tell"
NO_VERDICT = DASH
"""The word used in place of a verdict if the direction of the measure is not declared."""

AHEAD = frozenset({BETTER_RUN, BETTER_BY_LITTLE})
BEHIND = frozenset({WORSE_RUN, WORSE_BY_LITTLE})
CLEAR = AHEAD | BEHIND
"""Verdicts that one of the runs is significantly better."""

FEWEST_QUERIES = 10
"""Minimum number of queries for a test and a verdict. Fewer queries only serve as examples."""


FEWEST_DIFFERING = 6
"""Minimum number of differing queries for a test. With only five, all differences have the same
sign by chance in 1 of 16 cases."""


def are_testable(n_queries: Ints, n_differing: Ints) -> Mask:
    """Return which differences may be tested, bool[…]. The same rule applies on every page.

    `n_queries` int64[…] is the number of queries, and `n_differing` int64[…] the number of queries
    on which the runs differ. If no query differs, the test is allowed, and its result is that
    nothing differs."""
    enough = (n_differing >= FEWEST_DIFFERING) | (n_differing == 0)
    return np.asarray((n_queries >= FEWEST_QUERIES) & enough)


def are_significant(p_corrected: Floats, level: float) -> Mask:
    """Return which corrected p-values float64[…] are significant at a confidence level, bool[…].

    NaN (no test) is not significant."""
    return np.asarray(p_corrected <= 1 - level + 1e-12)


class Verdict(NamedTuple):
    """A verdict, such as "better" or "cannot tell" (the constants of this module), and a short
    reason."""

    word: str
    reason: str


def decide_verdict(
    difference: float,
    p_corrected: float,
    *,
    n_queries: int,
    n_differing: int,
    level: float,
    is_within_margin: bool = False,
    is_contrary: bool = False,
) -> Verdict:
    """Return the verdict on a difference, which is positive if the run is better.

    The difference is a mean difference, or the logarithm of a typical ratio. Significance depends
    only on `p_corrected`, which is NaN without a test. `is_within_margin` is true if the difference
    is shown to be smaller than the margin, either by two one-sided tests or because very few
    queries differ. `is_contrary` is true if a test that does not concern the mean favours the run
    that has the worse mean."""
    if n_queries < FEWEST_QUERIES:
        return Verdict(CANNOT_TELL, f"fewer than {FEWEST_QUERIES} queries")
    if p_corrected != p_corrected and not is_within_margin:
        return Verdict(CANNOT_TELL, _untested_reason(n_differing))
    is_significant = p_corrected <= 1 - level + 1e-12 and difference != 0
    if is_significant and is_contrary:
        return Verdict(CANNOT_TELL, "the mean and this test favour different runs")
    if is_within_margin:
        if not is_significant:
            return Verdict(NO_MATTER, "the interval lies within the margin")
        word = BETTER_BY_LITTLE if difference > 0 else WORSE_BY_LITTLE
        return Verdict(word, "the interval excludes zero and lies within the margin")
    if is_significant:
        word = BETTER_RUN if difference > 0 else WORSE_RUN
        return Verdict(word, f"p is at most {1 - level:.2g} after correction")
    if not n_differing:
        return Verdict(CANNOT_TELL, _untested_reason(n_differing))
    return Verdict(CANNOT_TELL, f"p is above {1 - level:.2g} after correction")


def undeclared_direction_verdict(measure: str) -> Verdict:
    """Return `NO_VERDICT` together with the reason: the direction of the measure is not
    declared."""
    return Verdict(
        NO_VERDICT,
        "it is not declared whether lower or higher is better; use"
        f" --lower {measure} or --higher {measure} (in Python lower= or higher=)",
    )


def _untested_reason(n_differing: int) -> str:
    if not n_differing:
        return "no query differs"
    return "only one query differs" if n_differing == 1 else f"only {n_differing} queries differ"
