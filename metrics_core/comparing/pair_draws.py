"""The draws of `resampled` for every pair of many runs, in bounded memory.

They are worked through in blocks of draws and pairs, so that 200 runs with their 19,900 pairs need
some tens of MB. Which pairs are tested is the rule of `resampled`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.comparing.away import Columns, Farthest, away, in_errors
from metrics_core.comparing.resampled import (
    ALIKE,
    Resampled,
    best_statistics,
    standard_errors,
    within_reach,
)
from metrics_core.comparing.verdicts import FEWEST_DIFFERING, FEWEST_QUERIES
from metrics_core.measures import MEAN
from metrics_core.scoring.resampling import draws, draws_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_WORK = 4_000_000_000
"""Draws times pairs times queries: more than this takes a page longer than a second."""
_FEWEST_DRAWS = 1_000
_VALUES = 500_000
"""Values of a block: some of them stay in a core's own memory, and take half the time for it."""
_FEW = 2_000_000
"""So many values at most are worked out in one product."""
_AT_ONCE = 500
"""Draws of a block."""


@dataclass(frozen=True)
class _Columns:
    """Differences of some pairs about their means, 0 where undefined: `centred` float64[p, Q]; and
    where they are defined, None for all: `defined` bool[p, Q]."""

    centred: Floats
    defined: npt.NDArray[np.bool_] | None
    mean: Floats
    queries: Ints

    @property
    def _raw(self) -> Floats:
        """The differences themselves, 0 where undefined."""
        raw = self.centred + self.mean[:, None]
        return raw if self.defined is None else np.where(self.defined, raw, 0.0)

    @property
    def differing(self) -> Ints:
        """How many queries differ; int64[p]."""
        alike = ALIKE * np.maximum(1.0, np.abs(self.mean))
        return np.asarray((np.abs(self._raw) > alike[:, None]).sum(axis=1))

    @property
    def error(self) -> Floats:
        """Standard errors of the means; float64[p]."""
        squares = np.square(self.centred).sum(axis=1)
        return standard_errors(squares, self.queries, self.mean)

    @property
    def best(self) -> Floats:
        """`best_statistics` of the pairs; float64[p]."""
        return best_statistics(self._raw.T, self.queries)

    @classmethod
    def of(cls, scaled: Floats, pairs: Ints, *, whole: bool) -> _Columns:
        gap = scaled[pairs[0]] - scaled[pairs[1]]
        if whole:
            mean = gap.mean(axis=1)
            gap -= mean[:, None]
            return cls(gap, None, mean, np.full(len(mean), gap.shape[1]))
        defined = ~np.isnan(gap)
        mean = MEAN.of(gap.T)
        centred = np.where(defined, gap - mean[:, None], 0.0)
        return cls(centred, defined, mean, defined.sum(axis=1))


