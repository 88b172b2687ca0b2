"""The Breakdown page: how much each group of queries contributes to the difference."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.group_names import column_name, group_noun, quote_groups, replace_group_names
from dashboard.answers.headroom import PARTS, headroom_by_group
from dashboard.answers.robustness import missing_queries_doubt
from dashboard.answers.run_comparisons import compare_runs
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import verdict_interval
from metrics_core.comparing.verdicts import CLEAR
from metrics_core.findings import groups as group_findings
from metrics_core.findings.charts import best_runs_by_group_finding, strongest_other_run_finding
from metrics_core.findings.group_nouns import GroupNoun
from metrics_core.findings.phrases import NO_DIRECTION
from metrics_core.findings.sentence import Sentence, muted_span
from metrics_core.slicing import breakdowns
from metrics_core.slicing.contributions import additive_differences, group_contributions
from metrics_core.slicing.derived_groups import find_derived_column
from metrics_core.slicing.finder import find_differing_groups

ALL_QUERIES = ""
"""Name of the group that contains all queries, in a frame of groups."""


@dataclass(frozen=True)
class Breakdown:
    """The Breakdown page for one column. If there are no columns, all fields are empty.

    `column` is the column's name as shown in headings. `table` has one row per group, and a last
    row for all queries (`ALL_QUERIES`). Its columns are group, queries, baseline_mean, mean,
    difference, diff_low, diff_high, clear (bool: the difference is significant) and adds (share of
    queries × difference). For measures with headroom, it also has score, order, below and missing.

    `bridge` has one row per group, with the group's name as used in sentences. Its columns are
    group, queries, difference, part (contribution to the difference), tested, clear and unlike
    (bool: the difference differs from that in the other queries). `shared_difference` is the
    sentence of `missing_queries_doubt`. `direction` is the direction of the measure, 0 if the
    measure declares none. `tests_means` is false if the test does not compare means; for a cost,
    for example, it compares ratios."""

    columns: list[str]
    by: str = ""
    column: str = ""
    explanation: str = ""
    group_count: int = 0
    noun: GroupNoun = field(default_factory=GroupNoun)
    title: Sentence = field(default_factory=Sentence)
    shared_difference: Sentence = field(default_factory=Sentence)
    bridge: pd.DataFrame = field(default_factory=pd.DataFrame)
    table: pd.DataFrame = field(default_factory=pd.DataFrame)
    direction: int = 1
    tests_means: bool = True

    @property
    def groups(self) -> pd.DataFrame:
        """The rows of `table` except the row for all queries."""
        return self.table.iloc[:-1]

    @property
    def total_row(self) -> pd.Series:
        """The row of `table` for all queries."""
        return self.table.iloc[-1]

    @property
    def download_table(self) -> pd.DataFrame:
        """The columns of `table` that are downloaded."""
        return self.table.assign(group=self.table["group"].replace({ALL_QUERIES: "(all)"}))

    @property
    def has_numeric_order(self) -> bool:
        """Whether the groups are shown in numeric order, because they are numbers or ranges."""
        return breakdowns.are_numeric_groups(self.groups["group"])

    @property
    def lead_text(self) -> Sentence:
        """The text below the title."""
        if self.bridge.empty:
            return Sentence()
        if not self.direction:
            return muted_span(NO_DIRECTION)
        return group_findings.groups_subtitle(
            self.bridge,
            n_tested=self.group_count,
            noun=self.noun,
            higher_is_better=self.direction > 0,
        )


@dataclass(frozen=True)
class GroupScores:
    """Scores and differences of all runs by group. `groups` is the frame of `summarise_groups`, and
    `order` is the order of the groups. `summary` describes the chart of the scores. `strongest`
    describes the most significant difference among the runs that are not in focus, and names the
    group in which it occurs."""

    groups: pd.DataFrame
    order: list[str]
    summary: str
    strongest: Sentence


def breakdown(study: Study, comparison: Comparison, by: str) -> Breakdown:
    """Return the Breakdown page for the column `by`. If there is no such column, use the first
    column that splits the queries in view."""
    columns = list(study.columns(comparison))
    if not columns:
        return Breakdown(columns=[])
    if by not in columns:
        by = next(iter(study.splitting_columns(comparison)), columns[0])
    return study.cached_answer(_breakdown, comparison, by)


def _breakdown(study: Study, comparison: Comparison, by: str) -> Breakdown:
    columns, higher = study.columns(comparison), comparison.measure.declaration.higher_is_better
    focus_groups, noun = focus_differences_by_column(study, comparison, by), group_noun(by)
    parts = _group_contributions(study, comparison, by, focus_groups)
    named_bridge = quote_groups(parts, by)
    if comparison.is_single_run:
        title = group_findings.single_run_title(
            quote_groups(focus_groups, by), comparison.focus, noun=noun, higher_is_better=higher
        )
    else:
        # Without a direction, there is no verdict, so the title must not deny one.
        rows = named_bridge if comparison.has_direction else named_bridge.assign(clear=True)
        title = group_findings.groups_title(
            rows, *comparison.pair, noun=noun, higher_is_better=higher
        )
    derived = find_derived_column(by)
    return Breakdown(
        columns=list(columns),
        by=by,
        column=column_name(by, comparison.cutoff),
        explanation=derived.explanation.format(k=w.format_count(comparison.cutoff))
        if derived
        else "",
        group_count=int(columns[by].nunique()),
        noun=noun,
        title=title,
        shared_difference=missing_queries_doubt(study, comparison),
        bridge=named_bridge,
        table=_breakdown_table(study, comparison, by, focus_groups, parts),
        direction=comparison.measure.declaration.direction,
        tests_means=comparison.compares_means,
    )


def _breakdown_table(
    study: Study, comparison: Comparison, by: str, focus_groups: pd.DataFrame, parts: pd.DataFrame
) -> pd.DataFrame:
    """Return the frame of `Breakdown.table`."""
    groups = study.columns(comparison)[by]
    scores = study.scores(comparison, comparison.measure).select_runs([comparison.baseline])
    baseline_groups = breakdowns.summarise_groups(
        scores, comparison.measure, groups, with_mean_intervals=False
    )
    means = baseline_groups.set_index("group")["mean"]
    rows = focus_groups[
        ["group", "queries", "mean", "difference", "diff_low", "diff_high", "clear"]
    ]
    rows = _add_contributions(rows, parts)
    rows.insert(2, "baseline_mean", rows["group"].map(means))
    rows = pd.concat([rows, pd.DataFrame([_all_queries_row(study, comparison)])], ignore_index=True)
    headroom = headroom_by_group(study, comparison, by)
    if len(headroom):
        rows = rows.merge(headroom[["group", *PARTS]], on="group", how="left")
    return rows


def _add_contributions(groups: pd.DataFrame, parts: pd.DataFrame) -> pd.DataFrame:
    """Return the groups with the column `adds`: `part` of `parts`, or 0 for a group without one."""
    adds = groups["group"].map(parts.set_index("group")["part"])
    return groups.assign(adds=adds.fillna(0.0))


def _all_queries_row(study: Study, comparison: Comparison) -> dict[str, object]:
    """Return the table's row for all queries. The interval and the verdict in it are the same as on
    the Overview."""
    by_run = compare_runs(study, comparison, comparison.measure).set_index("run")
    row = by_run.loc[comparison.focus]
    low, high, _ = verdict_interval(row, comparison.method.level)
    gap = 0.0 if comparison.is_single_run else float(row["difference"])
    return {
        "group": ALL_QUERIES,
        "queries": int(row["queries"]),
        "baseline_mean": float(by_run.loc[comparison.baseline, "mean"]),
        "mean": float(row["mean"]),
        "difference": math.nan if comparison.is_single_run else gap,
        "diff_low": low,
        "diff_high": high,
        "clear": row["verdict"] in CLEAR,
        "adds": gap,
    }


def _group_contributions(
    study: Study, comparison: Comparison, by: str, focus_groups: pd.DataFrame
) -> pd.DataFrame:
    """Return the contribution of each group to the difference. The frame is empty for a single run.

    Columns: group, queries, difference, part (the contribution), tested (whether the group's own
    difference is tested), clear (whether it is significant) and unlike (whether the difference in
    the group differs from that in the other queries)."""
    scores, groups = study.scores(comparison, comparison.measure), study.columns(comparison)[by]
    if comparison.is_single_run:
        return pd.DataFrame(columns=["group", "queries", "difference", "part"])
    steps = group_contributions(scores, comparison.measure, *comparison.pair, groups)
    rows = focus_groups.set_index("group").loc[steps["group"]]
    one, other = scores.select_runs(comparison.pair).values_of(comparison.measure)
    gaps = additive_differences(one, other, comparison.measure.declaration.combination)
    group_labels = breakdowns.fill_missing_groups(groups.reindex(list(scores.query_ids)))
    unlike_names = (
        find_differing_groups(gaps, group_labels.to_numpy()) if comparison.compares_means else ()
    )
    return steps.assign(
        tested=rows["diff_low"].notna().to_numpy() | (not comparison.compares_means),
        clear=rows["clear"].to_numpy(),
        unlike=[group in unlike_names for group in steps["group"]],
    )


@cache_answer
def scores_by_group(
    study: Study, comparison: Comparison, by: str, group_names: tuple[str, ...]
) -> GroupScores:
    """Return the scores of all shown runs for the groups of one column. The groups are in the order
    of `group_names`."""
    groups = scores_by_column(study, comparison, by)
    strongest = strongest_other_run_finding(
        replace_group_names(groups, by),
        comparison.focus,
        comparison.baseline,
        higher_is_better=comparison.measure.declaration.higher_is_better,
    )
    rows = groups[groups["group"].isin(group_names)]
    best = best_runs_by_group_finding(rows, comparison.runs, group_names)
    return GroupScores(rows, list(group_names), best, strongest)


@cache_answer
def scores_by_column(study: Study, comparison: Comparison, column: str) -> pd.DataFrame:
    """Return scores and differences of all shown runs by the groups of a column. The result has the
    columns of `summarise_groups`. The column may be from the files or derived. At least one query
    must be in view."""
    return breakdowns.add_mean_intervals(
        differences_by_column(study, comparison, column),
        study.scores(comparison, comparison.measure),
        comparison.measure,
        study.columns(comparison)[column],
    )


@cache_answer
def differences_by_column(study: Study, comparison: Comparison, column: str) -> pd.DataFrame:
    """Return the frame of `scores_by_column` without the intervals of the means, so its columns low
    and high are NaN. Computing these intervals would double the time."""
    groups = study.columns(comparison)[column]
    return breakdowns.summarise_groups(
        study.scores(comparison, comparison.measure),
        comparison.measure,
        groups,
        baseline=comparison.baseline,
        level=comparison.method.level,
        n_tested=int(groups.nunique()),
        with_mean_intervals=False,
    )


def focus_differences_by_column(study: Study, comparison: Comparison, column: str) -> pd.DataFrame:
    """Return the rows of `differences_by_column` for the run in focus."""
    is_known = study.has_answer(differences_by_column, comparison, column)
    rows = differences_by_column(
        study, comparison if is_known else replace(comparison, other_runs=()), column
    )
    return rows[rows["run"] == comparison.focus].reset_index(drop=True)


def contributions_by_column(study: Study, comparison: Comparison, by: str) -> pd.DataFrame:
    """Return the rows of `focus_differences_by_column` with the column `adds`: the contribution to
    the difference, rounded so that the printed values sum to it. The largest comes first. For a
    single run, there is no `adds`, and the group with the lowest score comes first. Groups that are
    numbers or ranges keep their numeric order."""
    groups = focus_differences_by_column(study, comparison, by)
    order = groups["mean"]
    if not comparison.is_single_run:
        scores, columns = study.scores(comparison, comparison.measure), study.columns(comparison)
        steps = group_contributions(scores, comparison.measure, *comparison.pair, columns[by])
        groups, total = _add_contributions(groups, steps), math.fsum(steps["part"])
        order = -groups["adds"].abs()
        groups["adds"] = w.round_parts(total, groups["adds"].tolist(), w.mean_decimals([total]))
    if breakdowns.are_numeric_groups(groups["group"]):
        return groups
    return groups.loc[order.sort_values(kind="stable", na_position="last").index]
