"""What a reader should be told: findings as data and as a sentence.

A sentence is a tuple of spans, each with the part it plays (a run's name, the statement itself,
what qualifies it), so that pages can colour it and a report or a test can read its plain text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics_core import wording as w
from metrics_core.comparisons import AHEAD, BEHIND, BETTER, WORSE

Role = Literal["strong", "muted", "run"]

FEW_QUERIES = 10
"""With fewer queries there is no result, only examples."""


@dataclass(frozen=True)
class Span:
    """A piece of a sentence; of a "run" span the text is the run's name."""

    text: str
    role: Role = "strong"


@dataclass(frozen=True)
class Sentence:
    """Spans in reading order; blanks stand inside the spans."""

    spans: tuple[Span, ...] = ()

    @property
    def text(self) -> str:
        """The plain sentence."""
        return "".join(span.text for span in self.spans)

    def __bool__(self) -> bool:
        return bool(self.spans)

    def __add__(self, other: Sentence) -> Sentence:
        return Sentence(self.spans + other.spans)


def run(name: str) -> Sentence:
    """A run's name."""
    return Sentence((Span(name, "run"),))


def strong(text: str) -> Sentence:
    """The statement."""
    return Sentence((Span(text),))


def muted(text: str) -> Sentence:
    """What qualifies the statement."""
    return Sentence((Span(text, "muted"),))


def joined(sentences: Sequence[Sentence], between: str) -> Sentence:
    """Sentences one after the other, with muted text between them."""
    result = Sentence()
    for sentence in sentences:
        result = result + muted(between) + sentence if result else sentence
    return result


def named_groups(groups: pd.DataFrame | None, name: str) -> tuple[list[str], list[str]]:
    """Groups of a `breakdown` frame in which the run clearly gains, and clearly loses; each list
    with the largest difference first."""
    if groups is None or groups.empty:
        return [], []
    own = groups[(groups["run"] == name) & groups["clear"]]
    gains = own[own["difference"] > 0].sort_values("difference", ascending=False)
    losses = own[own["difference"] < 0].sort_values("difference")
    return list(gains["group"]), list(losses["group"])


def verdict(
    comparison: pd.DataFrame,
    measure: str,
    focus: str,
    baseline: str,
    groups: pd.DataFrame | None = None,
) -> Sentence:
    """The headline: is the run in focus better than the baseline, and is it real?

    `comparison` is the frame of `compare`, `groups` that of `breakdown` by one column.
    """
    rows = comparison.set_index("run")
    queries = int(rows["queries"].max())
    if focus == baseline:
        score = w.score(rows.loc[focus, "mean"])
        hint = "load a second run to compare" if len(rows) < 2 else "choose another run to compare"
        return run(focus) + strong(f" scores {score} on {measure}; ") + muted(f"{hint}.")
    row = rows.loc[focus]
    if queries < FEW_QUERIES:
        return (
            strong(
                f"Only {queries} {w.plural(queries, 'query', 'queries')}: "
                "read this as examples, not as a result. "
            )
            + run(focus)
            + muted(f" scores {w.score(row['mean'])} and ")
            + run(baseline)
            + muted(f" {w.score(rows.loc[baseline, 'mean'])} on {measure}.")
        )
    gap = w.interval(row["low"], row["high"])
    gains, losses = named_groups(groups, focus)
    tally = f"{_tally(row)}{_where(row['verdict'], gains, losses)}."
    if row["verdict"] in (AHEAD, BEHIND):
        return (
            run(focus)
            + strong(f" is {row['verdict']} of " if row["verdict"] == AHEAD else " is behind ")
            + run(baseline)
            + strong(f" on {measure} by {w.score(abs(row['difference']))} ")
            + muted(gap)
            + strong(". ")
            + muted(tally)
        )
    return (
        strong("No clear difference between ")
        + run(focus)
        + strong(" and ")
        + run(baseline)
        + strong(f" on {measure}: {w.difference(row['difference'])} ")
        + muted(gap)
        + strong(". ")
        + muted(tally)
    )


def _tally(row: pd.Series) -> str:
    won, lost, same = int(row["won"]), int(row["lost"]), int(row["same"])
    return (
        f"{w.count(won)} {w.plural(won, 'query', 'queries')} won, {lost:,} lost, {same:,} the same"
    )


def _where(found: str, gains: list[str], losses: list[str]) -> str:
    """The clause that names groups, or "" where none is clear."""
    if not gains and not losses:
        return ""
    if found == AHEAD:
        parts = [f"the gain is in {w.listing(gains)}"] if gains else []
        parts += [f"it loses in {w.listing(losses)}"] if losses else []
    elif found == BEHIND:
        parts = [f"the loss is in {w.listing(losses)}"] if losses else []
        parts += [f"it gains in {w.listing(gains)}"] if gains else []
    else:
        parts = [f"gains in {w.listing(gains)}"] if gains else []
        parts += [f"loses in {w.listing(losses)}"] if losses else []
        return f"; it {' and '.join(parts)}"
    return f"; {', '.join(parts)}"


