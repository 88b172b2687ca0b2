"""Compute how far each mean in a draw is from the mean of the data. Distances are computed in
single precision, and again in double precision if rounding could change a result.

A test counts the draws whose distance is at least the distance of the data's mean from zero. An
interval needs a quantile of the distances. Both methods use sums in single precision
(`rounding`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import AnyArray, Floats, Ints, Mask
from metrics_core.scoring.random_groups import choose_n_units, has_equal_sized_units, sum_by_unit
from metrics_core.scoring.resampling import choose_n_draws, sum_draws_at, sum_draws_of_matrices
from metrics_core.scoring.rounding import RoundingBand

_SMALL = 200_000_000
"""Maximum number of multiplications for which everything is computed in double precision. For so
few, checking single precision would cost more."""
_ROUNDING = 1e-9
ALIKE = 1e-12
"""Values that vary by less than this share of their size are treated as equal."""
LEAST_ERROR = 0.25
"""Smallest standard error of a draw, as a share of the standard error of the data."""
_CLOSE = 60_000
"""Number of sums that fit into the processor's cache while distances are computed."""


@dataclass(frozen=True)
class CentredColumns:
    """Values from which the mean of their column was subtracted.

    `centred` is float64[query, column]. It is 0 if the value is undefined, that is, if `defined`
    bool[query, column] is false."""

    centred: Floats
    defined: Mask
    least_error: float = LEAST_ERROR

    @property
    def has_constant_counts(self) -> bool:
        """Whether every column has the same number of queries in every draw. This is the case if no
        value is undefined and all drawn units have the same size."""
        return has_equal_sized_units(len(self.centred)) and bool(self.defined.all())

    @property
    def _variance_floor(self) -> Floats:
        """The smallest variance that is used for a draw, float64[column], in the units of
        `values_to_sum`.

        If only few queries differ from all others, a draw without them has almost no variance.
        Without this limit (set by `least_error`), the draw's mean would be almost infinitely many
        standard errors from the mean in the data."""
        defined = np.maximum(np.count_nonzero(self.defined, axis=0), 1)
        return self.least_error**2 * len(self.defined) / defined

    def values_to_sum(self) -> Floats:
        """Return the numbers that are summed in each draw, float64[unit, 2 or 3 times column]. They
        are the columns divided by their standard deviation, the squares of these values and, unless
        `has_constant_counts`, the number of defined queries."""
        squares = np.square(self.centred)
        spread = np.sqrt(squares.mean(axis=0))
        spread[spread == 0] = 1.0
        counted = [] if self.has_constant_counts else [sum_by_unit(self.defined.astype(np.float64))]
        if choose_n_units(len(squares)) == len(squares):
            scaled = self.centred / spread
            return np.hstack([scaled, np.square(scaled), *counted])
        # Sum in groups first: there are fewer groups than queries.
        sums = sum_by_unit(self.centred) / spread, sum_by_unit(squares) / np.square(spread)
        return np.hstack([*sums, *counted])

    def distances_of_draws(self, sums: AnyArray) -> Floats:
        """Return, for each draw and column, how far the column's mean in the draw is from its mean
        in the data, in standard errors of the draw, float64[draw, column].

        `sums` [draw, …] are the sums of `values_to_sum` in each draw."""
        distances = self.signed_distances(sums)
        return np.abs(distances, out=distances)

    def signed_distances(self, sums: AnyArray) -> Floats:
        """Return the distances of `distances_of_draws` with their signs, float64[draw, column]."""
        distances, least = np.empty((len(sums), self.centred.shape[1])), self._variance_floor
        for draws in _cache_sized_slices(sums):
            self._fill_distances(sums[draws], distances[draws], least)
        return distances

    def _fill_distances(self, sums: AnyArray, mean: Floats, variance_floor: Floats) -> None:
        """Write the signed distance of each column in some draws into `mean`: its mean divided by
        its standard error. The arrays of these draws must fit into the processor's cache."""
        split = np.split(
            sums.astype(np.float64, copy=False), 2 if self.has_constant_counts else 3, axis=1
        )
        n = split[2] if len(split) > 2 else np.full((1, 1), float(len(self.centred)))
        with np.errstate(invalid="ignore", divide="ignore"):
            np.divide(split[0], n, out=mean)
            error = split[1] / n
            error -= np.square(mean)
            np.maximum(error, variance_floor, out=error)
            error /= np.maximum(n - 1, 1)
            np.sqrt(error, out=error)
            np.divide(mean, error, out=mean)
        # A draw without a query, or a column whose differences are all equal.
        mean[np.isnan(mean)] = 0.0

    def exact_distances_of_draws(self, draw_positions: Ints) -> Floats:
        """Return the distances in some of the draws in double precision, float64[n, column].
        `draw_positions` int64[n] are the positions of these draws."""
        return self.distances_of_draws(sum_draws_at(self.values_to_sum(), draw_positions))


