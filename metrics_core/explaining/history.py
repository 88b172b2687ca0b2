"""History of a system's versions: when a query broke, when it was fixed, and which queries flicker.

With each version a query is either good or not good, as defined in `query_kinds`. Versions are in
order, first to last. Their positions start at 0, and -1 means no version."""

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
from metrics_core.explaining.query_kinds import FINE
from metrics_core.judging import JudgedRanks
from metrics_core.scoring.intervals import LEVEL
from metrics_core.scoring.resampling import split_by_memory

MIN_CHANGES_TO_FLICKER = 3
"""Minimum number of changes between good and not good for a query to be flickering."""


@dataclass(frozen=True)
class History:
    """The history of each query over the versions.

    `fine` bool[version, query] is whether the query was good with the version. A query
    without relevant documents is never good, so it can neither break nor be fixed."""

    versions: tuple[str, ...]
    query_ids: tuple[str, ...]
    fine: Mask

    @cached_property
    def change_counts(self) -> Ints:
        """Number of times that each query changed between good and not good, int64[query]."""
        return np.asarray((self.fine[1:] != self.fine[:-1]).sum(axis=0))

    @property
    def is_flickering(self) -> Mask:
        """Whether each query changed between good and not good at least
        `MIN_CHANGES_TO_FLICKER` times, bool[query]."""
        return self.change_counts >= MIN_CHANGES_TO_FLICKER

    @cached_property
    def broken_at(self) -> Ints:
        """The version in which each query last changed from good to not good, int64[query]; -1 if
        it never did."""
        return _last_switch(self.fine[:-1] & ~self.fine[1:])

    @cached_property
    def fixed_at(self) -> Ints:
        """The version in which each query last changed from not good to good, int64[query]."""
        return _last_switch(~self.fine[:-1] & self.fine[1:])

    @property
    def first_bad_version(self) -> Ints:
        """The version since which each query has not been good, int64[query].

        It is -1 for a query that is good in the last version or was never good."""
        return np.where(self.fine[-1], -1, self.broken_at)


def make_history(ranks: Sequence[JudgedRanks], query_kinds: Sequence[Objects]) -> History:
    """Return the history of several versions, first to last. The versions are runs judged by the
    same qrels. `query_kinds` has the result of `classify_queries` for each run, object[query].

    Raises ParameterError if there are no runs, or if their judgments differ."""
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
    return History(
        versions=tuple(each.run_name for each in ranks),
        query_ids=first.query_ids,
        fine=np.array(query_kinds, dtype=object) == FINE,
    )


def find_first_bad_versions(
    slices: Sequence[Floats],
    *,
    direction: int = 1,
    n_tested: int = 1,
) -> list[int]:
    """Return, for each slice, the version since which the slice is significantly worse than in its
    best version; -1 if it is not significantly worse in the last version.

    Each of `slices` is float64[version, query], versions first to last; slices may have different
    queries. `direction` is -1 if lower is better. Versions are compared with the best version by
    the paired differences of the queries with both scores. Slices with too few queries are not
    tested (`verdicts.are_testable`). A history is tested again after every version, and the best
    version is chosen from more versions each time. Each p-value is therefore multiplied by the
    number of ordered pairs of versions. As a result, if all of 10 or 20 versions are equally good,
    only 1 to 5 of 100 histories are ever called worse, although a test is made after each version
    (benchmarks/simulations.py). P-values are also corrected for `n_tested` slices (Šidák)."""
    scaled = [scores * direction for scores in slices]
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
    """Return the position of the version with the highest mean; -1 if no score is defined."""
    is_defined = ~np.isnan(scaled)
    if not is_defined.any():
        return -1
    counts = is_defined.sum(axis=1)
    mean = np.full(len(scaled), -np.inf)
    np.divide(np.where(is_defined, scaled, 0.0).sum(axis=1), counts, out=mean, where=counts > 0)
    return int(np.argmax(mean))


def _last_switch(switches: Mask) -> Ints:
    """Return the position of the first version after each query's last switch, int64[query]; -1 for
    a query that never switched.

    `switches` bool[version - 1, query] is true if the query switched between a version and the next
    one, for example from good to not good."""
    n = len(switches)
    if not n:
        return np.full(switches.shape[1], -1)
    behind = n - np.argmax(switches[::-1], axis=0)
    return np.where(switches.any(axis=0), behind, -1)
