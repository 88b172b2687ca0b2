"""Breakdown: where does the difference come from?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from dashboard.address.address import Pair
from dashboard.address.view import Comparison
from dashboard.opened.study import Study
from metrics_core import findings
from metrics_core.comparing.verdicts import FEWEST_QUERIES as FEWEST_COMPARED
from metrics_core.slicing import breakdowns
from metrics_core.slicing.bridge import additive_differences, bridge
from metrics_core.slicing.derived import MARK, derived_column
from metrics_core.slicing.finder import found_slices

_FEW_GROUPS = 12
"""Groups of the second column that a table of cells still shows side by side."""

_MOST_STEPS = 14
"""Steps of a bridge; of more groups those that bring least are one step."""


@dataclass(frozen=True)
class Slice:
    """Queries in which the difference is unlike elsewhere: what they have in common (each with
    whether it is derived), the filters that list them, and the two mean differences. At
    `zeros` of them the run that falls behind there scores 0."""

    names: list[tuple[str, bool]]
    where: tuple[Pair, ...]
    queries: int
    difference: float
    elsewhere: float
    gains: bool
    zeros: int
    zeros_of: str


@dataclass(frozen=True)
class Breakdown:
    """What the Breakdown page shows; where nothing tells the queries apart only `groupings` is
    empty. `best`, `second_best` and `extremes` say in words what the charts of scores and of cells
    show. `steps` is `bridge` with the groups that bring least as one."""

    groupings: list[str]
    by: str = ""
    explanation: str = ""
    looked_at: int = 0
    finding: findings.Sentence = field(default_factory=findings.Sentence)
    strongest: findings.Sentence = field(default_factory=findings.Sentence)
    reversal: findings.Sentence = field(default_factory=findings.Sentence)
    bridge: pd.DataFrame = field(default_factory=pd.DataFrame)
    steps: pd.DataFrame = field(default_factory=pd.DataFrame)
    slices: list[Slice] = field(default_factory=list)
    slices_looked_at: int = 0
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

    @property
    def by_name(self) -> str:
        """What a heading calls the column."""
        return self.by.removesuffix(MARK)

    @property
    def second_name(self) -> str:
        """What a heading calls the second column."""
        return (self.second or "").removesuffix(MARK)

    @property
    def paired(self) -> int:
        """How many queries have a score with both runs."""
        return int(self.bridge["queries"].sum()) if len(self.bridge) else 0


def breakdown(study: Study, shown: Comparison, by: str) -> Breakdown:
    """The Breakdown page, by one of the columns; by the first where `by` is none."""
    columns = list(study.columns(shown))
    if not columns:
        return Breakdown(groupings=[])
    return study.kept(_breakdown, shown, by if by in columns else columns[0])


def _breakdown(study: Study, shown: Comparison, by: str) -> Breakdown:
    columns = study.columns(shown)
    groups = by_column(study, shown, by)
    own = groups[groups["run"] == shown.focus]
    steps = _bridge(study, shown, by, own)
    order = _order(own, steps, alone=shown.alone)
    named = steps.assign(group=[spoken_group(g, by, order) for g in steps["group"]])
    higher = shown.measure.declaration.higher_is_better
    slices, looked_at = _slices(study, shown)
    derived = derived_column(by)
    return Breakdown(
        groupings=list(columns),
        by=by,
        explanation=derived.explanation if derived else "",
        looked_at=int(columns[by].nunique()),
        finding=findings.bridge_finding(
            named, shown.focus, shown.baseline, higher_is_better=higher
        ),
        strongest=findings.strongest_other(spoken(groups, by), shown.focus, shown.baseline),
        reversal=findings.Sentence()
        if shown.alone
        else findings.reversal_finding(named, higher_is_better=higher),
        bridge=steps,
        steps=_folded(steps),
        slices=slices,
        slices_looked_at=looked_at,
        groups=groups,
        order=order,
        in_own_order=breakdowns.sizes_only(own["group"]),
        has_small_groups=bool((own["queries"] < breakdowns.FEWEST_QUERIES).any()),
        best=findings.best_by_group(groups, shown.runs, order),
        **_crossed(study, shown, by, order),
    )


def _bridge(study: Study, shown: Comparison, by: str, own: pd.DataFrame) -> pd.DataFrame:
    """The bridge by a column, with whether each group's difference is clear on its own."""
    scores = study.scores(shown, shown.measure)
    steps = bridge(
        scores, shown.measure, shown.focus, shown.baseline, study.columns(shown)[by]
    )  # fmt: skip
    clear = dict(zip(own["group"], own["clear"], strict=True))
    return steps.assign(clear=[bool(clear[group]) for group in steps["group"]])


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
        "groups": len(rest),
    }
    return pd.concat([kept.assign(groups=1), pd.DataFrame([together])], ignore_index=True)


