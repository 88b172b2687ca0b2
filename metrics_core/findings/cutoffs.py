"""Does the lead depend on how many results count, or on how many relevant ones are to be found?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.comparing.crossings import ranges_where
from metrics_core.comparing.verdicts import AHEAD, CLEAR, FEWEST_QUERIES
from metrics_core.comparing.winners import better_side, better_sides
from metrics_core.findings.phrases import COMPARE_ANOTHER_RUN, NOT_SIGNIFICANT, family_note
from metrics_core.findings.sentence import (
    Sentence,
    aside_span,
    join_sentences,
    muted_span,
    run_span,
    strong_span,
)
from metrics_core.findings.verdicts import few_queries_note
from metrics_core.judging import JudgedRanks

MAX_TITLE_LENGTH = 60
"""Characters of a title at most, long names aside."""
_SHORT_LIST_SHARE = 0.5
_HALF_RECALL = 0.5
_PENDING_LEAD = "Computing which leads are significant."
_NOTHING_COMPARED = f"{COMPARE_ANOTHER_RUN} a difference."

Range = tuple[int, int]
"""The first and the last k of a stretch."""


@dataclass(frozen=True)
class _Curve:
    """Where the band of a pair is clear of zero, which holds for all `ks` together; `tied` says at
    which of them no query differs."""

    ks: Ints
    difference: Floats
    tied: Mask
    ahead: list[Range]
    behind: list[Range]

    @classmethod
    def from_frame(cls, rows: pd.DataFrame) -> _Curve:
        ks = rows["k"].to_numpy()
        # A band without width is that of differences that are all 0.
        unchanged = (rows["diff_low"] == rows["diff_high"]).to_numpy()
        return cls(
            ks,
            rows["difference"].to_numpy(),
            (better_sides(rows["difference"]) == 0) & unchanged,
            ranges_where(ks, (rows["diff_low"] > 0).to_numpy()),
            ranges_where(ks, (rows["diff_high"] < 0).to_numpy()),
        )

    @property
    def clear_ranges(self) -> list[Range]:
        return sorted([*self.ahead, *self.behind])

    @property
    def is_marginal(self) -> bool:
        """Whether all clear stretches are so short that they say little: among many k some look
        clear by chance."""
        return all(last < 1.5 * first for first, last in self.clear_ranges)

    @property
    def k_range_text(self) -> str:
        return f"all k from {w.format_count(self.ks[0])} to {w.format_count(self.ks[-1])}"

    def format_ranges(self, ranges: Sequence[Range]) -> str:
        """At which k, as a title says it."""
        if list(ranges) == [(self.ks[0], self.ks[-1])]:
            return "at every k"
        return w.join_words(self._format_range(*cutoff_range) for cutoff_range in ranges)

    def _format_range(self, first: int, last: int) -> str:
        if first == last:
            return f"at k = {w.format_count(first)}"
        if last == self.ks[-1]:
            return f"from k = {w.format_count(first)} on"
        return f"from k = {w.format_count(first)} to {w.format_count(last)}"


def _focus_rows(curve: pd.DataFrame, focus: str, baseline: str) -> pd.DataFrame | None:
    """The rows of the run in focus; None where nothing is compared."""
    rows = curve[curve["run"] == focus].sort_values("k")
    return None if focus == baseline or rows["difference"].isna().all() else rows


def curves_title(curve: pd.DataFrame, family: str, focus: str, baseline: str) -> Sentence:
    """From which k on does the run in focus lead? `curve` is the frame of `mean_curves`, whose
    bands of differences hold for all k at once; `family` the measure's name without its cutoff."""
    rows = _focus_rows(curve, focus, baseline)
    if rows is None or int(rows["queries"].max()) < FEWEST_QUERIES:
        return _untested_title(family, focus, baseline)
    tested_curve, pair_sentence = (
        _Curve.from_frame(rows),
        run_span(focus) + strong_span(" and ") + run_span(baseline),
    )
    if tested_curve.tied.all():
        return pair_sentence + strong_span(f" score the same on {family} at every k")
    if not tested_curve.clear_ranges:
        return pair_sentence + strong_span(f": no clear difference on {family}")
    if tested_curve.is_marginal:
        return pair_sentence + strong_span(f": clear difference on {family} at few k only")
    if tested_curve.ahead and tested_curve.behind:
        return run_span(focus) + strong_span(
            f": clear gains and losses on {family}, depending on k"
        )
    statement = f" is significantly {'ahead' if tested_curve.ahead else 'behind'} on {family} "
    cutoffs_text = tested_curve.format_ranges(tested_curve.clear_ranges)
    if (
        len(focus + statement + cutoffs_text) > MAX_TITLE_LENGTH
        and len(tested_curve.clear_ranges) > 1
    ):
        cutoffs_text = "at some k"
    return run_span(focus) + strong_span(statement + cutoffs_text)


