"""Sums of weighted columns, counts of drawn indexes, and running sums at cutoffs."""

from __future__ import annotations

from numba import njit

from metrics_core.base.compiled.functions.words import COMPILED
from metrics_core.base.compiled.signatures import COLUMNS


@njit(**COMPILED)
def count_drawn(drawn, counts):
    """Count how often each index occurs in each row of `drawn`. `signatures` describes the
    arguments."""
    n_rows, n_drawn = drawn.shape
    for i in range(n_rows):
        for j in range(n_drawn):
            counts[i, drawn[i, j]] += 1
    return n_rows


@njit(**COMPILED, fastmath={"reassoc", "contract", "nsz"})
def _weigh(weights, columns, sums):
    """Compute weighted sums of columns. This is the code of `weigh_singles` and `weigh_doubles`,
    whose arguments are described in `signatures`.

    The sums of two rows and four columns are computed together in the processor's registers. Each
    weight is therefore loaded only once for four sums, and each value of a column only once for two
    sums."""
    kind = sums.dtype.type
    n_rows, n_units = weights.shape
    for i in range(0, n_rows, 2):
        j = min(i + 1, n_rows - 1)  # a single last row is computed twice
        for c in range(0, len(columns), COLUMNS):
            i0 = i1 = i2 = i3 = kind(0)
            j0 = j1 = j2 = j3 = kind(0)
            for unit in range(n_units):
                a, b = kind(weights[i, unit]), kind(weights[j, unit])
                x0, x1 = columns[c, unit], columns[c + 1, unit]
                x2, x3 = columns[c + 2, unit], columns[c + 3, unit]
                i0 += a * x0
                i1 += a * x1
                i2 += a * x2
                i3 += a * x3
                j0 += b * x0
                j1 += b * x1
                j2 += b * x2
                j3 += b * x3
            sums[i, c], sums[i, c + 1], sums[i, c + 2], sums[i, c + 3] = i0, i1, i2, i3
            sums[j, c], sums[j, c + 1], sums[j, c + 2], sums[j, c + 3] = j0, j1, j2, j3
    return n_rows


weigh_singles = weigh_doubles = _weigh


@njit(**COMPILED)
def running_totals(first, rank, weight, cutoffs, totals):
    """For each query and cutoff, sum the weights of the rows whose rank is within the cutoff.
    `signatures` describes the arguments."""
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
