"""Quality against cost: the runs on two measures, by default the chosen one and one on which lower
is better."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.overview_measures import overview_measures
from dashboard.answers.pairs import all_run_pairs
from dashboard.study.study import Study
from metrics_core.findings.quality_cost import quality_cost_sentences
from metrics_core.findings.sentence import Sentence
from metrics_core.measures import Measure
from metrics_core.scoring.means import aggregate
from metrics_core.tables.given_scores import split_column_name

_COSTS = {"cost", "costs", "price", "prices"}


@dataclass(frozen=True)
class QualityCost:
    """The shown runs, best cost first.

    `frame` has run, cost and quality (means), cost_low, cost_high, quality_low and quality_high
    (bounds of their intervals), and best (bool: the mean quality is better than in every row
    above). `choices` are the names of the measures that can be compared."""

    frame: pd.DataFrame
    quality: Measure
    cost: Measure
    choices: list[str]


def quality_cost(
    study: Study, comparison: Comparison, quality: str = "", cost: str = ""
) -> QualityCost | None:
    """Return the runs with their means on the measures named `quality` and `cost`. If a name is
    unknown, a default is used: the chosen measure for quality, and a given measure of cost. Returns
    None if there is no given measure on which lower is better, or if fewer than two runs have
    scores on both measures."""
    choices = {str(measure): measure for measure in overview_measures(study, comparison)}
    costs = [m for m in study.given_measures if m.declaration.direction < 0]
    goods = [m for m in (comparison.measure, *choices.values()) if m.declaration.direction > 0]
    if not costs or not goods or comparison.is_single_run:
        return None
    usual_cost = next((m for m in costs if _COSTS & {*split_column_name(str(m))}), costs[0])
    measures = choices.get(quality, goods[0]), choices.get(cost, usual_cost)
    frame = study.cached_answer(_quality_cost, comparison, *measures)
    return QualityCost(frame, *measures, list(choices)) if len(frame) > 1 else None


def _quality_cost(
    study: Study, comparison: Comparison, quality: Measure, cost: Measure
) -> pd.DataFrame:
    measures = {"quality": quality, "cost": cost}
    scores = study.scores(comparison, *dict.fromkeys(measures.values()))
    means = aggregate(scores, level=comparison.method.level).set_index(["measure", "run"])
    frame = pd.DataFrame({"run": scores.runs})
    for name, measure in measures.items():
        rows = means.loc[str(measure)].loc[list(scores.runs)]
        columns = [name, f"{name}_low", f"{name}_high"]
        frame[columns] = rows[["mean", "low", "high"]].to_numpy()
    frame = frame.dropna(subset=["quality", "cost"])
    towards = [-measure.declaration.direction for measure in measures.values()]
    order = np.lexsort([frame[name] * sign for name, sign in zip(measures, towards, strict=True)])
    frame = frame.iloc[order].reset_index(drop=True)
    heights = frame["quality"].to_numpy() * -towards[0]
    is_first = np.append(True, heights[1:] > np.maximum.accumulate(heights)[:-1])[: len(frame)]
    return frame.assign(best=is_first & (0 not in towards))


def quality_cost_in_words(
    study: Study, comparison: Comparison, answer: QualityCost
) -> list[Sentence]:
    """Return sentences on the runs of the chart. The result is empty unless higher is better for
    the quality and lower is better for the cost."""
    measures = answer.quality, answer.cost
    costs = dict(zip(answer.frame["run"], answer.frame["cost"], strict=True))
    pair = comparison.pair
    if [m.declaration.direction for m in measures] != [1, -1] or not costs.keys() >= {*pair}:
        return []
    chosen = (study.read_measure(str(measure), comparison.cutoff) for measure in measures)
    pairs = [all_run_pairs(study, replace(comparison, chosen_measure=one)) for one in chosen]
    return quality_cost_sentences(costs, pairs, [str(measure) for measure in measures], pair)
