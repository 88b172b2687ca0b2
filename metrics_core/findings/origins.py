"""Where the difference comes from: by group."""

from __future__ import annotations

import math

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.sides import side_of
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.sentence import Sentence, muted, run, strong
from metrics_core.findings.verdicts import too_few
from metrics_core.slicing.mix import is_reversed

_COMPARE = "compare another run to see a difference."

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
