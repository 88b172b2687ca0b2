"""Many queries put into random groups, which are drawn in their place.

Of more than 20,000 queries groups are drawn again, not single queries: 10,000 of them, equally
large but for one query, and each query is put into one at random, the same each time. What a draw
says of a mean is read off its queries as before: sums and counts over those of the drawn groups. So
the mean of a draw varies as it does when single queries are drawn, up to chance in how they were
put together: the sums of G groups of independent queries have the variance of the single ones, and
G of them tell it to a share of the root of 2 / G, 1.4 % for 10,000, its root to 0.7 % (random
groups: Mahalanobis 1946; Wolter, Introduction to variance estimation, 2nd ed. 2007, ch. 2). That is
less than what 2,000 draws leave open. Groups must be random: files are often in the order of a
category, and neighbours alike.
"""

from __future__ import annotations

import numpy as np

from metrics_core.base.arrays import Ints, SingleOrDouble
from metrics_core.base.memo import Memo

MOST_SINGLE = 20_000
"""Up to so many queries each is drawn by itself."""
GROUPS = 10_000
"""Groups that more queries are put into."""
_SEED = 20_262
_NUMBERS_KEPT = 8

_memo = Memo(_NUMBERS_KEPT)


def count_units(n_queries: int) -> int:
    """How many units so many queries are drawn in: as many as queries, or groups of them."""
    return n_queries if n_queries <= MOST_SINGLE else GROUPS


def has_equal_units(n_queries: int) -> bool:
    """Whether all units hold as many queries, so that every draw does."""
    return n_queries % max(count_units(n_queries), 1) == 0


def sum_in_groups(columns: SingleOrDouble) -> SingleOrDouble:
    """The sum of every column of float32 or float64[Q, C] in each group, [units, C] in the columns'
    precision; the columns themselves where single queries are drawn."""
    n_queries = len(columns)
    if n_queries <= MOST_SINGLE:
        return columns
    groups = _memo(n_queries, lambda: _assign_groups(n_queries))
    sums = np.empty((GROUPS, columns.shape[1]), columns.dtype)
    for column_index, column in enumerate(columns.T):
        sums[:, column_index] = np.bincount(groups, column, GROUPS)
    return sums


def _assign_groups(n_queries: int) -> Ints:
    """The group of each query."""
    generator = np.random.default_rng((_SEED, n_queries))
    groups = np.arange(n_queries) % GROUPS
    generator.shuffle(groups)
    return groups
