"""The reader models of cwl_eval and ir_measures: SDCG, BPM, INSQ, INST.

Each measure is the expected gain per viewed result, Σ P_i g_i / Σ P_i. P_i is the probability of
continuing to rank i. The gain g_i of a grade ranges from 0 (`min_rel` and below) to 1 (`max_rel`
and above). As in cwl, every list is 1,000 ranks deep: lower ranks are ignored, and a shorter list
is padded with documents without gain. P only changes at documents with a gain, so both sums can be
computed in closed form over the gaps between these documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from metrics_core.base.arrays import Floats, Ints
from metrics_core.base.errors import ParameterError
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Cutoff, Hits, expand_per_query, prefix_sums
from metrics_core.measures.browsing import MaxRel
from metrics_core.measures.declaring.other_packages import Difference
from metrics_core.measures.declaring.parameters import Bounds, FromZero, Samples, TopK
from metrics_core.measures.declaring.registry import measure, weights

DEPTH = 1000
"""Number of ranks that count. It is the default of cwl_eval and the only depth that ir_measures
uses."""

RANKS = np.arange(1, DEPTH + 1, dtype=np.float64)
UNJUDGED = "An unjudged document has gain 0."

Goal = Annotated[
    float,
    Bounds(1e-6, 1e6),
    "total gain that the reader wants, in units of one document of the highest grade",
    Samples(1, 2.5),
]
Log2 = Annotated[Literal["log2"], "gain of a grade, divided by the highest gain"]
MinRel = Annotated[FromZero, "highest grade with gain 0", Samples(0, 1)]

OF_CWL = Difference(
    "cwl_eval",
    "min_rel cannot be negative, and max_rel is optional.",
    "Negative grades are not judgments here. ir_measures requires max_rel; here the default is the"
    " highest grade of all judgments.",
)
_SOURCE = "Moffat et al., INST, ADCS 2015; as cwl_eval computes it"


def scaled_gains(ranks: JudgedRanks, min_rel: int, max_rel: int | None) -> Hits:
    """Return the documents of the first 1,000 ranks that have a gain, with their grades replaced by
    their gains.

    Gains are above 0 and at most 1. Raises ParameterError if max_rel is not above min_rel."""
    if max_rel is not None and max_rel <= min_rel:
        raise ParameterError(f"max_rel must be above min_rel ({min_rel}), not {max_rel}.")
    highest = ranks.top_grade if max_rel is None else max_rel
    hits = ranks.judged()
    hits = hits.select((hits.relevance > min_rel) & (hits.rank <= DEPTH))
    gain = (np.minimum(hits.relevance, highest) - min_rel) / (highest - min_rel or 1)
    return replace(hits, relevance=gain)


def limit_cutoff(cutoff: Cutoff) -> int | Ints:
    """Return `cutoff`, a number or int64[cutoff], limited to 1,000."""
    return DEPTH if cutoff is None else np.minimum(cutoff, DEPTH)


@measure(
    "SDCG",
    aliases=("scaled DCG", "scaled discounted cumulative gain"),
    title="Scaled discounted cumulative gain",
    gloss="weighted mean gain of top {k}",
    ir_measures=True,
    formula=r"\frac{\sum_{i \le k} g_i / \log_2(i+1)}{\sum_{i \le k} 1 / \log_2(i+1)}",
    reference="Järvelin and Kekäläinen, TOIS 2002; scaled as in cwl_eval",
    worked={
        "SDCG@5": "(2/3 / log2(3) + 1/3 / log2(5))"
        " / (1 + 1 / log2(3) + 1 / log2(4) + 1 / log2(5) + 1 / log2(6))",
        "SDCG(max_rel=2)@2": "1 / log2(3) / (1 + 1 / log2(3))",
    },
    unjudged=UNJUDGED,
    residual="monotone",
    reach="additive",
    differences=OF_CWL,
)
def scaled_dcg(
    ranks: JudgedRanks,
    *,
    cutoff: TopK,
    dcg: Log2 = "log2",
    min_rel: MinRel = 0,
    max_rel: MaxRel | None = None,
) -> Floats:
    """DCG as a share of the DCG of k documents with the highest grade, even if the query has fewer
    such documents. The highest grade is `max_rel`; without it, the highest grade of all
    judgments."""
    hits, depth = scaled_gains(ranks, min_rel, max_rel), limit_cutoff(cutoff)
    total = hits.total(hits.relevance / np.log2(hits.rank + 1), depth)
    return total / prefix_sums(1 / np.log2(RANKS + 1))[depth]


@measure(
    "BPM",
    aliases=("bejeweled player model",),
    title="Bejeweled player model",
    gloss="gain up to goal T or rank {k}",
    ir_measures=True,
    formula=r"\frac{1}{s}\sum_{i \le s} g_i,\ s = \min(k, \min\{i : \sum_{j \le i} g_j \ge T\})",
    reference="Zhang et al., Evaluating web search with a Bejeweled player model, SIGIR 2017",
    worked={
        "BPM@10": "(2/3 + 1/3) / 4",
        "BPM@3": "2/3 / 3",
        "BPM(T=2.0,max_rel=4)@10": "(2/4 + 1/4 + 3/4) / 10",
    },
    unjudged=UNJUDGED,
    differences=OF_CWL,
)
def bejeweled_player_model(
    ranks: JudgedRanks,
    *,
    cutoff: TopK,
    T: Goal = 1.0,  # noqa: N803
    min_rel: MinRel = 0,
    max_rel: MaxRel | None = None,
) -> Floats:
    """Average gain of the results viewed by a reader who stops after k results, or sooner if the
    gains add up to T. Without `max_rel`, the highest grade of all judgments has gain 1."""
    hits, sated, depth = *_gains_until_goal(ranks, T, min_rel, max_rel), limit_cutoff(cutoff)
    return hits.total(hits.relevance, depth) / np.minimum(expand_per_query(sated, cutoff), depth)


def _gains_until_goal(
    ranks: JudgedRanks, goal: float, min_rel: int, max_rel: int | None
) -> tuple[Hits, Floats]:
    """Return the results that have a gain, down to the rank at which the gains add up to the goal,
    and this rank, float64[query]. For a query that does not reach the goal, all results with a gain
    are returned, and the rank is infinite."""
    hits = scaled_gains(ranks, min_rel, max_rel)
    gained = hits.accumulate(hits.relevance)
    return hits.select(hits.previous_values(gained, 0.0) < goal), hits.select(
        gained >= goal
    ).first_rank()


@measure(
    "INSQ",
    title="INSQ",
    gloss="gain for goal T, by rank",
    ir_measures=True,
    formula=r"\frac{\sum_i g_i / (i + 2T - 1)^2}{\sum_{i \le 1000} 1 / (i + 2T - 1)^2}",
    reference="Moffat, Scholer and Thomas, Models and metrics, ADCS 2012; as in cwl_eval",
    worked={
        "INSQ": "(2/3 / 9 + 1/3 / 25 + 1 / 49) / sum(1 / (i + 1)**2 for i in range(1, 1001))",
        "INSQ(T=2.0)": "(2/3 / 25 + 1/3 / 49 + 1 / 81)"
        " / sum(1 / (i + 3)**2 for i in range(1, 1001))",
    },
    unjudged=UNJUDGED,
    residual="monotone",
    differences=OF_CWL,
)
def insq(
    ranks: JudgedRanks,
    *,
    T: Goal = 1.0,  # noqa: N803
    min_rel: MinRel = 0,
    max_rel: MaxRel | None = None,
) -> Floats:
    """Gain per viewed result for a reader who wants T relevant documents and becomes more patient
    with each rank, regardless of what they found. Without `max_rel`, the highest grade of all
    judgments has gain 1."""
    hits = scaled_gains(ranks, min_rel, max_rel)
    total = hits.total(hits.relevance / (hits.rank + 2 * T - 1) ** 2)
    return total / np.sum(1 / (RANKS + 2 * T - 1) ** 2)


@measure(
    "INST",
    title="INST",
    gloss="gain per result; T: gain wanted",
    ir_measures=True,
    formula=r"\frac{\sum_i P_i g_i}{\sum_{i \le 1000} P_i},\ \frac{P_{i+1}}{P_i} ="
    r" \left(\frac{i + 2T - G_i - 1}{i + 2T - G_i}\right)^2,\ G_i = \sum_{j \le i} g_j",
    reference=_SOURCE,
    worked={
        "INST": "(4/9 * 2/3 + 4/9 * (7/13)**2 * 1/3 + 4/9 * (7/13)**2 * (4/6)**2)"
        " / (1 + 4/9 + 4/9 * ((7/10)**2 + (7/13)**2) + 4/9 * (7/13)**2 * ((4/5)**2 + (4/6)**2)"
        " + 4/9 * (7/13)**2 * (4/6)**2 * sum((5 / (i - 1))**2 for i in range(7, 1001)))",
    },
    unjudged=UNJUDGED,
    residual="monotone",
    differences=OF_CWL,
)
def inst(
    ranks: JudgedRanks,
    *,
    T: Goal = 1.0,  # noqa: N803
    min_rel: MinRel = 0,
    max_rel: MaxRel | None = None,
) -> Floats:
    """Gain per viewed result for a reader who wants T relevant documents and is less likely to
    continue the more they have gained. Without `max_rel`, the highest grade of all judgments has
    gain 1."""
    hits, looked_at = _weigh_inst(ranks, T, min_rel, max_rel)
    return hits.total(hits.relevance) / looked_at


def _weigh_inst(
    ranks: JudgedRanks, goal: float, min_rel: int, max_rel: int | None
) -> tuple[Hits, Floats]:
    """Return the retrieved documents that have a gain, and the sum of P_i over all 1,000 ranks,
    float64[query]. P_i is the probability that the reader reaches rank i. The grades of the
    documents are replaced by P_i · g_i, where g_i is the gain at rank i."""
    hits = scaled_gains(ranks, min_rel, max_rel)
    rank, gain = hits.rank.astype(np.float64), hits.relevance
    # Between gaining ranks P_i² falls as 1/(i − 1 + x)² with x = 2T − G_i: products telescope, and
    # the sum of such terms is a difference of two infinite sums.
    gained = hits.accumulate(hits.relevance)
    x = 2 * goal - gained
    x_before, rank_before = hits.previous_values(x, 2 * goal), hits.previous_values(rank, 0)
    lead = np.where(rank_before == 0, 2 * goal, rank_before + x_before - 1)
    reached = hits.accumulate((lead / (rank - 1 + x_before)) ** 2, np.multiply)
    is_last = np.append(hits.query[1:] != hits.query[:-1], True)[: len(rank)]
    onward = np.where(is_last, DEPTH, np.append(rank[1:], DEPTH)[: len(rank)])
    after = (
        reached
        * (rank + x - 1) ** 2
        * (_sum_inverse_squares(rank + x) - _sum_inverse_squares(onward + x))
    )
    first = np.minimum(hits.first_rank(), DEPTH)
    before = (2 * goal) ** 2 * (
        _sum_inverse_squares(first * 0 + 2 * goal) - _sum_inverse_squares(2 * goal + first)
    )
    return hits.contributions(reached * gain), before + hits.total(after)


def _sum_inverse_squares(start: Floats) -> Floats:
    """Return the sum of 1 / (start + n)² over n = 0, 1, 2, …, in the shape of `start` float64.

    `start` must be above 0. The first ten terms are added directly, and the sum of all remaining
    terms is computed with the Euler-Maclaurin series, with an error below 1e-13. This is thirty
    times as fast as scipy's function."""
    total = np.zeros(len(start))
    for n in range(10):
        total += 1 / (start + n) ** 2
    z = 1 / (start + 10)
    z2 = z * z
    series = 1 / 6 - z2 * (1 / 30 - z2 * (1 / 42 - z2 * (1 / 30 - z2 * 5 / 66)))
    return total + z + z2 / 2 + z * z2 * series


@weights("SDCG")
def _sdcg_weights(ranks: JudgedRanks, *, min_rel: int, max_rel: int | None, **_: object) -> Hits:
    hits = scaled_gains(ranks, min_rel, max_rel)
    return hits.contributions(hits.relevance / np.log2(hits.rank + 1))


@weights("BPM")
def _bpm_weights(
    ranks: JudgedRanks,
    *,
    T: float,  # noqa: N803
    min_rel: int,
    max_rel: int | None,
    **_: object,
) -> Hits:
    return _gains_until_goal(ranks, T, min_rel, max_rel)[0]


@weights("INSQ")
def _insq_weights(
    ranks: JudgedRanks,
    *,
    T: float,  # noqa: N803
    min_rel: int,
    max_rel: int | None,
) -> Hits:
    hits = scaled_gains(ranks, min_rel, max_rel)
    return hits.contributions(hits.relevance / (hits.rank + 2 * T - 1) ** 2)


@weights("INST")
def _inst_weights(
    ranks: JudgedRanks,
    *,
    T: float,  # noqa: N803
    min_rel: int,
    max_rel: int | None,
) -> Hits:
    return _weigh_inst(ranks, T, min_rel, max_rel)[0]
