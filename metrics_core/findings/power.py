"""What so many queries can show, in a sentence."""

from __future__ import annotations

import math

from metrics_core.base import wording as w
from metrics_core.findings.sentence import Sentence, muted


def shown_finding(smallest: float, queries: int) -> Sentence:
    """The smallest difference that these queries would have shown; empty where it is not known.
    `smallest` is that of `comparing.power.smallest_shown`."""
    if not math.isfinite(smallest) or not smallest:
        return Sentence()
    noun = w.plural(queries, "query", "queries")
    return muted(
        f"A difference of {_difference(smallest)} would have shown in"
        f" {_these(queries)} {noun} four times out of five."
    )


def needed_finding(difference: float, queries: float) -> Sentence:
    """How many queries a difference needs; empty where it is not known, or there is none.
    `queries` is that of `comparing.power.queries_needed`."""
    if math.isnan(queries) or math.isnan(difference) or not difference:
        return Sentence()
    size = _difference(abs(difference))
    if math.isinf(queries):
        return muted(f"No number of queries would show a difference of {size}.")
    return muted(f"To show a difference of {size} takes about {w.count(rounded(queries))} queries.")


def rounded(queries: float) -> int:
    """A number of queries to two figures, upwards: 823 is about 830."""
    step = 10 ** max(len(str(math.ceil(queries))) - 2, 0)
    return math.ceil(queries / step) * step


def _these(queries: int) -> str:
    return "this one" if queries == 1 else f"these {w.count(queries)}"


def _difference(size: float) -> str:
    """A difference with three decimals, fewer where they end in zeros (0.02), more where three
    would leave nothing of it."""
    digits = max(3, 1 - math.floor(math.log10(size)))
    for fewer in range(1, digits):
        if math.isclose(round(size, fewer), size, rel_tol=1e-9):
            return w.score(size, fewer)
    return w.score(size, digits)
