"""Is the run in focus better, is it real, and on which queries: the Overview and Queries pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from metrics_core import wording as w
from metrics_core.comparing.pairs import AHEAD, BEHIND, BETTER, TOO_FEW, WORSE
from metrics_core.findings.sentence import Sentence, joined, muted, run, strong


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
    if focus == baseline:
        score = w.score(rows.loc[focus, "mean"])
        hint = (
            "load a second run to compare"
            if max(len(rows), runs_loaded) < 2
            else "choose another run to compare"
        )
        return run(focus) + strong(f" scores {score} on {measure}; ") + muted(f"{hint}.")
    row = rows.loc[focus]
    if row["verdict"] == TOO_FEW:
        return too_few(int(row["queries"])) + (
            run(focus)
            + muted(f" scores {w.score(row['mean'])} and ")
            + run(baseline)
            + muted(f" {w.score(rows.loc[baseline, 'mean'])} on {measure}.")
        )
    digits = w.decimals(row["low"], row["high"])
    tally = muted(f"{_tally(row)}{_where(row['verdict'], groups, focus)}.")
    if row["verdict"] in (AHEAD, BEHIND):
        # "by 0.06" has no sign, so the interval has none either: both say how far.
        nearer, farther = sorted(abs(row[end]) for end in ("low", "high"))
        by = w.score(abs(row["difference"]), digits)
        return (
            run(focus)
            + strong(f" is {row['verdict']} of " if row["verdict"] == AHEAD else " is behind ")
            + run(baseline)
            + strong(f" on {measure} by {by} ")
            + muted(w.interval(nearer, farther, digits))
            + strong(". ")
            + tally
        )
    return (
        strong("No clear difference between ")
        + run(focus)
        + strong(" and ")
        + run(baseline)
        + strong(f" on {measure}: {w.difference(row['difference'], digits)} ")
        + muted(w.interval(row["low"], row["high"], digits))
        + strong(". ")
        + tally
    )


def too_few(queries: int) -> Sentence:
    """What is said instead of a verdict where there are too few queries for one."""
    if not queries:
        return strong("No query has a score with both runs. ")
    return strong(
        f"Only {queries} {w.plural(queries, 'query', 'queries')}: "
        "read this as examples, not as a result. "
    )


def _tally(row: pd.Series) -> str:
    won, lost, same = int(row["won"]), int(row["lost"]), int(row["same"])
    return (
        f"{w.count(won)} {w.plural(won, 'query', 'queries')} won, {lost:,} lost, {same:,} the same"
    )


def _where(found: str, groups: pd.DataFrame | None, focus: str) -> str:
    """The clause that names groups, or "" where none is clear."""
    gains, losses = named_groups(groups, focus)
    if groups is None or not (gains or losses):
        return ""
    if found not in (AHEAD, BEHIND):
        parts = [f"gains in {w.named(gains)}"] if gains else []
        parts += [f"loses in {w.named(losses)}"] if losses else []
        return f"; it {' and '.join(parts)}"
    what, main, other = ("gain", gains, losses) if found == AHEAD else ("loss", losses, gains)
    verb = "loses" if found == AHEAD else "gains"
    # "Is in" says that it is nowhere else, which must hold for all other queries together.
    only = (
        "is" if _rest(groups, focus, main) * (1 if found == AHEAD else -1) <= 0 else "is clearest"
    )
    parts = [f"the {what} {only} in {w.named(main)}"] if main else []
    parts += [f"it {verb} in {w.named(other)}"] if other else []
    return f"; {', '.join(parts)}"


def _rest(groups: pd.DataFrame, focus: str, main: list[str]) -> float:
    """The sum of the differences of all queries that are in none of these groups."""
    own = groups[(groups["run"] == focus) & ~groups["group"].isin(main)]
    return float((own["difference"] * own["queries"]).sum())


def others_verdict(comparison: pd.DataFrame, focus: str, baseline: str) -> Sentence:
    """One line on the runs that are shown but not in focus; empty where there are none, or too few
    queries to say anything."""
    parts = []
    for row in comparison.to_dict("records"):
        if row["run"] in (focus, baseline) or row["verdict"] == TOO_FEW:
            continue
        gap = w.with_interval(row["difference"], row["low"], row["high"])
        if row["verdict"] in (AHEAD, BEHIND):
            parts.append(run(row["run"]) + muted(f" is {row['verdict']}, {gap}"))
        else:
            parts.append(
                run(row["run"])
                + muted(" and ")
                + run(baseline)
                + muted(f" are too close to call, {gap}")
            )
    return joined(parts[:_MOST_OTHERS], "; ") + muted(_more(parts)) if parts else Sentence()


_MOST_OTHERS = 4


def _more(parts: Sequence[Sentence]) -> str:
    rest = len(parts) - _MOST_OTHERS
    return f"; {w.count(rest)} more below." if rest > 0 else "."


@dataclass(frozen=True)
class Facts:
    """What every number of a view rests on. `unanswerable` queries have no relevant document;
    `missing` is, for each of the compared runs that lacks queries, how many; `every_run` says of
    which runs `all_zero` speaks."""

    queries: int
    judgments: int
    lowest_grade: float
    highest_grade: float
    judged_share: float
    cutoff: int
    all_zero: int
    missing: Mapping[str, int]
    unjudged: int
    unanswerable: int = 0
    every_run: str = "every run"

    LITTLE_JUDGED = 0.8

    @property
    def little_judged(self) -> bool:
        """Whether differences may come from missing judgments."""
        return bool(self.judged_share < self.LITTLE_JUDGED)


def queries_finding(
    differences: pd.DataFrame, focus: str, baseline: str, all_zero: int, every_run: str
) -> Sentence:
    """Which queries? `differences` is the frame of `differences` over the queries in view;
    `every_run` names the runs that all score 0 on `all_zero` of them."""
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
        noun = w.plural(all_zero, "query", "queries")
        parts.append(f"{all_zero:,} {noun} {verb} with {every_run}")
    return headline + (muted(f" {'; '.join(parts)}.") if parts else Sentence())


def _beyond_median(sizes: pd.Series) -> str:
    middle = float(sizes.median())
    relation = "larger than" if (sizes > middle).any() else "at least"
    return f"{relation} {w.score(middle)}"