@dataclass(frozen=True)
class Moments:
    """Means of columns of values; undefined values are NaN.

    filled    float64[column, query], the values; 0 if undefined
    centred   float64[column, query], the values minus the column's mean; 0 if undefined
    defined   bool[column, query]
    mean      float64[column]
    error     float64[column], standard error of the mean; 0 if all values are equal, NaN for fewer
              than two values
    queries   int64[column], number of defined values"""

    filled: Floats
    centred: Floats
    defined: Mask
    mean: Floats
    error: Floats
    queries: Ints

    @classmethod
    def from_values(cls, values: Floats) -> Moments:
        """Compute the moments of the columns of `values`, float64[query, column]."""
        # Each column is contiguous: access down the rows of a matrix takes ten times as long.
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

    def select_columns(self, positions: Ints) -> CentredColumns:
        """Return the columns at the positions `positions` int64[n], in the form needed for
        resampling."""
        return CentredColumns(self.centred[positions].T, self.defined[positions].T)


def standard_errors(squares: Floats, queries: Ints, mean: Floats) -> Floats:
    """Return the standard errors of means, float64[column]; 0 if all values of a column are equal.

    `squares`, float64[column], are the sums of squared deviations from the means."""
    error = np.full(len(queries), np.nan)
    enough = queries >= 2
    n = queries[enough]
    error[enough] = np.sqrt(squares[enough] / (n - 1) / n)
    is_constant = error * np.sqrt(np.maximum(queries, 1)) <= ALIKE * np.abs(mean)
    error[is_constant] = 0.0
    return error


@dataclass(frozen=True)
class StudentisedDraws:
    """The distance between each column's mean in each draw and its mean in the data. `distances` is
    float64[draw, column], in standard errors of the draw. If `is_rounded` is true, distances are in
    single precision."""

    columns: CentredColumns
    distances: Floats
    is_rounded: bool

    def count_extreme_draws(self, limits: Floats) -> Ints:
        """Return, for each column, the number of draws whose distance reaches the column's limit,
        int64[column]."""
        counts = _count_extreme_draws(self.distances, limits)
        if self.is_rounded:
            undecided = RoundingBand.from_mean_limits(limits, len(self.columns.centred))
            places = np.flatnonzero(undecided.contains(self.distances).any(axis=1))
            counts += _count_extreme_draws(self.columns.exact_distances_of_draws(places), limits)
            counts -= _count_extreme_draws(self.distances[places], limits)
        return counts


def studentise_draws(
    groups: Sequence[CentredColumns], draws: Callable[[int], int] = choose_n_draws
) -> list[StudentisedDraws]:
    """Return the studentised draws of several groups of columns; each group has separate queries.
    All groups are computed together, with as few matrix products as possible. The function `draws`
    takes a number of queries and returns the number of draws."""
    sizes = [len(g.centred) for g in groups]
    parts: list[AnyArray] = [g.values_to_sum() for g in groups]
    rounded = [p.size * draws(n) > _SMALL for n, p in zip(sizes, parts, strict=True)]
    results: dict[int, StudentisedDraws] = {}
    for in_single, most in dict.fromkeys(zip(rounded, map(draws, sizes), strict=True)):
        places = [i for i, n in enumerate(sizes) if (rounded[i], draws(n)) == (in_single, most)]
        cells = [parts[i].astype(np.float32) if in_single else parts[i] for i in places]
        for i, sums in zip(places, sum_draws_of_matrices(cells, most), strict=True):
            results[i] = StudentisedDraws(groups[i], groups[i].distances_of_draws(sums), in_single)
    return [results[i] for i in range(len(groups))]


def studentise(mean: Floats, error: Floats) -> Floats:
    """Return mean / error, float64[column].

    If the error is 0, the result is 0 for a mean of 0, and infinite for any other mean."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = mean / error
    is_constant = error == 0
    return np.where(is_constant, np.where(mean == 0, 0.0, np.copysign(np.inf, mean)), ratio)


def find_draw_limits(statistic: Floats) -> Floats:
    """Return the smallest distance at which a draw is at least as extreme as the data,
    float64[column]. `statistic` float64[column] are the means of the data in standard errors.

    A draw that is tied with the data is also extreme. If a mean is 0 up to rounding, every draw is
    extreme."""
    size = np.abs(statistic)
    return np.where(size < _ROUNDING, 0.0, size * (1 - _ROUNDING))


def _cache_sized_slices(values: AnyArray) -> Iterator[slice]:
    """Yield slices of the rows of an array [draw, column]. Each slice fits into the processor's
    cache."""
    size = max(1, _CLOSE // max(values.shape[1], 1))
    return (slice(start, start + size) for start in range(0, len(values), size))


def _count_extreme_draws(distances: Floats, limits: Floats) -> Ints:
    """Return the number of draws in which each column reaches its limit, int64[column]."""
    return np.count_nonzero(distances >= limits, axis=0)
