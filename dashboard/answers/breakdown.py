"""Breakdown: where does the difference come from?"""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.opened.study import Study
from metrics_core import findings
from metrics_core.slicing import breakdowns

_FEW_GROUPS = 12
"""Groups of the second column that a table of cells still shows side by side."""


@dataclass(frozen=True)
class Breakdown:
    """What the Breakdown page shows; without groups only `groupings` is empty. `best`,
    `second_best` and `extremes` say in words what the charts of scores and of cells show."""

    groupings: list[str]
    by: str = ""
    looked_at: int = 0
    finding: findings.Sentence = field(default_factory=findings.Sentence)
    strongest: findings.Sentence = field(default_factory=findings.Sentence)
    groups: pd.DataFrame = field(default_factory=pd.DataFrame)
    order: list[str] = field(default_factory=list)
    in_own_order: bool = False
    has_small_groups: bool = False
    second: str | None = None
    cells: pd.DataFrame | None = None
    second_groups: pd.DataFrame | None = None
    second_order: list[str] = field(default_factory=list)
    best: str = ""
    second_best: str = ""
    extremes: str = ""


def breakdown(study: Study, shown: Comparison, by: str) -> Breakdown:
    """The Breakdown page, by one of the columns of the queries; by the first where `by` is none."""
    if study.queries is None or not study.groupings:
        return Breakdown(groupings=[])
    return study.kept(_breakdown, shown, by if by in study.groupings else study.groupings[0])


def _breakdown(study: Study, shown: Comparison, by: str) -> Breakdown:
    groups = by_column(study, shown, by)
    own = groups[groups["run"] == shown.focus]
    in_own_order = breakdowns.sizes_only(own["group"])
    if not in_own_order:
        own = own.sort_values("mean" if shown.alone else "difference", ascending=False)
    order = list(own["group"])
    place = {group: i for i, group in enumerate(order)}
    others = [c for c in study.groupings if c != by]
    few = [c for c in others if len(study.groups[c]) <= _FEW_GROUPS]
    second = next(iter(few or others), None)
    cells = second_groups = None
    if second is not None:
        cells = _cells(study, shown, by, second)
        cells = cells.sort_values(
            "row", key=lambda rows: rows.map(place).fillna(len(place)), kind="stable"
        )
        second_groups = by_column(study, shown, second)
    second_order = [] if second_groups is None else list(dict.fromkeys(second_groups["group"]))
    ranked = groups.assign(_rank=groups["group"].map(place)).sort_values("_rank", kind="stable")
    return Breakdown(
        groupings=study.groupings,
        by=by,
        looked_at=len(study.groups[by]),
        finding=findings.breakdown_finding(spoken(ranked, by), shown.focus, shown.baseline),
        strongest=findings.strongest_other(spoken(groups, by), shown.focus, shown.baseline),
        groups=groups,
        order=order,
        in_own_order=in_own_order,
        has_small_groups=bool((own["queries"] < breakdowns.FEWEST_QUERIES).any()),
        second=second,
        cells=cells,
        second_groups=second_groups,
        second_order=second_order,
        best=findings.best_by_group(groups, shown.runs, order),
        second_best=""
        if second_groups is None
        else findings.best_by_group(second_groups, shown.runs, second_order),
        extremes=""
        if cells is None
        else findings.extreme_cells(cells, shown.focus, shown.baseline),
    )


def spoken(groups: pd.DataFrame, by: str) -> pd.DataFrame:
    """The groups as a sentence names them: a number or a range with its column."""
    if not breakdowns.sizes_only(groups["group"]):
        return groups
    named = groups["group"] != breakdowns.NO_GROUP
    return groups.assign(group=groups["group"].where(~named, f"{by} " + groups["group"]))


def by_column(study: Study, shown: Comparison, column: str) -> pd.DataFrame:
    """Scores and differences by one column of the queries, as the Overview and the Breakdown show
    them; only where there are queries."""
    return study.kept(_by_column, shown, column)


def _by_column(study: Study, shown: Comparison, column: str) -> pd.DataFrame:
    assert study.queries is not None
    return breakdowns.breakdown(
        study.scores(shown, shown.measure),
        study.queries,
        shown.measure,
        by=column,
        baseline=shown.baseline,
        looked_at=len(study.groups[column]),
    )


def _cells(study: Study, shown: Comparison, rows: str, columns: str) -> pd.DataFrame:
    assert study.queries is not None
    return breakdowns.cross_breakdown(
        study.scores(shown, shown.measure),
        study.queries,
        shown.measure,
        rows=rows,
        columns=columns,
        run=shown.focus,
        baseline=shown.baseline,
    )
