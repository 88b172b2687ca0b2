"""Decompose the change of a mean into a part due to a different mix of queries, and a part due to
scores."""

from __future__ import annotations

import math

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.slicing.breakdowns import fill_missing_groups, sort_groups


def decompose_change(
    before: pd.Series, before_groups: pd.Series, after: pd.Series, after_groups: pd.Series
) -> pd.DataFrame:
    """Decompose the change of the mean score between two sets of queries by group. Columns: group,
    before, after (number of queries in each set), mean_before, mean_after, mix, within.

    `mix` is the effect of the change in the group's share of the queries: the change of the share
    times the distance of the group's mean from the overall mean. `within` is the effect of the
    change in the group's mean: the change of the mean times the share. The sum of both over all
    groups is mean(after) - mean(before). The distances and the shares in these products are
    averages of the two sets (Kitagawa, Components of a difference between two rates, JASA 1955).

    For a group that is missing from one set, the whole effect is mix. Scores and groups are indexed
    by query_id; undefined scores are excluded. Raises ValueError if a set has no defined score."""
    sides = []
    for scores, groups in ((before, before_groups), (after, after_groups)):
        defined = scores.dropna()
        if defined.empty:
            raise ValueError("a set of queries without scores has no mean")
        sides.append(defined.groupby(fill_missing_groups(groups.reindex(defined.index))))
    sums = pd.DataFrame([side.apply(math.fsum) for side in sides]).T
    counts = pd.DataFrame([side.size() for side in sides]).T.fillna(0)
    n, means = counts.to_numpy(), (sums / counts.where(counts > 0)).to_numpy()
    shares = n / n.sum(axis=0)
    # A group that is missing from one set gets its mean in the other.
    filled = np.where(np.isnan(means), means[:, ::-1], means)
    middle = float(sum(math.fsum(shares[:, i] * filled[:, i]) for i in (0, 1))) / 2
    frame = pd.DataFrame(
        {
            "group": list(sums.index),
            "before": n[:, 0].astype(np.int64),
            "after": n[:, 1].astype(np.int64),
            "mean_before": means[:, 0],
            "mean_after": means[:, 1],
            "mix": (shares[:, 1] - shares[:, 0]) * (filled.mean(axis=1) - middle),
            "within": (filled[:, 1] - filled[:, 0]) * shares.mean(axis=1),
        }
    )
    return sort_groups(frame, "group", descending=False)


def is_simpsons_paradox(parts: pd.DataFrame) -> bool:
    """Return whether a change between two sets of queries is a case of Simpson's paradox: the mean
    changes in one direction, but the mean of every group that occurs in both sets changes in the
    other direction. `parts` is the frame of `decompose_change`."""
    change = math.fsum([*parts["mix"], *parts["within"]])
    steps = (parts["mean_after"] - parts["mean_before"]).dropna()
    return bool(len(steps)) and bool((steps * change < 0).all())
