"""Slices of queries in which the difference between two runs differs from that of all other
queries, for the Breakdown page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from dashboard.address.address import Pair
from dashboard.address.view import Comparison
from dashboard.answers.group_names import group_name
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.comparing.tested_quantities import to_tested_scale
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.costs import format_ratio_change
from metrics_core.slicing.contributions import additive_differences
from metrics_core.slicing.derived_groups import find_derived_column
from metrics_core.slicing.finder import find_slices


@dataclass(frozen=True)
class UnlikeSlice:
    """A slice of queries whose mean difference differs from that of all other queries. `names` are
    the conditions of the slice, each with a flag that says whether its column is derived; `filters`
    select its queries. `difference` and `elsewhere` are the mean differences inside and outside the
    slice, as text. For a cost, they are changes in percent, computed from typical ratios.
    `zeros_of` is the run that is behind in the slice, and `zeros` is the number of queries on which
    it scores 0."""

    names: list[tuple[str, bool]]
    filters: tuple[Pair, ...]
    queries: int
    difference: str
    elsewhere: str
    gains: bool
    zeros: int
    zeros_of: str


@dataclass(frozen=True)
class Slices:
    """The slices that were found, most significant first. `table` has one row per slice; its column
    `slice` has the name of the slice. `searched_count` is the number of slices that were tested."""

    slices: list[UnlikeSlice] = field(default_factory=list)
    table: pd.DataFrame = field(default_factory=pd.DataFrame)
    searched_count: int = 0


@cache_answer
def slices(study: Study, comparison: Comparison) -> Slices:
    """Return the slices in which the mean difference differs from that of all other queries.
    Columns from files and derived columns are searched. For a cost, the logarithms of the ratios
    are compared. The result is empty for a single run, for too few queries, for a cost with a value
    of 0 or below, and for a measure without a declared direction."""
    scores = study.scores(comparison, comparison.measure).select_runs(comparison.pair)
    focus_scores, baseline_scores = values = scores.values_of(comparison.measure)
    declared = comparison.measure.declaration
    means = "difference", "elsewhere"
    format_difference: Callable[[float], str] = w.format_difference
    gaps = additive_differences(focus_scores, baseline_scores, declared.combination)
    if not comparison.compares_means:
        gaps = np.subtract(*to_tested_scale(comparison.measure, values))
        means, format_difference = ("ratio", "ratio_elsewhere"), format_ratio_change
    if comparison.is_single_run or (~np.isnan(gaps)).sum() < FEWEST_QUERIES:
        return Slices()
    mask = study.view_mask(comparison)
    columns = {c: groups.to_numpy()[mask] for c, groups in study.columns(comparison).items()}
    result = find_slices(gaps, columns)
    table = result.slices.rename(columns=dict(zip(("difference", "elsewhere"), means, strict=True)))
    if not comparison.compares_means:
        table[[*means]] = np.exp(table[[*means]])
    # If scores can be negative, or lower is better, a score of 0 is no failure.
    fails_at_zero = declared.higher_is_better and declared.range[0] >= 0
    unlike_slices = []
    for row, (inside, outside) in zip(
        table.itertuples(index=False), table[[*means]].to_numpy(), strict=True
    ):
        gains = (inside > outside) == declared.higher_is_better
        is_inside = np.logical_and.reduce([columns[c] == value for c, value in row.conditions])
        at_zero = is_inside & ((baseline_scores if gains else focus_scores) == 0) & (gaps != 0)
        unlike_slices.append(
            UnlikeSlice(
                names=[(_condition_name(c, value, study, comparison), bool(find_derived_column(c)))
                       for c, value in row.conditions],
                filters=comparison.replace_filters({c: [value] for c, value in row.conditions}),
                queries=row.queries,
                difference=format_difference(inside),
                elsewhere=format_difference(outside),
                gains=gains,
                zeros=int(at_zero.sum()) if fails_at_zero else 0,
                zeros_of=comparison.baseline if gains else comparison.focus,
            )
        )  # fmt: skip
    labels = [
        " and ".join(f"{c}: {v}" for c, v in conditions) for conditions in table.pop("conditions")
    ]
    table.insert(0, "slice", labels)
    return Slices(unlike_slices, table, result.n_tested)


def _condition_name(column: str, value: str, study: Study, comparison: Comparison) -> str:
    return group_name(value, column, study.columns(comparison)[column], short=True)
