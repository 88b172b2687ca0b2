"""Breakdown: where does the difference come from?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.group_names import spoken
from dashboard.study.study import Study
from metrics_core import findings
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.measures import MEAN
from metrics_core.slicing import breakdowns
from metrics_core.slicing.bridge import additive_differences, bridge
from metrics_core.slicing.crossed import crossed
from metrics_core.slicing.derived import MARK, derived_column
from metrics_core.slicing.finder import unlike_groups
from metrics_core.slicing.mix import mix

_FEW_GROUPS = 12
"""Groups of the second column that a table of cells still shows side by side."""

_MOST_STEPS = 14
"""Steps of a bridge; of more groups those that bring least are one step."""


@dataclass(frozen=True)
class Breakdown:
    """What the Breakdown page shows first; where nothing tells the queries apart only `groupings`
    is empty. `groups` are those of `differences_by_column`. `steps` is `bridge` with the
    groups that bring least as one; `mixed` tells other queries from other scores where the two runs
    list different ones."""

    groupings: list[str]
    by: str = ""
    explanation: str = ""
    looked_at: int = 0
    finding: findings.Sentence = field(default_factory=findings.Sentence)
    strongest: findings.Sentence = field(default_factory=findings.Sentence)
    reversal: findings.Sentence = field(default_factory=findings.Sentence)
    mixed: findings.Sentence = field(default_factory=findings.Sentence)
    bridge: pd.DataFrame = field(default_factory=pd.DataFrame)
    steps: pd.DataFrame = field(default_factory=pd.DataFrame)
    groups: pd.DataFrame = field(default_factory=pd.DataFrame)
    order: list[str] = field(default_factory=list)
    in_own_order: bool = False
    has_small_groups: bool = False
    lacks_intervals: bool = False

    @property
    def by_name(self) -> str:
        """What a heading calls the column."""
        return self.by.removesuffix(MARK)

    @property
    def paired(self) -> int:
        """How many queries have a score with both runs."""
        return int(self.bridge["queries"].sum()) if len(self.bridge) else 0


@dataclass(frozen=True)
class GroupScores:
    """The scores of all runs by group; `best` says in words what their chart shows."""

    groups: pd.DataFrame
    best: str


@dataclass(frozen=True)
class Second(GroupScores):
    """What a second column adds: its groups in their order, and the cells of both; `extremes` says
    in words what their chart shows."""

    column: str
    order: list[str]
    cells: pd.DataFrame
    extremes: str

    @property
    def name(self) -> str:
        """What a heading calls the column."""
        return self.column.removesuffix(MARK)


def breakdown(study: Study, shown: Comparison, by: str) -> Breakdown:
    """The Breakdown page, by one of the columns; by the first where `by` is none."""
    columns = list(study.columns(shown))
    if not columns:
        return Breakdown(groupings=[])
    return study.kept(_breakdown, shown, by if by in columns else columns[0])


def _breakdown(study: Study, shown: Comparison, by: str) -> Breakdown:
    columns = study.columns(shown)
    groups = differences_by_column(study, shown, by)
    own = groups[groups["run"] == shown.focus]
    steps = _bridge(study, shown, by, own)
    order = _order(own, steps, alone=shown.alone)
    named = spoken(steps, by)
    higher = shown.measure.declaration.higher_is_better
    derived = derived_column(by)
    return Breakdown(
        groupings=list(columns),
        by=by,
        explanation=derived.explanation if derived else "",
        looked_at=int(columns[by].nunique()),
        finding=findings.bridge_finding(
            named, shown.focus, shown.baseline, higher_is_better=higher
        ),
        strongest=findings.strongest_other(
            spoken(groups, by), shown.focus, shown.baseline, higher_is_better=higher
        ),
        reversal=findings.Sentence()
        if shown.alone
        else findings.reversal_finding(named, higher_is_better=higher),
        mixed=_mixed(study, shown, by),
        bridge=steps,
        steps=_folded(steps),
        groups=groups,
        order=order,
        in_own_order=breakdowns.sizes_only(own["group"]),
        has_small_groups=bool((own["queries"] < FEWEST_QUERIES).any()),
        lacks_intervals=_lacks_intervals(groups),
    )


def _bridge(study: Study, shown: Comparison, by: str, own: pd.DataFrame) -> pd.DataFrame:
    """The bridge by a column, with whether each group's difference is clear on its own, and
    whether it is unlike that of the other queries."""
    scores, groups = study.scores(shown, shown.measure), study.columns(shown)[by]
    steps = bridge(scores, shown.measure, shown.focus, shown.baseline, groups)
    clear = dict(zip(own["group"], own["clear"], strict=True))
    unlike: set[str] = set()
    if not shown.alone:
        one, other = scores.only([shown.focus, shown.baseline]).of(shown.measure)
        gaps = additive_differences(one, other, shown.measure.declaration.combination)
        named = breakdowns.without_gaps(groups.reindex(list(scores.query_ids)))
        unlike = unlike_groups(gaps, named.to_numpy())
    return steps.assign(
        clear=[bool(clear[group]) for group in steps["group"]],
        unlike=[group in unlike for group in steps["group"]],
    )


def _mixed(study: Study, shown: Comparison, by: str) -> findings.Sentence:
    """What the pair's difference owes to other queries; empty where both list the same ones, or
    where their means are no means of the groups'."""
    combination = shown.measure.declaration.combination
    scores = study.scores(shown, shown.measure).only([shown.focus, shown.baseline])
    own_lacks, other_lacks = scores.missing
    if shown.alone or (own_lacks == other_lacks).all() or combination != MEAN:
        return findings.Sentence()
    listed = scores.of(shown.measure).copy()
    listed[scores.missing] = np.nan
    own, other = (pd.Series(row, index=list(scores.query_ids)) for row in listed)
    if own.isna().all() or other.isna().all():
        return findings.Sentence()
    groups = study.columns(shown)[by]
    return findings.mix_finding(mix(other, groups, own, groups), shown.focus, shown.baseline)


