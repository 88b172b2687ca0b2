"""Estimates for collections in which only a sample of the documents is judged."""

from __future__ import annotations

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits, ratio
from metrics_core.measures.declaring.parameters import Rel
from metrics_core.measures.declaring.registry import measure, weights

_EPSILON = 0.00001


@measure(
    "infAP",
    aliases=("inferred average precision",),
    title="Inferred average precision",
    gloss="AP estimated from a sample",
    trec_eval="infAP",
    ir_measures=True,
    formula=r"\frac{1}{R}\sum_{i : rel_i \ge rel} \frac{1}{i} + \frac{i-1}{i}"
    r"\cdot\frac{|pool_{<i}|}{i-1}\cdot\frac{|rel_{<i}|+\epsilon}{|judged_{<i}|+2\epsilon},"
    r"\quad \epsilon = 10^{-5}",
    reference="Yilmaz and Aslam, Estimating average precision with incomplete and imperfect"
    " judgments, CIKM 2006; trec_eval, m_infap.c",
    worked={
        "infAP": "((1 / 2 + 1 / 2 * (0 / 1) * (1e-5 / 2e-5))"
        " + (1 / 4 + 3 / 4 * (2 / 3) * (1.00001 / 2.00002))"
        " + (1 / 6 + 5 / 6 * (4 / 5) * (2.00001 / 3.00002))) / 4",
        "infAP(rel=3)": "1 / 6 + 5 / 6 * (4 / 5) * (1e-5 / 3.00002)",
    },
    unjudged="A negative grade means pooled but not judged: such documents count as relevant at"
    " the same rate as the judged ones. Documents without any grade count as not"
    " relevant.",
)
def inferred_ap(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Estimate of average precision from judgments of only a random part of each query's pool. The
    rest of the pool must be marked with a negative grade; without these marks the estimate is close
    to AP."""
    return ratio(ranks.relevant(rel).total(_estimate_precisions(ranks, rel)), ranks.n_relevant(rel))


def _estimate_precisions(ranks: JudgedRanks, rel: int) -> Floats:
    """Return the expected precision at the rank of each relevant result, float64[hit]."""
    relevant = ranks.relevance >= rel
    hits = ranks.relevant(rel)
    above = hits.rank - 1
    pooled = ranks.pooled().ordinals()[relevant] - 1
    judged = ranks.judged()
    n_relevant_above = judged.ordinals()[judged.relevance >= rel] - 1
    precision = (hits.ordinals() - 1 + _EPSILON) / (n_relevant_above + 2 * _EPSILON)
    expected = above / hits.rank * ratio(pooled.astype(np.float64), above) * precision
    return np.where(above == 0, 1.0, 1 / hits.rank + expected)


@weights("infAP")
def _infap_weights(ranks: JudgedRanks, *, rel: int) -> Hits:
    return ranks.relevant(rel).contributions(_estimate_precisions(ranks, rel))
