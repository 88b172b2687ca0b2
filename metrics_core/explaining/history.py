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
from metrics_core.comparing.resampled import resampled_groups
from metrics_core.comparing.tests import sidak
from metrics_core.comparing.verdicts import is_found
from metrics_core.explaining.kinds import FINE, NOTHING_TO_FIND, kinds
from metrics_core.judging import JudgedRanks
from metrics_core.measures import MEAN, Combination, Measure
from metrics_core.scoring.intervals import LEVEL
from metrics_core.scoring.resampling import portions

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
    def flickers(self) -> Mask:
        """Which queries changed at least `FLICKERS_FROM` times; bool[Q]."""
        return self.changes >= FLICKERS_FROM

    @cached_property
    def broke(self) -> Ints:
        """The version with which each query last went from fine to not fine; int64[Q]."""
        return _last(self.fine[:-1] & ~self.fine[1:])

    @cached_property
    def fixed(self) -> Ints:
        """The version with which each query last went from not fine to fine; int64[Q]."""
        return _last(~self.fine[:-1] & self.fine[1:])

    @property
    def first_bad(self) -> Ints:
        """Of the queries that were fine and are not with the last version: the first version since
        which they are not; -1 of all others. int64[Q]."""
        return np.where(self.fine[-1], -1, self.broke)


def history(
    ranks: Sequence[JudgedRanks],
    measure: Measure,
    cutoff: int,
    *,
    told: Sequence[Objects] | None = None,
) -> History:
    """The history of runs judged by the same qrels, first to last; `told` are their `kinds`, where
    those are known already. Raises ParameterError for none, and for runs that other judgments
    judged."""
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
    found = np.array(told or [kinds(each, measure, cutoff) for each in ranks], dtype=object)
    return History(
        versions=tuple(each.run_name for each in ranks),
        query_ids=first.query_ids,
        fine=np.asarray(found == FINE),
        to_find=np.asarray((found != NOTHING_TO_FIND).all(axis=0)),
    )


def first_bad_versions(
    slices: Sequence[Floats],
    *,
    direction: int = 1,
    combination: Combination = MEAN,
    looked_at: int = 1,
) -> list[int]:
    """The first version since which each slice is clearly worse than it was at its best, -1 where
    its last version is not. Each of `slices` is float64[V, Q] of queries of its own, versions first
    to last; `direction` is -1 where lower scores are better.

    Compared is with the best version, by the paired differences of the queries that both score. A
    history is looked at again with every version, and each time the best of more is taken as what
    the last is measured by: each p-value counts as often as the versions make pairs, either way
    round. So 1 to 5 of 100 histories of 10 or of 20 equal versions, looked at after each, are
    called worse at any time (benchmarks/simulations.py). It holds for `looked_at` slices
    (Sidak), and there is no test of too few queries (`verdicts.may_be_tested`).
    """
    scaled = [combination.onto(scores) * direction for scores in slices]
    best = [_best_version(scores) for scores in scaled]
    later = [i for i, scores in enumerate(scaled) if 0 <= best[i] < len(scores) - 1]
    gaps = [(scaled[i][best[i] + 1 :] - scaled[i][best[i]]).T for i in later]
    found = [-1] * len(slices)
    tested = (
        each
        for portion in portions([g.shape for g in gaps])
        for each in resampled_groups(gaps[portion])
    )
    for i, each in zip(later, tested, strict=True):
        versions = len(scaled[i])
        p = np.minimum(each.p * versions * (versions - 1), 1.0)
        worse = is_found(sidak(p, max(looked_at, 1)), LEVEL) & (each.mean < 0)
        if worse[-1]:
            good = np.flatnonzero(~worse)
            found[i] = best[i] + 1 + (int(good[-1]) + 1 if len(good) else 0)
    return found


def _best_version(scaled: Floats) -> int:
    """The version with the greatest mean; -1 where no score is defined."""
    known = ~np.isnan(scaled)
    if not known.any():
        return -1
    counts = known.sum(axis=1)
    mean = np.full(len(scaled), -np.inf)
    np.divide(np.where(known, scaled, 0.0).sum(axis=1), counts, out=mean, where=counts > 0)
    return int(np.argmax(mean))


def _last(switches: Mask) -> Ints:
    """The place of the version behind the last switch of each column; -1 where there is none."""
    n = len(switches)
    if not n:
        return np.full(switches.shape[1], -1)
    behind = n - np.argmax(switches[::-1], axis=0)
    return np.where(switches.any(axis=0), behind, -1)
