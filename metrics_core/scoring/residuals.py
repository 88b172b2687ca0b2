"""Bounds: the lowest and the highest score that is possible, given the unjudged documents.

Every listed unjudged document could have any grade from 0 to the highest grade in the judgments.
Everything else is unchanged: a document that is neither listed nor judged counts as not relevant. A
measure declares how its extremes are found (`Declaration.residual`):

    monotone    a higher grade never lowers the score (or never raises it), so the extremes are
                "none relevant" and "all of the highest grade": exact. With a cutoff k at most
                the first k unjudged documents matter
    count       the number of judged non-relevant documents; each unjudged document may be one
                more: exact
    recall      a share of all relevant documents: lowest if all unjudged documents beyond the
                cutoff are relevant, highest if all documents within it are: exact
    share       a gain divided by the best possible gain, if the documents add up to both
                (`share_extremes`): exact
    precisions  sums of precisions over the relevant documents: for each number m of new relevant
                documents the best case is the m highest ranks, the worst the m lowest; the
                extremes over all m: exact
    normalised  any other gain divided by the best possible gain. Both only rise, so the score is
                between the lowest gain divided by the highest best gain, and the highest gain
                divided by the lowest best gain: a bound, never narrower than the true range
    at relevant precision at a rank that depends on the number of relevant documents, by the
                same method as precisions: exact
    unaffected  grades do not matter, or the score is about the judging itself and is unchanged:
                exact
    range       nothing is known beyond the measure's range: a bound

The best-known case is RBP, whose residual is the weight of all unjudged ranks (Moffat and Zobel,
Rank-biased precision, TOIS 2008; they add the weight of all ranks after the last, p^n, which is
outside the list and not counted here; the measure RBPResidual includes it)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.added_judgments import add_counted_judgments
from metrics_core.judging.unjudged import UnjudgedPlaces, split_into_blocks
from metrics_core.measures import Measure
from metrics_core.measures.declaring.registry import Share
from metrics_core.measures.normalisers import find_ideal_layers, numerator_measure
from metrics_core.scoring.precision_extremes import precision_extremes, precision_sum_extremes
from metrics_core.scoring.share_extremes import share_extremes
from metrics_core.scoring.single_documents import single_document_scores

Extremes = tuple[Floats, Floats]
EXACT = ("monotone", "count", "recall", "share", "precisions", "at relevant", "unaffected")


@dataclass(frozen=True)
class Residual:
    """Lowest and highest possible score of each query, float64[query] each. They are NaN if the
    score is undefined, or if its limits are unknown. `exact` is true if both scores can occur,
    false if they are only bounds."""

    low: Floats
    high: Floats
    exact: bool


def residual(
    ranks: JudgedRanks,
    measure: Measure,
    n_unlisted: Ints | None = None,
    *,
    highest_grade: float | None = None,
) -> Residual:
    """Return the range of a measure's scores over all grades that unjudged documents could have.

    `highest_grade` is the highest possible grade, by default the highest grade in the judgments. If
    it is too low to be relevant to the measure, it is raised to the lowest relevant grade.
    `n_unlisted` int64[query] is the number of additional documents that count as judged with the
    highest grade, but are not in the run's list."""
    # A table of gains may reverse the order of the grades, so nothing can be inferred.
    kind: str = "range" if measure.value("gains") else measure.declaration.residual
    if measure.value("judged_only"):
        # A document enters a condensed list as soon as it is judged, whatever its grade.
        kind = "range"
    grade = ranks.top_grade if highest_grade is None else highest_grade
    grade = max(grade, measure.value("rel") or 0)
    if kind == "normalised" and isinstance(measure.declaration.reach, Share):
        kind = "share"
    low, high = _find_extremes(ranks, measure, kind, grade, n_unlisted)
    return Residual(low, high, exact=kind in EXACT)


def _find_extremes(
    ranks: JudgedRanks, measure: Measure, kind: str, grade: float, n_unlisted: Ints | None
) -> Extremes:
    # Of documents below this depth only the number matters.
    cutoff = measure.cutoff
    depths = {"monotone": cutoff, "recall": cutoff, "share": cutoff, "count": 0, "range": 0}
    depth = depths.get(kind)
    in_one = kind == "unaffected" or not measure.declaration.by_query
    ends = []
    for queries, part in [(slice(None), ranks)] if in_one else split_into_blocks(ranks, depth):
        if n_unlisted is not None:
            part = add_counted_judgments(part, n_unlisted[queries], grade)
        ends.append(_extremes_of_kind(part, measure, kind, grade, depth))
    low, high = (np.concatenate(values) for values in zip(*ends, strict=True))
    return low, high


