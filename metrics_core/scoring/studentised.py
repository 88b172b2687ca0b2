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
from metrics_core.scoring.certified import Undecided
from metrics_core.scoring.random_groups import drawn_at_a_time, even, in_groups
from metrics_core.scoring.resampling import draws_of, sums_at, sums_each

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
class Columns:
    """Differences about their means: `centred` float64[Q, C], 0 where bool[Q, C] `defined` is
    False."""

    centred: Floats
    defined: Mask
    least_error: float = LEAST_ERROR

    @property
    def whole(self) -> bool:
        """Whether every column has as many queries in every draw: all are defined, and drawn one by
        one or in groups of as many."""
        return even(len(self.centred)) and bool(self.defined.all())

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
        counted = [] if self.whole else [in_groups(self.defined.astype(np.float64))]
        if drawn_at_a_time(len(squares)) == len(squares):
            scaled = self.centred / spread
            return np.hstack([scaled, np.square(scaled), *counted])
        # Bags first: they are fewer.
        sums = in_groups(self.centred) / spread, in_groups(squares) / np.square(spread)
        return np.hstack([*sums, *counted])

    def away(self, found: npt.NDArray[Any]) -> Floats:
        """How many standard errors of its own each column is off, from the sums of `parts`."""
        far = self.off(found)
        return np.abs(far, out=far)

    def off(self, found: npt.NDArray[Any]) -> Floats:
        """The same with its sign."""
        far, least = np.empty((len(found), self.centred.shape[1])), self._least_variance
        for draws in _few_draws(found):
            self._off(found[draws], far[draws], least)
        return far

    def _off(self, found: npt.NDArray[Any], mean: Floats, least: Floats) -> None:
        """The same of some draws, few enough to stay close to the processor."""
        split = np.split(found.astype(np.float64, copy=False), 2 if self.whole else 3, axis=1)
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

    def away_in(self, places: Ints) -> Floats:
        """The same of some draws, in double precision; float64[places, C]."""
        return self.away(sums_at(self.parts(), places))


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
    def of(cls, values: Floats) -> Moments:
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

    def columns(self, places: Ints) -> Columns:
        """Some of the columns, as they are drawn."""
        return Columns(self.centred[places].T, self.defined[places].T)


def standard_errors(squares: Floats, queries: Ints, mean: Floats) -> Floats:
    """Standard errors of means from the sums of squares about them; 0 where all are alike."""
    error = np.full(len(queries), np.nan)
    enough = queries >= 2
    n = queries[enough]
    error[enough] = np.sqrt(squares[enough] / (n - 1) / n)
    alike = error * np.sqrt(np.maximum(queries, 1)) <= ALIKE * np.abs(mean)
    error[alike] = 0.0
    return error


@dataclass(frozen=True)
class Away:
    """How many standard errors of its own each of C columns is off in each draw: `near`
    float64[draws, C], of which nothing is rounded where `rounded` is False."""

    columns: Columns
    near: Floats
    rounded: bool

    def reached(self, limits: Floats) -> Ints:
        """In how many draws each column reaches its own limit; int64[C]."""
        off = _reached(self.near, limits)
        if self.rounded:
            undecided = Undecided.of_means(limits, len(self.columns.centred))
            places = np.flatnonzero(undecided.holds(self.near).any(axis=1))
            off += _reached(self.columns.away_in(places), limits)
            off -= _reached(self.near[places], limits)
        return off


def away(groups: Sequence[Columns], draws: Callable[[int], int] = draws_of) -> list[Away]:
    """How far off several groups of columns are, each over queries of its own, in as few products
    as their number allows; `draws` says in how many draws of so many queries."""
    sizes = [len(g.centred) for g in groups]
    parts: list[npt.NDArray[Any]] = [g.parts() for g in groups]
    rounded = [p.size * draws(n) > _SMALL for n, p in zip(sizes, parts, strict=True)]
    found: dict[int, Away] = {}
    for kind, most in dict.fromkeys(zip(rounded, map(draws, sizes), strict=True)):
        places = [i for i, n in enumerate(sizes) if (rounded[i], draws(n)) == (kind, most)]
        cells = [parts[i].astype(np.float32) if kind else parts[i] for i in places]
        for i, made in zip(places, sums_each(cells, most), strict=True):
            found[i] = Away(groups[i], groups[i].away(made), kind)
    return [found[i] for i in range(len(groups))]


def in_errors(mean: Floats, error: Floats) -> Floats:
    """mean / error; where nothing varies 0 for no difference, else without bound."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = mean / error
    still = error == 0
    return np.where(still, np.where(mean == 0, 0.0, np.copysign(np.inf, mean)), ratio)


def limits_of(statistic: Floats) -> Floats:
    """What a draw reaches to be as far off as the data, in standard errors. Draws that tie with it
    do, and all do where the mean is 0 but for rounding."""
    size = np.abs(statistic)
    return np.where(size < _ROUNDING, 0.0, size * (1 - _ROUNDING))


def _few_draws(values: npt.NDArray[Any]) -> Iterator[slice]:
    """Stretches of the rows of [draws, C] that stay close to the processor."""
    size = max(1, _CLOSE // max(values.shape[1], 1))
    return (slice(start, start + size) for start in range(0, len(values), size))


def _reached(away: Floats, limits: Floats) -> Ints:
    """In how many draws each column reaches its limit; int64[C]."""
    return np.count_nonzero(away >= limits, axis=0)
