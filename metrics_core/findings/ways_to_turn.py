"""The ways in which a verdict could turn, one by one: see `firmness`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from metrics_core import wording as w
from metrics_core.comparing.agreement import Agreement
from metrics_core.comparing.crossings import Crossings
from metrics_core.comparing.fragility import Fragility, carried
from metrics_core.comparing.reach import Reach
from metrics_core.comparing.verdicts import AHEAD, BEHIND
from metrics_core.findings.firmness import Entry, Pair, Tone
from metrics_core.scoring.intervals import Interval

Floats = npt.NDArray[np.float64]

MANY, FEW = 0.1, 0.05
"""Shares of the queries that must go until the sign turns: from the first on a difference rests on
many queries, below the second on few."""

_LARGEST = 5
_WORTH_TELLING = 0.1


def unjudged(reached: Reach, likely: Interval, unjudged_share: float, depth: int) -> Entry:
    """Could the unjudged documents turn it? `unjudged_share` is that of the top `depth`."""

    def entry(word: str, tone: Tone, reason: str) -> Entry:
        return Entry("unjudged", "Unjudged documents", word, tone, reason)

    top = f"top {w.count(depth)}"
    share = f"{w.share(unjudged_share)} of both runs’ {top} is unjudged."
    if unjudged_share == 0 and reached.lowest == reached.highest:
        return entry("cannot turn it", "firm", f"Every document of both runs’ {top} is judged.")
    if reached.reason:
        return entry(w.DASH, "", f"{share} {reached.reason}")
    usual = " No listed document is judged not relevant, so nothing says what is usual;"
    if not np.isnan(likely.mean):
        ends = (w.difference(float(end)) for end in (likely.low, likely.high))
        usual = " At the grades usual at those ranks it would lie between {} and {};".format(*ends)
    positive = reached.difference > 0
    worst = w.difference(reached.lowest if positive else reached.highest)
    limit = "" if reached.exact else ("no lower than " if positive else "no higher than ")
    reason = f"{share}{usual} at the very worst it is {limit}{worst}."
    if not reached.turns:
        return entry("cannot turn it", "firm", reason)
    if np.isnan(likely.mean):
        return entry("could turn it", "", reason)
    kept = likely.low > 0 if positive else likely.high < 0
    return (
        entry("unlikely to turn it", "", reason)
        if kept
        else entry("could turn it", "not firm", reason)
    )


def single_queries(
    found: Fragility, pair: Pair, side: int, differences: Floats, other_scores: Floats | None
) -> Entry:
    """Does it rest on a few queries? `side` is that of the verdict; `other_scores` are those of the
    run that is behind, on which 0
    means that it found nothing; None where 0 means something else."""
    if found.turning is None:
        word, tone, reason = "rests on all", "firm", "No query speaks against it."
        if abs(found.total) == 0:
            word, tone, reason = w.DASH, "", "The two are level, so there is no sign to turn."
        return Entry("queries", "Single queries", word, tone, reason)  # type: ignore[arg-type]
    share = found.turning / found.queries
    tones: dict[str, Tone] = {"many": "firm", "some": "", "few": "not firm"}
    how = "many" if share >= MANY else "few" if share < FEW else "some"
    reason = (
        f"It takes {w.count(found.turning)} of {w.count(found.queries)} queries to turn the sign."
        f" {_carried(found, pair, side, differences, other_scores)}"
    )
    return Entry("queries", "Single queries", f"rests on {how}", tones[how], reason)


def _carried(
    found: Fragility, pair: Pair, side: int, differences: Floats, other_scores: Floats | None
) -> str:
    if other_scores is not None:
        nothing = (other_scores == 0) & (differences != 0) & ~np.isnan(differences)
        part, n = carried(differences, nothing), int(nothing.sum())
        if part >= _WORTH_TELLING:
            behind = pair.leader(-side)
            who = "one" if n == 1 else w.number(n)
            return _share_of(f"The {who} for which {behind} found nothing", n, part)
    largest = np.zeros(len(differences), dtype=np.bool_)
    largest[found.order[:_LARGEST]] = True
    part = carried(differences, largest)
    return _share_of(f"The {w.number(_LARGEST)} largest", _LARGEST, part)


def _share_of(who: str, n: int, part: float) -> str:
    verb = w.plural(n, "carries", "carry")
    if part < 1:
        return f"{who} {verb} {w.share(part)} of it."
    return f"{who} {verb} all of it; the others together do not add to it."


def cutoff(
    found: Crossings | None, pair: Pair, side: int, chosen: int | None, lengths: Mapping[str, int]
) -> Entry:
    """Does it depend on how many results count? `side` is that of the verdict, `chosen` the cutoff,
    None for the whole list; `lengths` how many documents each run typically lists."""

    def entry(word: str, tone: Tone, reason: str) -> Entry:
        return Entry("cutoff", "Cutoff", word, tone, reason)

    if found is None:
        return entry("has none", "", f"{pair.measure} looks at whole lists, whatever k is.")
    reason = " ".join([*_changes(found, pair, side), *_lengths(found, lengths)])
    against = found.spans(-side)
    if against:
        there = w.listing(map(_span, against))
        return entry(
            "turns with k",
            "not firm",
            f"{pair.leader(-side)} is clearly ahead at {there}. {reason}",
        )
    spans = found.spans(side)
    if not spans:
        return entry("at no k clear", "", f"At every k the difference may be chance. {reason}")
    last = spans[-1]
    if last[1] == found.depth and len(spans) == 1:
        word = "at every k" if last[0] == 1 else f"from k = {last[0]} on"
        return entry(word, "firm", reason or "The lead is clear wherever the list is cut.")
    at = chosen or found.depth
    inside = any(low <= at <= high for low, high in spans)
    return entry(
        f"at {w.listing(map(_span, spans[:2]))}" if len(spans) < 3 else "at some k",
        "firm" if inside and len(spans) < 3 else "",
        f"Elsewhere the difference may be chance. {reason}".strip(),
    )


def _span(span: tuple[int, int]) -> str:
    low, high = span
    return f"k = {w.count(low)}" if low == high else f"k = {w.count(low)} to {w.count(high)}"


def _changes(found: Crossings, pair: Pair, side: int) -> list[str]:
    """What is otherwise at the first cutoffs, where the lead is not that of the verdict."""
    other = np.flatnonzero(found.side != side)
    if not len(other):
        clear = found.spans(side)
        if clear and clear[0][0] > 1:
            below = _span((1, clear[0][0] - 1))
            return [f"At {below} {pair.leader(side)} leads too, but that may be chance."]
        return []
    first = int(other[0])
    last = first
    while last + 1 < found.depth and found.side[last + 1] == found.side[first]:
        last += 1
    where = _span((first + 1, last + 1))
    what = "the two are level" if found.side[first] == 0 else f"{pair.leader(-side)} leads"
    more = len(other) - (last - first + 1)
    rest = f", and at {w.count(more)} other k it does not lead either" if more else ""
    return [f"At {where} {what}{rest}."]


def _lengths(found: Crossings, lengths: Mapping[str, int]) -> list[str]:
    deepest = max(lengths.values(), default=0)
    return [
        f"Above k = {w.count(n)} {run} mostly lists nothing more, which decides the rest."
        for run, n in lengths.items()
        if 0 < n < deepest / 2 and n < found.depth
    ]


def other_measures(found: Agreement, pair: Pair, runs: int) -> Entry:
    """Do other measures say the same?"""
    table = found.table.set_index("measure")
    side = int(table.loc[pair.measure, "side"])
    agreeing = found.agreeing(pair.measure)
    level = [m for m in table.index if table.loc[m, "side"] == 0 and side != 0]
    against = [m for m in table.index if m not in agreeing and m not in level]
    opposite = BEHIND if side > 0 else AHEAD
    clearly = [m for m in against if table.loc[m, "verdict"] in opposite]
    said = []
    if level:
        said.append(f"Level on {w.named(level)}.")
    if against:
        how = "clearly" if clearly else "though not clearly"
        named = clearly or against
        said.append(f"{pair.leader(-side)} is ahead on {w.named(named)}, {how}.")
    else:
        said.append(f"No measure has {pair.leader(-side)} ahead.")
    if runs > 2:
        same = len(found.same_order(pair.measure))
        said.append(f"The order of all {w.number(runs)} runs is the same on {w.count(same)}.")
    everyone = len(agreeing) == len(table)
    word = f"all {len(table)} agree" if everyone else f"{len(agreeing)} of {len(table)} agree"
    return Entry(
        "measures", "Other measures", word, "firm" if everyone else "not firm", " ".join(said)
    )


def ties(
    span: tuple[float, float], difference: float, counts: tuple[int, int], exact: bool
) -> Entry | None:
    """Could the order within equal scores turn it? `counts` are the queries with equal scores and
    all queries; None without any."""
    tied, queries = counts
    if not tied:
        return None
    low, high = span
    turned = low < -1e-12 if difference > 0 else high > 1e-12
    noun = w.plural(queries, "query", "queries")
    ends = f"{w.difference(low)} and {w.difference(high)}"
    reason = f"{w.count(tied)} of {w.count(queries)} {noun} have equal scores where it counts. "
    if high - low < 1e-12:
        return Entry(
            "ties",
            "Equal scores",
            "cannot turn it",
            "firm",
            f"{reason}No order of them changes it.",
        )
    if not exact:
        reason += f"In the two orders tried the difference is between {ends}."
        return Entry("ties", "Equal scores", "could turn it" if turned else w.DASH, "", reason)
    reason += f"In any order of them the difference stays between {ends}."
    if turned:
        return Entry("ties", "Equal scores", "could turn it", "not firm", reason)
    return Entry("ties", "Equal scores", "cannot turn it", "firm", reason)


def ties_unknown(runs: Sequence[str]) -> Entry:
    """The entry of `ties` where these runs came as judged ranks, without scores."""
    reason = f"{w.listing(runs)} came as judged ranks, without scores: which are equal, and where"
    return Entry("ties", "Equal scores", "not known", "", f"{reason}, is not known.")


def lacking_queries(
    lacking: Mapping[str, int], difference: float, on_shared: float, shared: int
) -> Entry | None:
    """Does it come from queries that a run does not list? `lacking` counts them by run; None where
    there are none. `on_shared` is the difference over the queries that both list."""
    runs = [
        f"{run} lacks {w.count(n)} {w.plural(n, 'query', 'queries')}"
        for run, n in lacking.items()
        if n
    ]
    if not runs:
        return None
    title = "Missing queries"
    reason = f"{w.listing(runs)}, counted as an empty list."
    if not shared or np.isnan(on_shared):
        return Entry(
            "missing", title, "decide it", "not firm", f"{reason} No query is listed by both."
        )
    noun = w.plural(shared, "query", "queries")
    reason += f" On the {w.count(shared)} {noun} that both list it is {w.difference(on_shared)}."
    same = on_shared * difference > 0
    return Entry(
        "missing",
        title,
        "do not turn it" if same else "turn it",
        "firm" if same else "not firm",
        reason,
    )
