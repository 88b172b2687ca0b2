"""Is the run in focus better, is it real, and on which queries: the Overview and Queries pages."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from metrics_core import wording as w
from metrics_core.comparing.pairs import AHEAD, BEHIND, BETTER, WORSE
from metrics_core.findings.sentence import Sentence, joined, muted, run, strong

FEW_QUERIES = 10
"""With fewer queries there is no result, only examples."""


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
    *,
    runs_loaded: int = 1,
) -> Sentence:
    """The headline: is the run in focus better than the baseline, and is it real?

    `comparison` is the frame of `compare`, `groups` that of `breakdown` by one column.
    """
    rows = comparison.set_index("run")
    queries = int(rows["queries"].max())
    if focus == baseline:
        score = w.score(rows.loc[focus, "mean"])
        hint = (
            "load a second run to compare"
            if max(len(rows), runs_loaded) < 2
            else "choose another run to compare"
        )
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
    """What every number of a view rests on; `unanswerable` queries have no relevant document."""

    queries: int
    judgments: int
    lowest_grade: float
    highest_grade: float
    judged_share: float
    cutoff: int
    all_zero: int
    missing: int
    unjudged: int
    unanswerable: int = 0

    LITTLE_JUDGED = 0.8

    @property
    def little_judged(self) -> bool:
        """Whether differences may come from missing judgments."""
        return bool(self.judged_share < self.LITTLE_JUDGED)


def queries_finding(
    differences: pd.DataFrame, focus: str, baseline: str, all_zero: int, n_runs: int
) -> Sentence:
    """Which queries? `differences` is the frame of `differences` over the queries in view."""
    total = len(differences)
    if focus == baseline:
        hint = "compare another run to see which it wins and loses"
        return strong(f"{w.count(total)} {w.plural(total, 'query', 'queries')}; ") + muted(
            f"{hint}."
        )
    won = differences[differences["outcome"] == BETTER]["difference"]
    lost = differences[differences["outcome"] == WORSE]["difference"]
    headline = (
        run(focus)
        + strong(f" wins {len(won):,} of {total:,} {w.plural(total, 'query', 'queries')} against ")
        + run(baseline)
        + strong(f" and loses {len(lost):,}.")
    )
    parts = []
    if len(won) >= 2:
        parts.append(f"Half of all wins are {_beyond_median(won)}")
    elif len(lost) >= 2:
        parts.append(f"Half of all losses are {_beyond_median(-lost)}")
    if all_zero:
        verb = w.plural(all_zero, "fails", "fail")
        runs = "every run" if n_runs > 2 else "both runs"
        parts.append(f"{all_zero:,} {w.plural(all_zero, 'query', 'queries')} {verb} with {runs}")
    return headline + (muted(f" {'; '.join(parts)}.") if parts else Sentence())


def _beyond_median(sizes: pd.Series) -> str:
    middle = float(sizes.median())
    relation = "larger than" if (sizes > middle).any() else "at least"
    return f"{relation} {w.score(middle)}"
