"""Checks for a comparison without a significant lead. Each check names a way to make the result
conclusive, for the Overview.

The checks of `verdict_risks` use the same evidence, but require a lead."""

from __future__ import annotations

import math
from collections.abc import Mapping

from metrics_core.base import wording as w
from metrics_core.comparing.crossings import Crossings
from metrics_core.comparing.verdicts import AHEAD, BEHIND
from metrics_core.findings.phrases import NOT_CLEAR_AT_ANY_K, format_cutoffs
from metrics_core.findings.robustness import ComparedPair, RobustnessCheck
from metrics_core.findings.significance import format_absolute_difference, round_up_query_count

_MAX_NAMED = 3


def _make_check(part: str, title: str, brief: str, *, is_warning: bool = False) -> RobustnessCheck:
    return RobustnessCheck(part, title, "", "not firm" if is_warning else "", "", brief)


def sample_size_check(difference: float, n_queries: float) -> RobustnessCheck | None:
    """Return a check that states the number of queries needed to confirm the difference; None if
    unknown.

    `n_queries` is the result of `comparing.power.find_query_count_needed`.
    """
    if not difference or math.isnan(difference) or math.isnan(n_queries):
        return None
    size = format_absolute_difference(abs(difference))
    if math.isinf(n_queries):
        return _make_check("size", "Sample size", f"no number of queries can confirm {size}")
    return _make_check(
        "size",
        "Sample size",
        f"about {w.format_count(round_up_query_count(n_queries))} queries needed to confirm {size}",
    )


def detectable_difference_check(smallest_difference: float) -> RobustnessCheck | None:
    """Return a check that states which differences these queries could detect; None if unknown.

    `smallest_difference` is the result of `comparing.power.smallest_detectable_difference`."""
    if not math.isfinite(smallest_difference) or not smallest_difference:
        return None
    brief = f"{format_absolute_difference(smallest_difference)} or more (80% power)"
    return _make_check("detectable", "Detectable now", brief)


def unjudged_check(share: float, depth: int) -> RobustnessCheck | None:
    """Return a check that states the unjudged `share` of both runs' top `depth`; None if the share
    is 0."""
    if not share > 0:
        return None
    brief = f"{w.format_share(share)} of the top {w.format_count(depth)} is unjudged"
    return _make_check("unjudged", "Unjudged documents", brief)


def cutoff_check(crossings: Crossings | None, chosen_cutoff: int | None) -> RobustnessCheck | None:
    """State at which cutoffs k one run is significantly ahead. Returns None for a measure without a
    cutoff.

    If the lead is significant at `chosen_cutoff`, this seems to contradict the comparison of all
    runs, in which the lead is not significant. The text then adds that the lead is significant only
    if this pair is tested alone."""
    if crossings is None:
        return None
    spans = sorted([*crossings.significant_ranges(1), *crossings.significant_ranges(-1)])
    if not spans:
        return _make_check("cutoff", "Cutoff", NOT_CLEAR_AT_ANY_K)
    cutoffs_text = (
        format_cutoffs(crossings, spans) if len(spans) < _MAX_NAMED else "at some cutoffs"
    )
    k = min(chosen_cutoff or crossings.depth, crossings.depth)
    alone_text = ", for this pair alone" if any(low <= k <= high for low, high in spans) else ""
    return _make_check(
        "cutoff", "Cutoff", f"significant {cutoffs_text}{alone_text}", is_warning=True
    )


def other_measures_check(verdicts: Mapping[str, str], pair: ComparedPair) -> RobustnessCheck | None:
    """Return a check that states on which other measures one run is significantly ahead. Such
    measures are a warning, because the measure should be chosen before looking at results.

    `verdicts` are the verdicts in the table of runs, by measure. Returns None if there are no other
    measures."""
    others = {name: word for name, word in verdicts.items() if name != pair.measure}
    if not others:
        return None
    clauses = []
    for words, name in ((AHEAD, pair.run), (BEHIND, pair.baseline)):
        clear = [measure for measure, word in others.items() if word in words]
        if clear:
            clauses.append(f"{w.shorten_list(clear, max_words=_MAX_NAMED)}: significant for {name}")
    brief = "; ".join(clauses) or f"none of {len(others)} is significant"
    return _make_check("measures", "Other measures", brief, is_warning=bool(clauses))


def ties_check(check: RobustnessCheck | None) -> RobustnessCheck | None:
    """Return the ties check of `file_risks`, reworded for a difference that may be due to chance.
    Returns None if `check` is None."""
    if check is None:
        return None
    verb = check.word.partition(" ")[0]
    brief = f"{verb} change the direction" if verb in ("cannot", "could") else check.brief
    return _make_check("ties", "Ties", brief)


def missing_queries_check(check: RobustnessCheck | None) -> RobustnessCheck | None:
    """Return the check of `file_risks` on queries without results, in its brief form. Returns None
    if `check` is None."""
    return None if check is None else _make_check("missing", "Missing results", check.brief)
