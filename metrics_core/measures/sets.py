"""Measures of the whole list as a set, and the counts that stand beside every score."""

from __future__ import annotations

import numpy as np

from metrics_core.hits import per_query, ratio
from metrics_core.judging import JudgedRanks
from metrics_core.measures.registry import Scores, measure


@measure(
    "SetP",
    aliases=("set precision",),
    title="Set precision",
    gloss="share of all results relevant",
    trec_eval="set_P",
    formula=r"\frac{|relevant \cap retrieved|}{|retrieved|}",
    reference="van Rijsbergen, Information Retrieval, 1979",
    worked={
        "SetP": "3 / 6",
    },
    ideal=1.0,
)
def set_precision(ranks: JudgedRanks, *, rel: int = 1) -> Scores:
    """Share of all results that are relevant, whatever their order."""
    return ratio(ranks.relevant(rel).count(), ranks.retrieved)


@measure(
    "SetR",
    aliases=("set recall",),
    title="Set recall",
    gloss="share of relevant anywhere",
    trec_eval="set_recall",
    formula=r"\frac{|relevant \cap retrieved|}{|relevant|}",
    reference="van Rijsbergen, Information Retrieval, 1979",
    worked={
        "SetR": "3 / 4",
    },
    ideal=1.0,
)
def set_recall(ranks: JudgedRanks, *, rel: int = 1) -> Scores:
    """Share of all relevant documents that were retrieved at any rank."""
    return ratio(ranks.relevant(rel).count(), ranks.n_relevant(rel))


@measure(
    "SetF",
    aliases=("set F", "F1"),
    title="Set F",
    gloss="set precision with set recall",
    trec_eval="set_F",
    formula=r"\frac{(1+\beta)\,P\,R}{R + \beta P}",
    reference="van Rijsbergen, Information Retrieval, 1979; beta as in trec_eval's set_F.x",
    worked={
        "SetF": "2 * (3 / 6) * (3 / 4) / (3 / 6 + 3 / 4)",
        "SetF(beta=0.25)": "1.25 * (3 / 6) * (3 / 4) / (3 / 4 + 0.25 * 3 / 6)",
    },
    ideal=1.0,
)
def set_f(ranks: JudgedRanks, *, rel: int = 1, beta: float = 1.0) -> Scores:
    """Harmonic mean of set precision and set recall. As in trec_eval and ir_measures, `beta` is
    the weight itself, the square of van Rijsbergen's β."""
    p, r = set_precision(ranks, rel=rel), set_recall(ranks, rel=rel)
    return ratio((1 + beta) * p * r, r + beta * p)


@measure(
    "Judged",
    title="Judged",
    gloss="share of top {k} judged",
    formula=r"\frac{|\{i \le k : judged\}|}{\min(k, |retrieved|)}",
    reference="ir_measures, Judged@k",
    worked={
        "Judged@5": "3 / 5",
        "Judged@10": "4 / 6",
        "Judged": "4 / 6",
    },
    ideal=1.0,
)
def judged(ranks: JudgedRanks, *, cutoff: int | None = None) -> Scores:
    """Share of the first k results that somebody has judged. It says how far the other scores
    can be trusted: an unjudged document counts as not relevant."""
    listed = per_query(ranks.retrieved, cutoff)
    if cutoff is not None:
        listed = np.minimum(cutoff, listed)
    return ratio(ranks.judged().count(cutoff), listed)


@measure(
    "NumQ",
    title="Queries",
    gloss="queries",
    trec_eval="num_q",
    formula=r"|queries|",
    reference="trec_eval, m_num_q.c",
    worked={
        "NumQ": "1",
    },
    aggregation="sum",
    range=(0, np.inf),
    condensable=False,
)
def number_of_queries(ranks: JudgedRanks) -> Scores:
    """1 for each judged query; the sum is the number of queries."""
    return np.ones(ranks.n_queries)


@measure(
    "NumRet",
    title="Retrieved",
    gloss="documents retrieved",
    trec_eval="num_ret",
    formula=r"|retrieved|",
    reference="trec_eval, m_num_ret.c",
    worked={
        "NumRet": "6",
    },
    aggregation="sum",
    range=(0, np.inf),
)
def number_retrieved(ranks: JudgedRanks) -> Scores:
    """Number of documents the run lists for the query."""
    return ranks.retrieved.astype(np.float64)


@measure(
    "NumRel",
    title="Relevant",
    gloss="relevant documents",
    trec_eval="num_rel",
    formula=r"|relevant|",
    reference="trec_eval, m_num_rel.c",
    worked={
        "NumRel": "4",
        "NumRel(rel=2)": "2",
    },
    aggregation="sum",
    range=(0, np.inf),
    condensable=False,
)
def number_relevant(ranks: JudgedRanks, *, rel: int = 1) -> Scores:
    """Number of relevant documents the judgments know for the query."""
    return ranks.n_relevant(rel).astype(np.float64)


@measure(
    "NumRelRet",
    title="Relevant retrieved",
    gloss="relevant documents retrieved",
    trec_eval="num_rel_ret",
    formula=r"|relevant \cap retrieved|",
    reference="trec_eval, m_num_rel_ret.c",
    worked={
        "NumRelRet": "3",
    },
    aggregation="sum",
    range=(0, np.inf),
)
def number_relevant_retrieved(ranks: JudgedRanks, *, rel: int = 1) -> Scores:
    """Number of relevant documents the run lists at any rank."""
    return ranks.relevant(rel).count()
