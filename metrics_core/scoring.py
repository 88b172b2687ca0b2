"""evaluate(): per-query scores of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics_core.judging import JudgedRanks, judge
from metrics_core.measures import Measure, parse_measure
from metrics_core.tables import Qrels, Run

WithoutRelevant = Literal["zero", "leave out"]


def evaluate(
    runs: Run | Iterable[Run],
    qrels: Qrels,
    measures: Iterable[str | Measure],
    *,
    without_relevant: WithoutRelevant = "zero",
) -> pd.DataFrame:
    """Per-query scores: columns run, query_id and one float64 column a measure, named canonically.

    One row for each run and judged query, a query missing from the run included (it scores 0).
    `without_relevant="leave out"` gives NaN to judged queries that have no relevant document,
    which trec_eval counts as 0. Raises UnknownMeasureError, ParameterError, NoSharedQueriesError.
    """
    listed = [runs] if isinstance(runs, Run) else list(runs)
    parsed = [parse_measure(m) for m in measures]
    judged = [judge(run, qrels) for run in listed]
    return score_frame(judged, parsed, without_relevant=without_relevant)


def score_frame(
    judged: Sequence[JudgedRanks],
    measures: Sequence[Measure],
    *,
    without_relevant: WithoutRelevant = "zero",
) -> pd.DataFrame:
    """The frame of `evaluate` from runs that are judged already."""
    parts = []
    for ranks in judged:
        part = pd.DataFrame({"run": ranks.run_name, "query_id": np.array(ranks.query_ids, object)})
        for measure in measures:
            part[str(measure)] = scores(ranks, measure, without_relevant=without_relevant)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def scores(
    ranks: JudgedRanks, measure: Measure, *, without_relevant: WithoutRelevant = "zero"
) -> npt.NDArray[np.float64]:
    """Per-query scores of one measure, float64[Q]; NaN where a query has no defined score."""
    values = measure.score(ranks)
    if without_relevant == "leave out" and measure.declaration.aggregation == "mean":
        values = np.where(ranks.n_relevant() > 0, values, np.nan)
    return values