def curves_lead(curve: pd.DataFrame, family: str, focus: str, baseline: str) -> Sentence:
    """What the title of `curves_title` rests on, and what holds at the other k."""
    rows = _focus_rows(curve, focus, baseline)
    if rows is None:
        return muted_span(_NOTHING_COMPARED)
    queries = int(rows["queries"].max())
    if queries < FEWEST_QUERIES:
        return few_queries_note(queries) + muted_span("No k is tested.")
    tested_curve = _Curve.from_frame(rows)
    if tested_curve.tied.all():
        return muted_span(f"No query differs at {tested_curve.k_range_text.replace('all', 'any')}.")
    corrected = f"after correction for {tested_curve.k_range_text} (this pair only)"
    if not tested_curve.clear_ranges:
        return muted_span(f"No significant difference at any k {corrected}.")
    if tested_curve.is_marginal:
        return muted_span(
            f"Significant only {tested_curve.format_ranges(tested_curve.clear_ranges)},"
            f" {corrected}."
        )
    if tested_curve.ahead and tested_curve.behind:
        sentence = Sentence()
        for word, ranges in (("ahead of ", tested_curve.ahead), ("behind ", tested_curve.behind)):
            sentence += muted_span(f", {word}" if sentence else f"Significantly {word}") + run_span(
                baseline
            )
            sentence += muted_span(f" {_format_first_ranges(tested_curve, ranges)}")
        sentence += muted_span(f", {corrected}.")
    else:
        cutoffs_text = _format_first_ranges(tested_curve, tested_curve.clear_ranges)
        sentence = aside_span(f"Against {baseline}, significant {cutoffs_text} {corrected}.")
    return join_sentences(
        [part for part in (sentence, _describe_other_cutoffs(tested_curve, focus)) if part], " "
    )


def curves_finding_at_k(
    curve: pd.DataFrame, tested: Mapping[str, Any], measure: str, pair: tuple[str, str], k: int
) -> tuple[Sentence, Sentence]:
    """The verdict at the chosen `k` as a title, and what a reader must know if the band over all k
    says otherwise at this k. `tested` is the row of `compare` of the run in focus, which is first
    in the pair."""
    (focus, baseline), significant = pair, tested["verdict"] in CLEAR
    if significant:
        verb = " beats " if tested["verdict"] in AHEAD else " falls behind "
        title = (
            run_span(focus) + strong_span(verb) + run_span(baseline) + strong_span(f" on {measure}")
        )
    else:
        pair_sentence = run_span(focus) + strong_span(" and ") + run_span(baseline)
        statement = ": no clear difference" if tested["differing"] else " score the same"
        title = pair_sentence + strong_span(f"{statement} on {measure}")
    at_k = curve[(curve["run"] == focus) & (curve["k"] == k)]
    in_band = bool(((at_k["diff_low"] > 0) | (at_k["diff_high"] < 0)).any())
    if in_band == significant or at_k["diff_low"].isna().all():
        return title, Sentence()
    return title, muted_span(family_note(k, "the band is corrected", significant=significant))


def curves_placeholder(family: str, focus: str, baseline: str) -> tuple[Sentence, Sentence]:
    """Title and lead that stand there until `curves_title` and `curves_lead` do."""
    return _untested_title(family, focus, baseline), muted_span(_PENDING_LEAD)


def _untested_title(family: str, focus: str, baseline: str) -> Sentence:
    subject = (
        run_span(focus)
        if focus == baseline
        else run_span(focus) + strong_span(" and ") + run_span(baseline)
    )
    return subject + strong_span(f" on {family} by k")


def _format_first_ranges(tested_curve: _Curve, ranges: list[Range]) -> str:
    return tested_curve.format_ranges(ranges[:3]) + (" and at larger k" if len(ranges) > 3 else "")


