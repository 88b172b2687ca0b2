"""The lines of queries that stand apart, brought together."""

from __future__ import annotations

import numpy as np
from numba import njit

from metrics_core.compiled.functions.words import (
    COMPILED,
    byte_at,
    copy_text,
    field_size,
    hash_of,
    line_end,
    same_text,
)
from metrics_core.compiled.signatures import ODD_LINE

_SPACE, _TAB, _HASH = 32, 9, 35
_UPPER = np.uint64(33)  # the lower bits find places in tables of a bucket's queries


@njit(**COMPILED)
def query_hashes(data, end, line_start, value):
    """See `signatures`."""
    at = row = np.int64(0)
    while at < end:
        start = at
        while byte_at(data, start) == _SPACE or byte_at(data, start) == _TAB:
            start += 1
        size = field_size(data, start)
        if size == 0 or byte_at(data, start) == _HASH:
            return np.int64(ODD_LINE)
        line_start[row], value[row] = at, hash_of(data, start, size)
        row += 1
        at = line_end(data, start + size) + 1
    return row


@njit(**COMPILED)
def deal(data, line_start, value, n, dealt, dealt_row, bytes_end, rows_end):
    """See `signatures`."""
    buckets = np.uint64(len(bytes_end))
    for row in range(n):
        bucket = np.int64((value[row] >> _UPPER) % buckets)
        to, size = bytes_end[bucket], line_start[row + 1] - line_start[row]
        copy_text(dealt, to, data, line_start[row], size)
        bytes_end[bucket] = to + size
        dealt_row[rows_end[bucket]] = row
        rows_end[bucket] += 1
    return 0


@njit(**COMPILED)
def copy_texts(data, start, size, copied, edge):
    """See `signatures`."""
    to = np.int64(0)
    for row in range(len(start)):
        edge[row] = to
        copy_text(copied, to, data, start[row], size[row])
        to += size[row]
    edge[len(start)] = to
    return to


@njit(**COMPILED)
def number_queries(data, segments, slot_hash, slot_segment, code):
    """See `signatures`."""
    mask = len(slot_segment) - 1
    known = np.int64(0)
    for segment in range(len(segments)):
        start, size = segments[segment, 1], segments[segment, 2]
        own = hash_of(data, start, size)
        place = np.int64(own) & mask
        found = np.int64(-1)
        while slot_segment[place] >= 0:
            other = np.int64(slot_segment[place])
            alike = slot_hash[place] == own and segments[other, 2] == size
            if alike and same_text(data, start, data, segments[other, 1], size):
                found = np.int64(code[other])
                break
            place = (place + 1) & mask
        if found < 0:
            slot_hash[place], slot_segment[place] = own, segment
            found = known
            known += 1
        code[segment] = found
    return known


@njit(**COMPILED)
def gather_order(segments, code, n_rows, begin, order):
    """See `signatures`."""
    for segment in range(len(segments)):
        end = segments[segment + 1, 0] if segment + 1 < len(segments) else n_rows
        for row in range(segments[segment, 0], end):
            order[begin[code[segment]]] = row
            begin[code[segment]] += 1
    return 0