def _extremes_of_kind(
    ranks: JudgedRanks, measure: Measure, kind: str, grade: float, depth: int | None
) -> Extremes:
    score = measure.score(ranks)
    if kind == "unaffected":
        return score, score
    unjudged = UnjudgedPlaces.from_ranks(ranks, grade, depth)
    low, high = _EXTREMES[kind](ranks, measure, score, unjudged)
    is_fixed = (unjudged.count_unjudged() == 0) | np.isnan(score)
    return np.where(is_fixed, score, low), np.where(is_fixed, score, high)


def residual_frame(
    judged: Sequence[JudgedRanks],
    measures: Sequence[Measure],
    *,
    highest_grade: float | None = None,
) -> pd.DataFrame:
    """Return one row per run, measure and query. Columns: run, query_id, measure, low, high,
    exact."""
    parts = []
    for ranks in judged:
        for measure in measures:
            bounds = residual(ranks, measure, highest_grade=highest_grade)
            parts.append(
                pd.DataFrame(
                    {
                        "run": ranks.run_name,
                        "query_id": np.array(ranks.query_ids, object),
                        "measure": str(measure),
                        "low": bounds.low,
                        "high": bounds.high,
                        "exact": bounds.exact,
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def _monotone_extremes(
    ranks: JudgedRanks, measure: Measure, score: Floats, unjudged: UnjudgedPlaces
) -> Extremes:
    counts = unjudged.count_unjudged()
    if measure.cutoff is not None:
        # This many documents of the highest grade already fill the best order.
        counts = np.minimum(counts, measure.cutoff)
    other = measure.score(
        add_counted_judgments(unjudged.add_to_lists(ranks), counts, unjudged.grade)
    )
    return np.minimum(score, other), np.maximum(score, other)


def _count_extremes(
    ranks: JudgedRanks, measure: Measure, score: Floats, unjudged: UnjudgedPlaces
) -> Extremes:
    return score, score + unjudged.count_unjudged()


def _recall_extremes(
    ranks: JudgedRanks, measure: Measure, score: Floats, unjudged: UnjudgedPlaces
) -> Extremes:
    low = measure.score(add_counted_judgments(ranks, unjudged.n_below, unjudged.grade))
    return low, measure.score(unjudged.add_as_judged(ranks))


def _normalised_extremes(
    ranks: JudgedRanks, measure: Measure, score: Floats, unjudged: UnjudgedPlaces
) -> Extremes:
    ceiling = measure.declaration.range[1]
    low = measure.score(add_counted_judgments(ranks, unjudged.count_unjudged(), unjudged.grade))
    high = np.minimum(measure.score(unjudged.add_to_lists(ranks)), ceiling)
    # Without a known relevant document the divisor is 0, and every score is possible.
    is_undefined = ~np.isin(
        np.arange(ranks.n_queries), ranks.judged_query[ranks.judged_relevance > 0]
    )
    is_undefined |= ranks.n_relevant(measure.value("rel") or 0) == 0
    return np.minimum(low, score), np.where(is_undefined, ceiling, np.maximum(high, score))


def _share_extremes(
    ranks: JudgedRanks, measure: Measure, score: Floats, unjudged: UnjudgedPlaces
) -> Extremes:
    part = numerator_measure(measure)
    query, grade = unjudged.query, np.array([unjudged.grade])
    weights = single_document_scores(ranks, part, unjudged.rank, ranks.retrieved[query], grade)
    layers = find_ideal_layers(measure, ranks, grade)
    low, high = share_extremes(layers, part.score(ranks), query, weights, unjudged.n_below)
    return np.minimum(low, score), np.maximum(high, score)


def score_range(measure: Measure) -> tuple[float, float]:
    """Return the lowest and highest possible score. Both are NaN if scores are unbounded."""
    low, high = measure.declaration.range
    if measure.value("gains") or np.isinf(low) or np.isinf(high):
        return np.nan, np.nan
    return low, high


def _range_extremes(
    ranks: JudgedRanks, measure: Measure, score: Floats, unjudged: UnjudgedPlaces
) -> Extremes:
    low, high = score_range(measure)
    return np.full(len(score), low), np.full(len(score), high)


_EXTREMES: dict[str, Callable[[JudgedRanks, Measure, Floats, UnjudgedPlaces], Extremes]] = {
    "monotone": _monotone_extremes,
    "count": _count_extremes,
    "recall": _recall_extremes,
    "precisions": precision_sum_extremes,
    "at relevant": precision_extremes,
    "share": _share_extremes,
    "normalised": _normalised_extremes,
    "range": _range_extremes,
}
