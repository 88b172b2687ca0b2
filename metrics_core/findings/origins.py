"""Where the difference comes from, by the number of results counted; by group in `groups`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.crossings import ranges_where
from metrics_core.comparing.sides import sides
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.sentence import Sentence, muted, run, strong
from metrics_core.findings.verdicts import too_few
from metrics_core.judging import JudgedRanks

_SHORT_LIST = 0.5
_AWAITED = "Which lead is more than chance is being worked out."
_COMPARE = "compare another run to see a difference."


def curves_finding(curve: pd.DataFrame, family: str, focus: str, baseline: str) -> Sentence:
    """Does the lead depend on how many results count? `curve` is the frame of `mean_curves`, whose
    bands of differences hold for all k at once; `family` the measure's name without its cutoff."""
    own = curve[curve["run"] == focus].sort_values("k")
    if focus == baseline or own["difference"].isna().all():
        return run(focus) + strong(f" on {family}; ") + muted(_COMPARE)
    queries = int(own["queries"].max())
    if queries < FEWEST_QUERIES:
        return too_few(queries) + muted("No k is looked at for a lead.")
    ks = own["k"].to_numpy()
    # A band without width is that of differences that are all 0.
    still = (own["diff_low"] == own["diff_high"]).to_numpy()
    level = (sides(own["difference"]) == 0) & still
    if level.all():
        pair = run(focus) + strong(" and ") + run(baseline)
        return pair + strong(f" are level on {family} {_spans([(int(ks[0]), int(ks[-1]))], ks)}.")
    ahead = ranges_where(ks, (own["diff_low"] > 0).to_numpy())
    behind = ranges_where(ks, (own["diff_high"] < 0).to_numpy())
    if all(_short(stretch) for stretch in [*ahead, *behind]):
        only = _spans(sorted([*ahead, *behind]), ks)
        return (
            strong(f"At {'almost no k' if only else 'no k'} is the difference between ")
            + run(focus)
            + strong(" and ")
            + run(baseline)
            + strong(f" on {family} clear of chance")
            + (muted(f", only {only}. ") if only else strong(". "))
            + muted(f"The band holds for all k from {ks[0]} to {ks[-1]:,} at once.")
        )
    lead = run(focus)
    if ahead:
        lead += strong(" leads ") + run(baseline) + strong(f" on {family} {_spans(ahead, ks)}")
    if behind:
        lead += strong(" and") if ahead else Sentence()
        lead += strong(" trails ") + (Sentence() if ahead else run(baseline))
        lead += strong(f"{'it' if ahead else f' on {family}'} {_spans(behind, ks)}")
    return lead + strong(". ") + muted(_elsewhere(ks, level, ahead, behind))


def curves_awaited(family: str, focus: str, baseline: str) -> Sentence:
    """What stands there until `curves_finding` does."""
    told = strong(f" on {family} by the number of results counted. ")
    return run(focus) + strong(" and ") + run(baseline) + told + muted(_AWAITED)


def _short(stretch: tuple[int, int]) -> bool:
    """Whether a stretch is so short that it says little: among many k some look clear by chance."""
    return stretch[1] < 1.5 * stretch[0]


def _spans(ranges: list[tuple[int, int]], ks: npt.NDArray[np.int64]) -> str:
    if ranges == [(int(ks[0]), int(ks[-1]))]:
        return f"at every k from {ks[0]} to {ks[-1]:,}"
    shown = [f"at k = {a:,}" if a == b else f"from k = {a:,} to k = {b:,}" for a, b in ranges[:3]]
    more = " and in further stretches" if len(ranges) > 3 else ""
    return w.listing(shown) + more


def _elsewhere(
    ks: npt.NDArray[np.int64],
    level: npt.NDArray[np.bool_],
    ahead: list[tuple[int, int]],
    behind: list[tuple[int, int]],
) -> str:
    """What holds where the lead is not clear: `level` says at which of the `ks` no query differs.
    What the band over all k leaves open may be clear at one of them alone, as the Overview asks."""
    clear = sorted([*ahead, *behind])
    first, last = clear[0][0], clear[-1][1]

    def told(where: npt.NDArray[np.bool_]) -> str:
        return "no query differs" if level[where].all() else "the band over all k leaves it open"

    before = ks < first
    if before.any():
        deepest = ks[before][-1]
        where = f"At k = {deepest}" if before.sum() == 1 else f"Up to k = {deepest:,}"
        if not level[before].all():
            return f"{where} {told(before)}."
        tail = "gain" if ahead and ahead[0][0] == first else "loss"
        below = "the first" if deepest == 1 else f"the first {deepest:,}"
        return f"{where} {told(before)}: the {tail} comes from the results below {below}."
    if last < ks[-1]:
        return f"Beyond k = {last:,} {told(ks > last)}."
    if len(clear) > 1:
        inside = np.logical_or.reduce([(ks >= a) & (ks <= b) for a, b in clear])
        return f"In between {told(~inside)}."
    return "The difference does not hang on the choice of k."


def short_lists(judged: Sequence[JudgedRanks], names: Sequence[str]) -> Sentence:
    """What keeps a comparison at large k from being fair: of these runs, those whose lists are
    much shorter than the longest; empty where there are none."""
    typical = {r.run_name: _typical_length(r) for r in judged if r.run_name in names}
    longest = max(typical.values(), default=0)
    short = [name for name, length in typical.items() if length < _SHORT_LIST * longest]
    sentence = Sentence()
    for name in short:
        count = w.count(typical[name])
        noun = w.plural(typical[name], "document")
        sentence += muted(" ") + run(name)
        sentence += muted(f" lists only {count} {noun} a query, which decides beyond that.")
    return sentence


def _typical_length(ranks: JudgedRanks) -> int:
    listed = ranks.retrieved[ranks.retrieved > 0]
    return int(np.median(listed)) if len(listed) else 0
