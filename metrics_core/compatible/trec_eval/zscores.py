"""-Z: each score as its distance from a mean, in standard deviations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metrics_core.compatible.trec_eval import files
from metrics_core.compatible.trec_eval.ending import Z_SCORES, Ended
from metrics_core.compatible.trec_eval.numbers import atof

MISSING = -1000000.0
"""What stands where the file has no mean."""

Means = dict[tuple[str, str], tuple[float, float]]


def read_means(path: str) -> Means:
    """(query, line name) -> (mean, deviation), from lines of `query name mean deviation`."""
    try:
        data = files.read_bytes(path, what="zscores")
    except Ended as ended:
        raise Ended(Z_SCORES, ended.said[0]) from ended
    means: Means = {}
    lines = data.decode("latin-1").split("\n")
    for number, line in enumerate(lines[:-1] if not lines[-1] else lines, 1):
        # str.split would also split at characters that C does not take for white space.
        fields = [f.decode("latin-1") for f in line.encode("latin-1").split()]
        if len(fields) != 4:
            raise Ended(Z_SCORES, f"trec_eval.get_zscores: Malformed line {number}")
        query, name, mean, deviation = fields
        means.setdefault((query, name), (atof(mean), atof(deviation)))
    return means


def standardised(
    values: npt.NDArray[np.float64], means: Means, queries: Sequence[str], name: str
) -> npt.NDArray[np.float64]:
    """The z-scores of one line's values, a value a query."""
    return np.array([_z(v, means.get((q, name))) for v, q in zip(values, queries, strict=True)])


def _z(value: float, known: tuple[float, float] | None) -> float:
    if known is None:
        return MISSING
    mean, deviation = known
    if deviation:
        return float((value - mean) / deviation)
    return 0.0 if value == mean else MISSING
