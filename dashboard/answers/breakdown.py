"""Breakdown: where does the difference come from?"""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from dashboard.address.view import View
from dashboard.answers.overview import overview_measures
from dashboard.opened.study import Study, about
from metrics_core import findings
from metrics_core.slicing import breakdowns


@dataclass(frozen=True)
class Breakdown:
    """What the Breakdown page shows; without groups only `groupings` is empty."""

    groupings: list[str]
    by: str = ""
    looked_at: int = 0
    finding: findings.Sentence = field(default_factory=findings.Sentence)
    strongest: findings.Sentence = field(default_factory=findings.Sentence)
    groups: pd.DataFrame = field(default_factory=pd.DataFrame)
    order: list[str] = field(default_factory=list)
    second: str | None = None
    cells: pd.DataFrame | None = None
    second_groups: pd.DataFrame | None = None
    second_order: list[str] = field(default_factory=list)


def breakdown(study: Study, view: View) -> Breakdown:
    """The Breakdown page."""
    return study.kept(("breakdown", about(view), view.by), lambda: _breakdown(study, view))


def _breakdown(study: Study, view: View) -> Breakdown:
    if study.queries is None or not view.by:
        return Breakdown(groupings=[])
    name = str(view.measure)
    scores = study.score_frame(view, overview_measures(view))
    groups = breakdowns.breakdown(
        scores,
        study.queries,
        name,
        by=view.by,
        baseline=view.baseline,
        looked_at=len(study.groups[view.by]),
    )
    own = groups[groups["run"] == view.focus]
    rank_by = "difference" if view.focus != view.baseline else "mean"
    order = list(own.sort_values(rank_by, ascending=False)["group"])
    second = next((c for c in study.groupings if c != view.by), None)
    cells = second_groups = None
    if second is not None:
        cells = breakdowns.cross_breakdown(
            scores,
            study.queries,
            name,
            rows=view.by,
            columns=second,
            run=view.focus,
            baseline=view.baseline,
        )
        rank = {group: i for i, group in enumerate(order)}
        cells = cells.sort_values(
            "row", key=lambda rows: rows.map(rank).fillna(len(rank)), kind="stable"
        )
        second_groups = breakdowns.breakdown(
            scores,
            study.queries,
            name,
            by=second,
            baseline=view.baseline,
            looked_at=len(study.groups[second]),
        )
    return Breakdown(
        groupings=study.groupings,
        by=view.by,
        looked_at=len(study.groups[view.by]),
        finding=findings.breakdown_finding(
            groups.assign(
                _rank=groups["group"].map({g: i for i, g in enumerate(order)})
            ).sort_values("_rank", kind="stable"),
            view.focus,
            view.baseline,
        ),
        strongest=findings.strongest_other(groups, view.focus, view.baseline),
        groups=groups,
        order=order,
        second=second,
        cells=cells,
        second_groups=second_groups,
        second_order=list(dict.fromkeys(second_groups["group"]))
        if second_groups is not None
        else [],
    )
