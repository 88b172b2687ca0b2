"""The contribution of each group of queries to a mean difference."""

from __future__ import annotations

import math

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats
from metrics_core.measures import Combination, GivenMeasure, parse_measure
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import are_numeric_groups, fill_missing_groups, order_groups


def group_contributions(
    scores: Scores | pd.DataFrame,
    measure: GivenMeasure,
    run: str,
    baseline: str,
    groups: pd.Series,
) -> pd.DataFrame:
    """Return the contribution of each group to the mean difference, run minus baseline. Columns:
    group, queries, difference (the group's mean difference), part (queries / all queries ×
    difference).

    Only the queries for which both runs have a score are used, and the parts add up to the mean
    difference over these queries. `groups` is the group of each query, a Series indexed by
    query_id; queries without a group are in NO_GROUP. The group with the largest part in the
    direction of the total comes first. Numbers and ranges are in numeric order. The frame is empty
    if no query has both scores.

    Geometric means do not add up, but their logarithms do. A group's difference is then its mean
    difference of logarithms times the logarithmic mean of the two geometric means, so that the
    total is the difference of the two geometric means (Ang, The LMDI approach to decomposition
    analysis, Energy Policy 2005). Raises UnknownRunError."""
    run_scores, parsed_measure = Scores.from_any(scores), parse_measure(measure)
    own_scores, other_scores = run_scores.select_runs([run, baseline]).values_of(parsed_measure)
    gaps = additive_differences(own_scores, other_scores, parsed_measure.declaration.combination)
    defined = ~np.isnan(gaps)
    group_names = fill_missing_groups(groups.reindex(list(run_scores.query_ids))).to_numpy()[
        defined
    ]
    gaps = gaps[defined]
    rows = []
    for name in dict.fromkeys(group_names):
        inside = gaps[group_names == name]
        total = math.fsum(inside)
        rows.append((name, len(inside), total / len(inside), total / len(gaps)))
    frame = pd.DataFrame(rows, columns=["group", "queries", "difference", "part"])
    if not are_numeric_groups(frame["group"]):
        ascending = math.fsum(gaps) < 0
        return frame.sort_values("part", ascending=ascending, kind="stable", ignore_index=True)
    position = {group: i for i, group in enumerate(order_groups(frame["group"]))}
    return frame.sort_values("group", key=lambda names: names.map(position), ignore_index=True)


def additive_differences(
    run_scores: Floats, baseline_scores: Floats, combination: Combination
) -> Floats:
    """Return each query's contribution to the difference of two combined scores, float64[query].

    The mean of the contributions is the difference. The contribution is NaN if one of the two
    scores is undefined."""
    scaled = combination.to_scale(run_scores) - combination.to_scale(baseline_scores)
    if combination.linear:
        return scaled
    defined = ~np.isnan(scaled)
    if not defined.any():
        return scaled
    mean_gap = math.fsum(scaled[defined]) / int(defined.sum())
    # (a - b) / log(a / b), the logarithmic mean, stable even if a and b are almost equal.
    scale = float(combination.combine(baseline_scores[defined])) * (
        math.expm1(mean_gap) / mean_gap if mean_gap else 1.0
    )
    return scaled * scale
