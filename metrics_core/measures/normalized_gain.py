"""Chris Buckley's normalised gains: nDCG averaged over depths, and G, whose discount depends on the
documents ranked above instead of the rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits, ratio
from metrics_core.measures.declaring.other_packages import InTrecEval
from metrics_core.measures.declaring.parameters import GainTable, Rel
from metrics_core.measures.declaring.registry import measure, terms, weights
from metrics_core.measures.gain import Gains, ideal_gains, retrieved_gains


@dataclass(frozen=True)
class _GainLists:
    """The results that have a gain (`listed`) and the best possible list (`best`), both with their
    grades replaced by gains. `discounted_gains` and `discounted_ideal_gains`, float64[hit], are the
    contributions of the hits to the DCG of the lists. `dcg` and `ideal_dcg`, float64[hit], are the
    DCG down to each hit."""

    listed: Hits
    best: Hits

    @cached_property
    def discounted_gains(self) -> Floats:
        return self.listed.relevance / np.log2(self.listed.rank + 1)

    @cached_property
    def discounted_ideal_gains(self) -> Floats:
        return self.best.relevance / np.log2(self.best.rank + 1)

    @cached_property
    def dcg(self) -> Floats:
        return self.listed.accumulate(self.discounted_gains)

    @cached_property
    def ideal_dcg(self) -> Floats:
        return self.best.accumulate(self.discounted_ideal_gains)

    @cached_property
    def n_best(self) -> Ints:
        return np.bincount(self.best.query, minlength=self.best.n_queries)

    @cached_property
    def _ideal_positions(self) -> Ints:
        first, length = np.cumsum(self.n_best) - self.n_best, self.n_best[self.listed.query]
        inside = np.minimum(self.listed.rank, length)
        return np.where(inside > 0, first[self.listed.query] + inside - 1, -1)

    def ideal_sums_at_ranks(self, sums: Floats) -> Floats:
        """Return the running sums `sums` of the best possible list at the rank of each result,
        float64[hit]."""
        return np.append(sums, 0.0)[self._ideal_positions]

    def whole_list_ndcg(self) -> Floats:
        """Return the nDCG of the whole list, float64[query]."""
        return ratio(
            self.listed.total(self.discounted_gains), self.best.total(self.discounted_ideal_gains)
        )


def _gain_lists(ranks: JudgedRanks, gains: GainTable | None) -> _GainLists:
    return _GainLists(retrieved_gains(ranks, gains=gains), ideal_gains(ranks, gains=gains))


@measure(
    "binG",
    title="Binary G",
    gloss="few non-relevant above relevant",
    trec_eval="binG",
    formula=r"\frac{1}{R}\sum_{i : rel_i \ge rel} \frac{1}{\log_2(2 + n_i)}",
    reference="trec_eval, m_binG.c (experimental, 2008)",
    worked={
        "binG": "(1 / log2(3) + 1 / log2(4) + 1 / log2(5)) / 4",
        "binG(rel=2)": "(1 / log2(3) + 1 / log2(6)) / 2",
    },
    ideal=1.0,
    residual="normalised",
)
def binary_g(ranks: JudgedRanks, *, rel: Rel = 1) -> Floats:
    """A relevant result counts more if fewer non-relevant results are ranked above it. The relevant
    results above it do not matter."""
    hits = ranks.relevant(rel)
    above = hits.rank - hits.ordinals()
    return ratio(hits.total(1 / np.log2(2 + above)), ranks.n_relevant(rel))


@measure(
    "G",
    aliases=("normalized gain",),
    title="Normalised gain G",
    gloss="discounted share of total gain",
    trec_eval=InTrecEval("G", takes="pairs"),
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
def normalized_g(ranks: JudgedRanks, *, gains: Gains | None = None) -> Floats:
    """Sum of the discounted gains of the results, as a share of the gain of all judged documents.
    The gain of a result is discounted more, the further the total gain down to its rank is behind
    the total gain of the best possible list."""
    graded = _gain_lists(ranks, gains)
    return ratio(graded.listed.total(_g_terms(graded)), graded.best.total(graded.best.relevance))


@terms("G")
def _normalized_g_terms(ranks: JudgedRanks, *, gains: GainTable | None) -> Hits:
    graded = _gain_lists(ranks, gains)
    best = graded.best.total(graded.best.relevance)
    return graded.listed.contributions(ratio(_g_terms(graded), best[graded.listed.query]))


def _g_terms(gain_lists: _GainLists) -> Floats:
    """Return the gain of each result, float64[hit], after a discount. The discount grows with the
    gain that the list has lost down to this rank, compared with the ideal list."""
    listed, best = gain_lists.listed, gain_lists.best
    cost = gain_lists.ideal_sums_at_ranks(best.accumulate(np.maximum(best.relevance, 1.0)))
    n_beyond = np.maximum(listed.rank - gain_lists.n_best[listed.query], 0)
    lost_gain = cost + n_beyond - listed.accumulate(listed.relevance)
    return listed.relevance / np.log2(2 + lost_gain)


@measure(
    "nDCGRel",
    aliases=("nDCG at relevant",),
    title="nDCG over relevant documents",
    gloss="mean nDCG at relevant documents",
    trec_eval=InTrecEval("ndcg_rel", takes="pairs"),
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
def ndcg_at_relevant(ranks: JudgedRanks, *, gains: Gains | None = None) -> Floats:
    """nDCG at the rank of each document with a gain, averaged over all these documents. A document
    that was not retrieved contributes the nDCG of the whole list."""
    graded = _gain_lists(ranks, gains)
    listed, has_gain = graded.listed, graded.listed.relevance > 0
    ndcg = ratio(graded.dcg, graded.ideal_sums_at_ranks(graded.ideal_dcg))
    n_missed = graded.n_best - listed.total(has_gain.astype(np.float64))
    total = listed.total(np.where(has_gain, ndcg, 0.0)) + n_missed * graded.whole_list_ndcg()
    return np.maximum(ratio(total, graded.n_best), 0.0)


@measure(
    "Rndcg",
    aliases=("nDCG at R levels",),
    title="nDCG at the R levels",
    gloss="nDCG where the ideal grade drops",
    trec_eval=InTrecEval("Rndcg", takes="pairs"),
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
def ndcg_at_levels(ranks: JudgedRanks, *, rel: Rel = 1, gains: Gains | None = None) -> Floats:
    """nDCG averaged over the depths at which the best possible list drops to a lower grade. The
    length of the whole list is added as the last depth if it exceeds the others by at least two
    ranks. The score is 0 if no grade is at least `rel`; `rel` has no other effect."""
    graded = _gain_lists(ranks, gains)
    listed, best = graded.listed, graded.best
    drop, longer = _mark_level_ends(best), _needs_whole_list_depth(ranks, graded)
    levels = best.select(drop)
    reached = np.append(graded.dcg, 0.0)[listed.last_hit_positions(levels.rank, levels.query)]
    ndcg = levels.total(ratio(reached, graded.ideal_dcg[drop]))
    score = ratio(ndcg + np.where(longer, graded.whole_list_ndcg(), 0.0), levels.count() + longer)
    return np.where(ranks.n_relevant(rel) > 0, score, 0.0)


@terms("Rndcg")
def _ndcg_at_levels_terms(ranks: JudgedRanks, *, rel: int, gains: GainTable | None) -> Hits:
    graded = _gain_lists(ranks, gains)
    listed = graded.listed
    drop = _mark_level_ends(graded.best)
    longer = _needs_whole_list_depth(ranks, graded)
    levels, share = graded.best.select(drop), 1 / graded.ideal_dcg[drop]
    # A result counts in every level that ends at its rank or deeper.
    passed = np.append(levels.accumulate(share), 0.0)[
        levels.last_hit_positions(listed.rank - 1, listed.query)
    ]
    whole_share = np.where(
        longer,
        ratio(np.ones(ranks.n_queries), graded.best.total(graded.discounted_ideal_gains)),
        0.0,
    )
    counted = (levels.total(share) + whole_share)[listed.query] - passed
    part = ratio(graded.discounted_gains * counted, (levels.count() + longer)[listed.query])
    return listed.contributions(np.where(ranks.n_relevant(rel)[listed.query] > 0, part, 0.0))


def _mark_level_ends(best: Hits) -> Mask:
    """Return whether each document of the ideal list is the last one with its gain, bool[hit]. If
    so, the next document has a lower gain or belongs to another query."""
    return (np.diff(best.query, append=-1) != 0) | (np.diff(best.relevance, append=-1) != 0)


def _needs_whole_list_depth(ranks: JudgedRanks, gain_lists: _GainLists) -> Mask:
    """Return for which queries the length of the whole list is added as the last depth,
    bool[query]. As in trec_eval, the list must end more than one rank after the last level."""
    return (ranks.retrieved > gain_lists.n_best + 1) & (gain_lists.n_best > 0)


@weights("binG")
def _binary_g_weights(ranks: JudgedRanks, *, rel: int) -> Hits:
    hits = ranks.relevant(rel)
    return hits.contributions(1 / np.log2(2 + hits.rank - hits.ordinals()))
