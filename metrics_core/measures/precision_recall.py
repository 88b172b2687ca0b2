"""Measures for which each document is either relevant or not."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits, expand_per_query, ratio
from metrics_core.measures.declaring.other_packages import CUTOFFS, InTrecEval
from metrics_core.measures.declaring.parameters import Rel, Samples, TopK
from metrics_core.measures.declaring.registry import measure, weights

ListShare = Annotated[
    Literal["k", "retrieved"],
    "divisor of the hits: k, or the number of listed documents if that is smaller",
]
Beta = Annotated[float, "weight of recall relative to precision", Samples(1.0, 2.5, 0.5)]
FoundShare = Annotated[
    Literal["relevant", "retrieved", "min", "k"],
    "divisor of the sum: number of relevant documents; number of those retrieved; the smaller of"
    " k and the number of relevant documents; or k",
]


@measure(
    "P",
    aliases=("Precision", "prec"),
    title="Precision",
    gloss="share of top {k} relevant",
    trec_eval=InTrecEval("P_{cutoff}", CUTOFFS),
    ir_measures=True,
    formula=r"\frac{1}{k}\sum_{i \le k} [rel_i \ge rel]",
    reference="van Rijsbergen, Information Retrieval, 1979",
    worked={
        "P@5": "2 / 5",
        "P@10": "3 / 10",
        "P(rel=2)@5": "1 / 5",
        "P(denominator='retrieved')@10": "3 / 6",
    },
    residual="monotone",
    reach="additive",
    elsewhere={"ranx": "precision@k"},
)
def precision(
    ranks: JudgedRanks, *, cutoff: TopK, rel: Rel = 1, denominator: ListShare = "k"
) -> Floats:
    """Share of the first k results that are relevant. Ranks without a document count as not
    relevant, unless `denominator` is 'retrieved'."""
    hits = ranks.relevant(rel).count(cutoff)
    if denominator == "k":
        hits /= cutoff
        return hits
    return ratio(hits, ranks.documents(cutoff))


@measure(
    "R",
    aliases=("Recall",),
    title="Recall",
    gloss="relevant documents found",
    trec_eval=InTrecEval("recall_{cutoff}", CUTOFFS),
    ir_measures=True,
    formula=r"\frac{1}{R}\sum_{i \le k} [rel_i \ge rel]",
    reference="van Rijsbergen, Information Retrieval, 1979",
    worked={
        "R@5": "2 / 4",
        "R(rel=2)@5": "1 / 2",
    },
    residual="recall",
    elsewhere={"ranx": "recall@k"},
)
def recall(ranks: JudgedRanks, *, cutoff: TopK, rel: Rel = 1) -> Floats:
    """Share of all relevant documents that are among the first k results."""
    hits = ranks.relevant(rel).count(cutoff)
    return ratio(hits, expand_per_query(ranks.n_relevant(rel), cutoff))


@measure(
    "F",
    aliases=("F measure",),
    title="F measure",
    gloss="harmonic mean of P@{k} and R@{k}",
    formula=r"\frac{(1+\beta)\,P@k\,R@k}{R@k + \beta\,P@k}",
    reference="van Rijsbergen, Information Retrieval, 1979; beta as in trec_eval's set_F.x",
    worked={
        "F@5": "2 * (2 / 5) * (2 / 4) / (2 / 5 + 2 / 4)",
        "F(beta=0.25)@5": "1.25 * (2 / 5) * (2 / 4) / (2 / 4 + 0.25 * 2 / 5)",
    },
)
def f_measure(ranks: JudgedRanks, *, cutoff: TopK, rel: Rel = 1, beta: Beta = 1.0) -> Floats:
    """Harmonic mean of precision and recall of the first k results. With the default `beta` of 1 it
    is known as F1@k (ranx: f1@k). As for SetF, `beta` is the square of van Rijsbergen's β."""
    p, r = precision(ranks, cutoff=cutoff, rel=rel), recall(ranks, cutoff=cutoff, rel=rel)
    return ratio((1 + beta) * p * r, r + beta * p)


