"""Which queries are in which slices, told once for all queries that are in the very same ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metrics_core.base.arrays import Floats, Ints, Mask


@dataclass(frozen=True)
class SliceMembers:
    """Q queries in S slices: `kind` int64[Q] is what each query is, `slices` float64[K, S] of 0 and
    1 the slices that queries of each kind are in. Two kinds may be in the same ones."""

    kind: Ints
    slices: Floats

    @cached_property
    def slices_by_query(self) -> Floats:
        """The slices of each query, float64[Q, S] of 0 and 1."""
        return self.slices[self.kind]

    @cached_property
    def queries(self) -> Floats:
        """How many queries each slice holds, float64[S]."""
        return self.sums(np.ones(len(self.kind)))

    def sums(self, values: Floats) -> Floats:
        """The sum of float64[Q] inside each slice, float64[S]."""
        return np.asarray(np.bincount(self.kind, values, len(self.slices)) @ self.slices)

    def query_mask(self, slice_index: int) -> Mask:
        """Which queries one of the slices holds, bool[Q]."""
        return (self.slices[:, slice_index] > 0)[self.kind]


def number_kinds(codes: Iterable[Ints]) -> tuple[Ints, Ints]:
    """What queries are that have the same codes, int64[Q] from 0, and one query of each kind,
    int64[K]. `codes` are int64[Q], from -1, at least one of them."""
    kind, first = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for number, code in enumerate(codes):
        cell = code + 1
        if number:
            # Kinds are counted anew each time: a product of all widths would not fit a number.
            cell = kind * (int(code.max(initial=-1)) + 2) + cell
        _, first, kind = np.unique(cell, return_index=True, return_inverse=True)
    return kind, first
