"""Breakdown: where does the difference come from?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.compared import compared
from dashboard.answers.group_names import column_name, noun_of, quoted, spoken
from dashboard.answers.headroom import PARTS, room_by_group
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import interval_tested
from metrics_core.comparing.verdicts import CLEAR
from metrics_core.findings import groups as told
from metrics_core.findings.charts import best_by_group
from metrics_core.findings.group_nouns import Noun
from metrics_core.findings.sentence import Sentence
from metrics_core.measures import MEAN
from metrics_core.slicing import breakdowns
from metrics_core.slicing.bridge import additive_differences, bridge
from metrics_core.slicing.composition import mix
from metrics_core.slicing.derived_groups import derived_column
from metrics_core.slicing.finder import unlike_groups

WHOLE = ""
"""Stands for the group of all queries in a frame of groups."""


@dataclass(frozen=True)
class Breakdown:
    """The Breakdown page by one column; where nothing tells the queries apart only `columns` is
    empty.

    `column` is what a heading calls it. `table` has a row a group, and the last for all queries
    (`WHOLE`): group, queries, baseline_mean, mean, difference, diff_low, diff_high, clear, adds
    (its share of the queries times its difference), and where there is headroom score, order,
    below, missing. `bridge` is
    that of the pair with the groups as sentences name them, `mixed` tells other queries from other
    scores where the two runs list different ones."""

    columns: list[str]
    by: str = ""
    column: str = ""
    explanation: str = ""
    looked_at: int = 0
    noun: Noun = field(default_factory=Noun)
    title: Sentence = field(default_factory=Sentence)
    mixed: Sentence = field(default_factory=Sentence)
    bridge: pd.DataFrame = field(default_factory=pd.DataFrame)
    table: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def groups(self) -> pd.DataFrame:
        """The rows of `table` of one group each."""
        return self.table.iloc[:-1]

    @property
    def whole(self) -> pd.Series:
        """The row of `table` of all queries."""
        return self.table.iloc[-1]

    @property
    def sheet(self) -> pd.DataFrame:
        """`table` as it is downloaded."""
        return self.table.assign(group=self.table["group"].replace({WHOLE: "(all)"}))

    @property
    def in_own_order(self) -> bool:
        """Whether the groups are numbers or ranges, whose own order says more than any other."""
        return breakdowns.sizes_only(self.groups["group"])

    def lead(self, slices: str, *, higher_is_better: bool) -> Sentence:
        """What stands below the title, with what is said of the slices."""
        if self.bridge.empty:
            return Sentence()
        return told.groups_lead(
            self.bridge,
            looked_at=self.looked_at,
            noun=self.noun,
            slices=slices,
            higher_is_better=higher_is_better,
        )


@dataclass(frozen=True)
class GroupScores:
    """The scores and differences of all runs by group, in an order; `best` says in words what the
    chart of the scores shows, `strongest` what is clearest of a run not in focus."""

    groups: pd.DataFrame
    order: list[str]
    best: str
    strongest: Sentence


def breakdown(study: Study, shown: Comparison, by: str) -> Breakdown:
    """The Breakdown page, by one of the columns; by the first that splits the queries in view if
    `by` is none of them."""
    columns = list(study.columns(shown))
    if not columns:
        return Breakdown(columns=[])
    if by not in columns:
        by = next(iter(study.splitting(shown)), columns[0])
    return study.kept(_breakdown, shown, by)


def _breakdown(study: Study, shown: Comparison, by: str) -> Breakdown:
    columns, higher = study.columns(shown), shown.measure.declaration.higher_is_better
    own, noun = of_focus_by_column(study, shown, by), noun_of(by)
    parts = _bridge(study, shown, by, own)
    named = quoted(parts, by)
    if shown.alone:
        title = told.alone_title(quoted(own, by), shown.focus, noun=noun, higher_is_better=higher)
    else:
        title = told.groups_title(named, shown.focus, noun=noun, higher_is_better=higher)
    derived = derived_column(by)
    return Breakdown(
        columns=list(columns),
        by=by,
        column=column_name(by, shown.cutoff),
        explanation=derived.explanation.format(k=w.count(shown.cutoff)) if derived else "",
        looked_at=int(columns[by].nunique()),
        noun=noun,
        title=title,
        mixed=_mixed(study, shown, by),
        bridge=named,
        table=_table(study, shown, by, own, parts),
    )


def _table(
    study: Study, shown: Comparison, by: str, own: pd.DataFrame, parts: pd.DataFrame
) -> pd.DataFrame:
    """`Breakdown.table`."""
    groups = study.columns(shown)[by]
    scores = study.scores(shown, shown.measure).only([shown.baseline])
    of_baseline = breakdowns.by_group(scores, shown.measure, groups, bounds_of_means=False)
    means = of_baseline.set_index("group")["mean"]
    adds = parts.set_index("group")["part"]
    rows = own[["group", "queries", "mean", "difference", "diff_low", "diff_high", "clear"]]
    rows = rows.assign(adds=rows["group"].map(adds).fillna(0.0))
    rows.insert(2, "baseline_mean", rows["group"].map(means))
    rows = pd.concat([rows, pd.DataFrame([_whole(study, shown)])], ignore_index=True)
    found = room_by_group(study, shown, by)
    if len(found):
        rows = rows.merge(found[["group", *PARTS]], on="group", how="left")
    return rows


def _whole(study: Study, shown: Comparison) -> dict[str, object]:
    """The row of all queries: the interval and the verdict are those of the Overview."""
    every = compared(study, shown, shown.measure).set_index("run")
    row = every.loc[shown.focus]
    low, high, _ = interval_tested(row, shown.method.level)
    gap = 0.0 if shown.alone else float(row["difference"])
    return {
        "group": WHOLE,
        "queries": int(row["queries"]),
        "baseline_mean": float(every.loc[shown.baseline, "mean"]),
        "mean": float(row["mean"]),
        "difference": math.nan if shown.alone else gap,
        "diff_low": low,
        "diff_high": high,
        "clear": row["verdict"] in CLEAR,
        "adds": gap,
    }


def _bridge(study: Study, shown: Comparison, by: str, own: pd.DataFrame) -> pd.DataFrame:
    """The bridge by a column, with whether each group's difference is clear on its own, and
    whether it is unlike that of the other queries; empty of one run."""
    scores, groups = study.scores(shown, shown.measure), study.columns(shown)[by]
    if shown.alone:
        return pd.DataFrame(columns=["group", "queries", "difference", "part", "clear", "unlike"])
    steps = bridge(scores, shown.measure, shown.focus, shown.baseline, groups)
    clear = dict(zip(own["group"], own["clear"], strict=True))
    one, other = scores.only([shown.focus, shown.baseline]).of(shown.measure)
    gaps = additive_differences(one, other, shown.measure.declaration.combination)
    named = breakdowns.without_gaps(groups.reindex(list(scores.query_ids)))
    unlike = unlike_groups(gaps, named.to_numpy())
    return steps.assign(
        clear=[bool(clear[group]) for group in steps["group"]],
        unlike=[group in unlike for group in steps["group"]],
    )


def _mixed(study: Study, shown: Comparison, by: str) -> Sentence:
    """What the pair's difference owes to other queries; empty where both list the same ones, or
    where their means are no means of the groups'."""
    combination = shown.measure.declaration.combination
    scores = study.scores(shown, shown.measure).only([shown.focus, shown.baseline])
    own_lacks, other_lacks = scores.missing
    if shown.alone or (own_lacks == other_lacks).all() or combination != MEAN:
        return Sentence()
    listed = scores.of(shown.measure).copy()
    listed[scores.missing] = np.nan
    own, other = (pd.Series(row, index=list(scores.query_ids)) for row in listed)
    if own.isna().all() or other.isna().all():
        return Sentence()
    groups = study.columns(shown)[by]
    return told.mix_finding(mix(other, groups, own, groups), shown.focus, shown.baseline)


