"""Find slices of queries on which a run's gain differs from its gain on all other queries.

Every value of every column is a slice, and so is every pair of values of two columns. A slice's
mean difference is compared with the mean difference of all other queries, studentised as in Welch's
test. Both variances are shrunk towards the common variance, as if by `PRIOR` further queries,
because variances of few queries are unreliable (Smyth, Linear models and empirical Bayes methods,
2004). The distance of the farthest slice under chance corrects for the number of slices, however
they overlap (max-T: Westfall and Young, Resampling-based multiple testing, 1993).

Chance is simulated in two ways, and a slice must be significant in both. Permutation: the
differences are reassigned to the queries at random, which is exact if they have the same
distribution in all slices, however skewed. Sign flipping: each difference stays with its query and
is randomly reflected at the mean (the wild bootstrap: Liu, Annals of Statistics 1988; Davidson and
Flachaire, Journal of Econometrics 2008), so that a slice keeps its variance, and a slice that only
varies more is not mistaken for a slice that gains. Permutation alone finds such slices twice as
often as it should, and so does sign flipping if differences are skewed
(benchmarks/found_slices.py). With both, at most one analysis in twenty without any true difference
finds anything, which also bounds the false discovery rate. Benjamini and Hochberg's method would
need p-values of single slices far below the smallest p-value that is possible with this number of
permutations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints, Mask, Objects
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.scoring.intervals import LEVEL
from metrics_core.slicing.permutation_max import (
    ALIKE,
    largest_flipped_distances,
    largest_permuted_distances,
    studentise_slices,
)
from metrics_core.slicing.slice_members import SliceMembers, assign_query_kinds

Condition = tuple[str, str]
"""A column and one of its values, which is a group of queries."""

_ALPHA = 1 - LEVEL
_MOST_CELLS = 20_000_000
_STILL = 1.96
"""Minimum difference of a slice, in standard errors, that must remain after the queries of slices
already listed are removed."""


@dataclass(frozen=True)
class SliceFindings:
    """The slices that differ, most significant first, and the number of slices tested.

    `slices` has the columns conditions (a tuple of one or two pairs of column and value), queries,
    difference (the mean in the slice), elsewhere (the mean of all other queries), and p_value
    (corrected for all slices)."""

    slices: pd.DataFrame
    n_tested: int


class _Slices(NamedTuple):
    """The conditions of slices, and the queries in each slice."""

    conditions: list[tuple[Condition, ...]]
    members: SliceMembers


class _GroupedConditions(NamedTuple):
    """Conditions that have no query in common.

    `code` int64[query] is the index of each query's condition, -1 if the query has none. `sizes`
    int64[condition] is the number of queries of each condition."""

    conditions: list[tuple[Condition, ...]]
    code: Ints
    sizes: Ints

    @classmethod
    def from_codes(
        cls,
        code: Ints,
        width: int,
        condition: Callable[[int], tuple[Condition, ...]],
        are_wanted: Callable[[Ints], Mask] = lambda sizes: sizes > 0,
    ) -> _GroupedConditions:
        """Return the conditions whose sizes satisfy `are_wanted`.

        `code` int64[query] is the number of each query's condition, -1 if the query has none. All
        numbers are below `width`. `condition` is a function from a number to the condition with
        this number."""
        sizes = np.bincount(code + 1, minlength=width + 1)[1:]
        kept_codes = np.flatnonzero(are_wanted(sizes))
        new_code = np.full(width + 1, -1)
        new_code[kept_codes] = np.arange(len(kept_codes))
        return cls([condition(i) for i in kept_codes.tolist()], new_code[code], sizes[kept_codes])

    @property
    def slices(self) -> _GroupedConditions:
        """The conditions that are true for at least `FEWEST_QUERIES` queries and false for at least
        `FEWEST_QUERIES` queries.

        Conditions of fewer queries are left out, because they are so numerous that they would mask
        the results of larger ones."""
        most = len(self.code) - FEWEST_QUERIES
        return self.from_codes(
            self.code,
            len(self.conditions),
            self.conditions.__getitem__,
            lambda sizes: (sizes >= FEWEST_QUERIES) & (sizes <= most),
        )


def find_slices(differences: Floats, columns: Mapping[str, npt.ArrayLike]) -> SliceFindings:
    """Find the slices of these columns whose mean difference differs from the mean difference of
    all other queries.

    `differences` is float64[query], NaN if undefined; `columns` maps names to the group of each
    query, object[query]. A slice is omitted as redundant if it no longer differs after the queries
    of a slice that is already listed are removed. A slice that is part of a listed slice is kept,
    however, if it differs from the remaining queries of that slice."""
    is_defined = ~np.isnan(differences)
    gaps = differences[is_defined]
    slices = find_candidate_slices(
        {name: np.asarray(groups)[is_defined] for name, groups in columns.items()}
    )
    n_tested = len(slices.conditions)
    if not n_tested or not _are_varying(gaps):
        return SliceFindings(_make_frame([]), n_tested)
    distances = np.abs(studentise_slices(slices.members, gaps))
    p_values = _p_values(slices.members, gaps, distances)
    chosen_masks: list[Mask] = []
    rows = []
    for i in np.argsort(-distances, kind="stable"):
        if p_values[i] > _ALPHA:
            break
        inside = slices.members.query_mask(int(i))
        if not all(_differs_beyond_earlier_slice(inside, before, gaps) for before in chosen_masks):
            continue
        chosen_masks.append(inside)
        means = float(gaps[inside].mean()), float(gaps[~inside].mean())
        rows.append((slices.conditions[i], int(inside.sum()), *means, float(p_values[i])))
    return SliceFindings(_make_frame(rows), n_tested)


def find_differing_groups(differences: Floats, groups: npt.ArrayLike) -> set[str]:
    """Return the groups of one column whose mean difference differs from the mean difference of all
    other queries. The test is the same as in `find_slices`, but no group is omitted as redundant.

    `differences` is float64[query], NaN if undefined; `groups` is object[query]."""
    is_defined = ~np.isnan(differences)
    slices = find_candidate_slices({"": np.asarray(groups)[is_defined]})
    gaps = differences[is_defined]
    if not slices.conditions or not _are_varying(gaps):
        return set()
    distances = np.abs(studentise_slices(slices.members, gaps))
    is_found = _p_values(slices.members, gaps, distances) <= _ALPHA
    return {
        name
        for ((_, name),), is_unlike in zip(slices.conditions, is_found, strict=True)
        if is_unlike
    }


def _are_varying(gaps: Floats) -> bool:
    return bool(np.ptp(gaps) > ALIKE * np.abs(gaps).max())


def _p_values(members: SliceMembers, gaps: Floats, distances: Floats) -> Floats:
    """Return the corrected p-value of each slice, float64[slice]. It is the larger p-value of two
    tests: permutation and sign flipping. Sign flipping is skipped if the permutation test finds
    nothing."""
    # Ties with the data count as reached.
    limits = distances * (1 - 1e-9)
    p_values = np.zeros(len(distances))
    for farthest in (largest_permuted_distances, largest_flipped_distances):
        maxima = farthest(members, gaps, limits)
        n_reached = (maxima[:, None] >= limits).sum(axis=0)
        p_values = np.maximum(p_values, (n_reached + 1) / (len(maxima) + 1))
        if (p_values > _ALPHA).all():
            break
    return p_values


def _make_frame(rows: list[tuple[tuple[Condition, ...], int, float, float, float]]) -> pd.DataFrame:
    names = ["conditions", "queries", "difference", "elsewhere", "p_value"]
    return pd.DataFrame(rows, columns=names)


def find_candidate_slices(columns: Mapping[str, Objects]) -> _Slices:
    """Return the slices that are defined by a value of one column, or by a pair of values of two
    columns, except slices that are too small or too large. Each column is object[query]. A pair is
    omitted if it has the same queries as one of its two values. If there are too many slices, the
    pairs of columns with the most conditions are left out."""
    singles = [_column_conditions(name, groups) for name, groups in columns.items()]
    parts = [one.slices for one in singles]
    n_queries = len(parts[0].code) if parts else 0
    cells = sum(len(part.conditions) for part in parts) * n_queries
    for one, other in sorted(
        combinations(singles, 2), key=lambda p: len(p[0].conditions) * len(p[1].conditions)
    ):
        part = _cross_conditions(one, other)
        cells += len(part.conditions) * n_queries
        if cells > _MOST_CELLS:
            break
        parts.append(part)
    conditions = [each for part in parts for each in part.conditions]
    if not conditions:
        return _Slices([], SliceMembers(np.zeros(n_queries, dtype=np.int64), np.zeros((1, 0))))
    # Queries with the same values are in the same slices; there are far fewer combinations than
    # queries.
    kind, first = assign_query_kinds(one.code for one in singles)
    inside_of = np.zeros((len(first), len(conditions)))
    offset = 0
    for part in parts:
        code = part.code[first]
        members = np.flatnonzero(code >= 0)
        inside_of[members, offset + code[members]] = 1.0
        offset += len(part.conditions)
    return _Slices(conditions, SliceMembers(kind, inside_of))


def _column_conditions(name: str, groups: Objects) -> _GroupedConditions:
    codes, values = pd.factorize(groups, sort=True)
    return _GroupedConditions.from_codes(codes, len(values), lambda i: ((name, str(values[i])),))


def _cross_conditions(first: _GroupedConditions, second: _GroupedConditions) -> _GroupedConditions:
    height, width = len(first.conditions), len(second.conditions)
    lacks_one = (first.code < 0) | (second.code < 0)
    return _GroupedConditions.from_codes(
        np.where(lacks_one, -1, first.code * width + second.code),
        height * width,
        lambda i: (*first.conditions[i // width], *second.conditions[i % width]),
        # A pair with the same queries as one of its conditions is redundant.
        lambda sizes: (
            (sizes > 0)
            & (sizes < np.repeat(first.sizes, width))
            & (sizes < np.tile(second.sizes, height))
        ),
    ).slices


def _differs_beyond_earlier_slice(in_slice: Mask, in_earlier_slice: Mask, gaps: Floats) -> bool:
    """Return whether a slice still differs without the queries of another slice that was listed
    earlier. If the slice is part of the earlier slice, it is enough that it differs from the
    remaining queries of the earlier slice."""
    differs_outside = _has_different_mean(in_slice[~in_earlier_slice], gaps[~in_earlier_slice])
    part_of = bool((in_earlier_slice | ~in_slice).all())
    return differs_outside or (
        part_of and _has_different_mean(in_slice[in_earlier_slice], gaps[in_earlier_slice])
    )


def _has_different_mean(in_slice: Mask, gaps: Floats) -> bool:
    if in_slice.sum() < FEWEST_QUERIES or (~in_slice).sum() < FEWEST_QUERIES:
        return False
    members = SliceMembers(in_slice.astype(np.int64), np.array([[0.0], [1.0]]))
    return bool(abs(studentise_slices(members, gaps)[0]) > _STILL)
