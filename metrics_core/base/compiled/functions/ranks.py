"""Rank the judged documents of complete queries, and find ties and contradictions.

Nothing here allocates memory: the caller passes working memory for the rows of the longest query.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from metrics_core.base.compiled.functions.sorting import merge_falling, sort_falling
from metrics_core.base.compiled.functions.words import (
    COMPILED,
    ODD,
    hash_text,
    is_same_text,
    mix_hash,
    precedes,
)
from metrics_core.base.compiled.signatures import NEAR_PAIRS, PAIRS, TIED_PAIRS, TIED_ROWS

_POSITION, _RANK, _MEMBER, _BEHIND, _TURN = range(1, 6)
"""Indexes of rows in the working memory for integers (`WorkingMemory.numbers`). Row 0 has the order
of the rows of a query."""


@njit(**COMPILED)
def hash_texts(data, start, size, value):
    """Compute the hash of each string. `signatures` describes the arguments."""
    for row in range(len(start)):
        value[row] = hash_text(data, start[row], size[row])
    return 0


@njit(**COMPILED)
def fill_hash_tables(data, start, size, region, region_start, region_slots, slot_hash, slot_row):
    """Insert each string into the hash table of its region. `signatures` describes the
    arguments."""
    for row in range(len(start)):
        value = hash_text(data, start[row], size[row])
        first, mask = region_start[region[row]], region_slots[region[row]] - 1
        place = np.int64(value) & mask
        while slot_row[first + place] >= 0:
            place = (place + 1) & mask
        slot_hash[first + place] = value
        slot_row[first + place] = row
    return 0


@njit(**COMPILED)
def _look_up(
    data, start, size, value, first, slots, slot_hash, slot_row, known, known_start, known_size
):
    """Look up a string in one hash table and return its index among the known strings.

    Returns -1 if the table does not contain the string."""
    mask = slots - 1
    place = np.int64(value) & mask
    while slot_row[first + place] >= 0:
        row = np.int64(slot_row[first + place])
        alike = slot_hash[first + place] == value and known_size[row] == size
        if alike and is_same_text(data, start, known, known_start[row], size):
            return row
        place = (place + 1) & mask
    return np.int64(-1)


@njit(**COMPILED)
def _has_repeats(data, doc_start, doc_size, doc_hash, begin, end, slots):
    """Return whether a document occurs twice in the rows from `begin` (inclusive) to `end`
    (exclusive).

    `slots` is working memory for a hash table. Its number of slots is a power of two, and at most
    half of the slots are used."""
    mask = np.int64(3)
    while mask < 2 * (end - begin):
        mask = 2 * mask + 1
    for place in range(mask + 1):
        slots[place] = -1
    for row in range(begin, end):
        value = doc_hash[row]
        place = np.int64(value) & mask
        while slots[place] >= 0:
            other = begin + slots[place]
            alike = doc_hash[other] == value and doc_size[other] == doc_size[row]
            if alike and is_same_text(data, doc_start[row], data, doc_start[other], doc_size[row]):
                return True
            place = (place + 1) & mask
        slots[place] = row - begin
    return False


@njit(**COMPILED)
def has_contradiction(rank, begin, order, query_scores, n):
    """Return whether one document has both a larger rank and a larger score than another document.

    `query_scores` has the scores, highest first; `order` has the row of each score, counted from
    `begin`."""
    # The largest rank of all higher scores, and of those equal to the current one.
    highest = of_equals = np.float32(-np.inf)
    for i in range(n):
        if i and query_scores[i] != query_scores[i - 1]:
            highest = max(highest, of_equals)
        place = rank[begin + order[i]]
        if place < highest:
            return True
        of_equals = max(of_equals, place)
    return False


@njit(**COMPILED)
def _count_ties(query_scores, n, counts):
    tied_before = False
    for i in range(1, n):
        tied = query_scores[i] == query_scores[i - 1]
        if tied:
            counts[TIED_PAIRS] += 1
            counts[TIED_ROWS] += 1 if tied_before else 2
        elif np.float32(query_scores[i]) == np.float32(query_scores[i - 1]):
            counts[NEAR_PAIRS] += 1
        tied_before = tied
    counts[PAIRS] += n - 1


@njit(**COMPILED)
def _rank_tied(data, doc_start, doc_size, begin, low, high, count, memory):
    """Rank `count` judged documents among all documents with the same score.

    The documents with this score occupy the positions `low` (inclusive) to `high` (exclusive). Tied
    documents are ranked in descending byte order of their ids.
    """
    order, position, ranks = memory[0], memory[_POSITION], memory[_RANK]
    judged, behind = memory[_MEMBER], memory[_BEHIND]
    for i in range(1, count):  # the judged ones, last in byte order first
        moved = judged[i]
        row = begin + order[position[moved]]
        j = i - 1
        while j >= 0:
            other = begin + order[position[judged[j]]]
            if not precedes(data, doc_start[other], doc_size[other], doc_start[row], doc_size[row]):
                break
            judged[j + 1] = judged[j]
            j -= 1
        judged[j + 1] = moved
    for i in range(count + 1):
        behind[i] = 0
    for place in range(low, high):
        row = begin + order[place]
        first, last = 0, count
        while first < last:  # count the judged documents at or before this document
            middle = (first + last) // 2
            other = begin + order[position[judged[middle]]]
            if precedes(data, doc_start[other], doc_size[other], doc_start[row], doc_size[row]):
                last = middle
            else:
                first = middle + 1
        behind[first] += 1
    before = low
    for i in range(count):
        before += behind[i]
        ranks[judged[i]] = before + 1


@njit(**COMPILED)
def _rank_judged(data, doc_start, doc_size, begin, query_scores, n, m, judged_out, memory):
    """Write the ranks of the m judged documents of a query to `judged_out`. Returns whether any of
    these documents is tied."""
    position, ranks, members = memory[_POSITION], memory[_RANK], memory[_MEMBER]
    tied = False
    i = 0
    while i < m:
        low = position[i]
        while low > 0 and query_scores[low - 1] == query_scores[low]:
            low -= 1
        high = position[i] + 1
        while high < n and query_scores[high] == query_scores[high - 1]:
            high += 1
        count = 0
        while i < m and position[i] < high:
            members[count] = i
            ranks[i] = position[i] + 1
            judged_out[i, 3] = low + 1
            judged_out[i, 4] = high - low
            count += 1
            i += 1
        if high - low > 1:
            tied = True
            _rank_tied(data, doc_start, doc_size, begin, low, high, count, memory)
    for i in range(m):
        judged_out[i, 2] = ranks[i]
    return tied


@njit(**COMPILED)
def _sort_by_rank(judged_out, m, memory, keys, keys_memory):
    """Sort the judged documents of a query by rank."""
    turn, rows_memory = memory[_TURN], memory[_BEHIND]
    for i in range(m):
        keys[i] = -judged_out[i, 2]
        turn[i] = i
    merge_falling(keys, turn, m, keys_memory, rows_memory)
    for column in range(1, 5):
        for i in range(m):
            rows_memory[i] = judged_out[turn[i], column]
        for i in range(m):
            judged_out[i, column] = rows_memory[i]


@njit(**COMPILED)
def _rank_query(
    data, doc_start, doc_size, doc_hash, score, rank, begin, end, query,
    first, slots, slot_hash, slot_row, known, known_start, known_size,
    memory, keys, keys_memory, slots_memory, judged_out, counts,
):  # fmt: skip
    """Rank the judged documents of one query, whose rows are from `begin` (inclusive) to `end`
    (exclusive).

    `first` and `slots` describe the hash table of the query's judged documents; `slots` is 0 if the
    query has no judged documents. Returns two values: the number of judged documents in the list
    (-1 if a document occurs twice), and whether ranks contradict scores."""
    n = end - begin
    if _has_repeats(data, doc_start, doc_size, doc_hash, begin, end, slots_memory):
        return np.int64(-1), False
    order, position = memory[0], memory[_POSITION]
    falling = True
    for i in range(n):
        keys[i], order[i] = score[begin + i], i
        if i and keys[i] > keys[i - 1]:
            falling = False
    if not falling:
        sort_falling(keys, order, n, keys_memory, memory[_BEHIND], memory[_MEMBER], memory[_RANK])
    against = has_contradiction(rank, begin, order, keys, n)
    _count_ties(keys, n, counts)
    m = np.int64(0)
    for place in range(n if slots else 0):
        row = begin + order[place]
        there = _look_up(
            data, doc_start[row], np.int64(doc_size[row]), doc_hash[row], first, slots,
            slot_hash, slot_row, known, known_start, known_size,
        )  # fmt: skip
        if there >= 0:
            judged_out[m, 0], judged_out[m, 1] = query, there
            position[m] = place
            m += 1
    if m and _rank_judged(data, doc_start, doc_size, begin, keys, n, m, judged_out, memory):
        _sort_by_rank(judged_out, m, memory, keys, keys_memory)
    return m, against


@njit(**COMPILED)
def rank_rows(rows, segments, queries, known, memory, ranked):
    """Rank the judged documents of complete queries. `signatures` describes the arguments."""
    data, doc_start, doc_size, doc_hash, score, rank = rows
    place, contradicting, rows_hash, judged_out, counts = ranked
    bits = score.view(np.uint64)
    n_rows, total = len(score), np.int64(0)
    for segment in range(len(segments)):
        begin = segments[segment, 0]
        end = segments[segment + 1, 0] if segment + 1 < len(segments) else n_rows
        start, size = segments[segment, 1], segments[segment, 2]
        value = hash_text(data, start, size)
        query = _look_up(
            data, start, size, value, 0, len(queries.slot_row), queries.slot_hash,
            queries.slot_row, queries.data, queries.start, queries.size,
        )  # fmt: skip
        place[segment] = query
        for row in range(begin, end):
            value = mix_hash(value, doc_hash[row] ^ (bits[row] * ODD))
        rows_hash[segment] = value
        first = known.first[query] if query >= 0 else 0
        slots = known.slots[query] if query >= 0 else 0
        m, against = _rank_query(
            data, doc_start, doc_size, doc_hash, score, rank, begin, end, query,
            first, slots, known.slot_hash, known.slot_row, known.data, known.start, known.size,
            memory.numbers, memory.keys, memory.more_keys, memory.slots, judged_out[total:], counts,
        )  # fmt: skip
        if m < 0:
            return np.int64(-1)
        contradicting[segment] = against
        total += m
    return total
