"""Robustness of the verdict "no difference that matters": ways in which a difference could matter
after all.

The checks of `verdict_risks` use the same evidence, but are about the sign of the difference, which
is irrelevant for this verdict. The checks of this module say whether the difference stays within
the margin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats, Mask
from metrics_core.comparing.agreement import Agreement
from metrics_core.comparing.crossings import Crossings, find_cutoff_ranges
from metrics_core.comparing.verdicts import CLEAR
from metrics_core.comparing.winners import better_run_sign
from metrics_core.findings.file_risks import MISSING_QUERIES, describe_tie_order_effect
from metrics_core.findings.phrases import NO_OTHER_MEASURE, format_cutoffs
from metrics_core.findings.robustness import ComparedPair, RobustnessCheck, Tone
from metrics_core.findings.verdict_risks import (
    classify_query_dependence,
    describe_lead,
    no_cutoff_check,
)
from metrics_core.unjudged.bounds import DifferenceBounds
from metrics_core.unjudged.expected_difference import EstimatedDifference

_CANNOT, _COULD, _UNLIKELY = (f"{how} make it matter" for how in ("cannot", "could", "unlikely to"))


def margin_check(
    check: RobustnessCheck | None,
    difference_range: tuple[float, float],
    margin: float,
    *,
    is_exact: bool = True,
) -> RobustnessCheck | None:
    """Return a check of `verdict_risks` with a new answer: whether the difference stays within the
    margin.

    `difference_range` is the lowest and the highest possible difference. If `is_exact` is false,
    the true limits may be wider. If `check` is None, the result is None."""
    if check is None or np.isnan(difference_range).any():
        return check
    if max(-difference_range[0], difference_range[1]) >= margin:
        return _replace_answer(check, _COULD, "not firm")
    return _replace_answer(check, _CANNOT if is_exact else w.DASH, "firm" if is_exact else "")


def _replace_answer(check: RobustnessCheck, word: str, tone: Tone) -> RobustnessCheck:
    """Return the check with the answer `word` and the colouring `tone`. The brief form of the check
    gets the same answer."""
    begin, _, end = check.brief.partition("; ")
    brief = (
        f"{begin}; {word}"
        if end
        else describe_tie_order_effect(word)
        if check.part == "ties"
        else f"{MISSING_QUERIES} {word}" * (check.part == "missing")
    )
    return replace(check, word=word, tone=tone, brief=brief)


def unjudged_check(
    check: RobustnessCheck,
    bounds: DifferenceBounds,
    likely_difference: EstimatedDifference,
    margin: float,
) -> RobustnessCheck:
    """Return the check of `verdict_risks` on unjudged documents, with a new answer: whether the
    difference stays within the margin."""
    if bounds.reason or bounds.lowest == bounds.highest:
        return margin_check(check, (bounds.lowest, bounds.highest), margin) or check
    side = better_run_sign(bounds.difference)
    if side:  # if tied, the check mentions both bounds already
        opposite_bound = w.format_difference(bounds.highest if side > 0 else bounds.lowest)
        check = replace(
            check,
            reason=f"{check.reason} In the other direction, the difference could reach"
            f" {opposite_bound}.",
        )
    if max(-bounds.lowest, bounds.highest) < margin:
        return _replace_answer(check, _CANNOT, "firm")
    if likely_difference.interval is None:
        return _replace_answer(check, _COULD, "")
    if max(-likely_difference.interval.low, likely_difference.interval.high) < margin:
        return _replace_answer(check, _UNLIKELY, "")
    return _replace_answer(check, _COULD, "not firm")


def single_queries_check(differences: Floats, margin: float) -> RobustnessCheck:
    """Check how many queries must be removed until the mean difference reaches the margin, so that
    it matters.

    `differences` is float64[query], NaN if undefined. The queries whose removal moves the mean
    farthest from zero are removed first. This is exact: no other set of the same size moves the
    mean farther."""
    sorted_differences = np.sort(differences[~np.isnan(differences)])
    remaining = np.arange(len(sorted_differences), 0, -1)
    fewest = []
    for rising in (sorted_differences, -sorted_differences[::-1]):
        reaching = np.flatnonzero(np.cumsum(rising[::-1])[::-1] / remaining >= margin)
        fewest += reaching[:1].tolist()
    if not fewest:
        reason = f"No query’s difference reaches {margin:g}."
        word = "no query makes it matter"
        return RobustnessCheck("queries", "Single queries", word, "firm", reason, word)
    only, tone = classify_query_dependence(min(fewest), len(sorted_differences))
    queries_text = w.format_query_count(min(fewest))
    reason = (
        f"Removing {min(fewest):,} of {len(sorted_differences):,} queries would make the difference"
        f" {margin:g} or more."
    )
    word = f"removing {only}{queries_text} makes it matter"
    return RobustnessCheck("queries", "Single queries", word, tone, reason, word)


def cutoff_check(crossings: Crossings | None, pair: ComparedPair, margin: float) -> RobustnessCheck:
    """Check at which cutoffs the difference matters (it is significant and at least as large as the
    margin) or may matter (its band reaches the margin)."""

    def make_check(word: str, tone: Tone, reason: str) -> RobustnessCheck:
        return RobustnessCheck("cutoff", "Cutoff", word, tone, reason, word)

    if crossings is None:
        return no_cutoff_check(pair)
    if np.isnan(crossings.low).all():
        return make_check(
            "no confidence band", "", "No confidence band can be computed for these queries."
        )
    size = np.abs(crossings.difference[crossings.cutoffs - 1])
    matters = (crossings.clear != 0) & (size >= margin)
    if matters.any():
        sentences = []
        for side in (1, -1):
            spans = find_cutoff_ranges(crossings.cutoffs, matters & (crossings.clear == side))
            if spans:
                largest = w.format_score(float(size[matters & (crossings.clear == side)].max()))
                cutoffs_text = format_cutoffs(crossings, spans)
                sentences.append(
                    f"{pair.leader(side)} is significantly ahead {cutoffs_text}, by up to"
                    f" {largest}."
                )
        return make_check(
            f"matters {_format_spans(crossings, matters)}", "not firm", " ".join(sentences)
        )
    may_matter = np.maximum(-crossings.low, crossings.high) >= margin
    if may_matter.any():
        cutoffs_text = _format_spans(crossings, may_matter)
        return make_check(
            f"may matter {cutoffs_text}",
            "",
            f"The difference may be as large as the margin {cutoffs_text}.",
        )
    return make_check(
        "does not matter at any k",
        "firm",
        "The simultaneous band for all k stays within the margin.",
    )


def _format_spans(crossings: Crossings, mask: Mask) -> str:
    spans = find_cutoff_ranges(crossings.cutoffs, mask)
    return format_cutoffs(crossings, spans) if len(spans) < 3 else "at some k"


def other_measures_check(agreement: Agreement, pair: ComparedPair) -> RobustnessCheck:
    """Check whether one run is significantly ahead on another measure. The margin is not used,
    because it only applies to the chosen measure."""
    table = agreement.rows_with_difference.set_index("measure").drop(index=pair.measure)
    if table.empty:
        reason = NO_OTHER_MEASURE
        return RobustnessCheck("measures", "Other measures", w.DASH, "", reason)
    clear = int(table["verdict"].isin(CLEAR).sum())
    if not clear:
        reason = "Neither run is significantly ahead on any other measure."
        return RobustnessCheck(
            "measures", "Other measures", "none is significant", "", reason, "none is significant"
        )
    sentences = [describe_lead(table[table["verdict"].isin(CLEAR)], pair, side) for side in (1, -1)]
    word = f"{clear} of {len(table)} {w.plural(clear, 'is', 'are')} significant"
    reason = " ".join(filter(None, sentences))
    return RobustnessCheck("measures", "Other measures", word, "not firm", reason, word)
