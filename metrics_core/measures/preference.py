"""Measures of preference between judged documents. Unjudged documents are ignored."""

from __future__ import annotations

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits, ratio
from metrics_core.measures.declaring.other_packages import Difference
from metrics_core.measures.declaring.parameters import Rel
from metrics_core.measures.declaring.registry import measure, weights


@measure(
    "Bpref",
    aliases=("binary preference",),
    title="Binary preference",
    gloss="relevant above non-relevant",
    trec_eval="bpref",
    ir_measures=True,
    formula=r"\frac{1}{R}\sum_{i : rel_i \ge rel} 1 - \frac{\min(n_i, R)}{\min(N, R)}",
    reference="Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004;"
    " as corrected in trec_eval 8",
    worked={
        "Bpref": "(1 + 2 * (1 - 1 / 2)) / 4",
        "Bpref(rel=2)": "(1 + (1 - 2 / 2)) / 2",
    },
    elsewhere={"ranx": "bpref"},
    ideal=1.0,
    unjudged="Unjudged documents are ignored, as if they were not in the list.",
    differences=(
        Difference(
            "ranx",
            "Documents with a negative grade are ignored.",
            "ranx treats such documents as judged and not relevant.",
        ),
        Difference(
            "ranx",
            "A query without judged non-relevant documents, or without relevant ones, has a score.",
            "ranx divides by min(R, N) and by R, so it divides by 0 for such queries.",
        ),
    ),
)
def bpref(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """How often relevant results rank above those judged not relevant; unjudged ones are ignored.
    The score is 1 if this is always so. Each relevant result counts 1 minus the share of the R best
    non-relevant results that are ranked above it."""
    return ratio(ranks.relevant(rel).total(_preference_shares(ranks, rel)), ranks.n_relevant(rel))


def _preference_shares(ranks: JudgedRanks, rel: int) -> Floats:
    """Return a number for each relevant result, float64[hit]: 1 minus the share of the R best
    non-relevant results that are ranked above it."""
    judged, hits = ranks.judged(), ranks.relevant(rel)
    above = judged.ordinals()[judged.relevance >= rel] - hits.ordinals()
    relevant = ranks.n_relevant(rel)
    most = np.minimum(relevant, ranks.n_relevant(0) - relevant)[hits.query]
    return 1 - ratio(np.minimum(above, relevant[hits.query]), most)


@weights("Bpref")
def preference_weights(ranks: JudgedRanks, *, rel: int) -> Hits:
    """Weight each relevant document by how few judged non-relevant documents are ranked above
    it."""
    return ranks.relevant(rel).contributions(_preference_shares(ranks, rel))
