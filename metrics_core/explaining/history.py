"""Versions of a system in their order: when a query broke, when it was fixed, which ones flicker.

A query is fine or not fine with each version, as `kinds` tells it. Versions stand in a given order,
first to last; places of versions count from 0, and -1 stands for none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask, Objects
from metrics_core.base.errors import ParameterError
from metrics_core.comparing.paired_tests import sidak_adjusted
from metrics_core.comparing.resampled import resample_groups
from metrics_core.comparing.verdicts import are_significant
from metrics_core.explaining.query_kinds import FINE, NOTHING_TO_FIND, classify_queries
from metrics_core.judging import JudgedRanks
from metrics_core.measures import MEAN, Combination, Measure
from metrics_core.scoring.intervals import LEVEL
from metrics_core.scoring.resampling import split_by_memory

FLICKERS_FROM = 3
"""Changes between fine and not fine from which a query flickers."""


@dataclass(frozen=True)
class History:
    """How each query went from version to version. `fine` is bool[V, Q]; `to_find` bool[Q] says
    whether there is anything to find: a query without is never fine, and neither breaks nor is
    fixed."""

    versions: tuple[str, ...]
    query_ids: tuple[str, ...]
    fine: Mask
    to_find: Mask

    @cached_property
    def changes(self) -> Ints:
        """How often each query changed between fine and not fine; int64[Q]."""
        return np.asarray((self.fine[1:] != self.fine[:-1]).sum(axis=0))

    @property
    def is_flickering(self) -> Mask:
        """Which queries changed at least `FLICKERS_FROM` times; bool[Q]."""
        return self.changes >= FLICKERS_FROM

    @cached_property
    def broken_at(self) -> Ints:
        """The version with which each query last went from fine to not fine; int64[Q]."""
        return _last_switch(self.fine[:-1] & ~self.fine[1:])

    @cached_property
    def fixed_at(self) -> Ints:
        """The version with which each query last went from not fine to fine; int64[Q]."""
        return _last_switch(~self.fine[:-1] & self.fine[1:])

    @property
    def first_bad_version(self) -> Ints:
        """Of the queries that were fine and are not with the last version: the first version since
        which they are not; -1 of all others. int64[Q]."""
        return np.where(self.fine[-1], -1, self.broken_at)


def make_history(
    ranks: Sequence[JudgedRanks],
    measure: Measure,
    cutoff: int,
    *,
    query_kinds: Sequence[Objects] | None = None,
) -> History:
    """The history of runs judged by the same qrels, first to last; `query_kinds` are their
    `kinds`, where those are known already. Raises ParameterError for none, and for runs that other
    judgments judged."""
    if not ranks:
        raise ParameterError("A history needs at least one version.", "Give at least one run.")
    first = ranks[0]
    for other in ranks[1:]:
        same = other.query_ids == first.query_ids and np.array_equal(
            other.judged_relevance, first.judged_relevance
        )
        if not same:
            raise ParameterError(
                f"{other.run_name} and {first.run_name} have different judgments.",
                "Versions can only be compared on the same judgments.",
            )
    kinds_by_run = np.array(
        query_kinds or [classify_queries(each, measure, cutoff) for each in ranks], dtype=object
    )
    return History(
        versions=tuple(each.run_name for each in ranks),
        query_ids=first.query_ids,
        fine=np.asarray(kinds_by_run == FINE),
        to_find=np.asarray((kinds_by_run != NOTHING_TO_FIND).all(axis=0)),
    )


def find_first_bad_versions(
    slices: Sequence[Floats],
    *,
    direction: int = 1,
    combination: Combination = MEAN,
    n_tested: int = 1,
) -> list[int]:
    """The first version since which each slice is clearly worse than it was at its best, -1 where
    its last version is not. Each of `slices` is float64[V, Q] of queries of its own, versions first
    to last; `direction` is -1 where lower scores are better.

    Compared is with the best version, by the paired differences of the queries that both score. A
    history is looked at again with every version, and each time the best of more is taken as what
    the last is measured by: each p-value counts as often as the versions make pairs, either way
    round. So 1 to 5 of 100 histories of 10 or of 20 equal versions, looked at after each, are
    called worse at any time (benchmarks/simulations.py). It holds for `n_tested` slices
    (Sidak), and there is no test of too few queries (`verdicts.can_be_tested`).
    """
    scaled = [combination.to_scale(scores) * direction for scores in slices]
    best = [_best_version(scores) for scores in scaled]
    later = [i for i, scores in enumerate(scaled) if 0 <= best[i] < len(scores) - 1]
    gaps = [(scaled[i][best[i] + 1 :] - scaled[i][best[i]]).T for i in later]
    first_bad_places = [-1] * len(slices)
    tested = (
        test
        for portion in split_by_memory([g.shape for g in gaps])
        for test in resample_groups(gaps[portion])
    )
    for i, test in zip(later, tested, strict=True):
        versions = len(scaled[i])
        p = np.minimum(test.p * versions * (versions - 1), 1.0)
        worse = are_significant(sidak_adjusted(p, max(n_tested, 1)), LEVEL) & (test.mean < 0)
        if worse[-1]:
            good = np.flatnonzero(~worse)
            first_bad_places[i] = best[i] + 1 + (int(good[-1]) + 1 if len(good) else 0)
    return first_bad_places


def _best_version(scaled: Floats) -> int:
    """The version with the greatest mean; -1 where no score is defined."""
    is_defined = ~np.isnan(scaled)
    if not is_defined.any():
        return -1
    counts = is_defined.sum(axis=1)
    mean = np.full(len(scaled), -np.inf)
    np.divide(np.where(is_defined, scaled, 0.0).sum(axis=1), counts, out=mean, where=counts > 0)
    return int(np.argmax(mean))


def _last_switch(switches: Mask) -> Ints:
    """The place of the version behind the last switch of each column; -1 where there is none."""
    n = len(switches)
    if not n:
        return np.full(switches.shape[1], -1)
    behind = n - np.argmax(switches[::-1], axis=0)
    return np.where(switches.any(axis=0), behind, -1)
