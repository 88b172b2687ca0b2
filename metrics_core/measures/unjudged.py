"""Measures of the unjudged documents in a run."""

from __future__ import annotations

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.measures.declaring.other_packages import InTrecEval
from metrics_core.measures.declaring.parameters import Persistence, TopK
from metrics_core.measures.declaring.registry import measure


@measure(
    "Unjudged",
    aliases=("unj",),
    title="Unjudged",
    gloss="unjudged in top {k}, out of {k}",
    trec_eval=InTrecEval("unj_{cutoff}", (5, 10, 20), since="10.0"),
    formula=r"\frac{|\{i \le k : unjudged\}|}{k}",
    reference="trec_eval 10.0, m_unjudged.c",
    worked={
        "Unjudged@5": "2 / 5",
        "Unjudged@10": "2 / 10",
    },
    higher_is_better=False,
    ideal=0.0,
    unjudged="Unjudged documents are counted. A document with a negative grade counts as unjudged.",
    residual="unaffected",
)
def unjudged_share(ranks: JudgedRanks, *, cutoff: TopK) -> Floats:
    """Unjudged documents among the first k, divided by k. A high share is a warning that the
    judgments cover too little of this run. Empty ranks count as judged."""
    return (ranks.documents(cutoff) - ranks.judged().count(cutoff)) / cutoff


@measure(
    "RBPResidual",
    aliases=("RBP residual",),
    title="Residual of rank-biased precision",
    gloss="max. RBP gain from unjudged",
    trec_eval=InTrecEval("rbp_resid", takes="pairs", since="10.0"),
    formula=r"p^n + (1-p)\sum_{i \le n : unjudged} p^{i-1}",
    reference="Moffat and Zobel, Rank-biased precision, TOIS 2008; trec_eval 10.0, m_rbp_resid.c",
    worked={
        "RBPResidual": "0.9 ** 6 + 0.1 * (1 + 0.9 ** 4)",
        "RBPResidual(p=0.5)": "0.5 ** 6 + 0.5 * (1 + 0.5 ** 4)",
    },
    higher_is_better=False,
    ideal=0.0,
    unjudged="An unjudged document counts with the weight of its rank. A document with a negative"
    " grade counts as unjudged.",
    residual="unaffected",
)
def rbp_residual(ranks: JudgedRanks, *, p: Persistence = 0.9) -> Floats:
    """Maximum increase of RBP: the increase if every unjudged result and everything beyond the end
    of the list were relevant. As in trec_eval it is 0 if every listed document is judged."""
    judged = ranks.judged()
    lead = np.diff(judged.query, prepend=-1) > 0
    above = np.where(lead, 0, np.roll(judged.rank, 1))
    # The ranks after a up to b weigh p^a - p^b; adding these differences loses no small terms.
    powers = p ** np.arange(ranks.retrieved.max(initial=0) + 1)
    between = judged.total(powers[above] - powers[judged.rank - 1])
    deepest = np.zeros(ranks.n_queries, dtype=np.int64)
    np.maximum.at(deepest, judged.query, judged.rank)
    if ranks.empty is not None:
        empty = ranks.empty
        between -= np.bincount(
            empty.query, powers[empty.first - 1] - powers[empty.last], len(between)
        )
    return np.where(judged.count() < ranks.documents(), between + powers[deepest], 0.0)
