"""Quality against cost: the runs on two measures, the chosen one and one on which lower is
better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.study.study import Study
from metrics_core.measures import Measure
from metrics_core.scoring.means import aggregate
from metrics_core.tables.given_scores import name_words

_COSTS = {"cost", "costs", "price", "prices"}


@dataclass(frozen=True)
class QualityCost:
    """The shown runs, cheapest first.

    `frame` has run, cost and quality (means), cost_low, cost_high, quality_low and quality_high
    (bounds of their intervals), and best (bool: the mean quality is higher than that of every row
    above it, so no run is both cheaper and at least as good). `cost` is the name of the measure of
    cost."""

    frame: pd.DataFrame
    cost: str


def quality_cost(study: Study, comparison: Comparison) -> QualityCost | None:
    """Return the runs by quality and cost. Returns None unless higher is better on the chosen
    measure, there is a given measure on which lower is better, and at least two runs have scores on
    both."""
    costs = [m for m in study.given_measures if m.declaration.direction < 0]
    if comparison.measure.declaration.direction <= 0 or not costs or comparison.is_alone:
        return None
    cost = next((m for m in costs if _COSTS & {*name_words(str(m))}), costs[0])
    return study.cached_answer(_quality_cost, comparison, cost)


def _quality_cost(study: Study, comparison: Comparison, cost: Measure) -> QualityCost | None:
    measures = {"quality": comparison.measure, "cost": cost}
    scores = study.scores(comparison, *measures.values())
    means = aggregate(scores, level=comparison.method.level).set_index(["measure", "run"])
    frame = pd.DataFrame({"run": scores.runs})
    for name, measure in measures.items():
        rows = means.loc[str(measure)].loc[list(scores.runs)]
        frame[name] = rows["mean"].to_numpy()
        frame[f"{name}_low"], frame[f"{name}_high"] = (
            rows["low"].to_numpy(),
            rows["high"].to_numpy(),
        )
    frame = frame.dropna(subset=["quality", "cost"])
    if len(frame) < 2:
        return None
    frame = frame.sort_values(["cost", "quality"], ascending=[True, False], ignore_index=True)
    best_so_far = np.maximum.accumulate(frame["quality"].to_numpy())
    is_first = np.append(True, frame["quality"].to_numpy()[1:] > best_so_far[:-1])
    return QualityCost(frame.assign(best=is_first), str(cost))
