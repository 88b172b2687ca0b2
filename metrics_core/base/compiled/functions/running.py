"""Sums that are read off at cutoffs."""

from __future__ import annotations

from numba import njit

from metrics_core.base.compiled.functions.words import COMPILED


@njit(**COMPILED)
def running_totals(first, rank, weight, cutoffs, totals):
    """See `signatures`."""
    for query in range(len(first)):
        row = first[query]
        end = first[query + 1] if query + 1 < len(first) else len(rank)
        total = 0.0
        for k in range(len(cutoffs)):
            while row < end and rank[row] <= cutoffs[k]:
                total += weight[row]
                row += 1
            totals[query, k] = total
    return len(first)
