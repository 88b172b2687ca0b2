"""Where the difference comes from: by the number of results counted, and by group."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.crossings import ranges_where
from metrics_core.comparing.sides import side_of, sides
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.sentence import Sentence, muted, run, strong
from metrics_core.findings.verdicts import too_few
from metrics_core.judging import JudgedRanks
from metrics_core.slicing.mix import is_reversed

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


_SHARES = (
    (0.95, "nearly all"),
    (0.7, "most"),
    (0.55, "more than half"),
    (0.45, "half"),
    (0.36, "two fifths"),
    (0.29, "a third"),
    (0.22, "a quarter"),
    (0.17, "a fifth"),
    (0.0, "the largest part"),
)


def bridge_finding(
    bridge: pd.DataFrame, focus: str, baseline: str, *, higher_is_better: bool = True
) -> Sentence:
    """Where the difference comes from: which groups bring it, and where it is clear on its own.
    `bridge` is the frame of `slicing.bridge` with the columns clear, and unlike (the rest)."""
    if focus == baseline:
        return run(focus) + strong(" by group; ") + muted(_COMPARE)
    queries = int(bridge["queries"].sum())
    if queries < FEWEST_QUERIES:
        return too_few(queries) + muted("No group is called better or worse.")
    whole = math.fsum(bridge["part"])
    if not _printed(whole):
        told = "differ by less than 0.0005" if side_of(whole) else "have the same mean"
        return (
            run(focus) + strong(" and ") + run(baseline) + strong(f" {told} over all groups.")
            + muted(_clear_groups(bridge, "", higher_is_better))
        )  # fmt: skip
    gains = (whole > 0) == higher_is_better
    verb, other = ("gains", "loses") if gains else ("loses", "gains")
    if len(bridge) == 1:
        group = bridge["group"].iloc[0]
        return run(focus) + strong(f" {verb} {w.score(abs(whole))}: every query is in {group}.")
    with_it, against = _sides(bridge, whole)
    where = "everywhere"
    if len(with_it) < len(bridge):
        where = f"in {w.number(len(with_it))} of {w.number(len(bridge))} groups"
    if len(with_it) == 1:
        where += f", {with_it['group'].iloc[0]}" + ("," if len(against) else "")
    if len(against):
        where += f" and clearly {other} in {w.named(list(against['group']))}"
    lead, part = _main_part(with_it, whole)
    what = "it" if where == "everywhere" else f"the {'gain' if gains else 'loss'}"
    from_where = f"; {part} of {what} comes from {lead}" if lead else ""
    return (
        run(focus)
        + strong(f" {verb} {where}{from_where}.")
        + muted(_clear_groups(bridge, lead, higher_is_better))
    )


def _printed(difference: float) -> bool:
    """Whether a difference is another than 0 as it is printed."""
    return w.difference(difference) != w.difference(0)


def _sides(bridge: pd.DataFrame, whole: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The groups that go with the whole, as is printed, and those that clearly go against it."""
    side = np.sign(bridge["difference"] * whole) * bridge["difference"].map(_printed)
    return bridge[side > 0], bridge[(side < 0) & bridge["clear"]]


def _main_part(with_it: pd.DataFrame, whole: float) -> tuple[str, str]:
    """Of groups that go with the whole the one that brings most, and how much of what they bring,
    in words; empty where it brings no more than its share of the queries does anyway: the
    difference must be larger there than elsewhere, by the test that finds slices."""
    if len(with_it) < 2:
        return "", ""
    row = with_it.loc[with_it["part"].abs().idxmax()]
    if not row["unlike"] or abs(row["difference"]) <= abs(whole):
        return "", ""
    share = abs(row["part"]) / with_it["part"].abs().sum()
    return str(row["group"]), next(words for least, words in _SHARES if share >= least)


def _clear_groups(bridge: pd.DataFrame, lead: str, higher_is_better: bool) -> str:
    """In which groups the difference is clear by itself; `lead` has just been named."""
    clear = bridge[bridge["clear"]]
    if clear.empty:
        return " In no group is the difference clear on its own."
    if len(clear) == len(bridge):
        return " In each group the difference is clear on its own."
    if len(clear) > 1:
        return f" The difference is clear on its own in {w.named(list(clear['group']))}."
    row = clear.iloc[0]
    where = "there" if row["group"] == lead else f"in {row['group']}"
    what = "gain" if (row["difference"] > 0) == higher_is_better else "loss"
    n, of = int(row["queries"]), int(bridge["queries"].sum())
    return (
        f" Only {where} is the {what} clear on its own: {w.count(n)} of {w.count(of)} queries,"
        f" {w.difference(row['difference'])} on average."
    )


def reversal_finding(bridge: pd.DataFrame, *, higher_is_better: bool = True) -> Sentence:
    """That most queries are in groups that clearly go against the whole; empty where they are
    not."""
    whole, queries = math.fsum(bridge["part"]), int(bridge["queries"].sum())
    if queries < FEWEST_QUERIES or not _printed(whole):
        return Sentence()
    _, against = _sides(bridge, whole)
    opposed = int(against["queries"].sum())
    if 2 * opposed <= queries:
        return Sentence()
    gains = (whole > 0) == higher_is_better
    return muted(
        f"Most queries, {w.count(opposed)} of {w.count(queries)}, are in groups that clearly"
        f" {'lose' if gains else 'gain'}: the {'gain' if gains else 'loss'} over all comes from the"
        " fewer others."
    )


def mix_finding(taken_apart: pd.DataFrame, focus: str, baseline: str) -> Sentence:
    """What the difference of two runs, each over the queries that it lists, owes to their listing
    others; `taken_apart` is the frame of `mix`, from the baseline to the run in focus."""
    mixed, within = (math.fsum(taken_apart[part]) for part in ("mix", "within"))
    n = {side: int(taken_apart[side].sum()) for side in ("before", "after")}
    whole = mixed + within
    printed = [w.difference(part) for part in w.parts_of(whole, [within, mixed])]
    told = muted("Each over the queries it lists, ") + run(focus)
    told += muted(f" ({w.count(n['after'])}) and ") + run(baseline)
    told += muted(
        f" ({w.count(n['before'])}) differ by {w.difference(whole)}: {printed[0]} within the"
        f" groups, {printed[1]} because they list other queries."
    )
    steps = (taken_apart["mean_after"] - taken_apart["mean_before"]).dropna()
    if is_reversed(taken_apart) and _printed(whole) and steps.map(_printed).all():
        least = w.score(steps.abs().min())
        told += muted(f" Within every group the mean goes the other way, by at least {least}.")
    return told


def strongest_other(
    groups: pd.DataFrame, focus: str, baseline: str, *, higher_is_better: bool = True
) -> Sentence:
    """One line on the clearest finding of a run not in focus; empty where there is none."""
    others = groups[~groups["run"].isin([focus, baseline]) & groups["clear"]]
    if others.empty:
        return Sentence()
    top = others.loc[others["difference"].abs().idxmax()]
    gap = w.with_interval(top["difference"], top["diff_low"], top["diff_high"])
    same_way = (others["difference"] < 0) == (top["difference"] < 0)
    more = int(((others["run"] == top["run"]) & same_way).sum()) - 1
    gains = (top["difference"] > 0) == higher_is_better
    tail = f"and in {w.number(more)} other {w.plural(more, 'group')}"
    if not more:
        tail = f"the only group in which it clearly {'gains' if gains else 'falls behind'}"
    verb = "gains" if gains else "falls behind"
    return run(top["run"]) + muted(f" {verb} in {top['group']}, {gap}, {tail}.")
