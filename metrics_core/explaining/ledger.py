"""The ledger of a score: each document's part of it, and of the difference between two runs.

Where a measure sums over documents a part is the document's term of the sum (`Measure.terms`);
where it does not, its Shapley value (`shapley_values`). Either way the parts of a query, and what
its score is without them, add up to the score. A document's part of a difference is its part in the
run less its part in the baseline. No list is scored that cannot exist.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.errors import LackingDataError
from metrics_core.explaining.shapley import shapley_values
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure


@dataclass(frozen=True)
class Ledger:
    """The documents that have a part of a score, m of Q queries, sorted by query and rank.

    query, qrels_row  int64[m]    position of the query, and the document's row in the qrels
    rank              int64[m]    in the whole list, unjudged documents counted
    grade, part       float64[m]
    empty             float64[Q]  the score without any of them: 0 where the measure has terms
    score             float64[Q]  `empty` and the parts add up to it; both NaN where undefined
    by                object[Q]   how the parts were found: "terms", "shapley", or "order" where a
                                  query has too many relevant documents for that
    """

    query: Ints
    qrels_row: Ints
    rank: Ints
    grade: Floats
    part: Floats
    empty: Floats
    score: Floats
    by: npt.NDArray[np.object_]


@dataclass(frozen=True)
class DifferenceLedger:
    """The documents that have a part of either score, m of Q queries, sorted by query and the
    better of their two ranks.

    query, qrels_row     int64[m]
    grade                float64[m]
    rank, baseline_rank  float64[m]  in the whole list; NaN where it is not listed
    term, baseline_term  float64[m]  its part of each score; 0 where it has none
    empty                float64[Q]  the difference without any of them
    score, baseline_score  float64[Q]
    by                   object[Q]   as in `Ledger`, "order" where it is so for either
    """

    query: Ints
    qrels_row: Ints
    grade: Floats
    rank: Floats
    baseline_rank: Floats
    term: Floats
    baseline_term: Floats
    empty: Floats
    score: Floats
    baseline_score: Floats
    by: npt.NDArray[np.object_]

    @property
    def part(self) -> Floats:
        """Per document its part of the difference; float64[m]."""
        return self.term - self.baseline_term

    @property
    def difference(self) -> Floats:
        """Per query the run's score less the baseline's: `empty` and the parts add up to it."""
        return self.score - self.baseline_score

    @property
    def counts(self) -> Mask:
        """Whether a document has a part of the difference, bool[m]: not where it adds as much to
        the one score as to the other."""
        return self.term != self.baseline_term

    @property
    def rank_differs(self) -> Mask:
        """Whether a document stands at another rank, or in one of the lists only; bool[m]."""
        return self.rank != self.baseline_rank


def has_ledger(measure: Measure) -> bool:
    """Whether the measure is about grades alone, so that ranks and grades explain its scores."""
    return not measure.declaration.needs


def score_ledger(ranks: JudgedRanks, measure: Measure) -> Ledger:
    """Each document's part of each query's score. Raises LackingDataError where `has_ledger` does
    not hold: a part would lie in subtopics, prices or the company of other documents."""
    if not has_ledger(measure):
        raise LackingDataError(
            f"{measure} cannot be split among documents.",
            "Choose a measure of grades alone.",
        )
    if measure.declaration.terms is None:
        return _shapley_ledger(ranks, measure)
    terms, score = measure.terms(ranks), measure.score(ranks)
    # Condensed lists count without the unjudged documents; the ledger tells the real ranks.
    condensed = bool(measure.value("judged_only"))
    counted = (ranks.condensed() if condensed else ranks).pooled()
    rows = counted.within(terms.rank, terms.query)
    if condensed:
        rows = np.flatnonzero(ranks.relevance >= 0)[rows]
    empty = np.where(np.isnan(score), np.nan, 0.0)
    return _make_ledger(
        ranks, rows, terms.relevance, empty, score, np.full(len(score), "terms", object)
    )


def _shapley_ledger(ranks: JudgedRanks, measure: Measure) -> Ledger:
    """One query after another: each is a batch of its own."""
    results = [shapley_values(ranks, i, measure) for i in range(ranks.n_queries)]
    rows = np.concatenate([np.empty(0, np.int64), *(rows for rows, *_ in results)])
    parts = np.concatenate([np.empty(0), *(values for _, values, *_ in results)])
    empty = np.array([empty_score for *_, empty_score, _ in results], dtype=np.float64)
    by = np.array([averaged for *_, averaged in results], dtype=object)
    return _make_ledger(ranks, rows, parts, empty, measure.score(ranks), by)


def _make_ledger(
    ranks: JudgedRanks,
    rows: Ints,
    part: Floats,
    empty: Floats,
    score: Floats,
    by: npt.NDArray[np.object_],
) -> Ledger:
    return Ledger(
        query=ranks.query[rows],
        qrels_row=ranks.qrels_row[rows],
        rank=ranks.rank[rows],
        grade=ranks.relevance[rows],
        part=part,
        empty=empty,
        score=score,
        by=by,
    )


def difference_ledger(
    run: JudgedRanks, baseline: JudgedRanks, measure: Measure
) -> DifferenceLedger:
    """Each document's part of the difference of two runs judged by the same qrels. Raises
    LackingDataError as `score_ledger` does, and ValueError where the queries differ."""
    if run.query_ids != baseline.query_ids:
        raise ValueError("both runs must hold the same queries")
    now, before = score_ledger(run, measure), score_ledger(baseline, measure)
    rows, first, position = np.unique(
        np.concatenate([now.qrels_row, before.qrels_row]), return_index=True, return_inverse=True
    )
    query = np.concatenate([now.query, before.query])[first]
    grade = np.concatenate([now.grade, before.grade])[first]
    n_own, n = len(now.part), len(rows)
    ranks = [_ranks_of(ranks, rows) for ranks in (run, baseline)]
    order = np.lexsort((np.fmin(*ranks), query))
    return DifferenceLedger(
        query=query[order],
        qrels_row=rows[order],
        grade=grade[order],
        rank=ranks[0][order],
        baseline_rank=ranks[1][order],
        term=_sum_parts(position[:n_own], now.part, n)[order],
        baseline_term=_sum_parts(position[n_own:], before.part, n)[order],
        empty=now.empty - before.empty,
        score=now.score,
        baseline_score=before.score,
        by=np.where(now.by == "order", now.by, before.by),
    )


def _sum_parts(cell: Ints, part: Floats, n: int) -> Floats:
    # numpy gives integers where there is nothing to add.
    return np.bincount(cell, part, n).astype(np.float64, copy=False)


def _ranks_of(ranks: JudgedRanks, qrels_row: Ints) -> Floats:
    """The rank of each of these documents, NaN where it is not listed; float64."""
    order = np.argsort(ranks.qrels_row)
    position = np.searchsorted(ranks.qrels_row, qrels_row, sorter=order)
    index = np.append(order, -1)[position]
    listed = np.append(ranks.qrels_row, -1)[index] == qrels_row
    return np.where(listed, np.append(ranks.rank, 0)[index].astype(np.float64), np.nan)
