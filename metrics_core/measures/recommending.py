"""Measures for recommenders, in which users are queries and items are documents."""

from __future__ import annotations

from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits, expand_per_query, ratio
from metrics_core.measures.declaring.parameters import Rel, TopK
from metrics_core.measures.declaring.registry import measure, weights


@measure(
    "ARHR",
    aliases=("average reciprocal hit rank", "average reciprocal hit rate"),
    title="Average reciprocal hit rank",
    gloss="mean 1 ÷ rank of all relevant",
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
    ranks: JudgedRanks, *, cutoff: TopK | None = None, rel: Rel = 1
) -> Floats:
    """1 divided by the rank of each relevant result, averaged over all relevant documents;
    documents not found count 0."""
    hits = ranks.relevant(rel)
    return ratio(hits.total(1 / hits.rank, cutoff), expand_per_query(ranks.n_relevant(rel), cutoff))


@weights("ARHR")
def _arhr_weights(ranks: JudgedRanks, *, rel: int, **_: object) -> Hits:
    hits = ranks.relevant(rel)
    return hits.contributions(1 / hits.rank)
