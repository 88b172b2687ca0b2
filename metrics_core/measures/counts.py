"""Counts of queries and documents, shown with every score."""

from __future__ import annotations

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits
from metrics_core.measures.declaring.other_packages import Difference, InTrecEval
from metrics_core.measures.declaring.parameters import Rel
from metrics_core.measures.declaring.registry import measure, weights
from metrics_core.measures.precision_recall import relevant_weights


@measure(
    "NumQ",
    title="Queries",
    gloss="queries",
    trec_eval=InTrecEval("num_q", summary="queries"),
    ir_measures=True,
    formula=r"|queries|",
    reference="trec_eval, m_num_q.c",
    worked={
        "NumQ": "1",
    },
    aggregation="sum",
    range=(0, np.inf),
    condensable=False,
    residual="unaffected",
    missing="The query is counted, even if it is missing from the run.",
)
def number_of_queries(ranks: JudgedRanks) -> Floats:
    """1 for each judged query; the sum is the number of queries."""
    return np.ones(ranks.n_queries)


@measure(
    "Answered",
    title="Answered",
    gloss="queries with results",
    formula=r"[|retrieved| > 0]",
    reference="Ranklens; its mean is the share of queries with results",
    worked={
        "Answered": "1",
    },
    condensable=False,
    residual="monotone",
)
def answered_queries(ranks: JudgedRanks) -> Floats:
    """1 for a query with results, whether the documents are judged or not; otherwise 0. The mean is
    the share of judged queries with results."""
    return (ranks.documents() > 0).astype(np.float64)


@measure(
    "NumRet",
    title="Retrieved",
    gloss="documents retrieved",
    trec_eval="num_ret",
    ir_measures=True,
    formula=r"|retrieved|",
    reference="trec_eval, m_num_ret.c",
    worked={
        "NumRet": "6",
        "NumRet(rel=2)": "2",
    },
    aggregation="sum",
    range=(0, np.inf),
    residual="monotone",
)
def number_retrieved(ranks: JudgedRanks, *, rel: Rel | None = None) -> Floats:
    """Number of documents in the run's list for the query. With `rel`, only relevant documents are
    counted."""
    if rel is None:
        return ranks.documents().astype(np.float64)
    return ranks.relevant(rel).count()


@measure(
    "NumRel",
    title="Relevant",
    gloss="relevant documents",
    trec_eval=InTrecEval("num_rel", summary="relevant"),
    ir_measures=True,
    formula=r"|relevant|",
    reference="trec_eval, m_num_rel.c",
    worked={
        "NumRel": "4",
        "NumRel(rel=2)": "2",
    },
    aggregation="sum",
    range=(0, np.inf),
    condensable=False,
    residual="monotone",
    missing="The relevant documents of a query are counted, even if the query is missing from the"
    " run.",
    differences=Difference(
        "pytrec_eval",
        "NumRel(rel=…) counts documents whose grade is at least rel.",
        "pytrec_eval has no NumRel(rel=…), so ir_measures has NumRel only for rel=1.",
    ),
)
def number_relevant(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Number of documents that are judged relevant to the query."""
    return ranks.n_relevant(rel).astype(np.float64)


@measure(
    "NumRelRet",
    title="Relevant retrieved",
    gloss="relevant documents retrieved",
    trec_eval="num_rel_ret",
    ir_measures=True,
    formula=r"|relevant \cap retrieved|",
    reference="trec_eval, m_num_rel_ret.c",
    worked={
        "NumRelRet": "3",
    },
    aggregation="sum",
    range=(0, np.inf),
    residual="monotone",
    reach="additive",
    presets={"hits": {}},
    elsewhere={"ranx": "hits"},
)
def number_relevant_retrieved(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Number of relevant documents at any rank of the run's list."""
    return ranks.relevant(rel).count()


@measure(
    "NumNonrelRet",
    title="Not relevant retrieved",
    gloss="judged not relevant, retrieved",
    trec_eval="num_nonrel_judged_ret",
    formula=r"|judged \cap retrieved \setminus relevant|",
    reference="trec_eval, m_num_nonrel_judged_ret.c",
    worked={
        "NumNonrelRet": "1",
        "NumNonrelRet(rel=2)": "2",
    },
    aggregation="sum",
    range=(0, np.inf),
    residual="count",
    higher_is_better=False,
    unjudged="Unjudged documents are not counted. A document with a negative grade counts as"
    " unjudged.",
)
def number_nonrelevant_retrieved(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Number of documents in the run's list, at any rank, that are judged not relevant."""
    return ranks.judged().count() - ranks.relevant(rel).count()


weights("NumRelRet")(relevant_weights)


@weights("NumNonrelRet")
def _nonrelevant_weights(ranks: JudgedRanks, *, rel: int) -> Hits:
    hits = ranks.judged().contributions(np.ones(len(ranks.judged().rank)))
    return hits.select(ranks.judged().relevance < rel)