def group_scores(study: Study, shown: Comparison, by: str, among: tuple[str, ...]) -> GroupScores:
    """The scores by one column of all runs shown, of these groups in their order."""
    return study.kept(_group_scores, shown, by, among)


def _group_scores(study: Study, shown: Comparison, by: str, among: tuple[str, ...]) -> GroupScores:
    groups = by_column(study, shown, by)
    strongest = told.strongest_other(
        spoken(groups, by),
        shown.focus,
        shown.baseline,
        higher_is_better=shown.measure.declaration.higher_is_better,
    )
    seen = groups[groups["group"].isin(among)]
    best = best_by_group(seen, shown.runs, among)
    return GroupScores(seen, list(among), best, strongest)


def by_column(study: Study, shown: Comparison, column: str) -> pd.DataFrame:
    """Scores and differences by one column, given or derived, of all runs shown; only where there
    are queries."""
    return study.kept(_with_bounds, shown, column)


def differences_by_column(study: Study, shown: Comparison, column: str) -> pd.DataFrame:
    """The same without the bounds of the means, which take as long again: low and high are NaN."""
    return study.kept(_by_column, shown, column)


def of_focus_by_column(study: Study, shown: Comparison, column: str) -> pd.DataFrame:
    """The rows of `differences_by_column` of the run in focus."""
    known = study.known(_by_column, shown, column)
    rows = differences_by_column(study, shown if known else replace(shown, also=()), column)
    return rows[rows["run"] == shown.focus].reset_index(drop=True)


def _with_bounds(study: Study, shown: Comparison, column: str) -> pd.DataFrame:
    return breakdowns.with_bounds_of_means(
        differences_by_column(study, shown, column),
        study.scores(shown, shown.measure),
        shown.measure,
        study.columns(shown)[column],
    )


def _by_column(study: Study, shown: Comparison, column: str) -> pd.DataFrame:
    groups = study.columns(shown)[column]
    return breakdowns.by_group(
        study.scores(shown, shown.measure),
        shown.measure,
        groups,
        baseline=shown.baseline,
        level=shown.method.level,
        looked_at=int(groups.nunique()),
        bounds_of_means=False,
    )
