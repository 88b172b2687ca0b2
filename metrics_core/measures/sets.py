"""Measures of the whole list, treated as a set."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits, ratio
from metrics_core.measures.declaring.other_packages import Difference, InTrecEval
from metrics_core.measures.declaring.parameters import Bounds, FromZero, Rel, Samples, TopK
from metrics_core.measures.declaring.registry import measure, weights
from metrics_core.measures.precision_recall import Beta, relevant_weights

Worth = Annotated[float, Bounds(-1e100, 1e100)]
Relative = Annotated[bool, "divide by the highest precision possible with the number of results"]


@measure(
    "SetP",
    aliases=("set precision",),
    title="Set precision",
    gloss="relevant share of all results",
    trec_eval="set_P",
    ir_measures=True,
    formula=r"\frac{|relevant \cap retrieved|}{|retrieved|}",
    reference="van Rijsbergen, Information Retrieval, 1979",
    worked={
        "SetP": "3 / 6",
        "SetP(relative=True)": "3 / 4",
    },
    ideal=1.0,
    residual="monotone",
)
def set_precision(ranks: JudgedRanks, *, rel: Rel = 1, relative: Relative = False) -> Floats:
    """Share of all results that are relevant, regardless of their order. With `relative`, the
    number of relevant results is divided by the highest possible number instead."""
    most = np.minimum(ranks.documents(), ranks.n_relevant(rel)) if relative else ranks.documents()
    return ratio(ranks.relevant(rel).count(), most)


@measure(
    "SetRelP",
    aliases=("set relative precision",),
    title="Relative set precision",
    gloss="set precision ÷ maximum possible",
    trec_eval="set_relative_P",
    formula=r"\frac{|relevant \cap retrieved|}{\min(|retrieved|, |relevant|)}",
    reference="trec_eval, m_set_rel_P.c",
    worked={
        "SetRelP": "3 / 4",
        "SetRelP(rel=2)": "2 / 2",
    },
    ideal=1.0,
    residual="monotone",
)
def set_relative_precision(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Number of relevant results as a share of the highest number that is possible with this number
    of results and of relevant documents."""
    return set_precision(ranks, rel=rel, relative=True)


