"""Describe how the lead depends on the cutoff k, or on the number of relevant documents that must
be found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.comparing.crossings import find_cutoff_ranges
from metrics_core.comparing.verdicts import AHEAD, CLEAR, FEWEST_QUERIES
from metrics_core.comparing.winners import better_run_signs
from metrics_core.findings.phrases import (
    COMPARE_ANOTHER_RUN,
    band_note,
    few_queries_note,
)
from metrics_core.findings.sentence import (
    Sentence,
    join_sentences,
    muted_span,
    run_span,
    strong_span,
)
from metrics_core.judging import JudgedRanks

MAX_TITLE_LENGTH = 60
"""Maximum length of a title in characters. A title with long run names may exceed it."""
_HALF_RECALL = 0.5
_ROUND_DEPTHS = (20, 50, 100, 1000)
_PENDING_LEAD = "Computing which leads are significant."
_NOTHING_COMPARED = f"{COMPARE_ANOTHER_RUN} a difference."

Range = tuple[int, int]
"""The first and the last k of a range."""


@dataclass(frozen=True)
class _Curve:
    """The difference of a pair of runs by cutoff, and the cutoffs at which its simultaneous band
    excludes zero.

    `ks` int64[K] are the cutoffs, `difference` float64[K] the mean differences, and `tied` bool[K]
    is true if no query differs at this k. `ahead` and `behind` are the ranges of k at which the run
    is significantly ahead or behind."""

    ks: Ints
    difference: Floats
    tied: Mask
    ahead: list[Range]
    behind: list[Range]

    @classmethod
    def from_frame(cls, rows: pd.DataFrame) -> _Curve:
        ks = rows["k"].to_numpy()
        # The band has no width if all differences are 0.
        unchanged = (rows["diff_low"] == rows["diff_high"]).to_numpy()
        return cls(
            ks,
            rows["difference"].to_numpy(),
            (better_run_signs(rows["difference"]) == 0) & unchanged,
            find_cutoff_ranges(ks, (rows["diff_low"] > 0).to_numpy()),
            find_cutoff_ranges(ks, (rows["diff_high"] < 0).to_numpy()),
        )

    @property
    def significant_ranges(self) -> list[Range]:
        return sorted([*self.ahead, *self.behind])

    @property
    def is_marginal(self) -> bool:
        """Whether all significant ranges are so short that they may be due to chance. With many k,
        the difference at some of them always looks significant, even if the runs are equally
        good."""
        return all(last < 1.5 * first for first, last in self.significant_ranges)

    @property
    def k_range_text(self) -> str:
        return f"all k from {w.format_count(self.ks[0])} to {w.format_count(self.ks[-1])}"

    def format_ranges(self, ranges: Sequence[Range]) -> str:
        """Format ranges of k for a title: "from k = 3" or "at every k"."""
        if list(ranges) == [(self.ks[0], self.ks[-1])]:
            return "at every k"
        return w.join_words(self._format_range(*cutoff_range) for cutoff_range in ranges)

    def _format_range(self, first: int, last: int) -> str:
        if first == last:
            return f"at k = {w.format_count(first)}"
        if last == self.ks[-1]:
            return f"from k = {w.format_count(first)}"
        return f"from k = {w.format_count(first)} to {w.format_count(last)}"


def _focus_rows(curve: pd.DataFrame, focus: str, baseline: str) -> pd.DataFrame | None:
    """Return the rows of the run in focus, sorted by k; None if it is not compared with another
    run."""
    rows = curve[curve["run"] == focus].sort_values("k")
    return None if focus == baseline or rows["difference"].isna().all() else rows


def curves_title(curve: pd.DataFrame, family: str, focus: str, baseline: str) -> Sentence:
    """Return the title of the curves by cutoff. It states the k at which the run in focus is
    significantly ahead or behind.

    `curve` is the frame of `mean_curves` (run, k, mean, low, high, difference, diff_low, diff_high,
    queries), whose bands of differences are simultaneous over all k. `family` is the measure's name
    without its cutoff."""
    rows = _focus_rows(curve, focus, baseline)
    if rows is None or int(rows["queries"].max()) < FEWEST_QUERIES:
        return _untested_title(family, focus, baseline)
    tested_curve = _Curve.from_frame(rows)
    pair_sentence = run_span(focus) + strong_span(" and ") + run_span(baseline)
    if tested_curve.tied.all():
        return pair_sentence + strong_span(f" score the same on {family} at every k")
    if not tested_curve.significant_ranges:
        return pair_sentence + strong_span(f": no clear difference on {family}")
    if tested_curve.is_marginal:
        return pair_sentence + strong_span(f": clear difference on {family} only at a few k")
    if tested_curve.ahead and tested_curve.behind:
        return run_span(focus) + strong_span(
            f": clear gains and losses on {family}, depending on k"
        )
    statement = f" is significantly {'ahead of' if tested_curve.ahead else 'behind'} "
    cutoffs_text = tested_curve.format_ranges(tested_curve.significant_ranges)
    title = run_span(focus) + strong_span(statement) + run_span(baseline)
    title += strong_span(f" on {family} ")
    is_long = len(title.text + cutoffs_text) > MAX_TITLE_LENGTH
    if is_long and len(tested_curve.significant_ranges) > 1:
        cutoffs_text = "at some k"
    return title + strong_span(cutoffs_text)


def curves_subtitle(
    curve: pd.DataFrame,
    focus: str,
    baseline: str,
    *,
    other_curves: Mapping[str, pd.DataFrame] | None = None,
) -> Sentence:
    """Explain what the title of `curves_title` is based on, and state the result at the other k.

    The arguments, and the columns of `curve`, are the same as for `curves_title`. If the title
    names the only significant range, the ranges on other measures are stated instead.
    `other_curves` maps their names to their curves."""
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
    if not tested_curve.significant_ranges:
        return muted_span(f"No significant difference at any k {corrected}.")
    if tested_curve.is_marginal:
        return muted_span(
            f"Significant only {tested_curve.format_ranges(tested_curve.significant_ranges)},"
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
        ranges = tested_curve.significant_ranges
        if len(ranges) == 1 and other_curves:
            clauses = [
                clause
                for name, other in other_curves.items()
                if (other_rows := _focus_rows(other, focus, baseline)) is not None
                for clause in _describe_other_measure(name, _Curve.from_frame(other_rows))
            ]
            word = "ahead " if tested_curve.ahead else "behind "
            if all(clause.startswith(word) for clause in clauses):
                rest = w.join_words(clause.removeprefix(word) for clause in clauses)
                return muted_span(f"Also significantly {word}{rest}.")
            return muted_span(f"Significantly {w.join_words(clauses)}.")
        text = _format_first_ranges(tested_curve, ranges)
        sentence = muted_span(f"Significant {text} {corrected}.")
    return join_sentences([sentence, _describe_other_cutoffs(tested_curve)], " ")


def _describe_other_measure(name: str, curve: _Curve) -> list[str]:
    """Return the significant ranges on another measure, such as ["ahead on P from k = 2"]."""
    return [
        f"{word} on {name} {_format_first_ranges(curve, ranges)}"
        for word, ranges in (("ahead", curve.ahead), ("behind", curve.behind))
        if ranges
    ] or [f"different on {name} at no k"]


def describe_cutoff(
    curve: pd.DataFrame, tested_row: Mapping[str, Any], measure: str, pair: tuple[str, str], k: int
) -> tuple[Sentence, Sentence]:
    """Return the verdict at the chosen `k` as a title, and a note if the band over all k
    contradicts it.

    `curve` is the frame of `mean_curves`. `pair` is the run in focus and the baseline, and
    `tested_row` is the row of the run in focus in the frame of `compare`."""
    (focus, baseline), significant = pair, tested_row["verdict"] in CLEAR
    if significant:
        verb = " beats " if tested_row["verdict"] in AHEAD else " falls behind "
        title = (
            run_span(focus) + strong_span(verb) + run_span(baseline) + strong_span(f" on {measure}")
        )
    else:
        pair_sentence = run_span(focus) + strong_span(" and ") + run_span(baseline)
        statement = ": no clear difference" if tested_row["differing"] else " score the same"
        title = pair_sentence + strong_span(f"{statement} on {measure}")
    at_k = curve[(curve["run"] == focus) & (curve["k"] == k)]
    in_band = bool(((at_k["diff_low"] > 0) | (at_k["diff_high"] < 0)).any())
    if in_band == significant or at_k["diff_low"].isna().all():
        return title, Sentence()
    return title, muted_span(band_note(k, "the band is corrected", is_significant=significant))


def curves_placeholder(family: str, focus: str, baseline: str) -> tuple[Sentence, Sentence]:
    """Return the title and the subtitle that are shown until `curves_title` and `curves_subtitle`
    are computed."""
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


def _describe_other_cutoffs(tested_curve: _Curve) -> Sentence:
    """Describe the cutoffs at which the lead is not significant.

    If the simultaneous band includes zero at a k, the difference may still be significant when this
    k is tested alone, as on the Overview."""
    ks, tied, clear = tested_curve.ks, tested_curve.tied, tested_curve.significant_ranges
    first, last = clear[0][0], max(end for _, end in clear)

    def describe_cutoffs(mask: Mask) -> str:
        return "no query differs" if tied[mask].all() else "the difference is not significant"

    is_before = ks < first
    if is_before.any():
        deepest = w.format_count(ks[is_before][-1])
        at_k = f"{'At' if deepest == '1' else 'Up to'} k = {deepest} {describe_cutoffs(is_before)}"
        from_below = f", so the difference comes from results below rank {deepest}"
        return muted_span(f"{at_k}{from_below * bool(tied[is_before].all())}.")
    if last < ks[-1]:
        return muted_span(f"Beyond k = {w.format_count(last)} {describe_cutoffs(ks > last)}.")
    is_outside = ~np.logical_or.reduce([(ks >= a) & (ks <= b) for a, b in clear])
    return (
        muted_span(f"Between these ranges, {describe_cutoffs(is_outside)}.")
        if is_outside.any()
        else Sentence()
    )


def median_list_length(ranks: JudgedRanks) -> int:
    """Return the median length of the non-empty lists of a run; 0 if all lists are empty."""
    listed = ranks.retrieved[ranks.retrieved > 0]
    return int(np.median(listed)) if len(listed) else 0


def precision_title(points: pd.DataFrame, focus: str) -> Sentence:
    """Return the title of the precision-recall curves. It states the precision of the run in focus
    at 50% recall.

    `points` is the frame of `scoring.curves.precision_recall`: run, recall, precision."""
    value = _precision_at_half_recall(points, focus)
    if math.isnan(value):
        return run_span(focus) + strong_span(": precision against recall")
    return run_span(focus) + strong_span(
        f" has {w.format_share(value)} precision at {w.format_share(_HALF_RECALL)} recall"
    )


def precision_subtitle(
    points: pd.DataFrame, focus: str, baseline: str, tested_measure: str
) -> Sentence:
    """State the precision of the baseline at 50% recall, and that differences in precision are not
    tested.

    `points` is the same as for `precision_title`. `tested_measure` is the name of the measure that
    is tested instead."""
    baseline_precision = (
        math.nan if focus == baseline else _precision_at_half_recall(points, baseline)
    )
    sentence = Sentence()
    if not math.isnan(baseline_precision):
        sentence = run_span(baseline) + muted_span(f" has {w.format_share(baseline_precision)}. ")
    limits = "Interpolated: the highest precision at or beyond each recall level. Not tested"
    return sentence + muted_span(
        f"{limits}; the test uses {tested_measure}." if focus != baseline else f"{limits}."
    )


def _precision_at_half_recall(points: pd.DataFrame, name: str) -> float:
    half = points[np.isclose(points["recall"], _HALF_RECALL) & (points["run"] == name)]["precision"]
    return float(half.iloc[0]) if len(half) else math.nan


def reranking_title(ceiling: pd.DataFrame, focus: str, measure: str) -> Sentence:
    """State the best mean that a perfect reordering of all results of the run in focus reaches.

    `ceiling` has columns k (the number of reordered results, ascending, the first is 1) and mean.
    """
    score, best = (float(ceiling["mean"].iloc[i]) for i in (0, -1))
    if math.isnan(best):
        return run_span(focus) + strong_span(f" has no {measure}")
    if not best > score + 1e-12:
        return strong_span("Reordering cannot raise the score of ") + run_span(focus)
    return run_span(focus) + strong_span(
        f" could reach {w.format_score(best)} on {measure} with a perfect reordering"
    )


def reranking_subtitle(ceiling: pd.DataFrame, measure: str, cutoff: int) -> Sentence:
    """State the score, and the best mean that reordering only the first results could reach.
    `ceiling` is the same as for `reranking_title`."""
    means = dict(zip(ceiling["k"].tolist(), ceiling["mean"].tolist(), strict=True))
    if math.isnan(means[1]):
        return muted_span("No query has a score.")
    steps = [
        f"of the top {w.format_count(k)} gives {w.format_score(means[k])}"
        for k in sorted({cutoff, *_ROUND_DEPTHS, max(means)})
        if cutoff <= k and k in means
    ]
    return muted_span(
        f"{measure} is {w.format_score(means[1])}. "
        + (f"A perfect order {w.join_words(steps)}. " if steps else "")
        + "Unjudged documents count as not relevant. Not tested."
    )
