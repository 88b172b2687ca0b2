"""Measures of how far a reader goes down the list: rank-biased precision and expected reciprocal
rank, and what they are built of."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Floats, Hits
from metrics_core.measures.declaring.parameters import Persistence, Rel, Samples, TopK
from metrics_core.measures.declaring.registry import Scores, measure

MaxRel = Annotated[int, "grade that is worth most; higher ones count as this one", Samples(2, 4)]


@measure(
    "RBP",
    aliases=("rank-biased precision",),
    presets={"rbp": {"p": 0.9}},
    title="Rank-biased precision",
    gloss="gain at a reader's patience",
    formula=r"(1-p)\sum_{i \le k} g_i\, p^{i-1}",
    reference="Moffat and Zobel, Rank-biased precision, TOIS 2008",
    elsewhere={"ranx": "rbp.80", "trec_eval": "rbp (10.0), with p = 0.9"},
    worked={
        "RBP": "0.2 * (2 * 0.8 + 1 * 0.8**3 + 3 * 0.8**5)",
        "RBP@5": "0.2 * (2 * 0.8 + 1 * 0.8**3)",
        "RBP(rel=1)": "0.2 * (0.8 + 0.8**3 + 0.8**5)",
        "RBP(p=0.5,rel=2)@5": "0.5 * 0.5",
    },
    range=(0, np.inf),
    residual="monotone",
)
def rank_biased_precision(
    ranks: JudgedRanks, *, cutoff: TopK | None = None, p: Persistence = 0.8, rel: Rel | None = None
) -> Scores:
    """How much a reader gains for each result looked at, who goes from one result to the next with
    probability p. With `rel` a relevant document gains 1; without it each document gains its
    grade. The sum is over the whole list and not normalised, as in ranx and as trec_eval 10.0
    documents it (its own normalisation reads memory that was never set); cwl, which
    ir_measures asks when there is a `rel`, divides by 1 − p^1000."""
    hits = ranks.gaining() if rel is None else ranks.relevant(rel)
    gains = hits.relevance if rel is None else np.ones(len(hits.query))
    return (1 - p) * hits.total(gains * p ** (hits.rank - 1.0), cutoff)


def stopping(hits: Hits, chance: Floats) -> Floats:
    """Per hit the chance that a reader who stops at each hit with this chance stops at this one:
    Π over earlier hits of (1 − chance), times its own; float64[m]."""
    going_on = hits.running(1 - chance, np.multiply)
    return hits.previous(going_on, 1.0) * chance


@measure(
    "ERR",
    aliases=("expected reciprocal rank",),
    title="Expected reciprocal rank",
    gloss="1 ÷ rank a reader stops at",
    formula=r"\sum_{i \le k} \frac{R_i}{i}\prod_{j<i}(1-R_j),\ R_i = \frac{2^{g_i}-1}{2^{max}}",
    reference="Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009;"
    " highest grade 4 as in TREC's gdeval.pl",
    elsewhere={"gdeval": "err@k, rounded to 5 decimals"},
    worked={
        "ERR": "3/16 / 2 + (13/16) * (1/16) / 4 + (13/16) * (15/16) * (7/16) / 6",
        "ERR@5": "3/16 / 2 + (13/16) * (1/16) / 4",
        "ERR(max_rel=3)@5": "3/8 / 2 + (5/8) * (1/8) / 4",
    },
    residual="monotone",
)
def expected_reciprocal_rank(
    ranks: JudgedRanks, *, cutoff: TopK | None = None, max_rel: MaxRel = 4
) -> Scores:
    """The reciprocal of the rank at which a reader is expected to be satisfied, where each result
    satisfies with a chance that grows with its grade, up to (2^max_rel − 1) / 2^max_rel. A grade
    above max_rel counts as max_rel."""
    hits = ranks.gaining()

    def stops() -> Floats:
        return stopping(hits, (np.exp2(np.minimum(hits.relevance, max_rel)) - 1) / 2.0**max_rel)

    return hits.total(ranks.kept("err", max_rel, stops) / hits.rank, cutoff)