@measure(
    "SetR",
    aliases=("set recall",),
    title="Set recall",
    gloss="recall of all results",
    trec_eval="set_recall",
    ir_measures=True,
    formula=r"\frac{|relevant \cap retrieved|}{|relevant|}",
    reference="van Rijsbergen, Information Retrieval, 1979",
    worked={
        "SetR": "3 / 4",
    },
    ideal=1.0,
    residual="monotone",
)
def set_recall(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Share of all relevant documents that were retrieved at any rank."""
    return ratio(ranks.relevant(rel).count(), ranks.n_relevant(rel))


@measure(
    "SetAP",
    aliases=("set AP", "unranked average precision"),
    title="Set average precision",
    gloss="set precision × set recall",
    trec_eval="set_map",
    ir_measures=True,
    formula=r"\frac{|relevant \cap retrieved|^2}{|retrieved| \cdot |relevant|}",
    reference="trec_eval, m_set_map.c",
    worked={
        "SetAP": "3 * 3 / (6 * 4)",
        "SetAP(rel=2)": "2 * 2 / (6 * 2)",
    },
    ideal=1.0,
    residual="monotone",
)
def set_ap(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Average precision of unordered results: set precision times set recall."""
    hits, relevant = ranks.relevant(rel).count(), ranks.n_relevant(rel)
    return ratio(hits * hits, ranks.documents() * relevant)


@measure(
    "SetF",
    aliases=("set F", "F1"),
    title="Set F measure",
    gloss="F of set precision and recall",
    trec_eval=InTrecEval("set_F_{beta}", (1,), takes="numbers"),
    ir_measures=True,
    formula=r"\frac{(1+\beta)\,P\,R}{R + \beta P}",
    reference="van Rijsbergen, Information Retrieval, 1979; beta as in trec_eval's set_F.x",
    worked={
        "SetF": "2 * (3 / 6) * (3 / 4) / (3 / 6 + 3 / 4)",
        "SetF(beta=0.25)": "1.25 * (3 / 6) * (3 / 4) / (3 / 4 + 0.25 * 3 / 6)",
    },
    ideal=1.0,
    residual="monotone",
)
def set_f(ranks: JudgedRanks, *, rel: Rel = 1, beta: Beta = 1.0) -> Floats:
    """Harmonic mean of set precision and set recall, weighted by `beta`. As in trec_eval and
    ir_measures, `beta` is the square of van Rijsbergen's β, not β itself."""
    p, r = set_precision(ranks, rel=rel), set_recall(ranks, rel=rel)
    return ratio((1 + beta) * p * r, r + beta * p)


@measure(
    "Utility",
    title="Utility",
    gloss="total value of all results",
    trec_eval=InTrecEval("utility", (1, -1, 0, 0), takes="numbers"),
    formula=r"p_1 a + p_2 (n - a) + p_3 (R - a) + p_4 (D + a - n - R)",
    reference="Lewis, The TREC-4 filtering track, TREC-4, 1995; trec_eval, m_utility.c",
    worked={
        "Utility": "3 - 3",
        "Utility(p1=3.0,p2=-2.0)": "3 * 3 - 2 * 3",
        "Utility(p3=-0.5,p4=0.1,documents=100)": "3 - 3 - 0.5 * 1 + 0.1 * (100 + 3 - 6 - 4)",
    },
    range=(-np.inf, np.inf),
    residual="monotone",
)
def utility(
    ranks: JudgedRanks,
    *,
    p1: Annotated[Worth, "value of a listed relevant document", Samples(1, 3.5)] = 1.0,
    p2: Annotated[Worth, "value of a listed document that is not relevant", Samples(-1, 0)] = -1.0,
    p3: Annotated[Worth, "value of a relevant document that is not listed", Samples(0, -0.5)] = 0.0,
    p4: Annotated[Worth, "value of any other document of the collection", Samples(0, 0.25)] = 0.0,
    documents: Annotated[FromZero, "number of documents in the collection", Samples(0, 1000)] = 0,
    rel: Rel = 1,
) -> Floats:
    """Value of the results for a reader who gains by each relevant result and loses by each result
    that is not relevant. The values p3 and p4 apply to documents that are not listed; only p4 needs
    the collection size D."""
    hits, listed = ranks.relevant(rel).count(), ranks.documents()
    relevant = ranks.n_relevant(rel)
    other = documents + hits - listed - relevant
    worth = p1 * hits + p2 * (listed - hits) + p3 * (relevant - hits) + p4 * other
    return np.where(listed > 0, worth, 0.0)


@measure(
    "Judged",
    title="Judged results",
    gloss="mean share of top {k} judged",
    unjudged="An unjudged document lowers the score, because the score is the share of judged"
    " documents.",
    ir_measures=True,
    formula=r"\frac{|\{i \le k : judged\}|}{\min(k, |retrieved|)}",
    reference="ir_measures, Judged@k",
    worked={
        "Judged@5": "3 / 5",
        "Judged@10": "4 / 6",
        "Judged": "4 / 6",
    },
    ideal=1.0,
    residual="unaffected",
    differences=Difference(
        "ir_measures",
        "A document with a negative grade counts as unjudged.",
        "ir_measures counts every document in the judgments.",
    ),
)
def judged_share(ranks: JudgedRanks, *, cutoff: TopK | None = None) -> Floats:
    """Share of the first k results that are judged. It shows how far other scores can be trusted,
    since an unjudged document counts as not relevant. Like every score it is a mean over queries,
    and a query without results counts 0. In contrast, “88% judged in the top 10 of both runs” on a
    page is a share of the documents of all lists together, in which a short list counts less."""
    return ratio(ranks.judged().count(cutoff), ranks.documents(cutoff))


weights("SetP", "SetRelP", "SetR", "SetAP", "SetF")(relevant_weights)


@weights("Judged")
def _judged_weights(ranks: JudgedRanks, **_: object) -> Hits:
    hits = ranks.judged()
    return hits.contributions(np.ones(len(hits.rank)))
