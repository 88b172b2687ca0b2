"""Chris Buckley's normalized gains: nDCG averaged over depths, and G, which discounts by what
stands above rather than by the rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics_core.hits import Floats, Hits, Ints, ratio
from metrics_core.judging import JudgedRanks
from metrics_core.measures.parameters import GainTable
from metrics_core.measures.registry import Scores, measure


def gain_of(relevance: Floats, gains: GainTable | None) -> Floats:
    """What each grade is worth: itself unless the table says otherwise, nothing if negative."""
    worth = np.maximum(relevance, 0.0)
    for grade, gain in gains or ():
        if grade >= 0:
            worth[relevance == grade] = gain
    return worth


def _gaining(hits: Hits, gains: GainTable | None) -> Hits:
    """The hits whose gain is not 0, with the gain in place of the grade."""
    gain = gain_of(hits.relevance, gains)
    kept = gain != 0
    return Hits(hits.query[kept], hits.rank[kept], gain[kept], hits.n_queries)


def _best(ranks: JudgedRanks, gains: GainTable | None) -> Hits:
    """All judged documents that are worth more than nothing, most valuable first."""
    ideal = ranks.ideal()
    gain = gain_of(ideal.relevance, gains)
    order = np.flatnonzero(gain > 0)
    if not gains:
        return Hits(ideal.query[order], ideal.rank[order], gain[order], ideal.n_queries)
    order = order[np.lexsort((-gain[order], ideal.query[order]))]
    best = Hits(ideal.query[order], ideal.rank[order], gain[order], ideal.n_queries)
    return replace(best, rank=best.ordinal())


def _counts(hits: Hits) -> Ints:
    return np.bincount(hits.query, minlength=hits.n_queries)


def _best_by(depth: Ints, query: Ints, best: Hits, weight: Floats) -> Floats:
    """The best list's sum of `weight` down to each of these depths of these queries."""
    count = _counts(best)
    first = np.cumsum(count) - count
    inside = np.minimum(depth, count[query])
    place = np.where(inside > 0, first[query] + inside - 1, -1)
    return np.append(best.running(weight), 0.0)[place]


def _discounted(hits: Hits) -> Floats:
    return hits.relevance / np.log2(hits.rank + 1)


@measure(
    "binG",
    title="Binary G",
    gloss="few not relevant above",
    trec_eval="binG",
    formula=r"\frac{1}{R}\sum_{i : rel_i \ge rel} \frac{1}{\log_2(2 + n_i)}",
    reference="trec_eval, m_binG.c (experimental, 2008)",
    worked={
        "binG": "(1 / log2(3) + 1 / log2(4) + 1 / log2(5)) / 4",
        "binG(rel=2)": "(1 / log2(3) + 1 / log2(6)) / 2",
    },
    ideal=1.0,
)
def binary_g(ranks: JudgedRanks, *, rel: int = 1) -> Scores:
    """Each relevant result counts by how few results that are not relevant stand above it;
    relevant ones above it cost nothing."""
    hits = ranks.relevant(rel)
    above = hits.rank - hits.ordinal()
    return ratio(hits.total(1 / np.log2(2 + above)), ranks.n_relevant(rel))


@measure(
    "G",
    aliases=("normalized gain",),
    title="Normalized gain G",
    gloss="graded, little lost above",
    trec_eval="G",
    formula=r"\frac{1}{\sum_j g^*_j}\sum_i \frac{g_i}{\log_2(2 + \sum_{j \le i} \max(g^*_j, 1)"
    r" - \sum_{j \le i} g_j)}",
    reference="trec_eval, m_G.c (experimental, 2008)",
    worked={
        "G": "(2 / log2(2 + 5 - 2) + 1 / log2(2 + 7 - 3) + 3 / log2(2 + 9 - 6)) / 7",
        "G(gains={1:2,2:4,3:6})": "(4 / log2(2 + 10 - 4) + 2 / log2(2 + 14 - 6)"
        " + 6 / log2(2 + 16 - 12)) / 14",
    },
    ideal=1.0,
)
def normalized_g(ranks: JudgedRanks, *, gains: GainTable | None = None) -> Scores:
    """Each result counts with its grade, the less the more gain the best possible list would have
    had by then than this one: a result is worth as much as the moment still allows."""
    found, best = _gaining(ranks.judged(), gains), _best(ranks, gains)
    cost = _best_by(found.rank, found.query, best, np.maximum(best.relevance, 1.0))
    beyond = np.maximum(found.rank - _counts(best)[found.query], 0)
    lost = cost + beyond - found.running(found.relevance)
    return ratio(found.total(found.relevance / np.log2(2 + lost)), best.total(best.relevance))


