"""Store which queries are in which slices, once for each distinct combination of slices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask


@dataclass(frozen=True)
class SliceMembers:
    """Which slices each query belongs to. Queries are divided into kinds, so that all queries of a
    kind belong to the same slices: `kind` int64[query] is the number of the query's kind, and
    `slices` float64[kind, slice] is 1 if the slice contains the kind, otherwise 0. Two kinds may
    belong to the same slices."""

    kind: Ints
    slices: Floats

    @cached_property
    def slices_by_query(self) -> Floats:
        """Whether each query is in each slice, float64[query, slice] of 0 and 1."""
        return self.slices[self.kind]

    @cached_property
    def queries(self) -> Floats:
        """The number of queries of each slice, float64[slice]."""
        return self.sum_by_slice(np.ones(len(self.kind)))

    def sum_by_slice(self, values: Floats) -> Floats:
        """Return the sum of `values`, float64[query], inside each slice, float64[slice]."""
        return np.asarray(np.bincount(self.kind, values, len(self.slices)) @ self.slices)

    def query_mask(self, slice_index: int) -> Mask:
        """Return whether each query is in the slice with this index, bool[query]."""
        return (self.slices[:, slice_index] > 0)[self.kind]


def assign_query_kinds(codes: Iterable[Ints]) -> tuple[Ints, Ints]:
    """Divide queries into kinds. Return the kind of each query, int64[query] from 0, and one query
    of each kind, int64[kind]. Queries are of the same kind if all their codes are equal. `codes`
    has one or more arrays of codes, int64[query] each; the lowest code is -1."""
    kind, first = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for number, code in enumerate(codes):
        cell = code + 1
        if number:
            # Kinds are renumbered each time: a product of all widths would overflow.
            cell = kind * (int(code.max(initial=-1)) + 2) + cell
        _, first, kind = np.unique(cell, return_index=True, return_inverse=True)
    return kind, first
