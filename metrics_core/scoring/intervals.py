"""Intervals of one run's means over queries, from the bootstrap; those of differences are in
`comparing.resampled`.

Intervals are percentile intervals of the bootstrap over queries: queries are drawn again with
replacement, and the same draws serve every run, measure and cutoff, so that what is drawn on two
pages agrees (Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics_core.measures import MEAN, Combination
from metrics_core.scoring.resampling import resampled_means_each

Floats = npt.NDArray[np.float64]

LEVEL = 0.95


class Interval(NamedTuple):
    """Mean and interval, each float64 of the shape of one row of the values."""

    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Drawn:
    """A combined score of each of C columns: `mean` float64[C], and its value in each resample,
    `draws` float64[resamples, C], NaN where fewer than two queries are defined. `queries` int64[C]
    counts the defined ones."""

    mean: Floats
    draws: Floats
    queries: npt.NDArray[np.int64]

    def split(self, parts: int) -> list[Drawn]:
        """The columns in so many parts of the same number."""
        arrays = (self.mean, self.draws, self.queries)
        split = (np.split(a, parts, axis=-1) for a in arrays)
        return [Drawn(*part) for part in zip(*split, strict=True)]

    def intervals(self, levels: Sequence[float]) -> list[Interval]:
        """The percentile interval of each column at each level."""
        tails = [tail for level in levels for tail in ((1 - level) / 2, (1 + level) / 2)]
        edges = np.full((len(tails), len(self.mean)), np.nan)
        known = ~np.isnan(self.draws).all(axis=0)
        if known.any():
            draws = self.draws if known.all() else self.draws[:, known]
            # numpy takes a column at a time where a value may be NaN, all at once where none is.
            quantile = np.nanquantile if np.isnan(draws).any() else np.quantile
            edges[:, known] = quantile(draws, tails, axis=0)
        ends = zip(edges[::2], edges[1::2], strict=True)
        return [Interval(self.mean, low, high) for low, high in ends]


def mean_interval(values: Floats, *, level: float = LEVEL) -> Interval:
    """Mean over the first axis (queries) with its bootstrap interval.

    `values` is float64[Q] or float64[Q, …]; NaN is undefined and left out of its column. With
    fewer than two queries there is no interval: low and high are NaN.
    """
    shape = values.shape[1:]
    (found,) = drawn(values.reshape(len(values), int(np.prod(shape)))).intervals([level])
    return Interval(*(part.reshape(shape) for part in found))


def drawn(values: Floats, combination: Combination = MEAN) -> Drawn:
    """The combined score of each column of float64[Q, C] over its defined queries."""
    return drawn_each([values], combination)[0]


def drawn_each(groups: Sequence[Floats], combination: Combination = MEAN) -> list[Drawn]:
    """`drawn` of several groups of queries, each float64[Q, C], in as few products as can be."""
    scaled = [combination.onto(values) for values in groups]
    defined = [~np.isnan(columns) for columns in scaled]
    filled = [np.where(known, columns, 0.0) for columns, known in zip(scaled, defined, strict=True)]
    counts = [known.sum(axis=0) for known in defined]
    enough = [count >= 2 for count in counts]
    some = [i for i, columns in enumerate(enough) if columns.any()]
    cells = [(filled[i][:, enough[i]], defined[i][:, enough[i]]) for i in some]
    means = resampled_means_each(cells)
    draws = dict(zip(some, means, strict=True))
    found = []
    for i, count in enumerate(counts):
        mean = np.full(len(count), np.nan)
        np.divide(filled[i].sum(axis=0), count, out=mean, where=count > 0)
        in_draws = np.full((len(draws[i]) if i in draws else 1, len(mean)), np.nan)
        if i in draws:
            in_draws[:, enough[i]] = draws[i]
        found.append(Drawn(combination.back(mean), combination.back(in_draws), count))
    return found
