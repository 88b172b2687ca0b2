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
from metrics_core.comparing.winners import side_of, sides
from metrics_core.findings.phrases import COMPARE_ANOTHER_RUN, NOT_SIGNIFICANT
from metrics_core.findings.sentence import Sentence, aside, joined, muted, run, strong
from metrics_core.findings.verdict_risks import of_another_family
from metrics_core.findings.verdicts import too_few
from metrics_core.judging import JudgedRanks

MOST_OF_TITLE = 60
"""Characters of a title at most, long names aside."""
_SHORT_LIST = 0.5
_HALF = 0.5
_AWAITED = "Computing which leads are significant."
_COMPARE = f"{COMPARE_ANOTHER_RUN} a difference."

Range = tuple[int, int]
"""The first and the last k of a stretch."""


@dataclass(frozen=True)
class _Curve:
    """Where the band of a pair is clear of zero, which holds for all `ks` together; `level` says at
    which of them no query differs."""

    ks: Ints
    difference: Floats
    level: Mask
    ahead: list[Range]
    behind: list[Range]

    @classmethod
    def of(cls, own: pd.DataFrame) -> _Curve:
        ks = own["k"].to_numpy()
        # A band without width is that of differences that are all 0.
        still = (own["diff_low"] == own["diff_high"]).to_numpy()
        return cls(
            ks,
            own["difference"].to_numpy(),
            (sides(own["difference"]) == 0) & still,
            ranges_where(ks, (own["diff_low"] > 0).to_numpy()),
            ranges_where(ks, (own["diff_high"] < 0).to_numpy()),
        )

    @property
    def clear(self) -> list[Range]:
        return sorted([*self.ahead, *self.behind])

    @property
    def hardly(self) -> bool:
        """Whether all clear stretches are so short that they say little: among many k some look
        clear by chance."""
        return all(last < 1.5 * first for first, last in self.clear)

    @property
    def every(self) -> str:
        return f"all k from {w.count(self.ks[0])} to {w.count(self.ks[-1])}"

    def where(self, ranges: Sequence[Range]) -> str:
        """At which k, as a title says it."""
        if list(ranges) == [(self.ks[0], self.ks[-1])]:
            return "at every k"
        return w.listing(self._stretch(*one) for one in ranges)

    def _stretch(self, first: int, last: int) -> str:
        if first == last:
            return f"at k = {w.count(first)}"
        if last == self.ks[-1]:
            return f"from k = {w.count(first)} on"
        return f"from k = {w.count(first)} to {w.count(last)}"


def _compared(curve: pd.DataFrame, focus: str, baseline: str) -> pd.DataFrame | None:
    """The rows of the run in focus; None where nothing is compared."""
    own = curve[curve["run"] == focus].sort_values("k")
    return None if focus == baseline or own["difference"].isna().all() else own


def curves_title(curve: pd.DataFrame, family: str, focus: str, baseline: str) -> Sentence:
    """From which k on does the run in focus lead? `curve` is the frame of `mean_curves`, whose
    bands of differences hold for all k at once; `family` the measure's name without its cutoff."""
    own = _compared(curve, focus, baseline)
    if own is None or int(own["queries"].max()) < FEWEST_QUERIES:
        return _by_k(family, focus, baseline)
    found, both = _Curve.of(own), run(focus) + strong(" and ") + run(baseline)
    if found.level.all():
        return both + strong(f" score the same on {family} at every k")
    if not found.clear:
        return both + strong(f": no clear difference on {family}")
    if found.hardly:
        return both + strong(f": clear difference on {family} at few k only")
    if found.ahead and found.behind:
        return run(focus) + strong(f": clear gains and losses on {family}, depending on k")
    told = f" is significantly {'ahead' if found.ahead else 'behind'} on {family} "
    where = found.where(found.clear)
    if len(focus + told + where) > MOST_OF_TITLE and len(found.clear) > 1:
        where = "at some k"
    return run(focus) + strong(told + where)


def curves_lead(curve: pd.DataFrame, family: str, focus: str, baseline: str) -> Sentence:
    """What the title of `curves_title` rests on, and what holds at the other k."""
    own = _compared(curve, focus, baseline)
    if own is None:
        return muted(_COMPARE)
    queries = int(own["queries"].max())
    if queries < FEWEST_QUERIES:
        return too_few(queries) + muted("No k is tested.")
    found = _Curve.of(own)
    if found.level.all():
        return muted(f"No query differs at {found.every.replace('all', 'any')}.")
    corrected = f"after correction for {found.every} (this pair only)"
    if not found.clear:
        return muted(f"No significant difference at any k {corrected}.")
    if found.hardly:
        return muted(f"Significant only {found.where(found.clear)}, {corrected}.")
    if found.ahead and found.behind:
        told = Sentence()
        for word, ranges in (("ahead of ", found.ahead), ("behind ", found.behind)):
            told += muted(f", {word}" if told else f"Significantly {word}") + run(baseline)
            told += muted(f" {_listed(found, ranges)}")
        told += muted(f", {corrected}.")
    else:
        where = _listed(found, found.clear)
        told = aside(f"Against {baseline}, significant {where} {corrected}.")
    return joined([part for part in (told, _elsewhere(found, focus)) if part], " ")