def _slices(study: Study, shown: Comparison) -> tuple[list[Slice], int]:
    """The slices that differ, the surest first, and among how many they were looked for."""
    scores = study.scores(shown, shown.measure).only([shown.focus, shown.baseline])
    own, other = scores.of(shown.measure)
    gaps = additive_differences(own, other, shown.measure.declaration.combination)
    ids = list(scores.query_ids)
    columns = {c: groups.reindex(ids) for c, groups in study.columns(shown).items()}
    if shown.alone or (gaps == gaps).sum() < FEWEST_COMPARED:
        return [], 0
    found = found_slices(gaps, {c: groups.to_numpy() for c, groups in columns.items()})
    higher = shown.measure.declaration.higher_is_better
    slices = []
    for row in found.slices.itertuples(index=False):
        inside = pd.Series(True, ids)
        for column, value in row.conditions:
            inside &= columns[column] == value
        gains = (row.difference > row.elsewhere) == higher
        behind = other if gains else own
        at_zero = (behind == 0) & inside.to_numpy() & (gaps != 0)
        slices.append(
            Slice(
                names=[
                    (spoken_group(value, column, study.columns(shown)[column], short=True),
                     derived_column(column) is not None)
                    for column, value in row.conditions
                ],
                where=shown.narrowed({column: [value] for column, value in row.conditions}),
                queries=row.queries,
                difference=row.difference,
                elsewhere=row.elsewhere,
                gains=gains,
                zeros=int(at_zero.sum())
                if higher and shown.measure.declaration.range[0] >= 0
                else 0,
                zeros_of=shown.baseline if gains else shown.focus,
            )
        )  # fmt: skip
    return slices, found.looked_at


def _crossed(study: Study, shown: Comparison, by: str, order: list[str]) -> dict[str, Any]:
    """What a second column adds: the next one of the files, or else a derived one, with few
    groups."""
    columns = study.columns(shown)
    own = [c for c in study.groupings if c != by]
    others = own or [c for c in columns if c != by]
    few = [c for c in others if columns[c].nunique() <= _FEW_GROUPS]
    second = next(iter(few or others), None)
    if second is None:
        return {}
    place = {group: i for i, group in enumerate(order)}
    cells = _cells(study, shown, by, second).sort_values(
        "row", key=lambda rows: rows.map(place).fillna(len(place)), kind="stable"
    )
    second_groups = by_column(study, shown, second)
    second_order = list(dict.fromkeys(second_groups["group"]))
    return {
        "second": second,
        "cells": cells,
        "second_groups": second_groups,
        "second_order": second_order,
        "second_best": findings.best_by_group(second_groups, shown.runs, second_order),
        "extremes": findings.extreme_cells(cells, shown.focus, shown.baseline),
    }


def spoken_group(group: str, by: str, groups: object, *, short: bool = False) -> str:
    """A group as a sentence names it: a number or a range with its column, the group of a derived
    column as the queries that it holds; `short` where no sentence stands around it."""
    derived = derived_column(by)
    if group == breakdowns.NO_GROUP:
        return f"queries without {derived.name if derived else by}"
    if derived is not None:
        return group if short else derived.spoken.format(group)
    return f"{by} {group}" if breakdowns.sizes_only(pd.Series(groups)) else group


def spoken(groups: pd.DataFrame, by: str) -> pd.DataFrame:
    """The groups as a sentence names them."""
    names = {g: spoken_group(g, by, groups["group"]) for g in dict.fromkeys(groups["group"])}
    return groups.assign(group=groups["group"].map(names))


def by_column(study: Study, shown: Comparison, column: str) -> pd.DataFrame:
    """Scores and differences by one column, given or derived, as the Overview and the Breakdown
    show them; only where there are queries."""
    return study.kept(_by_column, shown, column)


def _by_column(study: Study, shown: Comparison, column: str) -> pd.DataFrame:
    groups = study.columns(shown)[column]
    return breakdowns.by_group(
        study.scores(shown, shown.measure),
        shown.measure,
        groups,
        baseline=shown.baseline,
        looked_at=int(groups.nunique()),
    )


def _cells(study: Study, shown: Comparison, rows: str, columns: str) -> pd.DataFrame:
    groups = study.columns(shown)
    return breakdowns.crossed(
        study.scores(shown, shown.measure),
        shown.measure,
        groups[rows],
        groups[columns],
        run=shown.focus,
        baseline=shown.baseline,
    )
