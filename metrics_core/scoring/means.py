"""Compute means over queries, and the number of queries in each mean."""

from __future__ import annotations

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.scoring.intervals import LEVEL, mean_intervals
from metrics_core.scoring.scores import Scores, find_measure_columns


def combine_scores(scores: Scores | pd.DataFrame) -> pd.DataFrame:
    """Return one score per run and measure, combined over queries as the measure declares: the
    mean, the sum for NumQ, NumRet, …, or the geometric mean for GMAP, …. Columns: run, measure,
    value. Undefined scores are excluded; NaN if no score is defined."""
    run_scores = Scores.from_any(scores)
    names = [str(m) for m in run_scores.measures]
    return pd.DataFrame(
        {
            "run": np.repeat(np.array(run_scores.runs, dtype=object), len(names)),
            "measure": np.tile(np.array(names, dtype=object), len(run_scores.runs)),
            "value": run_scores.combined().ravel(),
        }
    )


def aggregate(scores: Scores | pd.DataFrame, *, level: float = LEVEL) -> pd.DataFrame:
    """Summarise scores. Columns: run, measure, mean, median, low, high, queries.

    `measure` is the canonical name of the measure, or the name of the column if `scores` is a
    frame. `queries` counts the queries with a defined score. `mean` and its interval are geometric
    if the measure declares so. For a measure that is summed (NumQ, NumRet, …) `mean` is the sum,
    and low and high are NaN."""
    run_scores = Scores.from_any(scores)
    combined = run_scores.combined()
    names = run_scores.measures if isinstance(scores, Scores) else find_measure_columns(scores)
    rows = []
    for i, run in enumerate(run_scores.runs):
        values = run_scores.values[i]
        low, high = np.full((2, len(run_scores.measures)), np.nan)
        for combination in dict.fromkeys(m.declaration.combination for m in run_scores.measures):
            places = [
                j
                for j, m in enumerate(run_scores.measures)
                if m.declaration.combination == combination
            ]
            least, most = np.array([run_scores.measures[j].declaration.range for j in places]).T
            (interval,) = mean_intervals(
                [values[:, places]], combination, level=level, limits=(least, most)
            )
            if combination.averaged:
                low[places], high[places] = interval.low, interval.high
        for j, name in enumerate(names):
            defined = values[~np.isnan(values[:, j]), j]
            rows.append(
                {
                    "run": run,
                    "measure": str(name),
                    "mean": float(combined[i, j]),
                    "median": float(np.median(defined)) if len(defined) else np.nan,
                    "low": float(low[j]),
                    "high": float(high[j]),
                    "queries": len(defined),
                }
            )
    return pd.DataFrame(rows)
