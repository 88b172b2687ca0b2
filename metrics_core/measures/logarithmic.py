"""Measures on a logarithmic scale, on which queries with low scores have the most weight."""

from __future__ import annotations

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.judging import JudgedRanks
from metrics_core.measures.declaring.parameters import Rel
from metrics_core.measures.declaring.registry import measure, weights
from metrics_core.measures.precision_recall import average_precision, precision_weights
from metrics_core.measures.preference import bpref, preference_weights

_MISSING = "A judged query that is missing from the run counts as 0.00001, as does a score of 0."


@measure(
    "GMAP",
    aliases=("geometric mean average precision", "gm_ap"),
    title="Geometric mean average precision",
    gloss="AP, hard queries count more",
    trec_eval="gm_map",
    formula=r"\exp\Bigl(\frac{1}{|Q|}\sum_{q} \ln \max(AP_q, 10^{-5})\Bigr)",
    reference="Robertson, On GMAP and other transformations, CIKM 2006; trec_eval, m_gm_map.c",
    worked={
        "GMAP": "(1 / 2 + 2 / 4 + 3 / 6) / 4",
    },
    aggregation="geometric",
    missing=_MISSING,
    residual="precisions",
)
def geometric_ap(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Average precision with a geometric mean over queries: doubling a poor query's score counts as
    much as doubling a good one's. The score of a single query is its AP."""
    return average_precision(ranks, rel=rel)


@measure(
    "GMBpref",
    aliases=("geometric mean binary preference",),
    title="Geometric mean binary preference",
    gloss="bpref, hard queries count more",
    trec_eval="gm_bpref",
    formula=r"\exp\Bigl(\frac{1}{|Q|}\sum_{q} \ln \max(Bpref_q, 10^{-5})\Bigr)",
    reference="trec_eval, m_gm_bpref.c",
    worked={
        "GMBpref": "(1 + 2 * (1 - 1 / 2)) / 4",
    },
    aggregation="geometric",
    ideal=1.0,
    unjudged="Unjudged documents are ignored, as if they were not in the list.",
    missing=_MISSING,
)
def geometric_bpref(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Binary preference with a geometric mean over queries, so that poor queries count more. The
    score of a single query is its Bpref."""
    return bpref(ranks, rel=rel)


def _log_odds(precisions: Floats, relevant: Ints) -> Floats:
    return np.log((1 + precisions) / (1 + relevant - precisions))


@measure(
    "Yaap",
    aliases=("yet another average precision",),
    title="Smoothed log-odds of average precision",
    gloss="log-odds of AP",
    trec_eval="yaap",
    formula=r"\ln\frac{1 + s}{1 + R - s},\quad s = \sum_{i : rel_i \ge rel} P@i",
    reference="Robertson, On smoothing average precision, ECIR 2012; trec_eval, m_yaap.c",
    worked={
        "Yaap": "log((1 + 3 / 2) / (1 + 4 - 3 / 2))",
        "Yaap(rel=2)": "log((1 + 5 / 6) / (1 + 2 - 5 / 6))",
    },
    range=(-np.inf, np.inf),
    missing="A judged query that is missing from the run scores ln(1 / (1 + R)) and counts in the"
    " mean.",
    residual="precisions",
    from_precisions=_log_odds,
)
def yet_another_ap(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """Smoothed average precision on the log-odds scale. It is above 0 if the smoothed average
    precision is above one half. Differences near 0 and near 1 count more than differences in the
    middle."""
    hits = ranks.relevant(rel)
    return _log_odds(hits.total(hits.ordinals() / hits.rank), ranks.n_relevant(rel))


weights("GMAP")(precision_weights)
weights("GMBpref")(preference_weights)
