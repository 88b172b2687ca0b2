"""No difference that matters: the ways in which one could come of it, one by one.

What `verdict_risks` says of the same evidence speaks of the sign, which does not matter here; these
entries say whether the difference stays within the margin.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats, Mask
from metrics_core.comparing.agreement import Agreement
from metrics_core.comparing.crossings import Crossings, ranges_where
from metrics_core.comparing.verdicts import CLEAR
from metrics_core.comparing.winners import side_of
from metrics_core.findings.file_risks import of_orders
from metrics_core.findings.firmness import ComparedPair, Tone, WayToTurn
from metrics_core.findings.phrases import NO_OTHER_MEASURE
from metrics_core.findings.verdict_risks import ahead_on, at_cutoffs, no_cutoff, rests_on
from metrics_core.unjudged.bounds import DifferenceBounds
from metrics_core.unjudged.expected_difference import LikelyDifference

_CANNOT, _COULD, _UNLIKELY = (f"{how} make it matter" for how in ("cannot", "could", "unlikely to"))


def within(
    entry: WayToTurn | None, span: tuple[float, float], margin: float, *, exact: bool = True
) -> WayToTurn | None:
    """The entry of `verdict_risks` on what makes the difference lie in this span; without `exact`
    only its ends are known not to be the farthest. None of None."""
    if entry is None or np.isnan(span).any():
        return entry
    if max(-span[0], span[1]) >= margin:
        return _with(entry, _COULD, "not firm")
    return _with(entry, _CANNOT if exact else w.DASH, "firm" if exact else "")


def _with(entry: WayToTurn, word: str, tone: Tone) -> WayToTurn:
    """The entry with another word, in brief too."""
    begin, _, end = entry.brief.partition("; ")
    brief = f"{begin}; {word}" if end else of_orders(word) if entry.part == "ties" else ""
    return replace(entry, word=word, tone=tone, brief=brief)


def unjudged(
    entry: WayToTurn, reached: DifferenceBounds, likely: LikelyDifference, margin: float
) -> WayToTurn:
    """The entry of `verdict_risks` on the unjudged documents."""
    if reached.reason or reached.lowest == reached.highest:
        return within(entry, (reached.lowest, reached.highest), margin) or entry
    side = side_of(reached.difference)
    if side:  # else the entry tells of both ends
        other = w.difference(reached.highest if side > 0 else reached.lowest)
        entry = replace(
            entry, reason=f"{entry.reason} In the other direction it could reach {other}."
        )
    if max(-reached.lowest, reached.highest) < margin:
        return _with(entry, _CANNOT, "firm")
    if likely.interval is None:
        return _with(entry, _COULD, "")
    if max(-likely.interval.low, likely.interval.high) < margin:
        return _with(entry, _UNLIKELY, "")
    return _with(entry, _COULD, "not firm")


def single_queries(differences: Floats, margin: float) -> WayToTurn:
    """How many queries must go until the difference matters. Those that hold it down most go first,
    which is exact: no others leave a mean so far from zero."""
    known = np.sort(differences[~np.isnan(differences)])
    left = np.arange(len(known), 0, -1)
    fewest = []
    for rising in (known, -known[::-1]):
        reached = np.flatnonzero(np.cumsum(rising[::-1])[::-1] / left >= margin)
        fewest += reached[:1].tolist()
    if not fewest:
        reason = f"No query’s difference reaches {margin:g}."
        word, brief = "rests on all queries", "no query makes it matter"
        return WayToTurn("queries", "Single queries", word, "firm", reason, brief)
    word, tone = rests_on(min(fewest), len(known))
    count = f"{w.count(min(fewest))} of {w.count(len(known))} queries"
    reason = f"Removing {count} would make it {margin:g} or more."
    brief = f"removing {w.count(min(fewest))} would make it matter"
    return WayToTurn("queries", "Single queries", word, tone, reason, brief)


def cutoff(found: Crossings | None, pair: ComparedPair, margin: float) -> WayToTurn:
    """At how many results the difference matters, or may."""

    def entry(word: str, tone: Tone, reason: str) -> WayToTurn:
        return WayToTurn("cutoff", "Cutoff", word, tone, reason, word)

    if found is None:
        return no_cutoff(pair)
    if np.isnan(found.low).all():
        return entry("no confidence band", "", "These queries have no confidence band.")
    size = np.abs(found.difference[found.cutoffs - 1])
    matters = (found.clear != 0) & (size >= margin)
    if matters.any():
        told = []
        for side in (1, -1):
            spans = ranges_where(found.cutoffs, matters & (found.clear == side))
            if spans:
                most = w.score(float(size[matters & (found.clear == side)].max()))
                where = at_cutoffs(found, spans)
                told.append(f"{pair.leader(side)} is significantly ahead {where}, by up to {most}.")
        return entry(f"matters {_spans(found, matters)}", "not firm", " ".join(told))
    may = np.maximum(-found.low, found.high) >= margin
    if may.any():
        where = _spans(found, may)
        return entry(f"may matter {where}", "", f"It may reach the margin {where}.")
    return entry(
        "matters at no k", "firm", "The simultaneous band for all k stays within the margin."
    )


def _spans(found: Crossings, holds: Mask) -> str:
    spans = ranges_where(found.cutoffs, holds)
    return at_cutoffs(found, spans) if len(spans) < 3 else "at some k"


def other_measures(found: Agreement, pair: ComparedPair) -> WayToTurn:
    """Whether another measure has one of the two ahead: a margin is that of one measure alone."""
    table = found.defined.set_index("measure").drop(index=pair.measure)
    if table.empty:
        reason = NO_OTHER_MEASURE
        return WayToTurn("measures", "Other measures", w.DASH, "", reason)
    clear = int(table["verdict"].isin(CLEAR).sum())
    if not clear:
        reason = "Neither run is significantly ahead on any other measure."
        return WayToTurn(
            "measures", "Other measures", "none is significant", "", reason, "none is significant"
        )
    told = [ahead_on(table[table["verdict"].isin(CLEAR)], pair, side) for side in (1, -1)]
    word = f"{clear} of {len(table)} {w.plural(clear, 'is', 'are')} significant"
    reason = " ".join(filter(None, told))
    return WayToTurn("measures", "Other measures", word, "not firm", reason, word)
