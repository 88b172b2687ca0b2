"""Sentences and phrases that several findings share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metrics_core.base import wording as w
from metrics_core.comparing.crossings import Crossings
from metrics_core.comparing.pairs import choose_tie_threshold
from metrics_core.findings.sentence import Sentence, strong_span
from metrics_core.measures import Measure


def _format_span(span: tuple[int, int]) -> str:
    low, high = map(w.format_count, span)
    if low == high:
        return f"k = {low}"
    return f"k = {low} {'to' if span[0] + 1 < span[1] else 'and'} {high}"


def format_cutoffs(crossings: Crossings, spans: Sequence[tuple[int, int]]) -> str:
    """Format ranges of cutoffs: "at k = 3 and from k = 11 on"."""
    *first, last = spans
    is_open = last[0] < last[1] == crossings.depth
    closed = list(map(_format_span, first if is_open else spans))
    parts = [f"at {w.join_words(closed)}"] if closed else []
    parts += [f"from k = {w.format_count(last[0])} on"] * is_open
    return " and ".join(parts)


def band_note(k: int, band: str, *, is_significant: bool) -> str:
    """Explain why the verdict at `k` and the band over all k disagree.

    `band` is a phrase that names the band and ends with a verb. If `is_significant` is true, only
    the verdict at `k` is significant; otherwise only the band is."""
    if is_significant:
        return (
            f"k = {w.format_count(k)} is significant on its own, but not after correction for all"
            " k."
        )
    return (
        f"In the test of all compared runs, k = {w.format_count(k)} is not significant. It is"
        f" significant here, because {band} for this pair alone."
    )


def short_lists_note(lengths: Mapping[str, int]) -> str:
    """Warn if the lists of one run are much shorter than the lists of the other run. Comparing them
    at large k is then unfair. `lengths` is the typical list length by run, 0 if all are empty. The
    text is empty if the lengths are similar."""
    longest = max(lengths, key=lambda run: lengths[run], default="")
    return "".join(
        f"Half of the {run} lists end by rank {w.format_count(length)}, which favours {longest} at"
        " larger k."
        for run, length in lengths.items()
        if 0 < length < lengths[longest] / 2
    )


COMPARE_ANOTHER_RUN = "Compare another run to see"
NO_SCORE_WITH_BOTH = "No query has scores from both runs"
NO_OTHER_MEASURE = "No other measure has scores for both runs."
NOT_SIGNIFICANT = "the difference is not significant."
NOT_CLEAR_AT_ANY_K = "not significant at any k"
NO_DIRECTION = "No direction (higher or lower is better) has been declared, so nothing is tested."
RUNS_ARE_TIED = "The runs are tied, so there is no"
EFFECT_SIZE = "Effect size (uncorrected): mean / standard deviation of the differences."


def describe_tie_rule(measure: Measure) -> str:
    """State when two scores of a query on this measure count as the same."""
    limit = choose_tie_threshold(measure)
    return (
        "Same: queries whose two scores"
        f" {f'differ by at most {limit:g}' if limit else 'are equal'}."
    )


def describe_judged_results(cutoff: int, n_runs: int, n_loaded: int) -> str:
    """Name the results whose share of judged documents is stated: "judged in the top 10 of both
    runs".

    `n_runs` is the number of runs that are counted, `n_loaded` the number of all runs."""
    runs = f"all {w.number_word(n_runs)} runs" if n_runs > 2 else "both runs"
    if n_runs < n_loaded:
        runs = f"the {w.number_word(n_runs)} runs shown"
    return f"judged in the top {w.format_count(cutoff)}" + f" of {runs}" * (n_runs > 1)


def few_queries_note(n_queries: int) -> Sentence:
    """State that there are too few queries to test."""
    if not n_queries:
        return strong_span(f"{NO_SCORE_WITH_BOTH}. ")
    return strong_span(f"Only {w.format_query_count(n_queries)}: too few for a result. ")
