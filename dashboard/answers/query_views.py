"""The data of the charts on the Queries page, and the queries inside a region that the user selects
in a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.queries import QueryList, count_failing_queries
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.comparing.pairs import SAME
from metrics_core.slicing.breakdowns import order_groups

MOST_CELLS = 300
"""Maximum number of queries in the heatmap. If there are more, evenly spaced queries are shown."""

_LISTED = 5
EVERY_QUERY = "every query"

Region = Mapping[str, Sequence[float]]
"""The corners of a selection in a chart, which is a box or a lasso: {"x": coordinates, "y":
coordinates}."""


@dataclass(frozen=True)
class Strips:
    """Scores of the compared runs by group. `frame` has query_id, text, group, run, score; `means`
    has group, run, mean, queries; `groups` are in display order."""

    frame: pd.DataFrame
    means: pd.DataFrame
    groups: list[str]


@cache_answer
def query_strips(study: Study, comparison: Comparison, by: str) -> Strips:
    """Return the scores of the compared runs on each query, by the groups of a column. If the
    column is unknown, all queries form one group."""
    runs = list(dict.fromkeys(comparison.pair))
    scores = study.scores(comparison, comparison.measure).select_runs(runs)
    ids = np.array(scores.query_ids, dtype=object)
    groups = np.full(len(ids), EVERY_QUERY, dtype=object)
    if by in study.columns(comparison):
        groups = study.columns(comparison)[by].to_numpy(dtype=object)[study.view_mask(comparison)]
    frame = pd.DataFrame(
        {
            "query_id": np.tile(ids, len(runs)),
            "group": np.tile(groups, len(runs)),
            "run": np.repeat(np.array(runs, dtype=object), len(ids)),
            "score": scores.values_of(comparison.measure).ravel(),
        }
    )
    frame["text"] = frame["query_id"].map(study.texts)
    combined = comparison.measure.declaration.combination.combine
    parts = frame.groupby(["group", "run"], sort=False)["score"]
    means = pd.DataFrame(
        [
            (group, run, float(combined(part.to_numpy())), int(part.notna().sum()))
            for (group, run), part in parts
        ],
        columns=["group", "run", "mean", "queries"],
    )
    return Strips(frame, means, order_groups(groups))


@dataclass(frozen=True)
class Heat:
    """The queries of a heatmap, easiest first. `frame` has query_id, text and a column of scores
    for each shown run. `empty` has a bool column for each run: whether the run's list is empty.
    `failing` is the number of listed queries on which all runs fail; `failed` has the first of
    these queries (query_id, text, meta). `ahead` has the queries on which the run in focus has the
    largest lead over the next best shown run. Its column `difference` has the lead."""

    frame: pd.DataFrame
    empty: pd.DataFrame
    failing: int
    failed: pd.DataFrame
    ahead: pd.DataFrame


def heatmap(study: Study, queries: QueryList, comparison: Comparison) -> Heat:
    """Return the data of the heatmap: the listed queries, ordered by the mean of the shown runs. If
    there are too many queries, evenly spaced ones are selected."""
    frame = queries.rows
    scores = frame[[f"run: {name}" for name in comparison.runs]]
    at_zero = (scores == 0).all(axis=1)
    means, failing = scores.mean(axis=1), count_failing_queries(comparison, int(at_zero.sum()))
    failed = frame[at_zero].head(_LISTED if failing else 0)
    ahead = _find_leading_queries(frame, comparison)
    easiest = means.sort_values(ascending=False, kind="stable", na_position="last").index
    if comparison.measure.declaration.direction < 0:
        easiest = means.sort_values(kind="stable", na_position="last").index
    frame = frame.loc[easiest]
    if len(frame) > MOST_CELLS:
        frame = frame.iloc[np.linspace(0, len(frame) - 1, MOST_CELLS).round().astype(int)]
    run_columns = {f"run: {name}": name for name in comparison.runs}
    places = pd.Index(study.query_ids).get_indexer(frame["query_id"])
    cells = frame[["query_id", "text", *run_columns]].rename(columns=run_columns)
    empty = {
        name: study.judged[name].retrieved[places] == 0
        if study.is_computed(comparison.measure)
        else cells[name].isna().to_numpy()
        for name in comparison.runs
    }
    return Heat(cells, pd.DataFrame(empty, index=cells.index), failing, failed, ahead)


def _find_leading_queries(frame: pd.DataFrame, comparison: Comparison) -> pd.DataFrame:
    """Return the queries on which the run in focus leads the best other shown run by more than
    `SAME`."""
    rivals = frame[[f"run: {name}" for name in comparison.runs if name != comparison.focus]]
    direction = comparison.measure.declaration.direction
    if not direction:
        return frame.head(0)
    next_best = (rivals * direction).max(axis=1) * direction
    leads = frame.assign(difference=frame[f"run: {comparison.focus}"] - next_best)
    ahead = leads[leads["difference"] * direction > SAME]
    return ahead.sort_values("difference", key=lambda gap: -gap.abs(), kind="stable").head(_LISTED)


def find_ids_in_regions(
    frame: pd.DataFrame, x: str, y: str, regions: Sequence[Region]
) -> list[str]:
    """Return the query_ids of the rows whose point (columns `x`, `y`) is inside one of the regions.
    A region with two corners is a box; one with more corners is a lasso. A point is outside a lasso
    if a ray from it crosses an even number of edges (the even-odd rule)."""
    x_values, y_values = frame[x].to_numpy(dtype=np.float64), frame[y].to_numpy(dtype=np.float64)
    is_inside = np.zeros(len(frame), dtype=np.bool_)
    for region in regions:
        xs, ys = (np.array(region[axis], dtype=np.float64) for axis in ("x", "y"))
        if len(xs) == 2:
            xs, ys = xs[[0, 1, 1, 0]], ys[[0, 0, 1, 1]]
        odd = np.zeros(len(frame), dtype=np.bool_)
        # Loop over the few corners, vectorised over queries.
        for x1, y1, x2, y2 in zip(xs, ys, np.roll(xs, -1), np.roll(ys, -1), strict=True):
            spans = (y1 > y_values) != (y2 > y_values)
            with np.errstate(divide="ignore", invalid="ignore"):
                odd ^= spans & (x_values < (x2 - x1) * (y_values - y1) / (y2 - y1) + x1)
        is_inside |= odd
    return list(frame["query_id"].to_numpy()[is_inside])
