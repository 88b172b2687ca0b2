"""Sort the rows of many queries by score. The rows may be in any order."""

from __future__ import annotations

import numpy as np
from numba import njit

from metrics_core.base.compiled.functions.ranks import has_contradiction
from metrics_core.base.compiled.functions.sorting import sort_falling
from metrics_core.base.compiled.functions.words import COMPILED


@njit(**COMPILED)
def order_rows(code, score, end, order, memory, keys, keys_memory):
    """Sort rows by query and, within a query, by descending score. `signatures` describes the
    arguments."""
    for row in range(len(code)):
        order[end[code[row]]] = row
        end[code[row]] += 1
    begin = np.int64(0)
    for query in range(len(end)):
        query_rows = order[begin : end[query]]
        falling = True
        for i in range(len(query_rows)):
            keys[i] = score[query_rows[i]]
            if i and keys[i] > keys[i - 1]:
                falling = False
        if not falling:
            sort_falling(
                keys, query_rows, len(query_rows), keys_memory, memory[0], memory[1], memory[2]
            )
        begin = end[query]
    return 0


@njit(**COMPILED)
def find_contradictions(order, edge, score, rank, keys, contradicting):
    """Find the queries whose ranks contradict their scores. `signatures` describes the
    arguments."""
    for query in range(len(contradicting)):
        query_rows = order[edge[query] : edge[query + 1]]
        for i in range(len(query_rows)):
            keys[i] = score[query_rows[i]]
        contradicting[query] = has_contradiction(rank, 0, query_rows, keys, len(query_rows))
    return 0