def curves_at_k(
    curve: pd.DataFrame, tested: Mapping[str, Any], measure: str, pair: tuple[str, str], k: int
) -> tuple[Sentence, Sentence]:
    """The verdict at the chosen `k` as a title, and what a reader must know if the band over all k
    says otherwise at this k. `tested` is the row of `compare` of the run in focus, which is first
    in the pair."""
    (focus, baseline), significant = pair, tested["verdict"] in CLEAR
    if significant:
        verb = " beats " if tested["verdict"] in AHEAD else " falls behind "
        title = run(focus) + strong(verb) + run(baseline) + strong(f" on {measure}")
    else:
        both = run(focus) + strong(" and ") + run(baseline)
        same = ": no clear difference" if tested["differing"] else " score the same"
        title = both + strong(f"{same} on {measure}")
    at_k = curve[(curve["run"] == focus) & (curve["k"] == k)]
    in_band = bool(((at_k["diff_low"] > 0) | (at_k["diff_high"] < 0)).any())
    if in_band == significant or at_k["diff_low"].isna().all():
        return title, Sentence()
    return title, muted(of_another_family(k, "the band is corrected", significant=significant))


def curves_awaited(family: str, focus: str, baseline: str) -> tuple[Sentence, Sentence]:
    """Title and lead that stand there until `curves_title` and `curves_lead` do."""
    return _by_k(family, focus, baseline), muted(_AWAITED)


def _by_k(family: str, focus: str, baseline: str) -> Sentence:
    who = run(focus) if focus == baseline else run(focus) + strong(" and ") + run(baseline)
    return who + strong(f" on {family} by k")


def _listed(found: _Curve, ranges: list[Range]) -> str:
    return found.where(ranges[:3]) + (" and at larger k" if len(ranges) > 3 else "")


def _elsewhere(found: _Curve, focus: str) -> Sentence:
    """What holds where the lead is not clear. What the band over all k leaves open may be clear at
    one of them alone, as the Overview asks."""
    ks, level, clear = found.ks, found.level, found.clear
    first, last = clear[0][0], max(end for _, end in clear)

    def told(where: Mask) -> str:
        return "no query differs" if level[where].all() else "the difference is not significant"

    before = ks < first
    if before.any():
        return _before(found, before, focus)
    if last < ks[-1]:
        return muted(f"Beyond k = {w.count(last)} {told(ks > last)}.")
    outside = ~np.logical_or.reduce([(ks >= a) & (ks <= b) for a, b in clear])
    return muted(f"In between {told(outside)}.") if outside.any() else Sentence()


def _before(found: _Curve, before: Mask, focus: str) -> Sentence:
    deepest = int(found.ks[before][-1])
    where = f"At k = {deepest}" if before.sum() == 1 else f"Up to k = {w.count(deepest)}"
    if found.level[before].all():
        tail = "gain" if found.ahead and found.ahead[0] == found.clear[0] else "loss"
        return muted(
            f"{where} no query differs: the {tail} comes from results below rank {deepest}."
        )
    gap = float(found.difference[before][-1])
    if before.sum() > 1 or math.isnan(gap):
        return muted(f"{where} {NOT_SIGNIFICANT}")
    if not side_of(gap):
        return muted(f"{where} the means are equal.")
    verb = "leads" if side_of(gap) > 0 else "trails"
    told = f" {verb}, not significantly ({w.difference(gap)})."
    return muted(f"{where} ") + run(focus) + muted(told)


def short_lists(judged: Sequence[JudgedRanks], names: Sequence[str]) -> Sentence:
    """What keeps a comparison of these two runs at large k from being fair: that the lists of one
    are much shorter than those of the other; empty where they are not."""
    typical = {r.run_name: list_end(r) for r in judged if r.run_name in names}
    reach = {r.run_name: int(r.retrieved.max(initial=0)) for r in judged}
    longest = max(typical, key=lambda name: typical[name], default="")
    sentence = Sentence()
    for name, end in typical.items():
        if end < _SHORT_LIST * typical[longest]:
            sentence += muted("Half of the ") + run(name)
            sentence += muted(f" lists end by rank {w.count(end)}")
            sentence += aside(f" (longest: {w.count(reach[name])})")
            sentence += muted("; at larger k the missing results favour ")
            sentence += run(longest) + muted(".")
    return sentence


def list_end(ranks: JudgedRanks) -> int:
    """The rank by which half of the lists of a run end."""
    listed = ranks.retrieved[ranks.retrieved > 0]
    return int(np.median(listed)) if len(listed) else 0


def precision_title(points: pd.DataFrame, focus: str) -> Sentence:
    """How clean the list of the run in focus is when half of the relevant documents are found.
    `points` is the frame of `scoring.curves.precision_recall`."""
    value = _at_half(points, focus)
    if math.isnan(value):
        return run(focus) + strong(": precision against recall")
    return run(focus) + strong(f" has {w.share(value)} precision at {w.share(_HALF)} recall")


def precision_lead(points: pd.DataFrame, focus: str, baseline: str, tested: str) -> Sentence:
    """The same of the baseline, and what these numbers are; `tested` is the measure that is."""
    other = math.nan if focus == baseline else _at_half(points, baseline)
    told = Sentence()
    if not math.isnan(other):
        told = run(baseline) + muted(f" has {w.share(other)}. ")
    limits = "Interpolated: the highest precision at or beyond each recall. Not tested"
    return told + muted(
        f"{limits}; the test is on {tested}." if focus != baseline else f"{limits}."
    )


def _at_half(points: pd.DataFrame, name: str) -> float:
    half = points[np.isclose(points["recall"], _HALF) & (points["run"] == name)]["precision"]
    return float(half.iloc[0]) if len(half) else math.nan
