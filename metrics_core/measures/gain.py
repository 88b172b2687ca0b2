"""Measures in which documents with higher grades have higher gains."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Cutoff, Hits, ratio
from metrics_core.measures.browsing import DECIMALS, exponential_gain
from metrics_core.measures.declaring.other_packages import CUTOFFS, Difference, InTrecEval
from metrics_core.measures.declaring.parameters import Bounds, GainTable, Samples, TopK
from metrics_core.measures.declaring.registry import measure, terms

Gain = Annotated[
    Literal["log2", "exp-log2"],
    "gain of a grade: the grade itself (log2) or 2^grade − 1 (exp-log2)",
]
Discount = Annotated[
    Literal["log2", "max2"],
    "divisor of a gain at rank i: log2(i + 1) for 'log2', log2(max(i, 2)) for 'max2'",
]
Averaged = Annotated[
    Literal["none", "retrieved"],
    "divisor of the sum: none, or the number of results counted, at most k",
]
Gains = Annotated[
    GainTable,
    Bounds(-1e9, 1e9),
    "gain of each grade; grades that are not listed keep their own value",
    Samples(((0, 0.5), (1, 3), (2, 9)), ((1, 7), (3, -2)), ((7, 2),)),
]

_JARVELIN = "Järvelin and Kekäläinen, Cumulated gain-based evaluation, TOIS 2002"

_RANX_LEVEL = Difference(
    "ranx",
    "Grades between 0 and 1 count as they are.",
    "ranx counts only grades of at least rel_lvl (1 by default), and requires whole numbers.",
)
_SKLEARN_TIES = Difference(
    "scikit-learn",
    "Documents with tied scores are always ordered by id.",
    "ndcg_score and dcg_score average over all orders of tied documents, unless ignore_ties is"
    " set.",
)


def grade_gain(grades: Floats, dcg: Gain = "log2", gains: GainTable | None = None) -> Floats:
    """Return the gain of each grade, in the shape of `grades` float64[…].

    A table `gains` sets the gain of each grade that it contains, which may include grade 0. The
    gain of any other grade is the grade itself, and the gain of a negative grade is always 0.
    trec_eval compares gains as integers, so it orders gains that differ by less than 1 arbitrarily;
    here they are ordered exactly. Raises ParameterError in the same cases as `exponential_gain`."""
    worth = np.maximum(grades, 0)
    for grade, gain in gains or ():
        if grade >= 0:
            worth[grades == grade] = gain
    return exponential_gain(worth) if dcg == "exp-log2" else worth


def retrieved_gains(ranks: JudgedRanks, dcg: Gain = "log2", gains: GainTable | None = None) -> Hits:
    """Return the retrieved documents whose gain is not 0, with their grades replaced by their
    gains."""

    def make_retrieved_gains() -> Hits:
        hits = ranks.judged()
        gain = grade_gain(hits.relevance, dcg, gains)
        return replace(hits, relevance=gain).select(gain != 0)

    return ranks.cached("found gains", (dcg, gains), make_retrieved_gains)


def ideal_gains(ranks: JudgedRanks, dcg: Gain = "log2", gains: GainTable | None = None) -> Hits:
    """Return all judged documents with a gain above 0, in the best order, with their grades
    replaced by their gains."""

    def make_ideal_gains() -> Hits:
        ideal = ranks.ideal()
        gain = grade_gain(ideal.relevance, dcg, gains)
        if gains is not None:
            # Already sorted by query and descending grade; a table may reverse the grades.
            gain = gain[np.lexsort((-gain, ideal.query))]
        return replace(ideal, relevance=gain).select(gain > 0)

    return ranks.cached_by_judgments("best gains", (dcg, gains), make_ideal_gains)


def sum_discounted(hits: Hits, cutoff: Cutoff, discount: Discount) -> Floats:
    """Return the sum of discounted gains within each cutoff: float64[query], or float64[query,
    cutoff] for an array of cutoffs.

    A discounted gain is gain / log2(rank + 1) or gain / log2(max(rank, 2))."""
    if cutoff is not None and not isinstance(cutoff, np.ndarray):
        hits = hits.select(hits.rank <= cutoff)
    return hits.total(discount_gains(hits, discount), cutoff)


def discount_gains(hits: Hits, discount: Discount) -> Floats:
    """Return the discounted gain of each hit, float64[hit].

    This is gain / log2(rank + 1) if `discount` is "log2", otherwise gain / log2(max(rank, 2))."""
    divisor = hits.rank + 1 if discount == "log2" else np.maximum(hits.rank, 2)
    return hits.relevance / np.log2(divisor)


@measure(
    "nDCG",
    aliases=("normalized discounted cumulative gain",),
    title="Normalised discounted cumulative gain",
    gloss="ranking quality of the top {k}",
    trec_eval=(
        InTrecEval("ndcg", takes="pairs"),
        InTrecEval("ndcg_cut_{cutoff}", CUTOFFS),
    ),
    presets={"ndcg_burges": {"dcg": "exp-log2"}},
    elsewhere={"ranx": "ndcg@k, ndcg_burges@k", "scikit-learn": "ndcg_score(k)"},
    ir_measures=True,
    formula=r"\frac{\sum_{i \le k} g(rel_i) / \log_2(i+1)}{\text{the same for the best order}}",
    reference=_JARVELIN,
    worked={
        "nDCG@4": "(2 / log2(3) + 1 / log2(5)) / (3 + 2 / log2(3) + 1 / log2(4) + 1 / log2(5))",
        "nDCG": "(2 / log2(3) + 1 / log2(5) + 3 / log2(7))"
        " / (3 + 2 / log2(3) + 1 / log2(4) + 1 / log2(5))",
        "nDCG(dcg='exp-log2')@4": "(3 / log2(3) + 1 / log2(5))"
        " / (7 + 3 / log2(3) + 1 / log2(4) + 1 / log2(5))",
        "nDCG(gains={1:3,2:9})@4": "(9 / log2(3) + 3 / log2(5))"
        " / (9 + 3 / log2(3) + 3 / log2(4) + 3 / log2(5))",
        "nDCG(discount='max2')@4": "(2 + 1 / log2(4)) / (3 + 2 + 1 / log2(3) + 1 / log2(4))",
    },
    ideal=1.0,
    residual="normalised",
    differences=(DECIMALS, _RANX_LEVEL, _SKLEARN_TIES),
)
def ndcg(
    ranks: JudgedRanks,
    *,
    cutoff: TopK | None = None,
    dcg: Gain = "log2",
    gains: Gains | None = None,
    discount: Discount = "log2",
) -> Floats:
    """How close the results come to the best possible order: 1 is perfect, 0 means no relevant
    results. Higher grades and earlier ranks count more. Decimal grades count with their exact
    value."""
    best = sum_discounted(ideal_gains(ranks, dcg, gains), cutoff, discount)
    return ratio(sum_discounted(retrieved_gains(ranks, dcg, gains), cutoff, discount), best)


@terms("nDCG")
def _ndcg_terms(
    ranks: JudgedRanks,
    *,
    cutoff: int | None,
    dcg: Gain,
    gains: GainTable | None,
    discount: Discount,
) -> Hits:
    hits = retrieved_gains(ranks, dcg, gains)
    best = sum_discounted(ideal_gains(ranks, dcg, gains), cutoff, discount)
    return hits.contributions(ratio(discount_gains(hits, discount), best[hits.query]), cutoff)


@measure(
    "DCG",
    aliases=("discounted cumulative gain",),
    title="Discounted cumulative gain",
    gloss="discounted gain of top {k}",
    trec_eval=InTrecEval("dcg", takes="pairs", since="10.0"),
    presets={"dcg_burges": {"dcg": "exp-log2"}},
    elsewhere={"ranx": "dcg@k, dcg_burges@k", "scikit-learn": "dcg_score(k)"},
    formula=r"\sum_{i \le k} g(rel_i) / \log_2(i+1)",
    reference=_JARVELIN,
    worked={
        "DCG@4": "2 / log2(3) + 1 / log2(5)",
        "DCG": "2 / log2(3) + 1 / log2(5) + 3 / log2(7)",
        "DCG(dcg='exp-log2')": "3 / log2(3) + 1 / log2(5) + 7 / log2(7)",
        "DCG(gains={0:1,3:5.5})": "2 / log2(3) + 1 / log2(4) + 1 / log2(5) + 5.5 / log2(7)",
        "DCG(discount='max2')": "2 + 1 / log2(4) + 3 / log2(6)",
        "DCG(denominator='retrieved')@4": "(2 / log2(3) + 1 / log2(5)) / 4",
        "DCG(denominator='retrieved')@10": "(2 / log2(3) + 1 / log2(5) + 3 / log2(7)) / 6",
    },
    range=(0, np.inf),
    residual="monotone",
    reach="additive",
    differences=(_RANX_LEVEL, _SKLEARN_TIES),
)
def discounted_cumulative_gain(
    ranks: JudgedRanks,
    *,
    cutoff: TopK | None = None,
    dcg: Gain = "log2",
    gains: Gains | None = None,
    discount: Discount = "log2",
    denominator: Averaged = "none",
) -> Floats:
    """Total gain of the results, discounted by rank. The gain is not divided by the gain of the
    best order, so it can only be compared for the same queries.

    With `denominator` "retrieved", the total is divided by the number of results that count (at
    most k), as in some recommender courses."""
    total = sum_discounted(retrieved_gains(ranks, dcg, gains), cutoff, discount)
    if denominator == "none":
        return total
    return ratio(total, ranks.documents(cutoff))


@terms("DCG")
def _dcg_terms(
    ranks: JudgedRanks,
    *,
    cutoff: int | None,
    dcg: Gain,
    gains: GainTable | None,
    discount: Discount,
    denominator: Averaged,
) -> Hits:
    hits = retrieved_gains(ranks, dcg, gains)
    gained = discount_gains(hits, discount)
    if denominator == "retrieved":
        gained = gained / ranks.documents(cutoff)[hits.query]
    return hits.contributions(gained, cutoff)


@measure(
    "IDCG",
    aliases=("ideal DCG",),
    title="Ideal discounted cumulative gain",
    gloss="DCG of the ideal ranking",
    trec_eval=InTrecEval("ideal_dcg", takes="pairs", since="10.0"),
    formula=r"\sum_{i \le k} g(rel^*_i) / \log_2(i+1)",
    reference=_JARVELIN,
    worked={
        "IDCG@2": "3 + 2 / log2(3)",
        "IDCG": "3 + 2 / log2(3) + 1 / log2(4) + 1 / log2(5)",
        "IDCG(dcg='exp-log2')@2": "7 + 3 / log2(3)",
        "IDCG(gains={1:9})@3": "9 + 9 / log2(3) + 3 / log2(4)",
        "IDCG(discount='max2')": "3 + 2 + 1 / log2(3) + 1 / log2(4)",
    },
    range=(0, np.inf),
    condensable=False,
    unjudged="The ideal DCG does not depend on the run.",
    missing="The ideal DCG does not depend on the run.",
    ties="The ideal DCG does not depend on the run.",
    residual="monotone",
)
def ideal_dcg(
    ranks: JudgedRanks,
    *,
    cutoff: TopK | None = None,
    dcg: Gain = "log2",
    gains: Gains | None = None,
    discount: Discount = "log2",
) -> Floats:
    """DCG of the best possible order of all judged documents, the divisor of nDCG."""
    return sum_discounted(ideal_gains(ranks, dcg, gains), cutoff, discount)


@measure(
    "CG",
    aliases=("cumulative gain",),
    title="Cumulative gain",
    gloss="sum of gains in the top {k}",
    formula=r"\sum_{i \le k} g(rel_i)",
    reference=_JARVELIN,
    worked={
        "CG@4": "2 + 1",
        "CG": "2 + 1 + 3",
        "CG(dcg='exp-log2')": "3 + 1 + 7",
        "CG(gains={1:3,2:9})": "9 + 3 + 3",
    },
    range=(0, np.inf),
    residual="monotone",
    reach="additive",
)
def cumulative_gain(
    ranks: JudgedRanks,
    *,
    cutoff: TopK | None = None,
    dcg: Gain = "log2",
    gains: Gains | None = None,
) -> Floats:
    """Sum of the grades of the first k results. Their order does not matter."""
    hits = retrieved_gains(ranks, dcg, gains)
    return hits.total(hits.relevance, cutoff)


@terms("CG")
def _cg_terms(
    ranks: JudgedRanks,
    *,
    cutoff: int | None,
    dcg: Gain,
    gains: GainTable | None,
) -> Hits:
    hits = retrieved_gains(ranks, dcg, gains)
    return hits.contributions(hits.relevance, cutoff)
