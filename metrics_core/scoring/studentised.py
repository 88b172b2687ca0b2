"""How far off means are in each draw: nearly in all draws at once, exactly where it matters.

A verdict asks in how many draws a mean is as far off as in the data, an interval which draw is the
farthest but so many. Both are told of sums in single precision (`certified`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.scoring.random_groups import count_units, has_equal_units, sum_in_groups
from metrics_core.scoring.resampling import count_draws, draw_sums_at, draw_sums_of_each
from metrics_core.scoring.rounding import RoundingBand

_SMALL = 200_000_000
"""Of so few multiplications all are done in double precision: the second look would cost more."""
_ROUNDING = 1e-9
ALIKE = 1e-12
"""Values that vary by less than this share of themselves are one and the same."""
LEAST_ERROR = 0.25
"""The least standard error of a draw, as a part of that of the data."""
_CLOSE = 60_000
"""Sums that stay close to the processor while draws are worked out."""


@dataclass(frozen=True)
class CentredColumns:
    """Differences about their means: `centred` float64[Q, C], 0 where bool[Q, C] `defined` is
    False."""

    centred: Floats
    defined: Mask
    least_error: float = LEAST_ERROR

    @property
    def is_complete(self) -> bool:
        """Whether every column has as many queries in every draw: all are defined, and drawn one by
        one or in groups of as many."""
        return has_equal_units(len(self.centred)) and bool(self.defined.all())

    @property
    def _least_variance(self) -> Floats:
        """The smallest variance that is taken for one of a draw, float64[C], in units of `parts`:
        a draw that lacks the few queries that differ from all others has none, or next to none, and
        would count as infinitely far from the mean (`least_error`)."""
        defined = np.maximum(np.count_nonzero(self.defined, axis=0), 1)
        return self.least_error**2 * len(self.defined) / defined

    def parts(self) -> Floats:
        """What is summed over the draws, a row for each unit that is drawn: the columns in units of
        their spread, their squares, and unless they are whole what counts them."""
        squares = np.square(self.centred)
        spread = np.sqrt(squares.mean(axis=0))
        spread[spread == 0] = 1.0
        counted = [] if self.is_complete else [sum_in_groups(self.defined.astype(np.float64))]
        if count_units(len(squares)) == len(squares):
            scaled = self.centred / spread
            return np.hstack([scaled, np.square(scaled), *counted])
        # Bags first: they are fewer.
        sums = sum_in_groups(self.centred) / spread, sum_in_groups(squares) / np.square(spread)
        return np.hstack([*sums, *counted])

    def distances(self, sums: npt.NDArray[Any]) -> Floats:
        """How many standard errors of its own each column is off, from the sums of `parts`."""
        distances = self.signed_distances(sums)
        return np.abs(distances, out=distances)

    def signed_distances(self, sums: npt.NDArray[Any]) -> Floats:
        """The same with its sign."""
        distances, least = np.empty((len(sums), self.centred.shape[1])), self._least_variance
        for draws in _split_draws(sums):
            self._fill_distances(sums[draws], distances[draws], least)
        return distances

    def _fill_distances(self, sums: npt.NDArray[Any], mean: Floats, least: Floats) -> None:
        """The same of some draws, few enough to stay close to the processor."""
        split = np.split(sums.astype(np.float64, copy=False), 2 if self.is_complete else 3, axis=1)
        n = split[2] if len(split) > 2 else np.full((1, 1), float(len(self.centred)))
        with np.errstate(invalid="ignore", divide="ignore"):
            np.divide(split[0], n, out=mean)
            error = split[1] / n
            error -= np.square(mean)
            np.maximum(error, least, out=error)
            error /= np.maximum(n - 1, 1)
            np.sqrt(error, out=error)
            np.divide(mean, error, out=mean)
        # A draw without a query, and columns of which all differences are alike.
        mean[np.isnan(mean)] = 0.0

    def distances_in(self, places: Ints) -> Floats:
        """The same of some draws, in double precision; float64[places, C]."""
        return self.distances(draw_sums_at(self.parts(), places))


@dataclass(frozen=True)
class Moments:
    """Means of C columns of values, NaN undefined: `filled` and `centred` (about its mean)
    float64[C, Q] hold a column in a row, 0 where bool[C, Q] `defined` is False; `mean`, its
    standard `error` (0 where all are alike, NaN of fewer than two) float64[C], and how many
    `queries` are defined, int64[C]."""

    filled: Floats
    centred: Floats
    defined: Mask
    mean: Floats
    error: Floats
    queries: Ints

    @classmethod
    def from_values(cls, values: Floats) -> Moments:
        """Those of float64[Q, C]."""
        # A column lies side by side: what runs down the rows of a matrix takes ten times as long.
        rows = np.ascontiguousarray(values.T)
        defined = ~np.isnan(rows)
        queries = np.count_nonzero(defined, axis=1)
        filled = rows if defined.all() else np.where(defined, rows, 0.0)
        mean = np.full(len(queries), np.nan)
        np.divide(filled.sum(axis=1), queries, out=mean, where=queries > 0)
        centred = filled - np.where(queries > 0, mean, 0.0)[:, None]
        if filled is not rows:
            centred[~defined] = 0.0
        error = standard_errors(np.square(centred).sum(axis=1), queries, mean)
        centred[error == 0] = 0.0
        return cls(filled, centred, defined, mean, error, queries)

    def columns(self, places: Ints) -> CentredColumns:
        """Some of the columns, as they are drawn."""
        return CentredColumns(self.centred[places].T, self.defined[places].T)


def standard_errors(squares: Floats, queries: Ints, mean: Floats) -> Floats:
    """Standard errors of means from the sums of squares about them; 0 where all are alike."""
    error = np.full(len(queries), np.nan)
    enough = queries >= 2
    n = queries[enough]
    error[enough] = np.sqrt(squares[enough] / (n - 1) / n)
    is_constant = error * np.sqrt(np.maximum(queries, 1)) <= ALIKE * np.abs(mean)
    error[is_constant] = 0.0
    return error


@dataclass(frozen=True)
class StudentisedDraws:
    """How many standard errors of its own each of C columns is off in each draw: `distances`
    float64[draws, C], of which nothing is rounded where `is_rounded` is False."""

    columns: CentredColumns
    distances: Floats
    is_rounded: bool

    def count_reached(self, limits: Floats) -> Ints:
        """In how many draws each column reaches its own limit; int64[C]."""
        counts = _count_reached(self.distances, limits)
        if self.is_rounded:
            undecided = RoundingBand.for_means(limits, len(self.columns.centred))
            places = np.flatnonzero(undecided.contains(self.distances).any(axis=1))
            counts += _count_reached(self.columns.distances_in(places), limits)
            counts -= _count_reached(self.distances[places], limits)
        return counts


def studentise_draws(
    groups: Sequence[CentredColumns], draws: Callable[[int], int] = count_draws
) -> list[StudentisedDraws]:
    """How far off several groups of columns are, each over queries of its own, in as few products
    as their number allows; `draws` says in how many draws of so many queries."""
    sizes = [len(g.centred) for g in groups]
    parts: list[npt.NDArray[Any]] = [g.parts() for g in groups]
    rounded = [p.size * draws(n) > _SMALL for n, p in zip(sizes, parts, strict=True)]
    results: dict[int, StudentisedDraws] = {}
    for in_single, most in dict.fromkeys(zip(rounded, map(draws, sizes), strict=True)):
        places = [i for i, n in enumerate(sizes) if (rounded[i], draws(n)) == (in_single, most)]
        cells = [parts[i].astype(np.float32) if in_single else parts[i] for i in places]
        for i, sums in zip(places, draw_sums_of_each(cells, most), strict=True):
            results[i] = StudentisedDraws(groups[i], groups[i].distances(sums), in_single)
    return [results[i] for i in range(len(groups))]


def studentise(mean: Floats, error: Floats) -> Floats:
    """mean / error; where nothing varies 0 for no difference, else without bound."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = mean / error
    is_constant = error == 0
    return np.where(is_constant, np.where(mean == 0, 0.0, np.copysign(np.inf, mean)), ratio)


def find_limits(statistic: Floats) -> Floats:
    """What a draw reaches to be as far off as the data, in standard errors. Draws that tie with it
    do, and all do where the mean is 0 but for rounding."""
    size = np.abs(statistic)
    return np.where(size < _ROUNDING, 0.0, size * (1 - _ROUNDING))


def _split_draws(values: npt.NDArray[Any]) -> Iterator[slice]:
    """Stretches of the rows of [draws, C] that stay close to the processor."""
    size = max(1, _CLOSE // max(values.shape[1], 1))
    return (slice(start, start + size) for start in range(0, len(values), size))


def _count_reached(distances: Floats, limits: Floats) -> Ints:
    """In how many draws each column reaches its limit; int64[C]."""
    return np.count_nonzero(distances >= limits, axis=0)
