"""Where the difference comes from: by the number of results counted, and by group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics_core import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.sentence import Sentence, muted, run, strong
from metrics_core.findings.verdicts import named_groups, too_few
from metrics_core.judging import JudgedRanks

_SHORT_LIST = 0.5
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
            + muted(f"k runs from {ks[0]} to {ks[-1]:,}.")
        )
    lead = run(focus)
    if ahead:
        lead += strong(" leads ") + run(baseline) + strong(f" on {family} {_spans(ahead, ks)}")
    if behind:
        lead += strong(" and") if ahead else Sentence()
        lead += strong(" trails ") + (Sentence() if ahead else run(baseline))
        lead += strong(f"{'it' if ahead else f' on {family}'} {_spans(behind, ks)}")
    return lead + strong(". ") + muted(_level_ranges(ks, ahead, behind))


def _short(stretch: tuple[int, int]) -> bool:
    """Whether a stretch is so short that it says little: among many k some look clear by chance."""
    return stretch[1] < 1.5 * stretch[0]


def ranges_where(ks: npt.NDArray[np.int64], holds: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last k of every unbroken stretch in which something holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(int)))
    return [(int(ks[a]), int(ks[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _spans(ranges: list[tuple[int, int]], ks: npt.NDArray[np.int64]) -> str:
    if ranges == [(int(ks[0]), int(ks[-1]))]:
        return f"at every k from {ks[0]} to {ks[-1]:,}"
    shown = [f"at k = {a:,}" if a == b else f"from k = {a:,} to k = {b:,}" for a, b in ranges[:3]]
    more = " and in further stretches" if len(ranges) > 3 else ""
    return w.listing(shown) + more


def _level_ranges(
    ks: npt.NDArray[np.int64], ahead: list[tuple[int, int]], behind: list[tuple[int, int]]
) -> str:
    clear = sorted([*ahead, *behind])
    first, last = clear[0][0], clear[-1][1]
    if first > ks[0]:
        before = ks[ks < first]
        where = f"At k = {before[0]}" if len(before) == 1 else f"Up to k = {before[-1]:,}"
        tail = "gain" if ahead and ahead[0][0] == first else "loss"
        below = "the first" if len(before) == 1 else f"the first {before[-1]:,}"
        return f"{where} the two are level: the {tail} comes from the results below {below}."
    if last < ks[-1]:
        return f"Beyond k = {last:,} the difference may be chance."
    if len(clear) > 1:
        return "In between the difference may be chance."
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


def breakdown_finding(groups: pd.DataFrame, focus: str, baseline: str) -> Sentence:
    """Where the difference comes from: the groups in which it is clear, and those where not."""
    gains, losses = named_groups(groups, focus)
    own = groups[groups["run"] == focus]
    rest = [g for g in own["group"] if g not in gains and g not in losses]
    if focus == baseline:
        return run(focus) + strong(" by group; ") + muted(_COMPARE)
    if not gains and not losses:
        return (
            strong("In no group is the difference between ")
            + run(focus)
            + strong(" and ")
            + run(baseline)
            + strong(" clear of chance. ")
            + muted(f"Groups looked at: {w.named(list(own['group']))}.")
        )
    sentence = run(focus)
    if gains:
        sentence += strong(f" gains in {w.named(gains)}")
    if losses:
        sentence += strong(f"{' and' if gains else ''} loses in {w.named(losses)}")
    if not rest:
        every = "" if len(own) == 1 else ", in every group"
        return sentence + strong(" against ") + run(baseline) + strong(f"{every}.")
    return (
        sentence
        + strong("; ")
        + muted(f"in {w.named(rest)} the difference to ")
        + run(baseline)
        + muted(" may be chance.")
    )


def strongest_other(groups: pd.DataFrame, focus: str, baseline: str) -> Sentence:
    """One line on the clearest finding of a run not in focus; empty where there is none."""
    others = groups[~groups["run"].isin([focus, baseline]) & groups["clear"]]
    if others.empty:
        return Sentence()
    top = others.loc[others["difference"].abs().idxmax()]
    falls = top["difference"] < 0
    gap = w.with_interval(top["difference"], top["diff_low"], top["diff_high"])
    alike = others[(others["run"] == top["run"]) & ((others["difference"] < 0) == falls)]
    more = len(alike) - 1
    tail = (
        "and nowhere else"
        if not more
        else (f"and in {w.number(more)} other {w.plural(more, 'group')}")
    )
    verb = "falls behind" if falls else "gains"
    return run(top["run"]) + muted(f" {verb} in {top['group']}, {gap}, {tail}.")
