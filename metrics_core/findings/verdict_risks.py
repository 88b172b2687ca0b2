"""The ways in which a verdict could turn, one by one: see `firmness`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats, Mask
from metrics_core.comparing.agreement import Agreement
from metrics_core.comparing.crossings import Crossings
from metrics_core.comparing.fragility import Fragility, carried
from metrics_core.comparing.verdicts import AHEAD, BEHIND, FEWEST_DIFFERING
from metrics_core.comparing.winners import side_of
from metrics_core.findings.firmness import ComparedPair, Tone, WayToTurn
from metrics_core.findings.phrases import (
    NO_OTHER_MEASURE,
    NOT_CLEAR_AT_ANY_K,
    NOT_SIGNIFICANT,
    THE_TWO_ARE_LEVEL,
)
from metrics_core.unjudged.bounds import DifferenceBounds
from metrics_core.unjudged.expected_difference import LikelyDifference

_MANY, _FEW = (0.1, FEWEST_DIFFERING), (0.05, FEWEST_DIFFERING // 2)
"""What must go until the sign turns, as a share of the queries and as a number: from both of the
first on a difference rests on many queries, below one of the second on few. A share alone would
call one of ten many. The number is that of queries that must differ for a verdict at all: what
turns sooner hangs on fewer queries than any verdict may."""

_LARGEST = 5
_WORTH_TELLING = 0.1


def unjudged(
    reached: DifferenceBounds, likely: LikelyDifference, unjudged_share: float, depth: int
) -> WayToTurn:
    """Could the unjudged documents turn it, or part two that are level? `unjudged_share` is that of
    the top `depth`."""

    top = f"top {w.count(depth)}"

    def entry(word: str, tone: Tone, reason: str) -> WayToTurn:
        brief = f"{w.share(unjudged_share)} of the {top} is unjudged; {_brief(word)}"
        return WayToTurn("unjudged", "Unjudged", word, tone, reason, brief)

    share = f"{w.share(unjudged_share)} of both runs’ {top} is unjudged."
    now = side_of(reached.difference)
    if unjudged_share == 0 and reached.lowest == reached.highest:
        reason = f"Every document in both runs’ {top} is judged."
        return WayToTurn("unjudged", "Unjudged", cannot(now), "firm", reason)
    if reached.reason:
        return entry(w.DASH, "", f"{share} {reached.reason}")
    reason = f"{share} {_usual(likely, _farthest(reached, now))}"
    apart = now == 0 and (side_of(reached.lowest), side_of(reached.highest)) != (0, 0)
    if not (apart or reached.turns):
        return entry(cannot(now), "firm", reason)
    if now == 0:
        return entry(could(now), "", reason)
    if likely.interval is None:
        return entry("unknown", "", reason)
    kept = likely.interval.low > 0 if now > 0 else likely.interval.high < 0
    return (
        entry("unlikely to reverse it", "", reason)
        if kept
        else entry("could reverse it", "not firm", reason)
    )


def _brief(word: str) -> str:
    """The word where it stands behind another."""
    return word if word not in (w.DASH, "unknown") else "effect unknown"


def _usual(likely: LikelyDifference, farthest: str) -> str:
    """Where the difference would likely lie, or why nobody knows, and how far it could go."""
    if likely.interval is None:
        return f"{likely.reason} {w.sentence_case(farthest)}"
    low, high = float(likely.interval.low), float(likely.interval.high)
    digits = w.decimals(low, high)
    ends = [w.difference(end, digits) if side_of(end) else w.difference(0) for end in (low, high)]
    return f"Likely between {ends[0]} and {ends[1]}; {farthest}"


def could(side: int) -> str:
    """That something could turn a lead of this side, or part two that are level."""
    return "could reverse it" if side else "could separate them"


def cannot(side: int) -> str:
    """That nothing of it can."""
    return "cannot reverse it" if side else "cannot separate them"


def _farthest(reached: DifferenceBounds, now: int) -> str:
    """How far against the leader the difference could go; either way where the two are level."""
    if now == 0 and reached.lowest == reached.highest:
        return "whatever their grades, the runs stay tied."
    if now == 0:
        ends = f"{w.difference(reached.lowest)} and {w.difference(reached.highest)}"
        limit = "stays" if not reached.exact else "ranges"
        return f"whatever their grades, it {limit} between {ends}."
    worst = w.difference(reached.lowest if now > 0 else reached.highest)
    return f"worst case {worst}{'' if reached.exact else ' (conservative bound)'}."


@dataclass(frozen=True)
class Missed:
    """What two runs did not find, bool[Q]: `nothing` says for which queries the run that is behind
    has no relevant document in its top `depth`, None for its whole list; `lacking` says of each of
    the two which it does not list."""

    nothing: Mask
    lacking: Mapping[str, Mask]
    depth: int | None = None


def single_queries(
    found: Fragility, pair: ComparedPair, differences: Floats, missed: Missed | None = None
) -> WayToTurn:
    """Does it rest on a few queries? Without `missed` nothing is said of what was not found."""

    turning = found.turning
    brief = f"removing {w.count(turning)} would reverse it" if turning else "no query opposes it"

    def entry(word: str, tone: Tone, reason: str) -> WayToTurn:
        return WayToTurn("queries", "Single queries", word, tone, reason, brief)

    if found.total == 0:
        return entry(w.DASH, "", f"{THE_TWO_ARE_LEVEL} direction to reverse.")
    for_it = int((differences * np.sign(found.total) > 0).sum())
    every = w.count(found.queries)
    if found.turning is None and for_it == found.queries:
        return entry("rests on all queries", "firm", "No query opposes it.")
    word, tone = rests_on(for_it if found.turning is None else found.turning, found.queries)
    if found.turning is None:
        support = f"{w.count(for_it)} of {every} {w.plural(for_it, 'supports', 'support')}"
        return entry(word, tone, f"No query opposes it; {support} it.")
    helped = pair.leader(int(np.sign(found.total)))
    reason = (
        f"Removing the {w.count(found.turning)} of {every} queries most favourable to {helped}"
        " would reverse it."
    )
    carriers = _unfound(pair, differences, missed) or _adding_most(
        found, differences, for_it, missed
    )
    return entry(word, tone, f"{reason} {carriers}")


def rests_on(turning: int, queries: int) -> tuple[str, Tone]:
    """In a word on how many queries it rests, where so many must go until it turns."""
    share = turning / queries
    if share >= _MANY[0] and turning >= _MANY[1]:
        return "broad", "firm"
    if share >= _FEW[0] and turning >= _FEW[1]:
        return "rests on some queries", ""
    return "rests on few queries", "not firm"


def _unfound(pair: ComparedPair, differences: Floats, missed: Missed | None) -> str:
    """What those carry for which the run that is behind found nothing; "" where it is little."""
    if missed is None:
        return ""
    those = missed.nothing & (differences != 0) & ~np.isnan(differences)
    part, n, behind = carried(differences, those), int(those.sum()), pair.leader(-pair.side)
    if not part >= _WORTH_TELLING:
        return ""
    top = f" in its top {w.count(missed.depth)}" if missed.depth else ""
    which = f"for which {behind} found nothing relevant{top}"
    if missed.lacking[behind][those].all():
        which = f"for which {behind} has no results"
    return _share_of(f"The {w.number(n)} {w.plural(n, 'query', 'queries')} {which}", n, part)


def _adding_most(found: Fragility, differences: Floats, for_it: int, missed: Missed | None) -> str:
    """What the few carry that add most to it, of so many that speak for it."""
    n = min(_LARGEST, for_it)
    largest = found.order[:n]
    part = carried(differences, np.isin(np.arange(len(differences)), largest))
    lacking = missed.lacking if missed else {}
    unlisted = [f" (no results from {name})" for name, at in lacking.items() if at[largest].all()]
    who = (
        f"The {w.number(n)} {w.plural(n, 'query that contributes', 'queries that contribute')} most"
    )
    return _share_of(f"{who}{''.join(unlisted[:1])}", n, part)


def _share_of(who: str, n: int, part: float) -> str:
    verb = w.plural(n, "accounts for", "account for")
    if part < 1:
        return f"{who} {verb} {w.share(part)} of the difference."
    return f"{who} {verb} all of the difference; the others together add nothing."


def cutoff(
    found: Crossings | None, pair: ComparedPair, chosen: int | None, lengths: Mapping[str, int]
) -> WayToTurn:
    """Does it depend on how many results count? `chosen` is the cutoff, None for the whole list;
    `lengths` how many documents each run typically lists."""

    def entry(word: str, tone: Tone, reason: str) -> WayToTurn:
        return WayToTurn("cutoff", "Cutoff", word, tone, reason, word)

    if found is None:
        return no_cutoff(pair)
    short = _lengths(found, lengths)
    if pair.side == 0:
        return entry(*_level_by_cutoff(found, pair, short))
    reason = " ".join([*_changes(found, pair), *short])
    against = found.spans(-pair.side)
    if against:
        ahead = f"{pair.leader(-pair.side)} is significantly ahead {at_cutoffs(found, against)}."
        return entry("reverses with k", "not firm", f"{ahead} {reason}")
    spans, at = found.spans(pair.side), min(chosen or found.depth, found.depth)
    if not spans:
        chance = "The difference is not significant at any k."
        if pair.is_clear:
            alone = f"k = {w.count(at)} by itself is significant"
            chance = f"{alone}; corrected for all k together, no k is."
        return entry(NOT_CLEAR_AT_ANY_K, "", f"{chance} {reason}".strip())
    last = spans[-1]
    inside = any(low <= at <= high for low, high in spans)
    if pair.is_clear != inside:
        family = of_another_family(at, "these ranges are corrected", significant=pair.is_clear)
        reason = f"{reason} {family}".strip()
    if last[1] == found.depth and len(spans) == 1:
        word = "significant at every k" if last[0] == 1 else f"significant from k = {last[0]} on"
        return entry(word, "firm", reason or "The lead is significant at every cutoff.")
    return entry(
        f"significant at {w.listing(map(_span, spans[:2]))}"
        if len(spans) < 3
        else "significant at some cutoffs",
        "firm" if inside and len(spans) < 3 else "",
        f"Elsewhere {NOT_SIGNIFICANT} {reason}".strip(),
    )


def of_another_family(k: int, band: str, *, significant: bool) -> str:
    """Why the verdict at `k` and the band over all k, which `band` names with its verb, differ:
    `significant` says that the verdict alone finds a difference there."""
    if significant:
        return f"k = {w.count(k)} by itself is significant; {band} for all k together."
    return (
        f"In the test of all compared runs, k = {w.count(k)} is not significant; {band}"
        " for this pair alone."
    )


def no_cutoff(pair: ComparedPair) -> WayToTurn:
    """The entry of a measure that has no cutoff."""
    reason = f"{pair.measure} scores whole lists and has no cutoff."
    return WayToTurn("cutoff", "Cutoff", "none", "", reason)


def _level_by_cutoff(
    found: Crossings, pair: ComparedPair, short: list[str]
) -> tuple[str, Tone, str]:
    """Of two that are level at the chosen cutoff: where else they are, and who leads where not."""
    level = found.stretches(0)
    if level == [(1, found.depth)]:
        return "tied at every k", "firm", "The runs are tied at every cutoff."
    told = []
    for side in (1, -1):
        clear = found.spans(side)
        leads = found.stretches(side)
        if clear:
            told.append(f"{pair.leader(side)} is significantly ahead {at_cutoffs(found, clear)}.")
        elif leads:
            told.append(
                f"{pair.leader(side)} leads {at_cutoffs(found, leads[:_FEW_SPANS])}"
                f"{' and at other k' if len(leads) > _FEW_SPANS else ''}, not significantly."
            )
    spans = w.listing(map(_span, level))
    word = f"tied at {spans}" if 0 < len(level) <= _FEW_SPANS else "tied at some cutoffs"
    return word, "", " ".join([*told, *short])


_FEW_SPANS = 2


def at_cutoffs(found: Crossings, spans: Sequence[tuple[int, int]]) -> str:
    """Where spans of cutoffs lie: "at k = 3 and from k = 11 on"."""
    *first, last = spans
    open_ = last[0] < last[1] == found.depth
    said = [f"at {w.listing(map(_span, first if open_ else spans))}"] if first or not open_ else []
    return " and ".join([*said, f"from k = {w.count(last[0])} on"] if open_ else said)


def _span(span: tuple[int, int]) -> str:
    low, high = span
    return f"k = {w.count(low)}" if low == high else f"k = {w.count(low)} to {w.count(high)}"


def _changes(found: Crossings, pair: ComparedPair) -> list[str]:
    """What is otherwise at the first cutoffs, where the lead is not that of the verdict."""
    side = pair.side
    other = np.flatnonzero(found.side != side)
    if not len(other):
        clear = found.spans(side)
        if clear and clear[0][0] > 1:
            below = _span((1, clear[0][0] - 1))
            return [f"At {below} {pair.leader(side)} leads too, not significantly."]
        return []
    first = int(other[0])
    last = first
    while last + 1 < found.depth and found.side[last + 1] == found.side[first]:
        last += 1
    where = _span((first + 1, last + 1))
    what = "the runs are tied" if found.side[first] == 0 else f"{pair.leader(-side)} leads"
    more = len(other) - (last - first + 1)
    rest = (
        f", and at {w.count(more)} other k {pair.leader(side)} does not lead either" if more else ""
    )
    return [f"At {where} {what}{rest}."]


def _lengths(found: Crossings, lengths: Mapping[str, int]) -> list[str]:
    longest = max(lengths, key=lambda run: lengths[run], default="")
    deepest = lengths.get(longest, 0)
    return [
        f"Half of the {run} lists end by rank {w.count(n)}: beyond that, they have no results,"
        f" which favours {longest}."
        for run, n in lengths.items()
        if 0 < n < deepest / 2 and n < found.depth
    ]


def other_measures(found: Agreement, pair: ComparedPair, runs: int) -> WayToTurn:
    """Do other measures say the same?"""
    table = found.defined.set_index("measure")
    others = set(table.index) - {pair.measure}
    agreeing = others.intersection(found.agreeing(pair.measure))
    said = []
    if pair.side:
        level = [m for m in table.index if table.loc[m, "side"] == 0]
        said += [f"Tied on {w.named(level)}."] if level else []
        said.append(
            ahead_on(table, pair, -pair.side)
            or f"{pair.leader(pair.side)} leads on all{' other' if level else ''} measures."
        )
    else:
        said += filter(None, (ahead_on(table, pair, side) for side in (1, -1)))
        said = said or ["No run leads on any measure."]
    if runs > 2:
        same = len(others.intersection(found.same_order(pair.measure)))
        every = f"{w.count(len(others))} {w.plural(len(others), 'other measure', 'other measures')}"
        order = f"The ranking of all {w.number(runs)} runs is the same on"
        said.append(f"{order} {w.count(same)} of {every}.")
    if not others:
        reason = NO_OTHER_MEASURE
        return WayToTurn("measures", "Other measures", w.DASH, "", reason)
    verbs, with_ = (
        (("agrees", "agree"), "with") if pair.side else (("is tied", "are tied"), "as on")
    )
    word = f"{len(agreeing)} of {len(others)} {w.plural(len(agreeing), *verbs)}"
    tone: Tone = "firm" if agreeing == others else "not firm"
    title = f"{word} {with_} {pair.measure}"
    return WayToTurn("measures", "Other measures", word, tone, " ".join(said), title)


def ahead_on(table: pd.DataFrame, pair: ComparedPair, side: int) -> str:
    """On which measures of `Agreement.table` the run of a side is ahead; those on which it clearly
    is, if there are any. Empty where it is ahead on none."""
    ahead = [m for m in table.index if table.loc[m, "side"] == side]
    words = AHEAD if side > 0 else BEHIND
    clearly = [m for m in ahead if table.loc[m, "verdict"] in words]
    if clearly:
        return f"{pair.leader(side)} is significantly ahead on {w.named(clearly)}."
    return f"{pair.leader(side)} leads on {w.named(ahead)}, not significantly." if ahead else ""
