"""What so many queries can show, and what makes a test of the mean doubtful, in sentences."""

from __future__ import annotations

import math

from metrics_core.base import wording as w
from metrics_core.comparing.method import NO_CORRECTION, Method
from metrics_core.comparing.test_warnings import (
    MOST_OF_ANOTHER_HYPOTHESIS,
    Doubts,
    asks_something_else,
)
from metrics_core.findings.sentence import Sentence, muted


def shown_finding(smallest: float, queries: int) -> Sentence:
    """The smallest difference that these queries would have shown; empty where it is not known.
    `smallest` is that of `comparing.power.smallest_shown`."""
    if not math.isfinite(smallest) or not smallest:
        return Sentence()
    noun = w.plural(queries, "query", "queries")
    return muted(
        f"{w.sentence_case(_these(queries))} {noun} can detect {size_of(smallest)} or more"
        f" (80{w.NO_BREAK}% power, corrected)."
    )


def margin_finding(low: float, high: float, *, unchanged: bool) -> Sentence:
    """Against which margin these queries show that the difference is smaller: from the interval of
    two one-sided tests; empty if there is none. `unchanged` says that no query scores
    differently."""
    if math.isnan(low) or math.isnan(high):
        return Sentence()
    if unchanged:
        return muted("Nothing changed: every query scores the same.")
    size = size_of(max(-low, high), upwards=True)
    return muted(
        f"These queries show that the difference is smaller than {size} in either direction."
    )


def coloured_note(tested: int, method: Method) -> str:
    """What the colour of a difference to the baseline stands for, of so many tested together; ""
    where none is tested."""
    if tested < 1:
        return ""
    uncorrected = method.corrected_by == NO_CORRECTION
    how = "" if tested < 2 else ", not corrected" if uncorrected else " after correction"
    return f"coloured if significant{how}"


def needed_finding(difference: float, queries: float) -> Sentence:
    """How many queries a difference needs; empty where it is not known, or there is none.
    `queries` is that of `comparing.power.queries_needed`."""
    if math.isnan(queries) or math.isnan(difference) or not difference:
        return Sentence()
    size = size_of(abs(difference))
    if math.isinf(queries):
        return muted(f"No number of queries would confirm {size}.")
    number = rounded(queries)
    noun = w.plural(number, "query", "queries")
    return muted(
        f"About {w.count(number)} {noun} would confirm {size}, if that is the true difference."
    )


def rounded(queries: float) -> int:
    """A number of queries to two figures, upwards: 823 is about 830."""
    step = 10 ** max(len(str(math.ceil(queries))) - 2, 0)
    return math.ceil(queries / step) * step


def _these(queries: int) -> str:
    return "this one" if queries == 1 else f"these {w.count(queries)}"


def size_of(size: float, *, upwards: bool = False) -> str:
    """How large a difference is: three decimals, fewer where they end in zeros (0.02), more where
    three would leave nothing of it; a bound is rounded `upwards`."""
    digits = max(3, 1 - math.floor(math.log10(size)))
    if upwards:
        size = math.ceil(size * 10**digits - 1e-6) / 10**digits
    for fewer in range(1, digits):
        if math.isclose(round(size, fewer), size, rel_tol=1e-9):
            return w.score(size, fewer)
    return w.score(size, digits)


def doubts_findings(doubts: Doubts, *, found: bool = True) -> list[Sentence]:
    """One sentence for each doubt there is about the mean difference; none where there is none.

    Who carries it is said only where one is `found`: few queries carry half of a mean that may as
    well be zero.
    """
    said = []
    if doubts.few_differ:
        said.append(muted(_differing(doubts)))
    if found and doubts.carried_by_few:
        verb = w.plural(doubts.carriers, "accounts for", "account for")
        said.append(muted(f"{_counted(doubts.carriers)} {verb} half of the difference."))
    return said


def greyed_finding(test: str, queries: int) -> Sentence:
    """Why a test is greyed with so many queries; empty where it is not."""
    if not asks_something_else(test, queries):
        return Sentence()
    return muted(
        "It does not test the mean, and with more than"
        f" {w.count(MOST_OF_ANOTHER_HYPOTHESIS)} queries nearly every difference is significant."
    )


def _counted(queries: int) -> str:
    return w.sentence_case(f"{w.number(queries)} {w.plural(queries, 'query', 'queries')}")


def _differing(doubts: Doubts) -> str:
    verb = w.plural(doubts.differing, "differs", "differ")
    return f"Only {w.number(doubts.differing)} of {w.count(doubts.queries)} queries {verb} at all."