def _order(own: pd.DataFrame, steps: pd.DataFrame, *, alone: bool) -> list[str]:
    """The groups as the bridge has them; those without a difference last, and of a run that is
    compared with nothing the best first."""
    if alone:
        return list(breakdowns.in_reading_order(own, "mean")["group"])
    return list(dict.fromkeys([*steps["group"], *own["group"]]))


def _folded(steps: pd.DataFrame) -> pd.DataFrame:
    """The steps of a bridge, those that bring least as one where there are too many."""
    if len(steps) <= _MOST_STEPS:
        return steps.assign(groups=1)
    sizes = steps["part"].abs().rank(ascending=False, method="first")
    kept, rest = steps[sizes < _MOST_STEPS], steps[sizes >= _MOST_STEPS]
    queries, part = int(rest["queries"].sum()), math.fsum(rest["part"])
    whole = int(steps["queries"].sum())
    together = {
        "group": f"{len(rest)} other groups",
        "queries": queries,
        "difference": part * whole / queries,
        "part": part,
        "clear": False,
        "unlike": False,
        "groups": len(rest),
    }
    return pd.concat([kept.assign(groups=1), pd.DataFrame([together])], ignore_index=True)


def _lacks_intervals(groups: pd.DataFrame) -> bool:
    """Whether some group has queries enough, of which too few differ for an interval."""
    enough = groups["queries"] >= FEWEST_QUERIES
    return bool((enough & groups["difference"].notna() & groups["diff_low"].isna()).any())


def group_scores(study: Study, shown: Comparison, by: str) -> GroupScores:
    """The scores by one column."""
    return study.kept(_group_scores, shown, by)


def _group_scores(study: Study, shown: Comparison, by: str) -> GroupScores:
    groups = by_column(study, shown, by)
    order = breakdown(study, shown, by).order
    return GroupScores(groups, findings.best_by_group(groups, shown.runs, order))


def second_breakdown(study: Study, shown: Comparison, by: str) -> Second | None:
    """What a second column adds to a breakdown by this one; None where there is no other."""
    return study.kept(_second, shown, by)


def _second(study: Study, shown: Comparison, by: str) -> Second | None:
    """The next column of the files, or else a derived one, with few groups."""
    columns = study.columns(shown)
    own = [c for c in study.groupings if c != by]
    others = own or [c for c in columns if c != by]
    few = [c for c in others if columns[c].nunique() <= _FEW_GROUPS]
    second = next(iter(few or others), None)
    if second is None:
        return None
    place = {group: i for i, group in enumerate(breakdown(study, shown, by).order)}
    cells = _cells(study, shown, by, second).sort_values(
        "row", key=lambda rows: rows.map(place).fillna(len(place)), kind="stable"
    )
    groups = by_column(study, shown, second)
    order = list(dict.fromkeys(groups["group"]))
    return Second(
        column=second,
        groups=groups,
        order=order,
        cells=cells,
        best=findings.best_by_group(groups, shown.runs, order),
        extremes=findings.extreme_cells(cells, shown.focus, shown.baseline),
    )


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
    return rows[rows["run"] == shown.focus]


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
        looked_at=int(groups.nunique()),
        bounds_of_means=False,
    )


def _cells(study: Study, shown: Comparison, rows: str, columns: str) -> pd.DataFrame:
    groups = study.columns(shown)
    return crossed(
        study.scores(shown, shown.measure),
        shown.measure,
        groups[rows],
        groups[columns],
        run=shown.focus,
        baseline=shown.baseline,
    )
