"""Headroom: how much the score would rise with a better order, deeper results, and unlisted
documents.

The steps are taken in turn, each on the list that the previous one produced: the first k results in
their best order, then the whole list in its best order, then the list with the missing relevant
documents added. The gain of a step is the amount that it adds to the score. The score and the gains
add up to the best reachable score, which is often less than 1 (P@10 with three relevant documents
reaches 0.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.judging import JudgedRanks
from metrics_core.judging.added_judgments import order_by_query
from metrics_core.judging.judged import no_qrels_rows
from metrics_core.measures import Measure


@dataclass(frozen=True)
class Headroom:
    """Headroom by query, float64[query] each; NaN if the score is undefined.

    Three gains are added to `score` one after the other. `order` is the gain from the best order of
    the first results. `below` is the additional gain from moving up results that rank below the
    first results. `missing` is the additional gain from adding documents that are missing from the
    list. Score and gains add up to `best_score`."""

    score: Floats
    order: Floats
    below: Floats
    missing: Floats

    @property
    def best_score(self) -> Floats:
        """The best reachable score with these judgments, float64[query]."""
        return self.score + self.order + self.below + self.missing

    @property
    def reached_share(self) -> Floats:
        """The score as a share of the best reachable score, float64[query]; NaN if the best
        reachable score is 0."""
        best = self.best_score
        share = np.full(len(best), np.nan)
        np.divide(self.score, best, out=share, where=best > 0)
        return share

    def mean(self) -> Headroom:
        """Return a Headroom with one entry: the means over the queries with a defined score, or NaN
        if no score is defined.

        As for a single query, the mean score and the mean gains add up to the mean best score."""
        is_defined = ~np.isnan(self.score)
        parts = (self.score, self.order, self.below, self.missing)
        if not is_defined.any():
            return Headroom(*(np.full(1, np.nan) for _ in parts))
        return Headroom(*(np.array([part[is_defined].mean()]) for part in parts))


def has_headroom(measure: Measure) -> bool:
    """Return whether the measure rises with a better order and with more relevant documents.

    This is the case if higher is better, a higher grade has a higher gain, and the measure needs no
    data besides the ranks and grades of the documents."""
    declaration = measure.declaration
    return (
        declaration.higher_is_better
        and declaration.by_query
        and not declaration.needs
        and not measure.value("gains")
        and declaration.residual not in ("unaffected", "count")
    )


def headroom(ranks: JudgedRanks, measure: Measure, cutoff: int) -> Headroom:
    """Return the possible gains in score of each query.

    If the measure has no cutoff, the first `cutoff` results form the top of the list. Raises
    ValueError if `has_headroom` is false for the measure."""
    if not has_headroom(measure):
        raise ValueError(f"{measure} has no ideal order")
    first, least = measure.cutoff or cutoff, measure.relevant_from
    # Lists that do not depend on the cutoff are cached.
    best_order, reachable = ranks.cached(
        "best lists", least, lambda: (sort_lists(ranks, least), make_best_lists(ranks, least))
    )
    score, ordered, deeper, best = (
        measure.score(better)
        for better in (ranks, sort_lists(ranks, least, first), best_order, reachable)
    )
    # A measure divided by the number of listed documents may fall as the list grows; then nothing
    # is added.
    best = np.maximum(best, deeper)
    return Headroom(score, ordered - score, deeper - ordered, best - deeper)


def reranking_ceiling(ranks: JudgedRanks, measure: Measure, depths: Sequence[int]) -> Floats:
    """Return the best score that a perfect reordering of the first results could reach,
    float64[query, depth].

    `depths` are the numbers of results that are reordered. If a depth is at least the length of the
    list, the result is the sum of `score`, `order` and `below` of `Headroom`. Raises ValueError if
    `has_headroom` is false for the measure."""
    if not has_headroom(measure):
        raise ValueError(f"{measure} has no ideal order")
    least = measure.relevant_from
    scores = [measure.score(sort_lists(ranks, least, depth)) for depth in depths]
    return np.array(scores).reshape(len(depths), ranks.n_queries).T


def sort_lists(
    ranks: JudgedRanks, lowest_gaining_grade: float, n_first: int | None = None
) -> JudgedRanks:
    """Return the lists with their first `n_first` results in the best order. If `n_first` is None,
    all results are sorted.

    Documents with a grade of at least `lowest_gaining_grade` come first, best grade first, then the
    remaining documents in their previous order. Every `qrels_row` is -1."""
    inside = (
        ranks.rank <= n_first if n_first is not None else np.ones(len(ranks.rank), dtype=np.bool_)
    )
    gains = (ranks.relevance >= lowest_gaining_grade) & inside
    count = np.bincount(ranks.query[gains], minlength=ranks.n_queries)
    pushed = count[ranks.query] - _running_counts(gains, ranks.query, ranks.n_queries)
    rank = np.where(inside, ranks.rank + pushed, ranks.rank)
    # They are already sorted by rank.
    best = order_by_query(ranks.query[gains], -ranks.relevance[gains])
    rank[np.flatnonzero(gains)[best]] = _ranks_within_queries(ranks.query[gains], ranks.n_queries)
    order = order_by_query(ranks.query, rank)
    return ranks.with_lists(
        rank=rank[order], relevance=ranks.relevance[order], qrels_row=no_qrels_rows(len(order))
    )


def make_best_lists(ranks: JudgedRanks, lowest_gaining_grade: float) -> JudgedRanks:
    """Return the best possible list of each query.

    All documents with a grade of at least `lowest_gaining_grade` come first, including relevant
    documents that the run lacks. The remaining listed documents follow in their previous order.
    Every `qrels_row` is -1."""
    gains = ranks.relevance >= lowest_gaining_grade
    n_listed = np.bincount(ranks.query[gains], minlength=ranks.n_queries)
    is_relevant = ranks.judged_relevance >= lowest_gaining_grade
    query = ranks.judged_query[is_relevant]
    total = np.bincount(query, minlength=ranks.n_queries)
    behind = ranks.rank - _running_counts(gains, ranks.query, ranks.n_queries) + total[ranks.query]
    queries = np.concatenate([query, ranks.query[~gains]])
    rank = np.concatenate([_ranks_within_queries(query, ranks.n_queries), behind[~gains]])
    order = order_by_query(queries, rank)
    relevance = np.concatenate([ranks.judged_relevance[is_relevant], ranks.relevance[~gains]])
    return ranks.with_lists(
        query=queries[order],
        rank=rank[order],
        relevance=relevance[order],
        qrels_row=no_qrels_rows(len(order)),
        retrieved=ranks.retrieved + total - n_listed,
    )


def _running_counts(gains: Mask, query: Ints, n_queries: int) -> Ints:
    """Return a running count for each row, int64[row]: the number of rows with a gain among the
    rows of the same query up to and including this row."""
    running = np.cumsum(gains)
    before = np.append(0, running)[_query_starts(query, n_queries)]
    return np.asarray(running - before[query])


def _ranks_within_queries(query: Ints, n_queries: int) -> Ints:
    """Return the number of each row within its query, counted from 1, int64[row]."""
    return np.arange(1, len(query) + 1) - _query_starts(query, n_queries)[query]


def _query_starts(query: Ints, n_queries: int) -> Ints:
    """Return the position of each query's first row, int64[query]."""
    counts = np.bincount(query, minlength=n_queries)
    return np.cumsum(counts) - counts
