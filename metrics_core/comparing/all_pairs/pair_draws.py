"""The draws of `resampled` for every pair of many runs, corrected together, in bounded memory.

How far the farthest pair is off in a draw says how far any may be off by chance, which corrects for
their number and knows how they hang together (step-down max-T: Westfall and Young, Resampling-based
multiple testing, 1993; Romano and Wolf, Exact and approximate stepdown methods, JASA 2005). Many
are walked through in blocks of draws and pairs (`pair_walk`), so that 200 runs with their 19,900
pairs need some tens of MB.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.comparing.all_pairs.pair_columns import PairColumns
from metrics_core.comparing.all_pairs.pair_walk import walked
from metrics_core.comparing.resampled import agreeing, share_in_draws, with_signs
from metrics_core.comparing.verdicts import is_found, may_be_tested
from metrics_core.scoring.intervals import LEVEL, Interval
from metrics_core.scoring.random_groups import drawn_at_a_time
from metrics_core.scoring.resampling import draws_of
from metrics_core.scoring.studentised import Columns, Farthest, away, in_errors, limits_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_WORK = 4_000_000_000
"""Draws times pairs times units: more than this takes a page longer than half a second."""
_FEWEST_DRAWS = 1_000
_VALUES = 500_000
"""Differences of a block of pairs."""
_FEW = 2_000_000
"""So many values at most are worked out in one product."""


@dataclass(frozen=True)
class DrawnPairs:
    """What the draws say of P pairs: `mean` and `error` of their differences float64[P], `queries`
    int64[P]; `p` of a pair by itself, as in every comparison, and `p_corrected` of all together,
    NaN where a pair may not be tested. `largest` is how far off the farthest pair is in each draw,
    `n_draws` how many there are."""

    mean: Floats
    error: Floats
    queries: Ints
    p: Floats
    p_corrected: Floats
    largest: Farthest
    n_draws: int

    def intervals(self, level: float) -> Interval:
        """Intervals of the means that hold for all pairs at once, and exclude zero just where the
        corrected p-value is at most 1 - level; float64[P]."""
        # Where all are alike there is no doubt, also if the width has no bound.
        still = self.error == 0
        width = self.largest.edge(level)
        reach = np.where(still, 0.0, np.where(still, 1.0, self.error) * width)
        reach[np.isnan(self.p_corrected)] = np.nan
        ends = self.mean - reach, self.mean + reach
        return Interval(self.mean, *agreeing(*ends, self.mean, is_found(self.p_corrected, level)))


def drawn_pairs(scaled: Floats, pairs: Ints) -> DrawnPairs:
    """The differences of pairs of runs, tested together. `scaled` is float64[R, Q], NaN where
    undefined, `pairs` int64[2, P].

    A pair of which one query outweighs the rest is no part of what the draws say of all: every
    third draw lacks that query, and such draws, which seem far off, would hide what is clear in all
    others (`within_reach`). It is corrected by the number of all pairs instead.
    """
    n_queries, n_pairs = scaled.shape[1], pairs.shape[1]
    whole = not np.isnan(scaled).any()
    size = max(1, min(n_pairs, _VALUES // max(n_queries, 1)))
    mean, error, best, signs = np.full((4, n_pairs), np.nan)
    queries, differing = np.zeros((2, n_pairs), dtype=np.int64)
    for block in _blocks(np.arange(n_pairs), size):
        found = PairColumns.of(scaled, pairs[:, block], whole=whole)
        mean[block], queries[block] = found.mean, found.queries
        error[block], best[block] = found.error, found.best
        differing[block] = found.differing
        signs[block] = found.random_signs
    statistic = in_errors(mean, error)
    tested = np.flatnonzero(may_be_tested(queries, differing))
    # Where no query differs nothing can be hidden.
    near = best[tested] == 0
    near[~near] = within_reach(best[tested][~near])
    p, p_corrected = np.full((2, n_pairs), np.nan)
    largest, n_draws = Farthest(np.zeros(1)), 0
    for together, places in ((True, tested[near]), (False, tested[~near])):
        if not len(places):
            continue
        ranked = places[np.argsort(-np.abs(statistic[places]), kind="stable")]
        n_draws = _draws_of(n_queries, len(tested))
        limits = limits_of(statistic[ranked])
        few = len(places) * max(n_queries, n_draws) <= _FEW and n_draws == draws_of(n_queries)
        drawn = _drawn_at_once if few else _walked
        off, steps, far = drawn(scaled, pairs[:, ranked], error[ranked], limits, n_draws)
        share = share_in_draws(off, n_draws, np.abs(statistic[ranked]), queries[ranked])
        p[ranked] = with_signs(share, signs[ranked], queries[ranked], differing[ranked])
        if together:
            largest, by_draws = far, np.maximum.accumulate((steps + 1) / (n_draws + 1))
            p_corrected[ranked] = np.maximum(by_draws, p[ranked])
        else:
            p_corrected[ranked] = np.minimum(p[ranked] * len(tested), 1.0)
    return DrawnPairs(mean, error, queries, p, p_corrected, largest, n_draws)


def within_reach(best: Floats) -> npt.NDArray[np.bool_]:
    """Which pairs could be found different among so many, by their `best_statistics` (after
    Tarone, A modified Bonferroni method for discrete data, 1990); bool[P].

    The best case is a matter of the sizes of the differences only, not of which run they favour, so
    that chance keeps its share.
    """
    from scipy import special

    if not len(best):
        return np.zeros(0, dtype=bool)
    least = 2 * special.ndtr(-best)
    # As few are counted as leave all of them within reach when they share what is allowed.
    allowed = (1 - LEVEL) / np.arange(1, len(least) + 1)
    within = np.searchsorted(np.sort(least), allowed, side="right")
    first = int(np.argmax(within <= np.arange(1, len(least) + 1)))
    return np.asarray(least <= allowed[first])


def _draws_of(n_queries: int, n_pairs: int) -> int:
    work = drawn_at_a_time(n_queries) * n_pairs
    return int(np.clip(_WORK // work, _FEWEST_DRAWS, draws_of(n_queries)))


def _walked(
    scaled: Floats, pairs: Ints, error: Floats, limits: Floats, n_draws: int
) -> tuple[Ints, Ints, Farthest]:
    """For pairs in falling order of their limits: in how many draws each is as far off as in the
    data, in how many one of it and its successors is, and how far off the farthest is in each."""
    whole = not np.isnan(scaled).any()

    def columns(places: Ints) -> PairColumns:
        found = PairColumns.of(scaled, pairs[:, places], whole=whole)
        found.centred[error[places] == 0] = 0.0
        return found

    return walked(columns, limits, scaled.shape[1], n_draws)


def _drawn_at_once(
    scaled: Floats, pairs: Ints, error: Floats, limits: Floats, _n_draws: int
) -> tuple[Ints, Ints, Farthest]:
    """The same of few pairs, in one product with all draws."""
    columns = PairColumns.of(scaled, pairs, whole=not np.isnan(scaled).any())
    columns.centred[error == 0] = 0.0
    defined = columns.defined
    if defined is None:
        defined = np.ones(columns.centred.shape, dtype=np.bool_)
    (drawn,) = away([Columns(columns.centred.T, defined.T)])
    return drawn.counted(limits)


def _blocks(values: npt.NDArray[Any], size: int) -> Iterator[npt.NDArray[Any]]:
    return (values[start : start + size] for start in range(0, len(values), size))
