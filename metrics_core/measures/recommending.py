"""Measures that recommenders report: users are queries, items are documents."""

from __future__ import annotations

import numpy as np

from metrics_core.hits import Cutoff, per_query, ratio
from metrics_core.judging import JudgedRanks
from metrics_core.measures.registry import Scores, measure


@measure(
    "ARHR",
    aliases=("average reciprocal hit rank", "average reciprocal hit rate"),
    title="Average reciprocal hit rank",
    gloss="1 ÷ rank, over all relevant",
    formula=r"\frac{1}{R}\sum_{i \le k} \frac{[rel_i \ge rel]}{i}",
    reference="Deshpande and Karypis, Item-based top-N recommendation algorithms, TOIS 2004;"
    " with several relevant items, the mean over all of them",
    worked={
        "ARHR": "(1 / 2 + 1 / 4 + 1 / 6) / 4",
        "ARHR@4": "(1 / 2 + 1 / 4) / 4",
        "ARHR(rel=2)": "(1 / 2 + 1 / 6) / 2",
    },
    residual="normalised",
)
def average_reciprocal_hit_rank(
    ranks: JudgedRanks, *, cutoff: int | None = None, rel: int = 1
) -> Scores:
    """1 divided by the rank of each relevant result, averaged over all relevant documents; those
    that were not found count 0."""
    hits = ranks.relevant(rel)
    return ratio(hits.total(1 / hits.rank, cutoff), per_query(ranks.n_relevant(rel), cutoff))


@measure(
    "AUC",
    aliases=("area under the curve", "ROC AUC"),
    title="Area under the ROC curve",
    gloss="relevant above the others",
    elsewhere={"scikit-learn": "roc_auc_score, where no scores tie"},
    formula=r"\frac{|\{(i, j) : i < j \le k,\ rel_i \ge rel,\ rel_j < rel\}|}"
    r"{|\{i \le k : rel_i \ge rel\}|\ |\{j \le k : rel_j < rel\}|}",
    reference="Hanley and McNeil, The meaning and use of the area under a ROC curve, 1982",
    worked={
        "AUC": "(2 + 1 + 0) / (3 * 3)",
        "AUC@4": "(1 + 0) / (2 * 2)",
        "AUC(rel=2)": "(3 + 0) / (2 * 4)",
    },
    unjudged="An unjudged document in the list counts as not relevant.",
    missing="Not defined for a judged query that the run does not list; left out of the mean.",
)
def area_under_curve(ranks: JudgedRanks, *, cutoff: int | None = None, rel: int = 1) -> Scores:
    """How often a relevant result stands above one that is not relevant, of all such pairs in the
    list: 0.5 is what chance gives. Relevant documents that were not retrieved do not enter. Not
    defined where the list has only relevant or only other documents."""
    hits = ranks.relevant(rel)
    relevant = hits.count(cutoff)
    others = _listed(ranks, cutoff) - relevant
    # Above a hit at rank r, the n-th of its query, stand r - n documents that are not relevant.
    wrong = hits.total((hits.rank - hits.ordinal()).astype(np.float64), cutoff)
    pairs = relevant * others
    return np.divide(pairs - wrong, pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)


def _listed(ranks: JudgedRanks, cutoff: Cutoff) -> Scores:
    """Documents in the list, or within each cutoff: float64[Q] or float64[Q, K]."""
    listed = per_query(ranks.retrieved, cutoff)
    return (listed if cutoff is None else np.minimum(listed, cutoff)).astype(np.float64)
