"""How far several runs agree in what they score on each query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics_core.judging.hits import ratio

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class AcrossRuns:
    """What several runs score on each of Q queries; float64[Q], NaN where no run has a score: their
    `mean`, and `spread`, their standard deviation, of these runs and not of runs at large."""

    mean: Floats
    spread: Floats


def across_runs(values: Floats) -> AcrossRuns:
    """How the runs agree on each query; `values` is float64[R, Q], the scores under one measure."""
    known = ~np.isnan(values)
    n = known.sum(axis=0)
    sums = np.where(known, values, 0.0).sum(axis=0)
    mean = np.where(n > 0, ratio(sums, n), np.nan)
    squares = np.where(known, (values - mean) ** 2, 0.0).sum(axis=0)
    return AcrossRuns(mean, np.where(n > 0, np.sqrt(ratio(squares, n)), np.nan))
