"""Text alternatives of charts: a sentence that says what each chart shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.sentence import Sentence, muted_span, run_span
from metrics_core.slicing.breakdowns import ALL

_FEW = 5
_HALF = 0.5


def best_runs_by_group_finding(
    groups: pd.DataFrame, runs: Sequence[str], order: Sequence[str]
) -> str:
    """State which run has the best mean score in each group. For each run, at most five groups are
    named.

    `groups` is the frame of `slicing.breakdowns.breakdown`, from which the columns group, run and
    mean are used."""
    leaders: dict[str, list[str]] = {}
    best: dict[str, float] = {}
    columns = (groups[name].tolist() for name in ("group", "run", "mean"))
    for group, run, mean in zip(*columns, strict=True):
        if run in runs and mean >= best.get(group, -np.inf):
            leaders[group] = [*(leaders[group] if mean == best.get(group) else ()), run]
            best[group] = mean
    positions = {group: i for i, group in enumerate(order)}
    sorted_groups = sorted(leaders, key=lambda g: positions.get(g, len(g)))
    led_groups = {run: [g for g in sorted_groups if leaders[g] == [run]] for run in runs}
    parts = [
        f"{run} scores best in {w.shorten_list(led_groups[run], max_words=_FEW)}"
        for run in sorted(runs, key=lambda run: -len(led_groups[run]))
        if led_groups[run]
    ]
    shared_groups = [g for g in sorted_groups if len(leaders[g]) > 1]
    if shared_groups:
        parts.append(
            f"several runs share the best score in {w.shorten_list(shared_groups, max_words=_FEW)}"
        )
    return f"{'; '.join(parts)}." if parts else "No group has a score."


def strongest_other_run_finding(
    groups: pd.DataFrame, focus: str, baseline: str, *, higher_is_better: bool = True
) -> Sentence:
    """State the largest significant difference in a group among the runs that are not in focus.
    `groups` is the frame of `breakdown`."""
    other_rows = groups[~groups["run"].isin([focus, baseline]) & groups["clear"]]
    if other_rows.empty:
        return Sentence()
    top = other_rows.loc[other_rows["difference"].abs().idxmax()]
    gap = w.format_with_interval(top["difference"], top["diff_low"], top["diff_high"])
    same_way = (other_rows["difference"] < 0) == (top["difference"] < 0)
    n_more = int(((other_rows["run"] == top["run"]) & same_way).sum()) - 1
    gains = (top["difference"] > 0) == higher_is_better
    only, tail = " only", ""
    if n_more:
        only, tail = "", f", and in {w.number_word(n_more)} other {w.plural(n_more, 'group')}"
    outcome = f"is significantly {'better' if gains else 'worse'}{only}"
    return run_span(top["run"]) + muted_span(f" {outcome} in {top['group']}: {gap}{tail}.")


def extreme_cells_finding(cells: pd.DataFrame, focus: str, baseline: str) -> str:
    """Name the groups of queries with the largest gain and the largest loss, among all pairs of
    groups of two columns.

    Only cells with enough queries are considered. `cells` is the frame of
    `slicing.crossed.cross_groups`: row, column, queries, difference."""
    inner = cells[(cells["row"] != ALL) & (cells["column"] != ALL)]
    testable = inner[(inner["queries"] >= FEWEST_QUERIES) & inner["difference"].notna()]
    if testable.empty:
        return (
            f"Every cell has fewer than {w.number_word(FEWEST_QUERIES)} queries, so the cells are"
            " examples, not results."
        )
    clauses = []
    for word, method, sign in (("ahead of", "idxmax", 1), ("behind", "idxmin", -1)):
        cell = testable.loc[getattr(testable["difference"], method)()]
        if cell["difference"] * sign > 0:
            clauses.append(
                f"furthest {word} {baseline} in {cell['row']}, {cell['column']}:"
                f" {w.format_difference(cell['difference'])} over"
                f" {w.format_query_count(cell['queries'])}"
            )
    return (
        f"{focus} is {'; '.join(clauses)}."
        if clauses
        else f"{focus} scores the same as {baseline} in each cell."
    )


def precision_at_half_recall_finding(points: pd.DataFrame, runs: Sequence[str]) -> str:
    """List the precision of each run at 50% recall, best first.

    `points` is the frame of `scoring.curves.precision_recall`: run, recall, precision.
    """
    half = points[np.isclose(points["recall"], _HALF) & points["run"].isin(list(runs))]
    ranked = half.dropna(subset=["precision"]).sort_values("precision", ascending=False)
    if ranked.empty:
        return "No run retrieves half of the relevant documents."
    clauses = [
        f"{name} {w.format_score(value)}"
        for name, value in ranked[["run", "precision"]].itertuples(index=False)
    ]
    return f"Precision at {w.format_share(_HALF)} recall: {w.join_words(clauses)}."
