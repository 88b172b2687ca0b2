"""Nearly ERR: a reader stops at a result with a probability that depends on its gain, and loses
patience in one of four ways (NERR8 to NERR11).

Among weighted means of gains, these measures are the closest to ERR. `readers` describes the common
model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Cutoff, Hits, prefix_sums, ratio
from metrics_core.measures.browsing import MaxRel, stop_chances
from metrics_core.measures.declaring.parameters import Persistence, TopK
from metrics_core.measures.declaring.registry import measure, weights
from metrics_core.measures.readers import (
    DEPTH,
    OF_CWL,
    RANKS,
    UNJUDGED,
    Goal,
    MinRel,
    limit_cutoff,
    scaled_gains,
)

_NERR = "Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021, equation"


def _score_nearly_err(
    ranks: JudgedRanks, min_rel: int, max_rel: int | None, weight: Floats, cutoff: Cutoff
) -> Floats:
    """Return the gain per viewed result for a reader whose probability of stopping at a result
    depends on its gain, and whose patience is given by the weights b of the ranks.

    The score is Σ D_j b_j / (B_k (1 - Σ D_j) + Σ D_j B_j), in the shape of `Hits.total`. The sums
    are over the ranks j of results that have a gain. D_j is the probability of stopping at rank j,
    and B are the cumulative weights."""
    hits, looked_at = _weigh_gains(ranks, min_rel, max_rel, weight, cutoff)
    return ratio(hits.total(hits.relevance, limit_cutoff(cutoff)), looked_at)


def _weigh_gains(
    ranks: JudgedRanks, min_rel: int, max_rel: int | None, weight: Floats, cutoff: Cutoff
) -> tuple[Hits, Floats]:
    """Return the results that have a gain, with their grades replaced by D_j b_j. Also return the
    expected number of results viewed within each cutoff, in the shape of `Hits.total`.
    `_score_nearly_err` defines D and b."""
    hits = scaled_gains(ranks, min_rel, max_rel)
    depth = limit_cutoff(cutoff)
    sums = prefix_sums(weight)
    stop = stop_chances(hits, hits.relevance)
    stopped = hits.total(stop, depth)
    looked_at = sums[depth] * (1 - stopped) + hits.total(stop * sums[hits.rank], depth)
    return hits.contributions(stop * weight[hits.rank - 1]), looked_at


@measure(
    "NERR8",
    title="Nearly ERR, equation 8",
    gloss="expected gain per result",
    ir_measures=True,
    formula=r"\frac{\sum_{i \le k} P_i g_i}{\sum_{i \le k} P_i},\ P_i = \prod_{j<i}(1-g_j)",
    reference=f"{_NERR} 8",
    worked={
        "NERR8@5": "(2/3 + 1/9) / (2 + 2/3 + 2/9)",
        "NERR8(max_rel=4)@5": "(2/4 + 1/4 * 1/2) / (2 + 2/2 + 3/8)",
    },
    unjudged=UNJUDGED,
    residual="monotone",
    differences=OF_CWL,
)
def nerr8(
    ranks: JudgedRanks, *, cutoff: TopK, min_rel: MinRel = 0, max_rel: MaxRel | None = None
) -> Floats:
    """Gain per viewed result for a reader who stops after k results at the latest. At each result,
    the reader stops with a probability equal to its gain. Without `max_rel`, the highest grade of
    all judgments has gain 1."""
    return _score_nearly_err(ranks, min_rel, max_rel, np.ones(DEPTH), cutoff)


@measure(
    "NERR9",
    title="Nearly ERR, equation 9",
    gloss="like NERR8, but discounted",
    ir_measures=True,
    formula=r"\frac{\sum_{i \le k} P_i g_i}{\sum_{i \le k} P_i},"
    r"\ P_i = \frac{1}{i}\prod_{j<i}(1-g_j)",
    reference=f"{_NERR} 9",
    worked={
        "NERR9@5": "(2/3 / 2 + 1/9 / 4) / (1 + 1/2 + (1/3 + 1/4) / 3 + 2/9 / 5)",
    },
    unjudged=UNJUDGED,
    residual="monotone",
    differences=OF_CWL,
)
def nerr9(
    ranks: JudgedRanks, *, cutoff: TopK, min_rel: MinRel = 0, max_rel: MaxRel | None = None
) -> Floats:
    """Like NERR8, but the reader also loses patience: the weight of a result is divided by its
    rank. Without `max_rel`, the highest grade of all judgments has gain 1."""
    return _score_nearly_err(ranks, min_rel, max_rel, 1 / RANKS, cutoff)


@measure(
    "NERR10",
    title="Nearly ERR, equation 10",
    gloss="like NERR8, with patience p",
    ir_measures=True,
    formula=r"\frac{\sum_i P_i g_i}{\sum_{i \le 1000} P_i},\ P_i = p^{i-1}\prod_{j<i}(1-g_j)",
    reference=f"{_NERR} 10",
    worked={
        "NERR10": "(0.9 * 2/3 + 0.9**3 / 9 + 0.9**5 * 2/9)"
        " / (1 + 0.9 + (0.9**2 + 0.9**3) / 3 + (0.9**4 + 0.9**5) * 2/9)",
    },
    unjudged=UNJUDGED,
    residual="monotone",
    differences=OF_CWL,
)
def nerr10(
    ranks: JudgedRanks, *, p: Persistence = 0.9, min_rel: MinRel = 0, max_rel: MaxRel | None = None
) -> Floats:
    """Gain per viewed result for a reader who stops at a result with a probability equal to its
    gain, and otherwise continues with probability p. Without `max_rel`, the highest grade of all
    judgments has gain 1."""
    return _score_nearly_err(ranks, min_rel, max_rel, p ** (RANKS - 1), None)


@measure(
    "NERR11",
    title="Nearly ERR, equation 11",
    gloss="like NERR8, with goal T",
    ir_measures=True,
    formula=r"\frac{\sum_i P_i g_i}{\sum_{i \le 1000} P_i},"
    r"\ P_i = \frac{(2T)^2}{(i + 2T - 1)^2}\prod_{j<i}(1-g_j)",
    reference=f"{_NERR} 11",
    worked={
        "NERR11": "(4/9 * 2/3 + 4/25 / 9 + 4/49 * 2/9)"
        " / (1 + 4/9 + (4/16 + 4/25) / 3 + (4/36 + 4/49) * 2/9)",
    },
    unjudged=UNJUDGED,
    residual="monotone",
    differences=OF_CWL,
)
def nerr11(
    ranks: JudgedRanks,
    *,
    T: Goal = 1.0,  # noqa: N803
    min_rel: MinRel = 0,
    max_rel: MaxRel | None = None,
) -> Floats:
    """Gain per viewed result for a reader who stops at a result with a probability equal to its
    gain. The reader also loses patience from rank to rank in the same way as in INSQ, with a goal
    of T relevant documents. Without `max_rel`, the highest grade of all judgments has gain 1."""
    return _score_nearly_err(ranks, min_rel, max_rel, _patience_weights(T), None)


def _patience_weights(goal: float) -> Floats:
    """Return the weights of the ranks for a reader who wants `goal` relevant documents,
    float64[1000]."""
    return (2 * goal / (RANKS + 2 * goal - 1)) ** 2


def _make_weight_function(patience: Callable[..., Floats]) -> Callable[..., Hits]:
    """Return a function that weights each result by the probability of stopping there and by the
    remaining patience."""

    def weigh_results(
        ranks: JudgedRanks, *, min_rel: int, max_rel: int | None, cutoff: int = 0, **values: float
    ) -> Hits:
        return _weigh_gains(ranks, min_rel, max_rel, patience(**values), None)[0]

    return weigh_results


weights("NERR8")(_make_weight_function(lambda: np.ones(DEPTH)))
weights("NERR9")(_make_weight_function(lambda: 1 / RANKS))
weights("NERR10")(_make_weight_function(lambda p: p ** (RANKS - 1)))
weights("NERR11")(_make_weight_function(lambda T: _patience_weights(T)))  # noqa: N803
