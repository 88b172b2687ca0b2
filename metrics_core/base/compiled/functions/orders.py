"""Sort the rows of many queries by score. The rows may be in any order."""

from __future__ import annotations

import numpy as np
from numba import njit

from metrics_core.base.compiled.functions.ranks import contradicts
from metrics_core.base.compiled.functions.sorting import sort_falling
from metrics_core.base.compiled.functions.words import COMPILED


@njit(**COMPILED)
def order_rows(code, score, end, order, room, keys, keys_room):
    """Sort rows by query and falling score. `signatures` describes the arguments."""
    for row in range(len(code)):
        order[end[code[row]]] = row
        end[code[row]] += 1
    begin = np.int64(0)
    for query in range(len(end)):
        own = order[begin : end[query]]
        falling = True
        for i in range(len(own)):
            keys[i] = score[own[i]]
            if i and keys[i] > keys[i - 1]:
                falling = False
        if not falling:
            sort_falling(keys, own, len(own), keys_room, room[0], room[1], room[2])
        begin = end[query]
    return 0


@njit(**COMPILED)
def contradictions(order, edge, score, rank, keys, contradicting):
    """Find the queries whose ranks contradict their scores. `signatures` describes the
    arguments."""
    for query in range(len(contradicting)):
        own = order[edge[query] : edge[query + 1]]
        for i in range(len(own)):
            keys[i] = score[own[i]]
        contradicting[query] = contradicts(rank, 0, own, keys, len(own))
    return 0
