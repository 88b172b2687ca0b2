"""Measure how far runs agree: in their scores on each query, and in the documents of two lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.judging.hits import prefix_sums, ratio
from metrics_core.judging.ranking import top_ranks
from metrics_core.measures import Measure
from metrics_core.tables import Run


@dataclass(frozen=True)
class ScoreSpread:
    """The scores of several runs on each query; float64[query], NaN if no run has a score.

    mean             mean score of the runs
    spread           population standard deviation of the scores of these runs (divided by n)
    lowest, highest  lowest and highest score of the runs
    failing          bool[query], whether every run has a score and it is 0; always False if lower
                     is better"""

    mean: Floats
    spread: Floats
    lowest: Floats
    highest: Floats
    failing: Mask

    @property
    def score_range(self) -> Floats:
        """The highest score minus the lowest, float64[query]."""
        return self.highest - self.lowest


def find_score_spread(values: Floats, measure: Measure) -> ScoreSpread:
    """Return how far the runs agree on each query. `values` float64[run, query] are the measure's
    scores."""
    is_defined = ~np.isnan(values)
    n = is_defined.sum(axis=0)
    has_score = n > 0
    sums = np.where(is_defined, values, 0.0).sum(axis=0)
    mean = np.where(has_score, ratio(sums, n), np.nan)
    squares = np.where(is_defined, (values - mean) ** 2, 0.0).sum(axis=0)
    lowest = np.where(is_defined, values, np.inf).min(axis=0, initial=np.inf)
    highest = np.where(is_defined, values, -np.inf).max(axis=0, initial=-np.inf)
    failing = (values == 0).all(axis=0) & (len(values) > 0) & (measure.declaration.direction > 0)
    return ScoreSpread(
        mean=mean,
        spread=np.where(has_score, np.sqrt(ratio(squares, n)), np.nan),
        lowest=np.where(has_score, lowest, np.nan),
        highest=np.where(has_score, highest, np.nan),
        failing=failing,
    )


@dataclass(frozen=True)
class TwoLists:
    """The documents that two lists have in common, sorted by query and rank.

    `query`, `rank` and `other_rank` are int64[common]. `listed` and `other_listed` int64[query] are
    the lengths of the lists."""

    query: Ints
    rank: Ints
    other_rank: Ints
    listed: Ints
    other_listed: Ints

    @property
    def _longer_length(self) -> Ints:
        return np.maximum(self.listed, self.other_listed)

    def overlap(self, k: int) -> Floats:
        """Return the share of the first k documents that the two lists have in common,
        float64[query].

        If both lists are shorter than k, the number of common documents is divided by the length of
        the longer list. The result is NaN if both lists are empty."""
        common = np.maximum(self.rank, self.other_rank) <= k
        n_common = np.bincount(self.query[common], minlength=len(self.listed))
        most = np.minimum(k, self._longer_length)
        return np.where(most > 0, ratio(n_common.astype(np.float64), most), np.nan)

    def rbo(self, p: float = 0.9) -> Floats:
        """Return rank-biased overlap, float64[query]: the similarity of the lists for a reader who
        continues to the next rank with probability `p`.

        It is between 0 and 1: 1 for equal lists, NaN if both are empty. Beyond the end of the
        lists, their agreement is extrapolated (Webber, Moffat and Zobel, A similarity measure for
        indefinite rankings, TOIS 2010, equation 32)."""
        n, longer = len(self.listed), self._longer_length
        shorter = np.minimum(self.listed, self.other_listed)
        depth = np.arange(1, int(longer.max(initial=0)) + 1)
        # Sums of p^d / d and of p^d over the first depths.
        shares, weights = prefix_sums(p**depth / depth), prefix_sums(p ** depth.astype(np.float64))
        deeper_rank = np.maximum(self.rank, self.other_rank)
        common = np.bincount(self.query, minlength=n).astype(np.float64)
        n_within = np.bincount(self.query[deeper_rank <= shorter[self.query]], minlength=n)
        down_to = shares[longer[self.query]] - shares[deeper_rank - 1]
        agreed = np.bincount(self.query, down_to, n).astype(np.float64)
        # Beyond its end, the shorter list is assumed to agree as much as down to its end.
        rate = ratio(n_within.astype(np.float64), shorter)
        extrapolated = rate * (weights[longer] - weights[shorter])
        extrapolated -= n_within * (shares[longer] - shares[shorter])
        end = (ratio(common - n_within, longer) + rate) * p**longer
        return np.where(longer > 0, (1 - p) / p * (agreed + extrapolated) + end, np.nan)


def compare_runs(run: Run, other: Run, query_ids: Sequence[str], *, depth: int) -> TwoLists:
    """Compare the lists of two runs, each down to rank `depth`, on these queries. The positions of
    queries in the result are positions in `query_ids`.

    A missing list is treated as an empty list."""
    sides = [read_lists(r, query_ids, depth) for r in (run, other)]
    documents = pa.chunked_array([d for _, _, d in sides]).unique()
    pairs = [
        query * np.int64(len(documents)) + pc.index_in(docs, value_set=documents).to_numpy()
        for query, _, docs in sides
    ]
    _, own_rows, other_rows = np.intersect1d(
        pairs[0], pairs[1], assume_unique=True, return_indices=True
    )
    (query, rank, _), (other_query, other_rank, _) = sides
    order = np.lexsort((rank[own_rows], query[own_rows]))
    own_rows, other_rows = own_rows[order], other_rows[order]
    return TwoLists(
        query=query[own_rows],
        rank=rank[own_rows],
        other_rank=other_rank[other_rows],
        listed=_list_lengths(query, rank, len(query_ids)),
        other_listed=_list_lengths(other_query, other_rank, len(query_ids)),
    )


def _list_lengths(query: Ints, rank: Ints, n_queries: int) -> Ints:
    """Return the length of each query's list, including ranks without a document, int64[query]."""
    last = np.zeros(n_queries, dtype=np.int64)
    np.maximum.at(last, query, rank)
    return last


def read_lists(run: Run, query_ids: Sequence[str], depth: int) -> tuple[Ints, Ints, pa.Array]:
    """Return the rows of a run for these queries, down to rank `depth`: three arrays with the
    position of the query (int64[row]), the rank (int64[row]) and the doc_id."""
    run = run.select_queries(query_ids)
    position = {query_id: i for i, query_id in enumerate(query_ids)}
    positions = np.array([position.get(q, -1) for q in run.query_ids], dtype=np.int64)
    rows, rank = top_ranks(run, depth)
    query = positions[run.query_codes[rows]]
    is_asked = query >= 0
    docs = run.doc_ids.take(pa.array(rows[is_asked]))
    docs = docs.combine_chunks() if isinstance(docs, pa.ChunkedArray) else docs
    return query[is_asked], rank[is_asked], docs
