"""How much of the first results stays: a gate that takes no judgments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.comparing.gates import BELOW, HELD
from metrics_core.explaining.list_comparison import compare_runs
from metrics_core.tables import Run

_PATTERN = re.compile(r"\s*top\s*(?P<k>[1-9]\d{0,3})\s*(?:>=|≥)\s*(?P<share>\d*\.?\d+)\s*", re.I)


@dataclass(frozen=True)
class Overlap:
    """The mean share of the first `k` results that must stay."""

    k: int
    least: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """That of `top10 >= 0.8`. Raises ParameterError."""
        match = _PATTERN.fullmatch(text)
        if match is None or not 0 < float(match["share"]) <= 1:
            raise ParameterError(
                f"{text.strip()!r} is not an overlap.",
                "It states the share of the first results that must remain: 'top10 >= 0.8'.",
            )
        return cls(int(match["k"]), float(match["share"]))

    def __str__(self) -> str:
        return f"top{self.k} >= {self.least:g}"


@dataclass(frozen=True, eq=False)
class OverlapOutcome:
    """How much of the first results of a baseline a run keeps, by query: `shares` and `rbo` (in
    their order, too) are float64[Q], of the queries that either lists."""

    overlap: Overlap
    run: str
    baseline: str
    query_ids: tuple[str, ...]
    shares: Floats
    rbo: Floats

    @property
    def mean(self) -> float:
        """The mean share."""
        return float(self.shares.mean())

    @property
    def mean_rbo(self) -> float:
        """The mean rank-biased overlap."""
        return float(self.rbo.mean())

    @property
    def changed(self) -> int:
        """On how many queries the first results are others, or in another order."""
        return int((self.rbo < 1 - 1e-9).sum())

    @property
    def outcome(self) -> str:
        """Whether it "held" or is "below"."""
        return HELD if self.mean >= self.overlap.least - 1e-12 else BELOW

    def most_changed(self, most: int) -> list[tuple[str, float, float]]:
        """Query, share and rank-biased overlap of so many queries that changed, the most changed
        first."""
        order = np.lexsort((self.rbo, self.shares))[: min(most, self.changed)]
        return [(self.query_ids[i], float(self.shares[i]), float(self.rbo[i])) for i in order]


def find_overlaps(
    baseline: Run, runs: Sequence[Run], overlaps: Sequence[Overlap]
) -> list[OverlapOutcome]:
    """What each run keeps of the baseline's lists. Raises RanklensError where one lists nothing."""
    outcomes = []
    empty = next((run.name for run in (baseline, *runs) if not run.query_ids), None)
    if empty is not None:
        raise RanklensError(f"{empty} has no results.", "Give runs with results.")
    for overlap in overlaps:
        for run in runs:
            ids = tuple(dict.fromkeys([*baseline.query_ids, *run.query_ids]))
            lists = compare_runs(run, baseline, ids, depth=overlap.k)
            shares, rbo = lists.overlap(overlap.k), lists.rbo()
            is_listed = ~np.isnan(shares)
            some = tuple(np.array(ids, dtype=object)[is_listed].tolist())
            outcomes.append(
                OverlapOutcome(
                    overlap, run.name, baseline.name, some, shares[is_listed], rbo[is_listed]
                )
            )
    return outcomes