@measure(
    "nDCGRel",
    aliases=("nDCG at relevant",),
    title="nDCG over relevant documents",
    gloss="nDCG at each relevant result",
    trec_eval="ndcg_rel",
    formula=r"\frac{1}{R_g}\sum_{j} nDCG@i_j",
    reference="trec_eval, m_ndcg_rel.c (experimental)",
    worked={
        "nDCGRel": "((2 / log2(3)) / (3 + 2 / log2(3))"
        " + (2 / log2(3) + 1 / log2(5)) / (3 + 2 / log2(3) + 1 / log2(4) + 1 / log2(5))"
        " + 2 * (2 / log2(3) + 1 / log2(5) + 3 / log2(7))"
        " / (3 + 2 / log2(3) + 1 / log2(4) + 1 / log2(5))) / 4",
    },
    ideal=1.0,
)
def ndcg_at_relevant(ranks: JudgedRanks, *, gains: GainTable | None = None) -> Scores:
    """nDCG at the rank of each document with a gain, averaged over all of them; those that were
    not found count with the nDCG of the whole list."""
    found, best = _gaining(ranks.judged(), gains), _best(ranks, gains)
    gained, ideal = _discounted(found), _discounted(best)
    ndcg = ratio(found.running(gained), _best_by(found.rank, found.query, best, ideal))
    good = found.relevance > 0
    n_best, n_found = _counts(best), found.total(good.astype(np.float64))
    rest = ratio((n_best - n_found) * found.total(gained), best.total(ideal))
    return np.maximum(ratio(found.total(np.where(good, ndcg, 0.0)) + rest, n_best), 0.0)


@measure(
    "Rndcg",
    aliases=("nDCG at R levels",),
    title="nDCG at the R levels",
    gloss="nDCG where the best grade drops",
    trec_eval="Rndcg",
    formula=r"\frac{1}{|L|}\sum_{k \in L} nDCG@k",
    reference="trec_eval, m_Rndcg.c (experimental)",
    worked={
        "Rndcg": "(0 / 3 + (2 / log2(3)) / (3 + 2 / log2(3))"
        " + (2 / log2(3) + 1 / log2(5)) / (3 + 2 / log2(3) + 1 / log2(4) + 1 / log2(5))"
        " + (2 / log2(3) + 1 / log2(5) + 3 / log2(7))"
        " / (3 + 2 / log2(3) + 1 / log2(4) + 1 / log2(5))) / 4",
        "Rndcg(rel=4)": "0",
    },
    ideal=1.0,
)
def ndcg_at_levels(ranks: JudgedRanks, *, rel: int = 1, gains: GainTable | None = None) -> Scores:
    """nDCG averaged over the depths at which the best possible list passes to a lower grade, and
    the whole list where that reaches at least two ranks further; 0 where no grade is at least
    `rel`, which changes nothing else."""
    found, best = _gaining(ranks.judged(), gains), _best(ranks, gains)
    gained, ideal = _discounted(found), _discounted(best)
    # The next query's first document or a lower gain: the last rank of a level.
    drop = (np.diff(best.query, append=-1) != 0) | (np.diff(best.relevance, append=-1) != 0)
    query, depth = best.query[drop], best.rank[drop]
    reached = np.append(found.running(gained), 0.0)[found.within(depth, query)]
    levels = Hits(query, depth, best.relevance[drop], best.n_queries)
    # trec_eval adds the end of the list only where it comes later than one rank past the last.
    longer = (ranks.retrieved > _counts(best) + 1) & (_counts(best) > 0)
    whole = np.where(longer, ratio(found.total(gained), best.total(ideal)), 0.0)
    ndcg = levels.total(ratio(reached, best.running(ideal)[drop]))
    score = ratio(ndcg + whole, levels.count() + longer)
    return np.where(ranks.n_relevant(rel) > 0, score, 0.0)
