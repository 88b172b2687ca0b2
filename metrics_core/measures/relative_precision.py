"""Precision relative to the highest precision that the number of relevant documents allows."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits, expand_per_query, ratio
from metrics_core.measures.declaring.other_packages import CUTOFFS, InTrecEval
from metrics_core.measures.declaring.parameters import MAX_WHOLE_NUMBER, Bounds, Rel, Samples, TopK
from metrics_core.measures.declaring.registry import measure, weights
from metrics_core.measures.precision_recall import relevant_weights

MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
"""Default multiples of R in trec_eval."""

Factor = Annotated[
    Annotated[float, Bounds(0, MAX_WHOLE_NUMBER, open_low=True)],
    "depth as a multiple of the number of relevant documents",
    Samples(1.0, 0.2, 0.6, 1.4, 2.0),
]


@measure(
    "RelP",
    aliases=("relative precision", "R_cap", "recall_cap", "capped recall"),
    title="Relative precision",
    gloss="share of the best possible {k}",
    trec_eval=InTrecEval("relative_P_{cutoff}", CUTOFFS),
    formula=r"\frac{1}{\min(k, R)}\sum_{i \le k} [rel_i \ge rel]",
    reference="trec_eval, m_rel_P.c",
    worked={
        "RelP@2": "1 / 2",
        "RelP@10": "3 / 4",
        "RelP(rel=2)@5": "1 / 2",
    },
    ideal=1.0,
    residual="recall",
    elsewhere={"BEIR": "R_cap@k"},
)
def relative_precision(ranks: JudgedRanks, *, cutoff: TopK, rel: Rel = 1) -> Floats:
    """Relevant documents among the first k, as a share of the maximum possible. This is precision
    as long as k is below the number of relevant documents, and recall for any larger k."""
    most = np.minimum(cutoff, expand_per_query(ranks.n_relevant(rel), cutoff))
    return ratio(ranks.relevant(rel).count(cutoff), most)


@measure(
    "RprecMult",
    aliases=("R-precision multiple",),
    title="Precision at a multiple of R",
    gloss="precision at multiples of R",
    trec_eval=InTrecEval("Rprec_mult_{factor}", MULTIPLES),
    formula=r"\frac{1}{c}\sum_{i \le c} [rel_i \ge rel],\quad c = \lfloor factor \cdot R"
    r" + 0.9 \rfloor",
    reference="trec_eval, m_Rprec_mult.c",
    worked={
        "RprecMult@1.0": "2 / 4",
        "RprecMult@0.6": "1 / 3",
        "RprecMult@2.0": "3 / 8",
    },
    at="factor",
    residual="at relevant",
)
def r_precision_multiple(ranks: JudgedRanks, *, factor: Factor, rel: Rel = 1) -> Floats:
    """Precision at a multiple of the number of relevant documents. Low multiples correspond to
    readers who want a few good results, high multiples to readers who want all."""
    depth = _depth_of_multiple(ranks, factor, rel)
    return ratio(ranks.relevant(rel).count_within(depth), depth)


def _depth_of_multiple(ranks: JudgedRanks, factor: float, rel: int) -> Ints:
    """Return `factor` times the number of relevant documents, rounded as in trec_eval,
    int64[query]."""
    return np.trunc(factor * ranks.n_relevant(rel) + 0.9).astype(np.int64)


weights("RelP")(relevant_weights)


@weights("RprecMult")
def _weights_at_multiple_of_r(ranks: JudgedRanks, *, factor: float, rel: int) -> Hits:
    hits = relevant_weights(ranks, rel=rel)
    return hits.select(hits.rank <= _depth_of_multiple(ranks, factor, rel)[hits.query])
