"""The scores of a query from the highest to the lowest, with the rows to which they belong."""

from __future__ import annotations

import numpy as np
from numba import njit

from metrics_core.base.compiled.functions.words import COMPILED

_CROWDED = 8
"""From so many others in a key's hole on, on average, merging is faster."""


@njit(**COMPILED)
def merge_falling(keys, rows, n, keys_room, rows_room):
    """Sort n keys with their rows, the highest first, equals as they stand: by merging."""
    width = 1
    while width < n:
        low = 0
        while low < n:
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for to in range(low, high):
                if i < middle and (j >= high or keys[i] >= keys[j]):
                    keys_room[to], rows_room[to] = keys[i], rows[i]
                    i += 1
                else:
                    keys_room[to], rows_room[to] = keys[j], rows[j]
                    j += 1
            low = high
        for to in range(n):
            keys[to], rows[to] = keys_room[to], rows_room[to]
        width *= 2


@njit(**COMPILED)
def sort_falling(keys, rows, n, keys_room, rows_room, hole, end):
    """The same, mostly in one pass: each key is put near its place by its size, as letters are
    dealt into pigeonholes, and then moved a little. Keys that crowd in few holes are merged.
    `hole` and `end` are room for n whole numbers."""
    highest = lowest = keys[0]
    for i in range(n):
        highest, lowest = max(highest, keys[i]), min(lowest, keys[i])
        end[i] = 0
    per_key = (n - 1) / (highest - lowest)
    if not 0 < per_key < np.inf:  # all but equal, or too far apart for a number
        merge_falling(keys, rows, n, keys_room, rows_room)
        return
    crowd = np.int64(0)
    for i in range(n):
        # What is rounded is never lower for a lower key, so that no two holes need be compared.
        hole[i] = min(np.int64((highest - keys[i]) * per_key), n - 1)
        crowd += end[hole[i]]
        end[hole[i]] += 1
    if crowd > _CROWDED * n:
        merge_falling(keys, rows, n, keys_room, rows_room)
        return
    before = np.int64(0)
    for i in range(n):
        before, end[i] = before + end[i], before
    for i in range(n):
        keys_room[end[hole[i]]], rows_room[end[hole[i]]] = keys[i], rows[i]
        end[hole[i]] += 1
    for i in range(n):
        key, to = keys_room[i], i
        while to > 0 and keys[to - 1] < key:
            keys[to], rows[to] = keys[to - 1], rows[to - 1]
            to -= 1
        keys[to], rows[to] = key, rows_room[i]
