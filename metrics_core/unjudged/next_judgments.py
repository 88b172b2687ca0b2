"""Which documents to judge next: the fewest whose judgment could turn or settle who is better.

A document moves the difference most if it has the highest grade there is. Those that move it
against the present winner are taken in the order of how far. For measures that are a sum over
documents of fixed weights this is exact: no smaller set could turn the sign, or leave it out of
reach. For others a document's move is that with all others as they stand; that a set turns the sign
is tried out and true, but a smaller one may do it as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints
from metrics_core.comparing.winners import ROUNDING, side_of
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.unjudged.bounds import BoundsOfParts, DifferenceBounds, highest_grade
from metrics_core.unjudged.graded_scores import RegradedScores, kind_of
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks, with_grades

MOST_TRIED = 400
"""Documents that are tried one by one, for measures whose weights depend on each other."""

MOST_RANKED = 20_000
"""Documents that are ranked at all: more than anybody judges."""


@dataclass(frozen=True)
class NextJudgments:
    """What to judge. `table` has a row a document that could move the difference against the
    present winner, those that move it most first: query_id, doc_id, run_rank, baseline_rank (0: not
    within the depth), moves (the combined difference, at most).

    `to_turn` is how many of the first turn the sign if all have the highest grade, None where none
    of these do. `to_settle` is after how many the sign is safe whatever the rest is, if those turn
    out not relevant; 0 where it is safe now, None where the bound cannot tell. `exact` says that no
    fewer would do.
    """

    table: pd.DataFrame
    to_turn: int | None
    to_settle: int | None
    exact: bool

    @property
    def wanted(self) -> int:
        """How many rows are worth a judge's time: those that settle the sign, or could turn it."""
        known = [n for n in (self.to_settle, self.to_turn) if n is not None]
        return max(known, default=len(self.table))

    def to_fill_in(self, most: int | None = None) -> pd.DataFrame:
        """The first rows as judgments with the grade left empty: query_id, doc_id, relevance."""
        kept = self.table.head(most or max(self.wanted, 1))[["query_id", "doc_id"]]
        return kept.assign(relevance="")


def judge_next(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    found: UnjudgedRanks,
    reached: DifferenceBounds,
) -> NextJudgments:
    """The documents of `unjudged_ranks` by how far each could turn the difference, which is that of
    `reached`. Where the runs are level, either way counts."""
    exact = kind_of(measure) == "additive" and found.matched
    sign = side_of(reached.difference)
    if np.isnan(reached.lowest) or not found.matched:
        some = found.some(slice(MOST_RANKED))
        return NextJudgments(_table(run, some, np.zeros(len(some))), None, None, exact=False)
    reaching = BoundsOfParts(run, baseline, measure, found)
    moved = _moves(run, baseline, measure, found, reaching)
    order = _against(sign, moved)
    scale = 1.0
    if measure.declaration.combination.averaged:
        scale = 1.0 / max(int((~np.isnan(reached.low)).sum()), 1)
    ranked = found.some(order)
    table = _table(run, ranked, moved[order] * scale)
    if not sign:
        return NextJudgments(table, min(1, len(table)) or None, None, exact)
    graded = RegradedScores(run, baseline, measure, ranked, np.array([highest_grade(run, measure)]))
    of, undefined = measure.declaration.combination.of, np.isnan(reached.low)

    def turned(n: int) -> bool:
        both = graded.scores(np.zeros(n, dtype=np.int64))
        own, other = (of(np.where(undefined, np.nan, scores)) for scores in both)
        return side_of(float(own) - float(other)) == -sign

    def settled(n: int) -> bool:
        rest = np.ones(len(found), dtype=np.bool_)
        rest[order[:n]] = False
        return not reaching.over(rest).turns

    return NextJudgments(
        table, _first(turned, 1, len(table)), _first(settled, 0, len(table)), exact
    )


def most_moving(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    found: UnjudgedRanks,
    difference: float,
) -> pd.DataFrame:
    """The table of `judge_next` with what each document moves its own query by, where nobody needs
    to know how many would do: no bound is worked out, so it takes a moment for any collection."""
    reaching = BoundsOfParts(run, baseline, measure, found)
    moved = _moves(run, baseline, measure, found, reaching)
    order = _against(side_of(difference), moved)
    return _table(run, found.some(order), moved[order])


