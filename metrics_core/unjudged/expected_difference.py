"""Estimate the difference that two runs would have if the unjudged documents were judged too.

Each unjudged document is assigned a grade drawn from the grades of similar judged documents
(`predicted_grades`). Repeated draws give the mean and the spread of the difference. The method
assumes that judged documents are like unjudged ones. Therefore there is no estimate if almost none
of the documents that only one run lists are judged, or if documents were selected for judging by
their effect on the result."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.intervals import LEVEL, Interval
from metrics_core.unjudged.graded_scores import RegradedScores
from metrics_core.unjudged.predicted_grades import PredictedGrades
from metrics_core.unjudged.unjudged_ranks import NEAR, UnjudgedRanks

DEEPEST = NEAR
"""Deepest rank that is considered. Documents below it are treated as not relevant, because few are
judged there, and most of those because of other runs."""

FEWEST_JUDGED, FEWEST_OF_A_KIND = 50, 10
"""Number of judged documents that an estimate needs: in total, and of each kind of document that is
sometimes unjudged."""

_SEED = 20_260
_MOST_DRAWN = 200_000
_WORK, _FEWEST, _MOST = 8_000_000, 10, 200
"""Amount of work for all draws together (draws times documents), and the minimum and maximum number
of draws."""


@dataclass(frozen=True)
class EstimatedDifference:
    """Estimate of the difference between the combined scores of two runs. `interval` has the mean,
    low and high of the estimate.

    If `interval` is None, `reason` is a sentence that says why there is no estimate."""

    interval: Interval | None
    reason: str = ""


def estimate_difference(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    unjudged: UnjudgedRanks,
    *,
    is_selective: bool = False,
    level: float = LEVEL,
) -> EstimatedDifference:
    """Estimate the difference that two runs with the same judgments would have if all documents
    were judged.

    `unjudged` are the unjudged documents down to the measure's cutoff. `is_selective` is whether
    documents were judged because of their effect on the result."""
    # With very many queries the first ranks suffice, and the rest would take minutes.
    deepest = measure.cutoff or (DEEPEST if run.n_queries * DEEPEST <= _MOST_DRAWN else 10)
    depth = min(deepest, DEEPEST)
    near_documents = _select_within_depth(unjudged, depth)
    if measure.declaration.needs:
        return EstimatedDifference(
            None, f"{measure} does not depend only on grades, {_NOTHING_TELLS}"
        )
    if not len(near_documents):
        current = _combined_difference(measure.score(run), measure.score(baseline), measure)
        return EstimatedDifference(Interval(*np.full(3, current)))
    predicted = PredictedGrades(run, baseline, near_documents, depth)
    reason = (
        _CHOSEN
        if is_selective
        else _explain_too_few_judgments(run, baseline, predicted, matched=unjudged.is_matched)
    )
    if reason:
        return EstimatedDifference(None, reason)
    differences = _draw_differences(run, baseline, measure, near_documents, predicted)
    mean = np.mean(differences)
    reach = _prediction_quantile(level, len(differences)) * np.std(differences, ddof=1)
    return EstimatedDifference(Interval(*np.array([mean, mean - reach, mean + reach])))


def _draw_differences(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    near_documents: UnjudgedRanks,
    predicted: PredictedGrades,
) -> list[float]:
    """Return the combined difference after each random assignment of predicted grades to the
    documents."""
    graded = RegradedScores(
        run, baseline, measure, near_documents.select(predicted.order), predicted.grades
    )
    generator = np.random.default_rng(_SEED)
    size = len(near_documents) + len(run.query) + len(run.judged_query)
    times = range(int(np.clip(_WORK // size, _FEWEST, _MOST)))
    return [
        _combined_difference(*graded.scores(predicted.draw_grades(generator)), measure)
        for _ in times
    ]


def _prediction_quantile(level: float, n: int) -> float:
    """Return the number of standard deviations by which one more draw may differ from the mean of n
    draws.

    The quantile of Student's t is approximated by the first terms of its series."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    return float((z + (z**3 + z) / (4 * (n - 1))) * (1 + 1 / n) ** 0.5)


def _explain_too_few_judgments(
    run: JudgedRanks, baseline: JudgedRanks, predicted: PredictedGrades, *, matched: bool
) -> str:
    """Return the reason why the judged documents do not allow an estimate. Returns "" if they
    do."""
    if not any((ranks.judged().relevance <= 0).any() for ranks in (run, baseline)):
        # Only relevant documents are in the judgments.
        return f"No listed document is judged non-relevant, {_NOTHING_TELLS}"
    only = "only " if matched else ""
    kinds = (f"{only}{run.run_name} lists", f"{only}{baseline.run_name} lists", "both list")
    for kind, judged, n_unjudged in zip(
        kinds, predicted.n_judged.tolist(), predicted.n_unjudged, strict=True
    ):
        if n_unjudged and judged < FEWEST_OF_A_KIND:
            count_text = (
                f"only {w.number_word(judged)} {w.plural(judged, 'is', 'are')}"
                if judged
                else "none is"
            )
            return f"Of the documents that {kind}, {count_text} judged, {_NOTHING_TELLS}"
    total = int(predicted.n_judged[predicted.n_unjudged > 0].sum())
    if total < FEWEST_JUDGED:
        return (
            f"Only {w.format_count(total)} documents similar to the unjudged ones are judged,"
            f" {_NOTHING_TELLS}"
        )
    return ""


_NOTHING_TELLS = "so no estimate is possible."
_CHOSEN = (
    "Some documents were judged in a layer, perhaps because of their effect on the result,"
    f" {_NOTHING_TELLS}"
)


def _select_within_depth(unjudged: UnjudgedRanks, depth: int) -> UnjudgedRanks:
    """Return the documents that are in either list down to a depth."""
    if max(int(r.max(initial=0)) for r in (unjudged.run_rank, unjudged.baseline_rank)) <= depth:
        return unjudged
    return unjudged.select(unjudged.best_rank <= depth)


def _combined_difference(run_scores: Floats, baseline_scores: Floats, measure: Measure) -> float:
    combine = measure.declaration.combination.combine
    defined = ~(np.isnan(run_scores) | np.isnan(baseline_scores))
    if not defined.all():
        run_scores, baseline_scores = run_scores[defined], baseline_scores[defined]
    return float(combine(run_scores) - combine(baseline_scores))
