"""What each document adds to a score that is no sum over documents: its Shapley value.

v(S) is the score with only the grades of the documents in S kept: the other players count as not
relevant, while the list, and what the score is divided by, stay as they are. So no list is ever
scored that cannot exist. A document's value is what it adds to v when the players join one after
another, averaged over all orders in which they can (Shapley, A value for n-person games, 1953);
the values and v(∅) add up to the score. The players are the listed documents of a grade above 0
that the measure takes as relevant.
"""

from __future__ import annotations

from math import factorial
from typing import Literal

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.explaining.variants import make_variants, query_rows
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure

MOST_PLAYERS = 12
"""Up to so many players every subset is scored; more of them join in the order of their ranks."""

Averaged = Literal["shapley", "order"]


def shapley_values(
    ranks: JudgedRanks, position: int, measure: Measure
) -> tuple[Ints, Floats, float, Averaged]:
    """Of the query at that position: the rows of its players in the ranks, int64[n], the value of
    each, float64[n], v(∅), and whether the values are averaged over all orders ("shapley") or are
    what each adds when they join by rank ("order"). For measures of grades alone."""
    rows = query_rows(ranks, position)
    grade = ranks.relevance[rows]
    players = np.flatnonzero((grade >= measure.relevant_from) & (grade > 0))
    has_few = len(players) <= MOST_PLAYERS
    subsets = _list_subsets(len(players)) if has_few else np.tri(len(players) + 1, len(players), -1)
    worth = _score_subsets(ranks, position, measure, players, subsets.astype(np.bool_))
    values = _average_orders(worth, len(players)) if has_few else np.diff(worth)
    return players + rows.start, values, float(worth[0]), "shapley" if has_few else "order"


def _list_subsets(n: int) -> Ints:
    """Which of n players are in each of 2^n subsets: subset s has player i where bit i is set."""
    return (np.arange(2**n)[:, None] >> np.arange(n)) & 1


def _score_subsets(
    ranks: JudgedRanks,
    position: int,
    measure: Measure,
    players: Ints,
    subsets: Mask,
) -> Floats:
    """v of each subset; `subsets` is bool[S, n]."""
    rows, n_subsets = query_rows(ranks, position), len(subsets)
    relevance = np.tile(ranks.relevance[rows], (n_subsets, 1))
    relevance[:, players] *= subsets
    return measure.score(
        make_variants(
            ranks,
            position,
            rank=np.tile(ranks.rank[rows], (n_subsets, 1)),
            relevance=relevance,
            qrels_row=ranks.qrels_row[rows],
            retrieved=np.full(n_subsets, ranks.retrieved[position]),
        )
    )


def _average_orders(worth: Floats, n: int) -> Floats:
    """Σ over the subsets S without i of |S|! (n − |S| − 1)! / n! · (v(S ∪ i) − v(S))."""
    subsets = np.arange(2**n)
    size = _list_subsets(n).sum(axis=1)
    orders = np.array([factorial(s) * factorial(n - s - 1) / factorial(n) for s in range(n)])
    values = np.empty(n)
    for i in range(n):
        subsets_without = subsets[subsets >> i & 1 == 0]
        values[i] = orders[size[subsets_without]] @ (
            worth[subsets_without | 1 << i] - worth[subsets_without]
        )
    return values
