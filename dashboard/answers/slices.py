"""Slices of queries in which the difference is unlike elsewhere, as the Breakdown lists them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from dashboard.address.address import Pair
from dashboard.address.view import Comparison
from dashboard.answers.group_names import spoken_group
from dashboard.study.study import Study
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.slicing.bridge import additive_differences
from metrics_core.slicing.derived_groups import derived_column
from metrics_core.slicing.finder import found_slices


@dataclass(frozen=True)
class UnlikeSlice:
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
class Slices:
    """Those found, the surest first, also as a table, and among how many they were looked for."""

    found: list[UnlikeSlice] = field(default_factory=list)
    table: pd.DataFrame = field(default_factory=pd.DataFrame)
    looked_at: int = 0


def slices(study: Study, shown: Comparison) -> Slices:
    """The slices of all columns, given and derived; none are looked for where nothing is compared
    or there are too few queries."""
    return study.kept(_slices, shown)


def slices_known(study: Study, shown: Comparison) -> bool:
    """Whether `slices` is at hand, or takes a while to work out."""
    return study.known(_slices, shown)


def _slices(study: Study, shown: Comparison) -> Slices:
    scores = study.scores(shown, shown.measure).only([shown.focus, shown.baseline])
    own, other = scores.of(shown.measure)
    declared = shown.measure.declaration
    gaps = additive_differences(own, other, declared.combination)
    if shown.alone or (~np.isnan(gaps)).sum() < FEWEST_QUERIES:
        return Slices()
    mask = study.in_view(shown)
    columns = {c: groups.to_numpy()[mask] for c, groups in study.columns(shown).items()}
    found = found_slices(gaps, columns)
    # Where scores go below 0, or less is better, a score of 0 is no failure.
    fails_at_zero = declared.higher_is_better and declared.range[0] >= 0
    listed = []
    for row in found.slices.itertuples(index=False):
        gains = (row.difference > row.elsewhere) == declared.higher_is_better
        inside = np.logical_and.reduce([columns[c] == value for c, value in row.conditions])
        at_zero = inside & ((other if gains else own) == 0) & (gaps != 0)
        listed.append(
            UnlikeSlice(
                names=[(_name(c, value, study, shown), bool(derived_column(c)))
                       for c, value in row.conditions],
                where=shown.narrowed({c: [value] for c, value in row.conditions}),
                queries=row.queries,
                difference=row.difference,
                elsewhere=row.elsewhere,
                gains=gains,
                zeros=int(at_zero.sum()) if fails_at_zero else 0,
                zeros_of=shown.baseline if gains else shown.focus,
            )
        )  # fmt: skip
    said = [" and ".join(f"{c}: {v}" for c, v in each) for each in found.slices["conditions"]]
    table = found.slices.drop(columns="conditions")
    table.insert(0, "slice", said)
    return Slices(listed, table, found.looked_at)


def _name(column: str, value: str, study: Study, shown: Comparison) -> str:
    return spoken_group(value, column, study.columns(shown)[column], short=True)
