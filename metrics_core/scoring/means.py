"""Means over queries, and how many queries they rest on."""

from __future__ import annotations

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.scoring.intervals import LEVEL, mean_interval
from metrics_core.scoring.scores import Scores


def means(scores: Scores | pd.DataFrame) -> pd.DataFrame:
    """One score for each run and measure, combined as each measure declares (the mean, the sum for
    NumQ, NumRet, …, the geometric mean for GMAP, …): columns run, measure, value. Undefined scores
    are left out; NaN where none is defined."""
    given = Scores.given(scores)
    names = [str(m) for m in given.measures]
    return pd.DataFrame(
        {
            "run": np.repeat(np.array(given.runs, dtype=object), len(names)),
            "measure": np.tile(np.array(names, dtype=object), len(given.runs)),
            "value": given.combined().ravel(),
        }
    )


def aggregate(scores: Scores | pd.DataFrame, *, level: float = LEVEL) -> pd.DataFrame:
    """Summary of scores: columns run, measure, mean, median, low, high, queries.

    `queries` counts those with a defined score. `mean` and its interval are geometric where a
    measure declares so; a measure that is summed (NumQ, NumRet, …) has its sum in `mean`, and no
    interval.
    """
    given = Scores.given(scores)
    combined = given.combined()
    rows = []
    for i, run in enumerate(given.runs):
        values = given.values[i]
        combinations = [m.declaration.combination for m in given.measures]
        scaled = [c.onto(values[:, j]) for j, c in enumerate(combinations)]
        interval = mean_interval(np.stack(scaled, axis=1), level=level)
        for j, (measure, c) in enumerate(zip(given.measures, combinations, strict=True)):
            defined = values[~np.isnan(values[:, j]), j]
            mean, low, high = (float(c.back(end[j])) for end in interval)
            low, high = np.clip((low, high), *measure.declaration.range)
            if not c.averaged:
                mean, low, high = float(combined[i, j]), np.nan, np.nan
            rows.append(
                {
                    "run": run,
                    "measure": str(measure),
                    "mean": mean,
                    "median": float(np.median(defined)) if len(defined) else np.nan,
                    "low": low,
                    "high": high,
                    "queries": len(defined),
                }
            )
    return pd.DataFrame(rows)
