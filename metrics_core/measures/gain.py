"""Measures in which a higher grade is worth more."""

from __future__ import annotations

from typing import Literal

import numpy as np

from metrics_core.hits import Cutoff, Hits, ratio
from metrics_core.judging import JudgedRanks
from metrics_core.measures.registry import Scores, measure

Gain = Literal["log2", "exp-log2"]


def discounted_gain(hits: Hits, cutoff: Cutoff, gain: Gain) -> Scores:
    """Sum of gain / log2(rank + 1) within each cutoff; negative grades gain nothing."""
    grade = np.maximum(hits.relevance, 0)
    gains = grade if gain == "log2" else np.exp2(grade) - 1
    return hits.total(gains / np.log2(hits.rank + 1), cutoff)


@measure(
    "nDCG",
    aliases=("normalized discounted cumulative gain",),
    title="nDCG",
    gloss="order of the top {k}",
    trec_eval=("ndcg", "ndcg_cut_{cutoff}"),
    formula=r"\frac{\sum_{i \le k} g(rel_i) / \log_2(i+1)}{\text{the same for the best order}}",
    reference="Järvelin and Kekäläinen, Cumulated gain-based evaluation, TOIS 2002",
    worked={
        "nDCG@4": "(2 / log2(3) + 1 / log2(5)) / (3 + 2 / log2(3) + 1 / log2(4) + 1 / log2(5))",
        "nDCG": "(2 / log2(3) + 1 / log2(5) + 3 / log2(7))"
        " / (3 + 2 / log2(3) + 1 / log2(4) + 1 / log2(5))",
        "nDCG(dcg='exp-log2')@4": "(3 / log2(3) + 1 / log2(5))"
        " / (7 + 3 / log2(3) + 1 / log2(4) + 1 / log2(5))",
    },
    ideal=1.0,
    residual="normalised",
)
def ndcg(ranks: JudgedRanks, *, cutoff: int | None = None, dcg: Gain = "log2") -> Scores:
    """How close the results come to the best possible order: 1 is perfect, 0 means nothing
    relevant. Higher grades and earlier ranks count more."""
    best = discounted_gain(ranks.ideal(), cutoff, dcg)
    return ratio(discounted_gain(ranks.judged(), cutoff, dcg), best)
