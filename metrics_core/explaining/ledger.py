"""The ledger of a score: each document's contribution to the score, and to the difference between
two runs.

For a measure that is a sum over documents, a contribution is the document's term of the sum
(`Measure.terms`); for other measures it is the document's Shapley value (`shapley_values`). In both
cases, the query's score is the sum of the contributions and of the score without contributions. A
document's contribution to a difference is its contribution in the run minus its contribution in the
baseline. Only lists that could exist are scored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask, Objects
from metrics_core.base.errors import LackingDataError
from metrics_core.explaining.shapley import shapley_values
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure


@dataclass(frozen=True)
class Ledger:
    """The documents that contribute to a score, sorted by query and rank.

    query, qrels_row  int64[document]    position of the query, and the row in the qrels
    rank              int64[document]    in the whole list, including unjudged documents
    grade, part       float64[document]  the grade, and the contribution to the score
    empty             float64[query]     the score without the contributions: 0 if the measure
                                         is a sum of terms
    score             float64[query]     `empty` plus the parts; both are NaN if undefined
    by                object[query]      how the parts were computed: "terms", "shapley", or
                                         "order" if the query has too many relevant documents"""

    query: Ints
    qrels_row: Ints
    rank: Ints
    grade: Floats
    part: Floats
    empty: Floats
    score: Floats
    by: Objects


@dataclass(frozen=True)
class DifferenceLedger:
    """Documents that contribute to either score, sorted by query and the better of the two ranks.

    query, qrels_row        int64[document]    as in `Ledger`
    grade                   float64[document]
    rank, baseline_rank     float64[document]  in the whole list; NaN if not listed
    term, baseline_term     float64[document]  the document's contribution to each score; 0 if none
    empty                   float64[query]     the difference without any contributions
    score, baseline_score   float64[query]
    by                      object[query]      as in `Ledger`; "order" if either ledger has "order"
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
    by: Objects

    @property
    def part(self) -> Floats:
        """Each document's contribution to the difference, float64[document]."""
        return self.term - self.baseline_term

    @property
    def difference(self) -> Floats:
        """The run's score minus the baseline's, float64[query]. This is the sum of the documents'
        contributions and `empty`, the difference without any contributions."""
        return self.score - self.baseline_score

    @property
    def rank_differs(self) -> Mask:
        """Whether each document has different ranks in the two lists, or is in only one of them,
        bool[document]."""
        return self.rank != self.baseline_rank


def has_ledger(measure: Measure) -> bool:
    """Return whether the scores of a measure can be explained by the contributions of documents.
    The measure must need no other data than ranks and grades."""
    return not measure.declaration.needs


def score_ledger(ranks: JudgedRanks, measure: Measure) -> Ledger:
    """Return each document's contribution to the score of each query.

    Raises LackingDataError if `has_ledger` is false, because subtopics, prices or other documents
    would then also contribute to the score."""
    if not has_ledger(measure):
        raise LackingDataError(
            f"{measure} cannot be split among documents.",
            "Choose a measure that depends only on grades.",
        )
    if measure.declaration.terms is None:
        return _shapley_ledger(ranks, measure)
    terms, score = measure.terms(ranks), measure.score(ranks)
    # Condensed lists omit the unjudged documents, but the ledger has the original ranks.
    condensed = bool(measure.value("judged_only"))
    counted = (ranks.condensed() if condensed else ranks).pooled()
    rows = counted.last_hit_positions(terms.rank, terms.query)
    if condensed:
        rows = np.flatnonzero(ranks.relevance >= 0)[rows]
    empty = np.where(np.isnan(score), np.nan, 0.0)
    return _make_ledger(
        ranks, rows, terms.relevance, empty, score, np.full(len(score), "terms", object)
    )


def _shapley_ledger(ranks: JudgedRanks, measure: Measure) -> Ledger:
    """Return the ledger with each document's Shapley value. The queries are computed one after
    another, each as a separate batch."""
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
    by: Objects,
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
    """Return each document's contribution to the difference of two runs judged by the same qrels.
    Raises LackingDataError in the same cases as `score_ledger`, and ValueError if the queries
    differ."""
    if run.query_ids != baseline.query_ids:
        raise ValueError("both runs must contain the same queries")
    now, before = score_ledger(run, measure), score_ledger(baseline, measure)
    rows, first, position = np.unique(
        np.concatenate([now.qrels_row, before.qrels_row]), return_index=True, return_inverse=True
    )
    query = np.concatenate([now.query, before.query])[first]
    grade = np.concatenate([now.grade, before.grade])[first]
    n_own, n = len(now.part), len(rows)
    ranks = [_find_ranks(ranks, rows) for ranks in (run, baseline)]
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
    # numpy returns integers if there is nothing to add.
    return np.bincount(cell, part, n).astype(np.float64, copy=False)


def _find_ranks(ranks: JudgedRanks, qrels_row: Ints) -> Floats:
    """Return the rank of each of these documents, float64[document], NaN if not listed."""
    order = np.argsort(ranks.qrels_row)
    position = np.searchsorted(ranks.qrels_row, qrels_row, sorter=order)
    index = np.append(order, -1)[position]
    listed = np.append(ranks.qrels_row, -1)[index] == qrels_row
    return np.where(listed, np.append(ranks.rank, 0)[index].astype(np.float64), np.nan)
