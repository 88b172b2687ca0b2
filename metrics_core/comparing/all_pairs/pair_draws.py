"""The draws of `resampled` for every pair of many runs, in bounded memory.

Many are walked through in blocks of draws and pairs (`pair_walk`), so that 200 runs with their
19,900 pairs need some tens of MB. Which pairs are tested is the rule of `resampled`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.comparing.all_pairs.pair_columns import PairColumns
from metrics_core.comparing.all_pairs.pair_walk import walked
from metrics_core.comparing.max_statistic import Columns, Farthest, away, in_errors, limits_of
from metrics_core.comparing.resampled import Resampled, within_reach
from metrics_core.comparing.verdicts import FEWEST_DIFFERING, FEWEST_QUERIES
from metrics_core.scoring.random_groups import drawn_at_a_time
from metrics_core.scoring.resampling import draws_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_WORK = 4_000_000_000
"""Draws times pairs times units: more than this takes a page longer than half a second."""
_FEWEST_DRAWS = 1_000
_VALUES = 500_000
"""Differences of a block of pairs."""
_FEW = 2_000_000
"""So many values at most are worked out in one product."""


def drawn_pairs(scaled: Floats, pairs: Ints) -> tuple[Resampled, int]:
    """What `resampled` finds for the differences of pairs of runs, and in how many draws.

    `scaled` is float64[R, Q], NaN where undefined, `pairs` int64[2, P]. Pairs under ten queries,
    those of which fewer than six differ, and those that too few carry are not tested;
    draws are 0 where none is.
    """
    n_queries, n_pairs = scaled.shape[1], pairs.shape[1]
    whole = not np.isnan(scaled).any()
    size = max(1, min(n_pairs, _VALUES // max(n_queries, 1)))
    mean, error, best = np.full((3, n_pairs), np.nan)
    queries, differing = np.zeros((2, n_pairs), dtype=np.int64)
    for block in _blocks(np.arange(n_pairs), size):
        found = PairColumns.of(scaled, pairs[:, block], whole=whole)
        mean[block], queries[block] = found.mean, found.queries
        error[block], best[block] = found.error, found.best
        differing[block] = found.differing
    statistic = in_errors(mean, error)
    enough = np.flatnonzero((queries >= FEWEST_QUERIES) & (differing >= FEWEST_DIFFERING))
    tested = enough[within_reach(best[enough])]
    single, corrected = np.full((2, n_pairs), np.nan)
    far = Farthest(np.zeros(1))
    n_draws = 0
    if len(tested):
        all_draws = draws_of(n_queries)
        work = drawn_at_a_time(n_queries) * len(tested)
        n_draws = int(np.clip(_WORK // work, _FEWEST_DRAWS, all_draws))
        ranked = tested[np.argsort(-np.abs(statistic[tested]), kind="stable")]
        limits = limits_of(statistic[ranked])
        few = n_draws == all_draws and len(tested) * max(n_queries, n_draws) <= _FEW
        drawn = _drawn_at_once if few else _walked
        off, steps, far = drawn(scaled, pairs[:, ranked], error[ranked], limits, n_draws)
        single[ranked] = (off + 1) / (n_draws + 1)
        corrected[ranked] = np.maximum.accumulate((steps + 1) / (n_draws + 1))
    told = Resampled(mean, error, statistic, queries, differing, single, corrected, far)
    return told, n_draws


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
