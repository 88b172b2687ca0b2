"""Shapley values: the contribution of each document to a score that is not a sum over documents.

The players are the listed documents with a grade above 0 that are relevant to the measure. For a
set S of players, v(S) is the score with only the grades of the documents in S. All other players
are treated as not relevant, while the list and the divisor of the score are unchanged, so only
lists that could exist are scored. If the players are added to S one by one, the value of a document
is the increase of v when it is added, averaged over all orders (Shapley, A value for n-person
games, 1953). The values and v(∅) add up to the score."""

from __future__ import annotations

from math import factorial
from typing import Literal

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.explaining.variants import make_variants, query_rows
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure

MOST_PLAYERS = 12
"""Maximum number of players (relevant documents) for which every subset is scored. If there are
more, the players are only added in the order of their ranks."""

Averaged = Literal["shapley", "order"]


def shapley_values(
    ranks: JudgedRanks, position: int, measure: Measure
) -> tuple[Ints, Floats, float, Averaged]:
    """Return the Shapley values of the relevant documents in the list of the query at this
    position, for measures that depend only on grades.

    Returns the row indexes of these documents in `ranks`, int64[n]; their values, float64[n]; the
    score if all of them had grade 0; and the method. With the method "shapley", the increase in
    score due to the grade of a document is averaged over all orders of the documents. With the
    method "order", only the order by rank is used."""
    rows = query_rows(ranks.query, position)
    grade = ranks.relevance[rows]
    players = np.flatnonzero((grade >= measure.relevant_from) & (grade > 0))
    has_few = len(players) <= MOST_PLAYERS
    subsets = (
        _subset_membership(len(players)) if has_few else np.tri(len(players) + 1, len(players), -1)
    )
    worth = _score_subsets(ranks, position, measure, players, subsets.astype(np.bool_))
    values = _average_over_orders(worth, len(players)) if has_few else np.diff(worth)
    return players + rows.start, values, float(worth[0]), "shapley" if has_few else "order"


def _subset_membership(n: int) -> Ints:
    """Return whether each of n players is in each of the 2^n subsets, int64[2^n, n].

    Subset s contains player i if bit i of s is set."""
    return (np.arange(2**n)[:, None] >> np.arange(n)) & 1


def _score_subsets(
    ranks: JudgedRanks,
    position: int,
    measure: Measure,
    players: Ints,
    subsets: Mask,
) -> Floats:
    """Return the score of each subset of players, float64[subset]. `subsets` is bool[subset, n]."""
    rows, n_subsets = query_rows(ranks.query, position), len(subsets)
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


def _average_over_orders(subset_values: Floats, n: int) -> Floats:
    """Return the Shapley value of each player i, float64[n]: the sum over the subsets S without i
    of |S|! (n − |S| − 1)! / n! · (v(S ∪ i) − v(S)).

    `subset_values` has v(S) of every subset. Bit i of its index says whether player i is in S."""
    subsets = np.arange(2**n)
    size = _subset_membership(n).sum(axis=1)
    orders = np.array([factorial(s) * factorial(n - s - 1) / factorial(n) for s in range(n)])
    values = np.empty(n)
    for i in range(n):
        subsets_without = subsets[subsets >> i & 1 == 0]
        values[i] = orders[size[subsets_without]] @ (
            subset_values[subsets_without | 1 << i] - subset_values[subsets_without]
        )
    return values
