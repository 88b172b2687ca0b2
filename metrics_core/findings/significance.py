"""Sentences on the differences that a number of queries can detect, and on reasons to doubt a test
of the mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.difference_warnings import (
    MAX_QUERIES_OF_OTHER_TESTS,
    DifferenceWarnings,
    is_test_unavailable,
)
from metrics_core.comparing.method import NO_CORRECTION, Method
from metrics_core.findings.phrases import EFFECT_SIZE
from metrics_core.findings.sentence import Sentence, muted_span


def detectable_difference_finding(smallest: float, n_queries: int) -> Sentence:
    """State the smallest difference that these queries can detect; empty if unknown.

    `smallest` is the result of `comparing.power.smallest_detectable_difference`."""
    if not math.isfinite(smallest) or not smallest:
        return Sentence()
    noun = w.plural(n_queries, "query", "queries")
    return muted_span(
        f"{w.sentence_case(_these_queries_text(n_queries))} {noun} can detect"
        f" a difference of {format_absolute_difference(smallest)} or more, after correction"
        " (80% power)."
    )


def supported_margin_finding(low: float, high: float, *, all_scores_equal: bool) -> Sentence:
    """State within which margin the difference lies, according to these queries. The sentence is
    empty if there is no interval.

    `low` and `high` are the interval of two one-sided tests. `all_scores_equal` is true if all
    queries have equal scores in both runs."""
    if math.isnan(low) or math.isnan(high):
        return Sentence()
    if all_scores_equal:
        return muted_span("No query changed its score.")
    size = format_absolute_difference(max(-low, high), round_up=True)
    return muted_span(
        f"These queries show that the difference is smaller than {size} in either direction."
    )


def colour_note_text(n_tested: int, method: Method) -> str:
    """Return a note that explains when a difference from the baseline is coloured. The note is
    empty if no run is tested.

    `n_tested` is the number of runs that are tested together."""
    if n_tested < 1:
        return ""
    uncorrected = method.effective_correction == NO_CORRECTION
    correction_text = (
        "" if n_tested < 2 else ", not corrected" if uncorrected else " after correction"
    )
    return f"coloured if significant{correction_text}"


def effect_size_finding(row: Mapping[str, Any]) -> Sentence:
    """State the effect size of a run with its interval. `row` is a row of the frame of `compare`.
    Empty if the effect size is unknown, as for the baseline."""
    if math.isnan(row["effect"]):
        return Sentence()
    return muted_span(
        f"{EFFECT_SIZE} Here: {w.format_difference(row['effect'], 2)}"
        f" {w.format_interval(row['effect_low'], row['effect_high'], 2)}."
    )


def rounding_note(rows: pd.DataFrame) -> str:
    """Return a note that differences are computed before rounding. The note is empty unless a
    difference contradicts its two scores as they are printed, with three decimals. Columns used:
    mean or score, baseline_mean or baseline_score, and difference."""
    scores = ("mean", "baseline_mean") if "mean" in rows else ("score", "baseline_score")
    exact = rows[[*scores, "difference"]].to_numpy(float)
    printed = np.char.mod("%.3f", exact).astype(float)
    errors = [values @ (1, -1, -1) for values in (exact, printed)]
    is_contradiction = (abs(errors[0]) < 1e-9) & (abs(errors[1]) > 0.0005)
    return "Differences are computed before rounding." if is_contradiction.any() else ""


def needed_queries_finding(difference: float, n_queries: float) -> Sentence:
    """State how many queries would confirm a difference. The sentence is empty if this is unknown
    or if there is no difference.

    `n_queries` is the result of `comparing.power.find_query_count_needed`."""
    if math.isnan(n_queries) or math.isnan(difference) or not difference:
        return Sentence()
    size = format_absolute_difference(abs(difference))
    if math.isinf(n_queries):
        return muted_span(f"No number of queries would confirm {size}.")
    number = round_up_query_count(n_queries)
    noun = w.plural(number, "query", "queries")
    return muted_span(
        f"About {w.format_count(number)} {noun} would confirm {size}, if that is the true"
        " difference."
    )


def round_up_query_count(n_queries: float) -> int:
    """Round a number of queries up to two significant figures: 823 becomes 830."""
    step = 10 ** max(len(str(math.ceil(n_queries))) - 2, 0)
    return math.ceil(n_queries / step) * step


def _these_queries_text(n_queries: int) -> str:
    return "this one" if n_queries == 1 else f"these {w.format_count(n_queries)}"


def format_absolute_difference(size: float, *, round_up: bool = False) -> str:
    """Format the absolute size of a difference, usually with three decimals.

    Zeros at the end are dropped (0.02), and decimals are added if the size would otherwise print as
    zero. If `round_up` is true, the size is rounded up instead of to the nearest value. Raises
    ValueError for a size of 0."""
    digits = max(3, 1 - math.floor(math.log10(size)))
    if round_up:
        size = math.ceil(size * 10**digits - 1e-6) / 10**digits
    for fewer_digits in range(1, digits):
        if math.isclose(round(size, fewer_digits), size, rel_tol=1e-9):
            return w.format_score(size, fewer_digits)
    return w.format_score(size, digits)


def mean_difference_caveats(
    warnings: DifferenceWarnings, *, is_significant: bool = True
) -> list[Sentence]:
    """Return one sentence for each reason to doubt the mean difference; empty if there is none.

    The sentence that a few queries account for half of the difference is only included if
    `is_significant` is true: if the true mean may be zero, a few queries always account for
    half."""
    sentences = []
    if warnings.has_few_differing_queries:
        sentences.append(muted_span(_few_differing_queries_text(warnings)))
    if is_significant and warnings.depends_on_few_queries:
        verb = w.plural(warnings.carriers, "accounts for", "account for")
        sentences.append(
            muted_span(f"{_format_query_count(warnings.carriers)} {verb} half of the difference.")
        )
    return sentences


def unavailable_test_finding(test: str, n_queries: int) -> Sentence:
    """Explain why a test is unavailable for this number of queries. The text is empty if the test
    is available."""
    if not is_test_unavailable(test, n_queries):
        return Sentence()
    return muted_span(
        "This test is unavailable for more than"
        f" {w.format_count(MAX_QUERIES_OF_OTHER_TESTS)} queries: it does not test the mean, and"
        " nearly every difference would be significant."
    )


def _format_query_count(n_queries: int) -> str:
    return w.sentence_case(f"{w.number_word(n_queries)} {w.plural(n_queries, 'query', 'queries')}")


def _few_differing_queries_text(warnings: DifferenceWarnings) -> str:
    verb = w.plural(warnings.differing, "differs", "differ")
    return (
        f"Only {w.number_word(warnings.differing)} of {w.format_count(warnings.queries)} queries"
        f" {verb} at all."
    )