@measure(
    "AP",
    aliases=("MAP", "average precision", "mean average precision"),
    title="Average precision",
    gloss="mean precision at relevant ranks",
    trec_eval=("map", InTrecEval("map_cut_{cutoff}", CUTOFFS)),
    ir_measures=True,
    formula=r"\frac{1}{R}\sum_{i \le k} [rel_i \ge rel]\, P@i",
    reference="Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000",
    worked={
        "AP": "(1 / 2 + 2 / 4 + 3 / 6) / 4",
        "AP@5": "(1 / 2 + 2 / 4) / 4",
        "AP(rel=2)": "(1 / 2 + 2 / 6) / 2",
        "AP(denominator='retrieved')": "(1 / 2 + 2 / 4 + 3 / 6) / 3",
        "AP(denominator='retrieved')@5": "(1 / 2 + 2 / 4) / 2",
        "AP(denominator='min')@3": "(1 / 2) / 3",
        "AP(denominator='k')@5": "(1 / 2 + 2 / 4) / 5",
        "AP(denominator='k')": "(1 / 2 + 2 / 4 + 3 / 6) / 6",
    },
    residual="precisions",
    elsewhere={
        "ranx": "map@k",
        "scikit-learn": "average_precision_score of the listed documents, if no scores are tied",
    },
)
def average_precision(
    ranks: JudgedRanks,
    *,
    cutoff: TopK | None = None,
    rel: Rel = 1,
    denominator: FoundShare = "relevant",
) -> Floats:
    """Precision at the rank of each relevant document, averaged over all relevant documents;
    documents not found count as 0. Early relevant results count more. Other conventions divide
    by the number of relevant documents retrieved within the cutoff, or by the smaller of k and
    the number of all relevant documents. Some recommender courses always divide by k, or
    without a cutoff by the number of listed documents."""
    hits = ranks.relevant(rel)
    precisions = hits.total(hits.ordinals() / hits.rank, cutoff)
    if denominator == "retrieved":
        return ratio(precisions, hits.count(cutoff))
    if denominator == "k":
        return ratio(precisions, ranks.documents()) if cutoff is None else precisions / cutoff
    n_relevant = expand_per_query(ranks.n_relevant(rel), cutoff)
    if denominator == "min" and cutoff is not None:
        n_relevant = np.minimum(n_relevant, cutoff)
    return ratio(precisions, n_relevant)


@measure(
    "RR",
    aliases=("MRR", "reciprocal rank", "mean reciprocal rank"),
    title="Reciprocal rank",
    gloss="1 ÷ first relevant rank",
    trec_eval="recip_rank",
    ir_measures=True,
    formula=r"\frac{1}{\min\{i \le k : rel_i \ge rel\}}",
    reference="Kantor and Voorhees, The TREC-5 confusion track, 2000",
    worked={
        "RR": "1 / 2",
        "RR@1": "0",
        "RR(rel=3)": "1 / 6",
    },
    ideal=1.0,
    residual="monotone",
    reach="first",
    elsewhere={"ranx": "mrr@k"},
)
def reciprocal_rank(ranks: JudgedRanks, *, cutoff: TopK | None = None, rel: Rel = 1) -> Floats:
    """1 divided by the rank of the first relevant result: 1 if it comes first, 0.5 if second,
    0 if there is none. Later results do not count."""
    first = expand_per_query(ranks.relevant(rel).first_rank(), cutoff)
    return np.where(first <= (np.inf if cutoff is None else cutoff), 1 / first, 0.0)


@measure(
    "Success",
    aliases=("hit rate", "hit ratio", "hit", "HR"),
    title="Success",
    gloss="any relevant in top {k}",
    trec_eval=InTrecEval("success_{cutoff}", (1, 5, 10)),
    ir_measures=True,
    formula=r"[\exists\, i \le k : rel_i \ge rel]",
    reference="trec_eval, m_success.c",
    worked={
        "Success@1": "0",
        "Success@2": "1",
    },
    ideal=1.0,
    residual="monotone",
    reach="first",
    elsewhere={"ranx": "hit_rate@k"},
    also_means={"hits": "ranx's hits@{k} counts the relevant documents, so it is {k} times P@{k}"},
)
def success(ranks: JudgedRanks, *, cutoff: TopK, rel: Rel = 1) -> Floats:
    """1 if any of the first k results is relevant, otherwise 0. The mean is the share of queries
    with a relevant result."""
    return (ranks.relevant(rel).count(cutoff) > 0).astype(np.float64)


@measure(
    "Rprec",
    aliases=("R-precision",),
    title="R-precision",
    gloss="precision at rank R",
    trec_eval="Rprec",
    ir_measures=True,
    formula=r"\frac{1}{R}\sum_{i \le R} [rel_i \ge rel]",
    reference="Buckley and Voorhees, Retrieval system evaluation, 2005",
    worked={
        "Rprec": "2 / 4",
        "Rprec(rel=2)": "1 / 2",
    },
    ideal=1.0,
    residual="at relevant",
    elsewhere={"ranx": "r-precision"},
)
def r_precision(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Precision of the first R results; R is the number of relevant documents. It is 1 if all
    relevant documents come first."""
    n_relevant = ranks.n_relevant(rel)
    return ratio(ranks.relevant(rel).count_within(n_relevant), n_relevant)


@weights("P", "R", "F")
def relevant_weights(ranks: JudgedRanks, *, rel: int, **_: object) -> Hits:
    """Give every relevant document the same weight."""
    hits = ranks.relevant(rel)
    return hits.contributions(np.ones(len(hits.rank)))


@weights("AP")
def precision_weights(ranks: JudgedRanks, *, rel: int, **_: object) -> Hits:
    """Weight each relevant document by the precision at its rank."""
    hits = ranks.relevant(rel)
    return hits.contributions(hits.ordinals() / hits.rank)


@weights("RR", "Success")
def _first_relevant_weights(ranks: JudgedRanks, *, rel: int, **_: object) -> Hits:
    """Give weight only to the first relevant document of each query."""
    hits = relevant_weights(ranks, rel=rel)
    return hits.select(hits.ordinals() == 1)


@weights("Rprec")
def _r_precision_weights(ranks: JudgedRanks, *, rel: int) -> Hits:
    hits = relevant_weights(ranks, rel=rel)
    return hits.select(hits.rank <= ranks.n_relevant(rel)[hits.query])
