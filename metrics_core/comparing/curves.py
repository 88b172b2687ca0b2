"""Runs against a baseline at every cutoff: from which k on does one lead?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metrics_core import frames as pd
from metrics_core.comparing.method import Method
from metrics_core.comparing.testing import tested_scores
from metrics_core.errors import UnknownRunError
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Combination, Measure
from metrics_core.scoring.curves import curve
from metrics_core.scoring.intervals import LEVEL, drawn

Floats = npt.NDArray[np.float64]


def mean_curves(
    judged: Sequence[JudgedRanks],
    measure: Measure,
    cutoffs: Sequence[int],
    baseline: str,
    *,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Means by cutoff with intervals: columns run, k, mean, low, high, and difference, diff_low,
    diff_high for the paired difference to the baseline (NaN in the baseline's rows), queries.

    `low` and `high` are an interval of their own at each k; `diff_low` and `diff_high` are a band
    that holds for all k of a run at once, so that a lead "from k to k" can be read off it.
    `queries` counts those with both scores defined. Raises UnknownRunError for the baseline.
    """
    by_run = {r.run_name: curve(r, measure, cutoffs) for r in judged}
    if baseline not in by_run:
        raise UnknownRunError(baseline, list(by_run))
    combination = measure.declaration.combination
    # All runs at once: the draws are one matrix product.
    together = drawn(np.hstack(list(by_run.values())), combination).split(len(by_run))
    parts = []
    for (name, values), own in zip(by_run.items(), together, strict=True):
        (interval,) = own.intervals([level])
        parts.append(
            pd.DataFrame(
                {
                    "run": name,
                    "k": np.asarray(cutoffs),
                    "mean": interval.mean,
                    "low": interval.low,
                    "high": interval.high,
                    **_gaps(values, by_run[baseline], combination, level, own=name == baseline),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _gaps(
    values: Floats, baseline: Floats, combination: Combination, level: float, *, own: bool
) -> pd.DataFrame:
    if own:
        nothing = np.full(values.shape[1], np.nan)
        gaps = {"difference": nothing, "diff_low": nothing, "diff_high": nothing}
        return pd.DataFrame({**gaps, "queries": (~np.isnan(values)).sum(axis=0)})
    found = tested_scores(values, baseline, combination, Method(level=level))
    gaps = {"difference": found.mean, "diff_low": found.low, "diff_high": found.high}
    return pd.DataFrame({**gaps, "queries": found.sample.queries})
