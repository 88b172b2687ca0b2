"""The lines of queries that stand apart, brought together."""

from __future__ import annotations

import numpy as np
from numba import njit

from metrics_core.base.compiled.functions.words import (
    COMPILED,
    byte_at,
    copy_text,
    field_size,
    hash_of,
    line_end,
    mixed,
    same_text,
)
from metrics_core.base.compiled.signatures import ODD_LINE

_SPACE, _TAB, _HASH = 32, 9, 35
_UPPER, _LEFT = np.uint64(33), np.uint64(31)


@njit(**COMPILED)
def _bucket(value, buckets):
    """One of so many buckets by the upper bits of a hash, for the lower ones find places in tables
    of a bucket's queries."""
    return np.int64(((value >> _UPPER) * buckets) >> _LEFT)


@njit(**COMPILED)
def query_hashes(data, end, line_start, value, all_):
    """See `signatures`."""
    total = np.uint64(0)
    at = row = np.int64(0)
    while at < end:
        start = at
        while byte_at(data, start) == _SPACE or byte_at(data, start) == _TAB:
            start += 1
        size = field_size(data, start)
        if size == 0 or byte_at(data, start) == _HASH:
            return np.int64(ODD_LINE)
        line_start[row], value[row] = at, hash_of(data, start, size)
        total = mixed(total, value[row])
        row += 1
        at = line_end(data, start + size) + 1
    line_start[row], all_[0] = at, total
    return row


@njit(**COMPILED)
def bucket_sizes(line_start, value, n, n_bytes, n_rows):
    """See `signatures`."""
    buckets = np.uint64(len(n_bytes))
    for row in range(n):
        bucket = _bucket(value[row], buckets)
        n_bytes[bucket] += line_start[row + 1] - line_start[row]
        n_rows[bucket] += 1
    return 0


@njit(**COMPILED)
def deal(data, line_start, value, n, dealt, dealt_row, bytes_end, rows_end):
    """See `signatures`."""
    buckets = np.uint64(len(bytes_end))
    for row in range(n):
        bucket = _bucket(value[row], buckets)
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
def gather_rows(
    segments, code, doc_start, doc_size, doc_hash, score, rank,
    first, end, order, start_out, size_out, hash_out, score_out, rank_out,
):  # fmt: skip
    """See `signatures`."""
    n_rows = len(doc_start)
    for segment in range(len(segments) - 1, -1, -1):
        after = segments[segment + 1, 0] if segment + 1 < len(segments) else n_rows
        end[code[segment]] += after - segments[segment, 0]
        first[code[segment]] = segment
    begin = np.int64(0)
    for query in range(len(end)):
        end[query], begin = begin, begin + end[query]
    for segment in range(len(segments)):
        after = segments[segment + 1, 0] if segment + 1 < len(segments) else n_rows
        for row in range(segments[segment, 0], after):
            order[end[code[segment]]] = row
            end[code[segment]] += 1
    # Written one behind the other: lists of one length begin at places that share a cache's lines.
    for to in range(n_rows):
        row = np.int64(order[to])
        start_out[to], size_out[to], hash_out[to] = doc_start[row], doc_size[row], doc_hash[row]
        score_out[to], rank_out[to] = score[row], rank[row]
    return 0
