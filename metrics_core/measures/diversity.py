"""Measures of how well a list covers the subtopics of a query.

They are the measures of ndeval, TREC's program for the diversity task of its Web tracks. A document
is either relevant to a subtopic or not. Only subtopics with a relevant judged document count; S is
their number. Normalised measures divide by the score of ndeval's best ranking, which is greedy:
each rank gets the document that adds most to the documents above it. This ranking is not always the
optimum (finding the optimum is NP-hard), so a normalised score can exceed 1."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import LackingDataError
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Cutoff, expand_per_query, prefix_sums, ratio
from metrics_core.judging.subtopics import SubtopicCoverage, SubtopicJudgments
from metrics_core.measures.declaring.other_packages import Difference
from metrics_core.measures.declaring.parameters import Bounds, Rel, Samples, Share, TopK
from metrics_core.measures.declaring.registry import Need, measure

Alpha = Annotated[
    Share, "how much a subtopic is discounted each time a result repeats it", Samples(0.5, 0.3)
]
Patience = Annotated[
    Share, "probability that a reader continues to the next result", Samples(1.0, 0.5)
]

NEEDS: tuple[Need, ...] = ("subtopics",)
UNJUDGED = "An unjudged document covers no subtopic."
_FIRST_RANK = Difference(
    "pyndeval",
    "At cutoff 1 the value is divided by the number of subtopics, as at every other cutoff.",
    "ndeval divides by the number of subtopics only from the second rank on.",
)
Deep = Annotated[TopK, Bounds(1, 1_000_000)]
"""A cutoff for measures that allocate an array of this length."""
_ERR_ALPHA = 0.5
"""ndeval's redundancy for ERR-IA: the probability that a document on a subtopic satisfies a reader
who is interested in this subtopic."""


def require_subtopics(ranks: JudgedRanks) -> SubtopicJudgments:
    """Return the judgments by subtopic. Raises LackingDataError if there are none."""
    if ranks.subtopics is None:
        raise LackingDataError("There are no judgments by subtopic.")
    return ranks.subtopics


def _sum_novelty(
    coverage: SubtopicCoverage, alpha: float, discount: npt.NDArray[Any], cutoff: Cutoff
) -> Floats:
    """Return the sum over the hits of (1 - alpha)^r × discount, with the shape of `Hits.total`. r
    is the number of earlier documents on the same subtopic."""
    return coverage.hits.total((1 - alpha) ** (coverage.repeat - 1.0) * discount, cutoff)


def _discounted_novelty(coverage: SubtopicCoverage, alpha: float, cutoff: Cutoff) -> Floats:
    return _sum_novelty(coverage, alpha, 1 / np.log2(coverage.hits.rank + 1), cutoff)


def _reciprocal_novelty(coverage: SubtopicCoverage, cutoff: Cutoff) -> Floats:
    return _sum_novelty(coverage, _ERR_ALPHA, 1 / coverage.hits.rank, cutoff)


def _full_novelty(alpha: float, discount: Floats, cutoff: Cutoff) -> Floats:
    """Return the contribution of one subtopic within each cutoff, computed for a list in which
    every document is relevant to it."""
    worth = (1 - alpha) ** np.arange(len(discount), dtype=np.float64) * discount
    return prefix_sums(worth)[cutoff]


def _ranks_up_to(cutoff: Cutoff) -> Floats:
    return np.arange(1, int(np.max(cutoff)) + 1, dtype=np.float64) if cutoff is not None else _NONE


_NONE = np.empty(0)


@measure(
    "alpha_DCG",
    aliases=("α_DCG", "alpha-DCG", "αDCG"),
    title="α-DCG",
    gloss="new subtopics in the top {k}",
    ir_measures=True,
    formula=r"\frac{\sum_{i \le k} n_i / \log_2(i+1)}{S\sum_{i \le k}(1-\alpha)^{i-1}"
    r"/\log_2(i+1)},\ n_i = \sum_{s \in i} (1-\alpha)^{c_s(i-1)}",
    reference="Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR"
    " 2008; as ndeval computes it",
    worked={
        "alpha_DCG@5": "(2 / log2(3) + 0.5 / log2(5))"
        " / (3 * (1 + 0.5 / log2(3) + 0.25 / log2(4) + 0.125 / log2(5) + 0.0625 / log2(6)))",
    },
    needs=NEEDS,
    unjudged=UNJUDGED,
    differences=_FIRST_RANK,
)
def alpha_dcg(ranks: JudgedRanks, *, cutoff: Deep, rel: Rel = 1, alpha: Alpha = 0.5) -> Floats:
    """Number of subtopics that the first k results cover, with most weight on early results and on
    new subtopics, divided by the score of a list in which each result covers every subtopic."""
    judgments = require_subtopics(ranks)
    each = _full_novelty(alpha, 1 / np.log2(_ranks_up_to(cutoff) + 1), cutoff)
    divisor = each * expand_per_query(judgments.n_subtopics(rel), cutoff)
    return ratio(_discounted_novelty(judgments.coverage(rel), alpha, cutoff), divisor)


@measure(
    "alpha_nDCG",
    aliases=("α_nDCG", "alpha-nDCG", "αnDCG"),
    title="α-nDCG",
    gloss="subtopic coverage, top {k}",
    ir_measures=True,
    formula=r"\frac{\sum_{i \le k} n_i / \log_2(i+1)}{\text{the same for the best order}},"
    r"\ n_i = \sum_{s \in i} (1-\alpha)^{c_s(i-1)}",
    reference="Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR"
    " 2008; as ndeval computes it",
    worked={
        "alpha_nDCG@5": "(2 / log2(3) + 0.5 / log2(5))"
        " / (2 + 1.5 / log2(3) + 0.5 / log2(4) + 0.25 / log2(5))",
        "alpha_nDCG": "(2 / log2(3) + 0.5 / log2(5) + 1.5 / log2(7))"
        " / (2 + 1.5 / log2(3) + 0.5 / log2(4) + 0.25 / log2(5))",
        "alpha_nDCG(alpha=1.0)@5": "2 / log2(3) / (2 + 1 / log2(3))",
    },
    range=(0, np.inf),
    needs=NEEDS,
    unjudged=UNJUDGED,
)
def alpha_ndcg(
    ranks: JudgedRanks, *, cutoff: TopK | None = None, rel: Rel = 1, alpha: Alpha = 0.5
) -> Floats:
    """How close the results come to the best possible coverage of the query's subtopics, with most
    weight on early results and on new subtopics. Each additional result for a subtopic counts 1 −
    alpha times as much as the previous one."""
    judgments = require_subtopics(ranks)
    best = _discounted_novelty(judgments.ideal_coverage(rel, alpha), alpha, cutoff)
    return ratio(_discounted_novelty(judgments.coverage(rel), alpha, cutoff), best)


@measure(
    "ERR_IA",
    aliases=("ERR-IA", "intent-aware ERR"),
    title="Intent-aware expected reciprocal rank",
    gloss="1 ÷ rank, by subtopic",
    ir_measures=True,
    formula=r"\frac{\sum_{i \le k} n_i / i}{S\sum_{i \le k} 2^{1-i} / i},"
    r"\ n_i = \sum_{s \in i} 2^{-c_s(i-1)}",
    reference="Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009; as"
    " ndeval computes it",
    worked={
        "ERR_IA@5": "(2 / 2 + 0.5 / 4) / (3 * (1 + 1/2/2 + 1/4/3 + 1/8/4 + 1/16/5))",
    },
    needs=NEEDS,
    unjudged=UNJUDGED,
    differences=_FIRST_RANK,
)
def err_ia(ranks: JudgedRanks, *, cutoff: Deep, rel: Rel = 1) -> Floats:
    """Expected reciprocal of the rank at which a reader interested in one of the subtopics is
    satisfied, divided by the score of a list in which each result covers every subtopic."""
    judgments = require_subtopics(ranks)
    each = _full_novelty(_ERR_ALPHA, 1 / _ranks_up_to(cutoff), cutoff)
    divisor = each * expand_per_query(judgments.n_subtopics(rel), cutoff)
    return ratio(_reciprocal_novelty(judgments.coverage(rel), cutoff), divisor)


@measure(
    "nERR_IA",
    aliases=("nERR-IA", "normalized intent-aware ERR"),
    title="Normalised intent-aware ERR",
    gloss="1 ÷ rank, normalised",
    ir_measures=True,
    formula=r"\frac{\sum_{i \le k} n_i / i}{\text{the same for the best order}},"
    r"\ n_i = \sum_{s \in i} 2^{-c_s(i-1)}",
    reference="Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009; as"
    " ndeval computes it",
    worked={
        "nERR_IA@5": "(2 / 2 + 0.5 / 4) / (2 + 1.5 / 2 + 0.5 / 3 + 0.25 / 4)",
        "nERR_IA@1": "0",
    },
    range=(0, np.inf),
    needs=NEEDS,
    unjudged=UNJUDGED,
)
def nerr_ia(ranks: JudgedRanks, *, cutoff: TopK | None = None, rel: Rel = 1) -> Floats:
    """Intent-aware ERR as a share of the score of the best order of the judged documents."""
    judgments = require_subtopics(ranks)
    best = _reciprocal_novelty(judgments.ideal_coverage(rel, _ERR_ALPHA), cutoff)
    return ratio(_reciprocal_novelty(judgments.coverage(rel), cutoff), best)


@measure(
    "NRBP",
    aliases=("novelty- and rank-biased precision",),
    title="Novelty- and rank-biased precision",
    gloss="rank-biased new-subtopic gain",
    ir_measures=True,
    formula=r"\frac{1-(1-\alpha)\beta}{S}\sum_i n_i\,\beta^{i-1},"
    r"\ n_i = \sum_{s \in i} (1-\alpha)^{c_s(i-1)}",
    reference="Clarke, Kolla and Vechtomova, An effectiveness measure for ambiguous and"
    " underspecified queries, ICTIR 2009",
    worked={
        "NRBP": "0.75 / 3 * (2 * 0.5 + 0.5 * 0.5**3 + 1.5 * 0.5**5)",
        "NRBP(alpha=0.2,beta=0.9)": "(1 - 0.8 * 0.9) / 3 * (2 * 0.9 + 0.8 * 0.9**3 + 1.8 * 0.9**5)",
    },
    needs=NEEDS,
    unjudged=UNJUDGED,
)
def nrbp(ranks: JudgedRanks, *, rel: Rel = 1, alpha: Alpha = 0.5, beta: Patience = 0.5) -> Floats:
    """Number of subtopics found by a reader who continues to the next result with probability beta,
    with most weight on new subtopics. It is divided by the score of an infinite list in which each
    result covers every subtopic."""
    judgments = require_subtopics(ranks)
    coverage = judgments.coverage(rel)
    total = _sum_novelty(coverage, alpha, beta ** (coverage.hits.rank - 1.0), None)
    return ratio((1 - (1 - alpha) * beta) * total, judgments.n_subtopics(rel))


@measure(
    "nNRBP",
    aliases=("normalized NRBP",),
    title="Normalised NRBP",
    gloss="NRBP, normalised",
    ir_measures=True,
    formula=r"\frac{NRBP}{\text{the same for the best order}}",
    reference="Clarke, Kolla and Vechtomova, An effectiveness measure for ambiguous and"
    " underspecified queries, ICTIR 2009",
    worked={
        "nNRBP": "(2 * 0.5 + 0.5 * 0.5**3 + 1.5 * 0.5**5)"
        " / (2 + 1.5 * 0.5 + 0.5 * 0.5**2 + 0.25 * 0.5**3)",
    },
    range=(0, np.inf),
    needs=NEEDS,
    unjudged=UNJUDGED,
    differences=Difference(
        "pyndeval",
        "0 for a query without any relevant document.",
        "ndeval divides 0 by 0.",
    ),
)
def nnrbp(ranks: JudgedRanks, *, rel: Rel = 1, alpha: Alpha = 0.5, beta: Patience = 0.5) -> Floats:
    """NRBP as a share of the score of the best order of the judged documents."""
    judgments = require_subtopics(ranks)
    coverage, best = judgments.coverage(rel), judgments.ideal_coverage(rel, alpha)
    return ratio(
        _sum_novelty(coverage, alpha, beta ** (coverage.hits.rank - 1.0), None),
        _sum_novelty(best, alpha, beta ** (best.hits.rank - 1.0), None),
    )
