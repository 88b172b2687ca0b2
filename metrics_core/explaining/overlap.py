"""Gates on the overlap of the first results of two runs, which need no judgments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from metrics_core.base.errors import ParameterError
from metrics_core.comparing.gates import BELOW, HELD
from metrics_core.explaining.list_changes import ListChanges, find_list_changes
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
                f"{text.strip()!r} is not a valid overlap condition.",
                "The condition sets the share of the top results that must remain: 'top10 >= 0.8'.",
            )
        return cls(int(match["k"]), float(match["share"]))

    def __str__(self) -> str:
        return f"top{self.k} >= {self.least:g}"


@dataclass(frozen=True, eq=False, kw_only=True)
class OverlapOutcome(ListChanges):
    """The changes of a run's results compared with the baseline, and the outcome of a condition on
    the overlap of the results."""

    condition: Overlap

    @property
    def mean(self) -> float:
        """The mean of `overlap` over the queries."""
        return float(self.overlap.mean())

    @property
    def outcome(self) -> str:
        """ "held" if the mean share of unchanged results reaches its minimum, otherwise "below"."""
        return HELD if self.mean >= self.condition.least - 1e-12 else BELOW

    def most_changed_queries(self, max_queries: int) -> list[tuple[str, float, float]]:
        """Return (query, share, rank-biased overlap) of the queries with different results, most
        changed first. At most `max_queries` are returned."""
        order = np.lexsort((self.rbo, self.overlap))[: min(max_queries, self.n_changed)]
        return [(self.query_ids[i], float(self.overlap[i]), float(self.rbo[i])) for i in order]


def find_overlaps(
    baseline: Run, runs: Sequence[Run], overlaps: Sequence[Overlap]
) -> list[OverlapOutcome]:
    """Evaluate each overlap condition for each run: whether the run keeps enough of the baseline's
    results.

    Raises the errors of `find_list_changes`."""
    return [
        OverlapOutcome(**vars(find_list_changes(run, baseline, overlap.k)), condition=overlap)
        for overlap in overlaps
        for run in runs
    ]
