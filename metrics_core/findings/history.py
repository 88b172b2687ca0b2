"""Describe the history of a system's versions in a sentence: whether the latest version is the
best, and which queries broke."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats
from metrics_core.comparing.winners import better_run_sign
from metrics_core.findings.phrases import NO_DIRECTION
from metrics_core.findings.sentence import Sentence, muted_span, run_span, strong_span


def no_versions_finding() -> Sentence:
    """Return the text that is shown if the names of the runs do not show that they are versions of
    one system."""
    return strong_span("Are these versions of one system? ") + muted_span(
        "The run names contain no version numbers. If you say yes, each run is compared with the"
        " one before it. If not, use Ranking."
    )


def not_versions_finding() -> Sentence:
    """Return the text that is shown if the user marked the runs as different systems."""
    return strong_span("These runs are different systems. ") + muted_span(
        "Ranking compares different systems. This page shows the progress of one system."
    )


def undeclared_history_finding(versions: Sequence[str], means: Floats, measure: str) -> Sentence:
    """State the first and last mean of a measure whose direction is not declared."""
    first, last = w.format_score(float(means[0])), w.format_score(float(means[-1]))
    head = run_span(versions[-1]) + strong_span(f" has a mean {measure} of {last}, ")
    return head + run_span(versions[0]) + strong_span(f" {first}. ") + muted_span(NO_DIRECTION)


def history_finding(
    versions: Sequence[str],
    means: Floats,
    measure: str,
    *,
    n_failing: int,
    n_flickering: int,
    first_bad_version: str,
    is_best: bool,
    compares_means: bool = True,
    counts_failures: bool = True,
) -> Sentence:
    """State whether the latest version is significantly worse than the best version, and since
    when.

    `versions` are in order. `means` float64[version] are oriented so that greater is better.
    `measure` is the measure's name. `n_failing` is the number of queries that were good with an
    earlier version and fail with the latest, and `n_flickering` the number of queries that changed
    repeatedly. `first_bad_version` is the first version that is significantly worse, or empty.
    `is_best` is true if the latest version is significantly better than every other version when
    all pairs are tested together. `compares_means` is false if a typical ratio or a sign is tested.
    `counts_failures` is false if the scores do not show which queries fail."""
    last = versions[-1]
    if np.isnan(means).all():
        return strong_span("No query has a score, so the versions cannot be compared.")
    best = versions[int(np.nanargmax(means))]
    if np.isnan(means[-1]):
        head = run_span(last) + strong_span(f" has no score on {measure}; ") + run_span(best)
        head += strong_span(" is the best so far. ")
    elif first_bad_version:
        head = (
            run_span(last)
            + strong_span(f" is significantly worse on {measure} than ")
            + run_span(best)
        )
        head += strong_span(" was")
        if first_bad_version != last:
            head += strong_span(". So is every version since ") + run_span(first_bad_version)
        head += strong_span(". ")
    elif best == last:
        head = run_span(last) + strong_span(
            f", the last of {w.number_word(len(versions))} versions, "
        )
        head += strong_span(f"{'is the best' if is_best else 'has the best mean'} on {measure}")
        head += strong_span(". ") if is_best else strong_span(", but not significantly. ")
    else:
        is_tied = better_run_sign(means[-1] - np.nanmax(means)) == 0
        phrase = (
            f" is tied on {measure} with "
            if is_tied
            else f" is not significantly worse on {measure} than "
        )
        head = (
            run_span(last)
            + strong_span(phrase)
            + run_span(best)
            + strong_span(", the best so far. ")
        )
    if first_bad_version:
        size_text = w.format_score(float(np.nanmax(means) - means[-1]))
        differ = f"The difference of {size_text}" if compares_means else "The typical change"
        number = math.comb(len(versions), 2)
        pairs = "the pair" if number == 1 else f"all {w.number_word(number)} pairs"
        head += muted_span(f"{differ} is significant after correction for {pairs} (two-sided). ")
    if not counts_failures:
        return head
    broken = f"{w.format_query_count(n_failing)} broke"
    flicker = f"; {w.format_count(n_flickering)} went back and forth"
    return head + muted_span(f"{broken}{flicker if n_flickering else ''}.")