def _against(sign: int, moved: Floats) -> Ints:
    """Those that move a difference of this sign towards the other one, the furthest first; where
    the runs are level, either way counts."""
    against = -sign * moved if sign else np.abs(moved)
    moving = np.flatnonzero(against > ROUNDING)
    if len(moving) > MOST_RANKED:
        # Only those are sorted that may be ranked.
        last = len(moving) - MOST_RANKED
        moving = moving[against[moving] >= np.partition(against[moving], last)[last]]
    return moving[np.argsort(-against[moving], kind="stable")][:MOST_RANKED]


def _first(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """The least of low, …, high for which something holds that, once it does, goes on to hold; None
    where it does for none."""
    if low > high or not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _table(run: JudgedRanks, found: UnjudgedRanks, moves: Floats) -> pd.DataFrame:
    ids = np.array(run.query_ids, dtype=object)
    names = [] if found.doc_ids is None else found.doc_ids.to_pylist()
    return pd.DataFrame(
        {
            "query_id": ids[found.query][: len(names)],
            "doc_id": np.array(names, dtype=object),
            "run_rank": found.run_rank[: len(names)],
            "baseline_rank": found.baseline_rank[: len(names)],
            "moves": moves[: len(names)],
        }
    )


def _moves(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    found: UnjudgedRanks,
    reaching: BoundsOfParts,
) -> Floats:
    """By how much the difference of its query changes if a document has the highest grade and all
    others are as they stand; float64[u]. 0 for those that were not tried."""
    kind = kind_of(measure)
    if kind == "apart":
        return _tried(run, baseline, measure, found)
    if kind == "additive":
        return reaching.moves
    own, other = measure.score(run)[found.query], measure.score(baseline)[found.query]
    side, side_other = reaching.sides
    if kind == "first":
        best, best_other = np.maximum(own, side.alone()), np.maximum(other, side_other.alone())
        return best - best_other - (own - other)
    gap = side.score - side_other.score
    raised = reaching.whole(np.ones((run.n_queries, 1), dtype=np.int64))
    return (gap[found.query] + reaching.moves) / raised[found.query] - (own - other)


def _tried(
    run: JudgedRanks, baseline: JudgedRanks, measure: Measure, found: UnjudgedRanks
) -> Floats:
    """The same by scoring each query once more for each of its documents; the `MOST_TRIED` that
    stand furthest apart in the two lists."""
    far = np.abs(_nearness(found.run_rank) - _nearness(found.baseline_rank))
    tried = np.argsort(-far, kind="stable")[:MOST_TRIED]
    some = found.some(tried)
    query = some.query
    copies = replace(some, query=np.arange(len(tried)))
    grades = np.full(len(tried), highest_grade(run, measure))
    gaps = []
    for ranks, rank in ((run, some.run_rank), (baseline, some.baseline_rank)):
        own = _copied(ranks, query)
        gaps.append(measure.score(with_grades(own, copies, rank, grades)) - measure.score(own))
    moved = np.zeros(len(found))
    moved[tried] = np.nan_to_num(gaps[0] - gaps[1])
    return moved


def _nearness(rank: Ints) -> Floats:
    return np.where(rank > 0, 1 / np.log2(np.maximum(rank, 1) + 1), 0.0)


def _copied(ranks: JudgedRanks, query: Ints) -> JudgedRanks:
    """The ranks of these queries, int64[n], a query as often as it stands there."""
    listed, number = _rows(ranks.query, query, ranks.n_queries)
    judged, judged_number = _rows(ranks.judged_query, query, ranks.n_queries)
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


def _rows(of: Ints, query: Ints, n_queries: int) -> tuple[Ints, Ints]:
    """The rows of each of these queries in arrays sorted by query, and the number of its copy."""
    starts = np.searchsorted(of, np.arange(n_queries + 1))
    counts = np.diff(starts)[query]
    number = np.repeat(np.arange(len(query)), counts)
    within = np.arange(len(number)) - np.repeat(np.cumsum(counts) - counts, counts)
    return starts[query][number] + within, number