def others_verdict(comparison: pd.DataFrame, focus: str, baseline: str) -> Sentence:
    """One line on the runs that are shown but not in focus; empty where there are none."""
    parts = []
    for row in comparison.to_dict("records"):
        if row["run"] in (focus, baseline):
            continue
        gap = f"{w.difference(row['difference'])} {w.interval(row['low'], row['high'])}"
        if row["verdict"] in (AHEAD, BEHIND):
            parts.append(run(row["run"]) + muted(f" is {row['verdict']}, {gap}"))
        else:
            parts.append(
                run(row["run"])
                + muted(" and ")
                + run(baseline)
                + muted(f" are too close to call, {gap}")
            )
    return joined(parts, "; ") + muted(".") if parts else Sentence()


@dataclass(frozen=True)
class Facts:
    """What every number of a view rests on."""

    queries: int
    judgments: int
    lowest_grade: float
    highest_grade: float
    judged_share: float
    cutoff: int
    all_zero: int
    missing: int
    unjudged: int

    LITTLE_JUDGED = 0.8

    @property
    def little_judged(self) -> bool:
        """Whether differences may come from missing judgments."""
        return bool(self.judged_share < self.LITTLE_JUDGED)


def curves_finding(curve: pd.DataFrame, family: str, focus: str, baseline: str) -> Sentence:
    """Does the lead depend on how many results count? `curve` is the frame of `curves`, `family`
    the measure's name without its cutoff."""
    own = curve[curve["run"] == focus].sort_values("k")
    if focus == baseline or own["difference"].isna().all():
        return run(focus) + strong(f" on {family}; ") + muted("load a second run to compare.")
    ks = own["k"].to_numpy()
    ahead = ranges_where(ks, (own["diff_low"] > 0).to_numpy())
    behind = ranges_where(ks, (own["diff_high"] < 0).to_numpy())
    if not ahead and not behind:
        return (
            strong("At no k is the difference between ")
            + run(focus)
            + strong(" and ")
            + run(baseline)
            + strong(f" on {family} clear of chance. ")
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


def ranges_where(ks: npt.NDArray[np.int64], holds: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last k of every unbroken stretch in which something holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(int)))
    return [(int(ks[a]), int(ks[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _spans(ranges: list[tuple[int, int]], ks: npt.NDArray[np.int64]) -> str:
    if ranges == [(int(ks[0]), int(ks[-1]))]:
        return f"at every k from {ks[0]} to {ks[-1]:,}"
    shown = [f"at k = {a:,}" if a == b else f"from k = {a:,} to k = {b:,}" for a, b in ranges[:3]]
    more = " and further on" if len(ranges) > 3 else ""
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


def breakdown_finding(groups: pd.DataFrame, focus: str, baseline: str) -> Sentence:
    """Where the difference comes from: the groups in which it is clear, and those where not."""
    gains, losses = named_groups(groups, focus)
    own = groups[groups["run"] == focus]
    rest = [g for g in own["group"] if g not in gains and g not in losses]
    if focus == baseline:
        return run(focus) + strong(" by group; ") + muted("load a second run to compare.")
    if not gains and not losses:
        return (
            strong("In no group is the difference between ")
            + run(focus)
            + strong(" and ")
            + run(baseline)
            + strong(" clear of chance. ")
            + muted(f"Groups looked at: {w.listing(own['group'])}.")
        )
    sentence = run(focus)
    if gains:
        sentence += strong(f" gains in {w.listing(gains)}")
    if losses:
        sentence += strong(f"{' and' if gains else ''} loses in {w.listing(losses)}")
    if not rest:
        return sentence + strong(", ") + muted("against ") + run(baseline) + muted(" in each.")
    return (
        sentence
        + strong("; ")
        + muted(f"in {w.listing(rest)} the difference to ")
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
    gap = f"{w.difference(top['difference'])} {w.interval(top['diff_low'], top['diff_high'])}"
    alike = others[(others["run"] == top["run"]) & ((others["difference"] < 0) == falls)]
    more = len(alike) - 1
    tail = (
        "and nowhere else"
        if not more
        else (f"and in {w.number(more)} other {w.plural(more, 'group')}")
    )
    verb = "falls behind" if falls else "gains"
    return run(top["run"]) + muted(f" {verb} in {top['group']}, {gap}, {tail}.")


def queries_finding(
    differences: pd.DataFrame, focus: str, baseline: str, all_zero: int, n_runs: int
) -> Sentence:
    """Which queries? `differences` is the frame of `differences` over the queries in view."""
    total = len(differences)
    if focus == baseline:
        hint = "load a second run to compare them"
        return strong(f"{w.count(total)} {w.plural(total, 'query', 'queries')}; ") + muted(
            f"{hint}."
        )
    won = differences[differences["outcome"] == BETTER]["difference"]
    lost = differences[differences["outcome"] == WORSE]["difference"]
    headline = (
        run(focus)
        + strong(f" wins {len(won):,} of {total:,} {w.plural(total, 'query', 'queries')} against ")
        + run(baseline)
        + strong(f" and loses {len(lost):,}. ")
    )
    parts = []
    if len(won) >= 2:
        parts.append(f"Half of all wins are larger than {w.score(float(won.median()))}")
    elif len(lost) >= 2:
        parts.append(f"Half of all losses are larger than {w.score(abs(float(lost.median())))}")
    if all_zero:
        verb = w.plural(all_zero, "fails", "fail")
        runs = "every run" if n_runs > 2 else "both runs"
        parts.append(f"{all_zero:,} {w.plural(all_zero, 'query', 'queries')} {verb} with {runs}")
    return headline + (muted(f"{'; '.join(parts)}.") if parts else Sentence())