def _describe_other_cutoffs(tested_curve: _Curve, focus: str) -> Sentence:
    """What holds where the lead is not clear. What the band over all k leaves open may be clear at
    one of them alone, as the Overview asks."""
    ks, tied, clear = tested_curve.ks, tested_curve.tied, tested_curve.clear_ranges
    first, last = clear[0][0], max(end for _, end in clear)

    def describe_cutoffs(mask: Mask) -> str:
        return "no query differs" if tied[mask].all() else "the difference is not significant"

    is_before = ks < first
    if is_before.any():
        return _describe_smaller_cutoffs(tested_curve, is_before, focus)
    if last < ks[-1]:
        return muted_span(f"Beyond k = {w.format_count(last)} {describe_cutoffs(ks > last)}.")
    is_outside = ~np.logical_or.reduce([(ks >= a) & (ks <= b) for a, b in clear])
    return (
        muted_span(f"In between {describe_cutoffs(is_outside)}.")
        if is_outside.any()
        else Sentence()
    )


def _describe_smaller_cutoffs(tested_curve: _Curve, mask: Mask, focus: str) -> Sentence:
    deepest = int(tested_curve.ks[mask][-1])
    cutoffs_text = (
        f"At k = {deepest}" if mask.sum() == 1 else f"Up to k = {w.format_count(deepest)}"
    )
    if tested_curve.tied[mask].all():
        tail = (
            "gain"
            if tested_curve.ahead and tested_curve.ahead[0] == tested_curve.clear_ranges[0]
            else "loss"
        )
        return muted_span(
            f"{cutoffs_text} no query differs: the {tail} comes from results below rank {deepest}."
        )
    gap = float(tested_curve.difference[mask][-1])
    if mask.sum() > 1 or math.isnan(gap):
        return muted_span(f"{cutoffs_text} {NOT_SIGNIFICANT}")
    if not better_side(gap):
        return muted_span(f"{cutoffs_text} the means are equal.")
    verb = "leads" if better_side(gap) > 0 else "trails"
    verb_phrase = f" {verb}, not significantly ({w.format_difference(gap)})."
    return muted_span(f"{cutoffs_text} ") + run_span(focus) + muted_span(verb_phrase)


def short_lists_note(judged: Sequence[JudgedRanks], names: Sequence[str]) -> Sentence:
    """What keeps a comparison of these two runs at large k from being fair: that the lists of one
    are much shorter than those of the other; empty where they are not."""
    typical = {r.run_name: list_end(r) for r in judged if r.run_name in names}
    reach = {r.run_name: int(r.retrieved.max(initial=0)) for r in judged}
    longest = max(typical, key=lambda name: typical[name], default="")
    sentence = Sentence()
    for name, end in typical.items():
        if end < _SHORT_LIST_SHARE * typical[longest]:
            sentence += muted_span("Half of the ") + run_span(name)
            sentence += muted_span(f" lists end by rank {w.format_count(end)}")
            sentence += aside_span(f" (longest: {w.format_count(reach[name])})")
            sentence += muted_span("; at larger k the missing results favour ")
            sentence += run_span(longest) + muted_span(".")
    return sentence


def list_end(ranks: JudgedRanks) -> int:
    """The rank by which half of the lists of a run end."""
    listed = ranks.retrieved[ranks.retrieved > 0]
    return int(np.median(listed)) if len(listed) else 0


def precision_title(points: pd.DataFrame, focus: str) -> Sentence:
    """How clean the list of the run in focus is when half of the relevant documents are found.
    `points` is the frame of `make_scorer.curves.precision_recall`."""
    value = _precision_at_half_recall(points, focus)
    if math.isnan(value):
        return run_span(focus) + strong_span(": precision against recall")
    return run_span(focus) + strong_span(
        f" has {w.format_share(value)} precision at {w.format_share(_HALF_RECALL)} recall"
    )


def precision_lead(points: pd.DataFrame, focus: str, baseline: str, tested: str) -> Sentence:
    """The same of the baseline, and what these numbers are; `tested` is the measure that is."""
    baseline_precision = (
        math.nan if focus == baseline else _precision_at_half_recall(points, baseline)
    )
    sentence = Sentence()
    if not math.isnan(baseline_precision):
        sentence = run_span(baseline) + muted_span(f" has {w.format_share(baseline_precision)}. ")
    limits = "Interpolated: the highest precision at or beyond each recall. Not tested"
    return sentence + muted_span(
        f"{limits}; the test is on {tested}." if focus != baseline else f"{limits}."
    )


def _precision_at_half_recall(points: pd.DataFrame, name: str) -> float:
    half = points[np.isclose(points["recall"], _HALF_RECALL) & (points["run"] == name)]["precision"]
    return float(half.iloc[0]) if len(half) else math.nan
