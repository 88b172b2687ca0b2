"""The documents to judge next: the smallest set of documents whose judgment could reverse the
result or settle it.

A document has its largest effect on the difference if it gets the highest grade. The documents that
count against the run that is ahead are sorted by the size of this effect. For measures that are a
sum over documents with fixed weights this is exact: no smaller set could reverse the sign, or
settle it. For other measures the effect of a document assumes that all other documents are
unchanged; whether a set reverses the sign is verified, but a smaller set may do so as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints
from metrics_core.comparing.winners import ROUNDING, better_run_sign
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.unjudged.bounds import DifferenceBounds, PartialBounds, highest_grade
from metrics_core.unjudged.graded_scores import RegradedScores, bounds_method
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks, add_grades

MOST_TRIED = 400
"""Maximum number of documents that are tried one by one. This is done for measures in which the
weight of a document depends on other documents."""

MOST_RANKED = 20_000
"""Maximum number of documents in the ranking, which is more than anyone would judge."""


@dataclass(frozen=True)
class NextJudgments:
    """The documents to judge next.

    `table` has one row per document that could move the difference against the run that is ahead,
    largest effect first. Columns: query_id, doc_id, run_rank, baseline_rank (0: not within the
    depth), moves (the maximum effect on the combined difference).

    `n_to_reverse` is the number of rows at the top of the table that reverse the sign if all of
    them have the highest grade; None if no number of rows does. `n_to_settle` is the number of rows
    at the top that must turn out not relevant to make the sign certain, whatever the grades of the
    other documents. `n_to_settle` is 0 if the sign is already certain, None if the bound cannot
    show it. `settled` are the bounds of the difference after that."""

    table: pd.DataFrame
    n_to_reverse: int | None
    n_to_settle: int | None
    settled: DifferenceBounds | None = None

    @property
    def n_worth_judging(self) -> int:
        """The number of rows worth judging: the larger of `n_to_settle` and `n_to_reverse`. If only
        one of them is None, the other is used; if both are None, all rows are worth judging."""
        counts = [n for n in (self.n_to_settle, self.n_to_reverse) if n is not None]
        return max(counts, default=len(self.table))

    def make_blank_judgments(self, max_rows: int | None = None) -> pd.DataFrame:
        """Return the first `max_rows` rows as judgments with an empty grade. Columns: query_id,
        doc_id, relevance."""
        rows = self.table.head(max_rows or max(self.n_worth_judging, 1))[["query_id", "doc_id"]]
        return rows.assign(relevance="")


def find_next_judgments(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    unjudged: UnjudgedRanks,
    bounds: DifferenceBounds,
) -> NextJudgments:
    """Find the unjudged documents that could move the difference furthest towards the other sign,
    largest effect first.

    `unjudged` are the documents of `find_unjudged`, and `bounds` is the difference with its bounds.
    If the runs are tied, effects in either direction count."""
    sign = better_run_sign(bounds.difference)
    if np.isnan(bounds.lowest) or not unjudged.is_matched:
        part = unjudged.select(slice(MOST_RANKED))
        return NextJudgments(_make_table(run, part, np.zeros(len(part))), None, None)
    partial_bounds = PartialBounds(run, baseline, measure, unjudged)
    moves = _find_effects(run, baseline, measure, unjudged, partial_bounds)
    order = _order_by_opposing_effect(sign, moves)
    scale = 1.0
    if measure.declaration.combination.averaged:
        scale = 1.0 / max(int((~np.isnan(bounds.low)).sum()), 1)
    ranked = unjudged.select(order)
    table = _make_table(run, ranked, moves[order] * scale)
    if not sign:
        return NextJudgments(table, min(1, len(table)) or None, None)
    graded = RegradedScores(run, baseline, measure, ranked, np.array([highest_grade(run, measure)]))
    combine, undefined = measure.declaration.combination.combine, np.isnan(bounds.low)

    def is_lead_reversed(n: int) -> bool:
        both = graded.scores(np.zeros(n, dtype=np.int64))
        own_scores, other_scores = (combine(np.where(undefined, np.nan, scores)) for scores in both)
        return better_run_sign(float(own_scores) - float(other_scores)) == -sign

    @cache  # the bounds of the lowest number are used twice
    def find_bounds_without(n: int) -> DifferenceBounds:
        rest = np.ones(len(unjudged), dtype=np.bool_)
        rest[order[:n]] = False
        return partial_bounds.find_bounds(rest)

    n_to_settle = _find_lowest_number(
        lambda n: not find_bounds_without(n).can_reverse, 0, len(table)
    )
    return NextJudgments(
        table,
        _find_lowest_number(is_lead_reversed, 1, len(table)),
        n_to_settle,
        None if n_to_settle is None else find_bounds_without(n_to_settle),
    )


def rank_by_effect(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    unjudged: UnjudgedRanks,
    difference: float,
) -> pd.DataFrame:
    """Return the documents to judge as a table like `NextJudgments.table`, but with a simpler
    column `moves`: the effect of a document on the difference of its own query. No bounds are
    computed, so the function is fast for any collection, but it does not say how many judgments are
    enough."""
    partial_bounds = PartialBounds(run, baseline, measure, unjudged)
    moves = _find_effects(run, baseline, measure, unjudged, partial_bounds)
    order = _order_by_opposing_effect(better_run_sign(difference), moves)
    return _make_table(run, unjudged.select(order), moves[order])


def _order_by_opposing_effect(sign: int, moves: Floats) -> Ints:
    """Return the documents whose effect is opposite to the sign of the difference, int64[n],
    largest effect first.

    If the runs are tied, effects in either direction count. At most `MOST_RANKED` documents are
    returned."""
    moves_against = -sign * moves if sign else np.abs(moves)
    documents = np.flatnonzero(moves_against > ROUNDING)
    if len(documents) > MOST_RANKED:
        # Sort only those that can be in the ranking.
        last = len(documents) - MOST_RANKED
        documents = documents[
            moves_against[documents] >= np.partition(moves_against[documents], last)[last]
        ]
    return documents[np.argsort(-moves_against[documents], kind="stable")][:MOST_RANKED]


def _find_lowest_number(condition: Callable[[int], bool], low: int, high: int) -> int | None:
    """Return the lowest number from `low` to `high` for which `condition` is true. Returns None
    if it is false for all of them. If `condition` is true for a number, it must be true for all
    higher numbers."""
    if low > high or not condition(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if condition(middle) else (middle + 1, high)
    return low


def _make_table(run: JudgedRanks, unjudged: UnjudgedRanks, moves: Floats) -> pd.DataFrame:
    ids = np.array(run.query_ids, dtype=object)
    names = [] if unjudged.doc_ids is None else unjudged.doc_ids.to_pylist()
    return pd.DataFrame(
        {
            "query_id": ids[unjudged.query][: len(names)],
            "doc_id": np.array(names, dtype=object),
            "run_rank": unjudged.run_rank[: len(names)],
            "baseline_rank": unjudged.baseline_rank[: len(names)],
            "moves": moves[: len(names)],
        }
    )


def _find_effects(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    unjudged: UnjudgedRanks,
    partial_bounds: PartialBounds,
) -> Floats:
    """Return, for each document, the change of its query's difference that would result if the
    document had the highest grade and all other documents were unchanged, float64[document].

    For some measures, the effect is computed by scoring each document's query again. This is done
    for only some of the documents; the change of the others is 0."""
    kind = bounds_method(measure)
    if kind == "apart":
        return _find_effects_by_rescoring(run, baseline, measure, unjudged)
    if kind == "additive":
        return partial_bounds.document_effects
    own_scores = measure.score(run)[unjudged.query]
    other_scores = measure.score(baseline)[unjudged.query]
    side, side_other = partial_bounds.list_gains
    if kind == "first":
        best = np.maximum(own_scores, side.highest_gains())
        best_other = np.maximum(other_scores, side_other.highest_gains())
        return best - best_other - (own_scores - other_scores)
    gap = side.score - side_other.score
    raised = partial_bounds.ideal_layers.divisor(np.ones((run.n_queries, 1), dtype=np.int64))
    return (gap[unjudged.query] + partial_bounds.document_effects) / raised[unjudged.query] - (
        own_scores - other_scores
    )


def _find_effects_by_rescoring(
    run: JudgedRanks, baseline: JudgedRanks, measure: Measure, unjudged: UnjudgedRanks
) -> Floats:
    """Compute the effects of `_find_effects` by rescoring: for each document, its query is scored
    again.

    Only the `MOST_TRIED` documents whose ranks differ most between the lists are tried."""
    distances = np.abs(_rank_weights(unjudged.run_rank) - _rank_weights(unjudged.baseline_rank))
    documents = np.argsort(-distances, kind="stable")[:MOST_TRIED]
    part = unjudged.select(documents)
    query = part.query
    copies = replace(part, query=np.arange(len(documents)))
    grades = np.full(len(documents), highest_grade(run, measure))
    gaps = []
    for ranks, rank in ((run, part.run_rank), (baseline, part.baseline_rank)):
        list_ranks = _select_repeated_queries(ranks, query)
        gaps.append(
            measure.score(add_grades(list_ranks, copies, rank, grades)) - measure.score(list_ranks)
        )
    moves = np.zeros(len(unjudged))
    moves[documents] = np.nan_to_num(gaps[0] - gaps[1])
    return moves


def _rank_weights(rank: Ints) -> Floats:
    return np.where(rank > 0, 1 / np.log2(np.maximum(rank, 1) + 1), 0.0)


def _select_repeated_queries(ranks: JudgedRanks, query: Ints) -> JudgedRanks:
    """Return the ranks of the queries at the positions `query`, int64[n]. If a position occurs
    several times, the query is repeated."""
    listed, number = _select_repeated_rows(ranks.query, query, ranks.n_queries)
    judged, judged_number = _select_repeated_rows(ranks.judged_query, query, ranks.n_queries)
    return replace(
        ranks,
        query_ids=("",) * len(query),
        query=number,
        rank=ranks.rank[listed],
        relevance=ranks.relevance[listed],
        qrels_row=ranks.qrels_row[listed],
        retrieved=ranks.retrieved[query],
        judged_query=judged_number,
        judged_relevance=ranks.judged_relevance[judged],
        listed=None,
        subtopics=None,
        empty=None,
    )


def _select_repeated_rows(sorted_queries: Ints, query: Ints, n_queries: int) -> tuple[Ints, Ints]:
    """Return the rows of the queries in `query` from arrays that are sorted by query, and, for each
    row, the position in `query` for which the row was copied, int64[row] each."""
    starts = np.searchsorted(sorted_queries, np.arange(n_queries + 1))
    counts = np.diff(starts)[query]
    number = np.repeat(np.arange(len(query)), counts)
    offset = np.arange(len(number)) - np.repeat(np.cumsum(counts) - counts, counts)
    return starts[query][number] + offset, number
