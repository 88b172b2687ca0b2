"""Gates on the overlap of the first results of two runs, which need no judgments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import ParameterError
from metrics_core.comparing.gates import BELOW, HELD
from metrics_core.explaining.list_changes import find_list_changes
from metrics_core.tables import Run

_PATTERN = re.compile(r"\s*top\s*(?P<k>[1-9]\d{0,3})\s*(?:>=|≥)\s*(?P<share>\d*\.?\d+)\s*", re.I)


@dataclass(frozen=True)
class Overlap:
    """The minimum share of the baseline's first `k` results that a run must keep, as a mean over
    queries."""

    k: int
    least: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse an overlap condition such as `top10 >= 0.8`. Raises ParameterError."""
        match = _PATTERN.fullmatch(text)
        if match is None or not 0 < float(match["share"]) <= 1:
            raise ParameterError(
                f"{text.strip()!r} is not a valid overlap.",
                "An overlap sets the share of the first results that must remain: 'top10 >= 0.8'.",
            )
        return cls(int(match["k"]), float(match["share"]))

    def __str__(self) -> str:
        return f"top{self.k} >= {self.least:g}"


@dataclass(frozen=True, eq=False)
class OverlapOutcome:
    """The share of a baseline's first results that a run keeps, by query.

    `shares` and the rank-biased overlap `rbo`, which also depends on the order of the results, are
    float64[query], for the queries with results in either run.
    """

    overlap: Overlap
    run: str
    baseline: str
    query_ids: tuple[str, ...]
    shares: Floats
    rbo: Floats

    @property
    def mean(self) -> float:
        """The mean of `shares` over the queries."""
        return float(self.shares.mean())

    @property
    def mean_rbo(self) -> float:
        """The mean of `rbo` over the queries."""
        return float(self.rbo.mean())

    @property
    def n_changed(self) -> int:
        """The number of queries whose first results are different, or in a different order."""
        return int((self.rbo < 1 - 1e-9).sum())

    @property
    def outcome(self) -> str:
        """Whether the mean share reaches its minimum: "held" or "below"."""
        return HELD if self.mean >= self.overlap.least - 1e-12 else BELOW

    def most_changed_queries(self, max_queries: int) -> list[tuple[str, float, float]]:
        """Return (query, share, rank-biased overlap) of the queries with different results, most
        changed first. At most `max_queries` are returned."""
        order = np.lexsort((self.rbo, self.shares))[: min(max_queries, self.n_changed)]
        return [(self.query_ids[i], float(self.shares[i]), float(self.rbo[i])) for i in order]


def find_overlaps(
    baseline: Run, runs: Sequence[Run], overlaps: Sequence[Overlap]
) -> list[OverlapOutcome]:
    """Return the outcome of each overlap condition for each run: the share of the baseline's
    results that the run keeps.

    Raises the errors of `find_list_changes`."""
    outcomes = []
    for overlap in overlaps:
        for run in runs:
            changes = find_list_changes(run, baseline, overlap.k)
            outcomes.append(
                OverlapOutcome(
                    overlap,
                    run.name,
                    baseline.name,
                    changes.query_ids,
                    changes.overlap,
                    changes.rbo,
                )
            )
    return outcomes
