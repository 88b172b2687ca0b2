"""The paired differences of some pairs of runs, as they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.comparing.random_signs import random_signs
from metrics_core.comparing.resampled import FEW
from metrics_core.measures import MEAN
from metrics_core.scoring.random_groups import even, in_groups
from metrics_core.scoring.studentised import ALIKE, standard_errors

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]
"""float64, or float32 where they are nearly so."""


@dataclass(frozen=True)
class PairColumns:
    """Differences of p pairs about their means, 0 where undefined: `centred` float64[p, Q]; and
    where they are defined, None for all: `defined` bool[p, Q]."""

    centred: Floats
    defined: npt.NDArray[np.bool_] | None
    mean: Floats
    queries: Ints

    @classmethod
    def of(cls, scaled: Floats, pairs: Ints, *, whole: bool) -> PairColumns:
        """Of float64[R, Q] the pairs int64[2, p]; `whole` says that no score is undefined."""
        gap = scaled[pairs[0]] - scaled[pairs[1]]
        if whole:
            mean = gap.mean(axis=1)
            gap -= mean[:, None]
            return cls(gap, None, mean, np.full(len(mean), gap.shape[1]))
        defined = ~np.isnan(gap)
        mean = MEAN.of(gap.T)
        centred = np.where(defined, gap - mean[:, None], 0.0)
        return cls(centred, defined, mean, defined.sum(axis=1))

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
        """How far from zero the mean of each pair would be, in standard errors, if all of its
        differences were for one run; 0 where no query differs; float64[p]."""
        n, raw = np.maximum(self.queries, 2), self._raw
        size = np.abs(raw).sum(axis=1) / n
        spread = np.maximum(np.square(raw).sum(axis=1) / n - np.square(size), 0.0)
        alike = spread <= np.square(ALIKE * size)
        error = np.sqrt(np.where(alike, 1.0, spread) / (n - 1))
        return np.where(alike, np.where(size > 0, np.inf, 0.0), size / error)

    @property
    def random_signs(self) -> Floats:
        """The p-values of `random_signs` of the pairs of few queries, NaN of others; float64[p]."""
        found, few = np.full(len(self.mean), np.nan), self.queries <= FEW
        if few.any():
            found[few] = random_signs(self._raw[few].T)
        return found

    @cached_property
    def parts(self) -> list[Floats]:
        """What is summed over the draws, two or three of float64[p, units]: the differences in
        units of their spread, their squares, and what counts them unless all draws have as many."""
        spread = np.sqrt(np.square(self.centred).mean(axis=1))
        scaled = self.centred / np.where(spread > 0, spread, 1.0)[:, None]
        parts: list[Floats] = [scaled, np.square(scaled)]
        if self.defined is not None:
            parts.append(self.defined.astype(np.float64))
        elif not even(scaled.shape[1]):
            parts.append(np.ones_like(scaled))
        return [in_groups(each.T).T for each in parts]

    def squared(self, sums: Sequence[Numbers]) -> Numbers:
        """How many standard errors of its own each pair is off in a draw, squared: from the sums of
        the `parts`, which it uses up, in their precision and of their shape."""
        far, squares = sums[:2]
        n: Any = sums[2] if len(sums) > 2 else far.dtype.type(self.centred.shape[1])
        np.multiply(squares, n, out=squares)
        np.square(far, out=far)
        spread = np.subtract(squares, far, out=squares)
        np.maximum(spread, 0.0, out=spread)
        far *= np.maximum(n - 1, 0.0)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            np.divide(far, spread, out=far)
        # 0 by 0: the draw holds no difference, or fewer than two queries.
        return np.fmax(far, 0.0, out=far)
