"""Sort the scores of a query from highest to lowest, together with their rows."""

from __future__ import annotations

import numpy as np
from numba import njit

from metrics_core.base.compiled.functions.words import COMPILED

_CROWDED = 8
"""A merge sort is used if a key shares its bucket with more than this number of earlier keys, on
average."""


@njit(**COMPILED)
def merge_falling(keys, rows, n, keys_memory, rows_memory):
    """Sort n keys with their rows, highest key first, by a merge sort. Equal keys keep their
    order."""
    width = 1
    while width < n:
        low = 0
        while low < n:
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for to in range(low, high):
                if i < middle and (j >= high or keys[i] >= keys[j]):
                    keys_memory[to], rows_memory[to] = keys[i], rows[i]
                    i += 1
                else:
                    keys_memory[to], rows_memory[to] = keys[j], rows[j]
                    j += 1
            low = high
        for to in range(n):
            keys[to], rows[to] = keys_memory[to], rows_memory[to]
        width *= 2


@njit(**COMPILED)
def sort_falling(keys, rows, n, keys_memory, rows_memory, hole, end):
    """Sort n keys with their rows, highest key first. The result is the same as that of
    `merge_falling`, but usually needs only one pass.

    Each key is put into a bucket by its value, and nearby keys are then sorted by insertion. If
    many keys share few buckets, all keys are merge-sorted instead. `hole` and `end` are working
    memory for n integers."""
    highest = lowest = keys[0]
    for i in range(n):
        highest, lowest = max(highest, keys[i]), min(lowest, keys[i])
        end[i] = 0
    per_key = (n - 1) / (highest - lowest)
    if not 0 < per_key < np.inf:  # equal, nearly equal, or too far apart
        merge_falling(keys, rows, n, keys_memory, rows_memory)
        return
    crowd = np.int64(0)
    for i in range(n):
        # Rounding never reverses the order of two keys, so buckets need not be compared.
        hole[i] = min(np.int64((highest - keys[i]) * per_key), n - 1)
        crowd += end[hole[i]]
        end[hole[i]] += 1
    if crowd > _CROWDED * n:
        merge_falling(keys, rows, n, keys_memory, rows_memory)
        return
    before = np.int64(0)
    for i in range(n):
        before, end[i] = before + end[i], before
    for i in range(n):
        keys_memory[end[hole[i]]], rows_memory[end[hole[i]]] = keys[i], rows[i]
        end[hole[i]] += 1
    for i in range(n):
        key, to = keys_memory[i], i
        while to > 0 and keys[to - 1] < key:
            keys[to], rows[to] = keys[to - 1], rows[to - 1]
            to -= 1
        keys[to], rows[to] = key, rows_memory[i]