def drawn_pairs(scaled: Floats, pairs: Ints) -> tuple[Resampled, int]:
    """What `resampled` finds for the differences of pairs of runs, and in how many draws.

    `scaled` is float64[R, Q], NaN where undefined, `pairs` int64[2, P]. Pairs under ten queries,
    those of which fewer than six differ, and those that too few carry are not tested;
    draws are 0 where none is.
    """
    n_queries, n_pairs = scaled.shape[1], pairs.shape[1]
    whole = not np.isnan(scaled).any()
    size = max(1, min(n_pairs, _VALUES // max(n_queries, 1), _VALUES // _AT_ONCE))
    mean, error, best = np.full((3, n_pairs), np.nan)
    queries, differing = np.zeros((2, n_pairs), dtype=np.int64)
    for block in _blocks(np.arange(n_pairs), size):
        found = _Columns.of(scaled, pairs[:, block], whole=whole)
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
        n_draws = int(
            np.clip(_WORK // (n_queries * len(tested)), _FEWEST_DRAWS, draws_of(n_queries))
        )
        ranked = tested[np.argsort(-np.abs(statistic[tested]), kind="stable")]
        few = len(tested) * max(n_queries, draws_of(n_queries)) <= _FEW
        drawn = _drawn_at_once if few and n_draws == draws_of(n_queries) else _drawn
        off, steps, far = drawn(scaled, pairs[:, ranked], error[ranked], statistic[ranked], n_draws)
        single[ranked] = (off + 1) / (n_draws + 1)
        corrected[ranked] = np.maximum.accumulate((steps + 1) / (n_draws + 1))
    told = Resampled(mean, error, statistic, queries, differing, single, corrected, far)
    return told, n_draws


def _drawn(
    scaled: Floats,
    pairs: Ints,
    error: Floats,
    statistic: Floats,
    n_draws: int,
) -> tuple[Ints, Ints, Farthest]:
    """For pairs in falling order of their statistic: in how many draws each is as far off as in the
    data, in how many one of it and its successors is, and how far off the farthest is in each."""
    whole, n_pairs = not np.isnan(scaled).any(), len(error)
    size = max(1, min(_VALUES // scaled.shape[1], _VALUES // _AT_ONCE))
    limits = np.square(np.abs(statistic) * (1 - 1e-9))[:, None]
    off, steps = np.zeros((2, n_pairs), dtype=np.int64)
    largest = []
    for counts in draws(scaled.shape[1], n_draws):
        for part in _blocks(counts, _AT_ONCE):
            weight = np.ascontiguousarray(part.T, dtype=np.float64)
            farthest = np.zeros((1, len(part)))
            # From the smallest statistic on: a pair's successors are those that came before.
            for block in _blocks(np.arange(n_pairs)[::-1], size):
                columns = _Columns.of(scaled, pairs[:, block], whole=whole)
                columns.centred[error[block] == 0] = 0.0
                away = _squared_statistics(columns, weight)
                off[block] += (away >= limits[block]).sum(axis=1)
                away[:1] = np.maximum(away[:1], farthest)
                np.maximum.accumulate(away, axis=0, out=away)
                steps[block] += (away >= limits[block]).sum(axis=1)
                farthest = away[-1:]
            largest.append(np.sqrt(farthest[0]))
    return off, steps, Farthest(np.concatenate(largest))


def _drawn_at_once(
    scaled: Floats, pairs: Ints, error: Floats, statistic: Floats, _n_draws: int
) -> tuple[Ints, Ints, Farthest]:
    """The same of few pairs, in one product with all draws."""
    columns = _Columns.of(scaled, pairs, whole=not np.isnan(scaled).any())
    columns.centred[error == 0] = 0.0
    defined = columns.defined
    if defined is None:
        defined = np.ones(columns.centred.shape, dtype=np.bool_)
    (drawn,) = away([Columns(columns.centred.T, defined.T)])
    return drawn.counted(np.abs(statistic) * (1 - 1e-9))


def _squared_statistics(columns: _Columns, weight: Floats) -> Floats:
    """How far off the mean of each pair is in each draw, in standard errors of that draw, squared;
    float64[p, draws]. `weight` is float64[Q, draws]."""
    n: Floats | float = float(len(weight))
    if columns.defined is not None:
        n = columns.defined.astype(np.float64) @ weight
    sums = columns.centred @ weight
    np.square(sums, out=sums)
    spread = np.square(columns.centred) @ weight
    spread *= n
    spread -= sums
    np.maximum(spread, 0.0, out=spread)
    sums *= np.maximum(n - 1, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        np.divide(sums, spread, out=sums)
    # 0 by 0: the draw holds no difference, or fewer than two queries.
    return np.nan_to_num(sums, copy=False, nan=0.0, posinf=np.inf)


def _blocks(values: npt.NDArray[Any], size: int) -> Iterator[npt.NDArray[Any]]:
    return (values[start : start + size] for start in range(0, len(values), size))
