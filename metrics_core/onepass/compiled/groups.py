"""The lines of queries that stand apart, brought together."""

from __future__ import annotations

import numpy as np
from numba import njit

from metrics_core.onepass.compiled.words import (
    COMPILED,
    byte_at,
    copy_text,
    field_size,
    hash_of,
    same_text,
)
from metrics_core.onepass.signatures import FULL, ODD_LINE

_SPACE, _TAB, _NEWLINE, _HASH = 32, 9, 10, 35


@njit(**COMPILED)
def number_queries(
    data, end, line_start, code, id_bytes, id_start, id_size, slot_hash, slot_code, state
):  # fmt: skip
    """See `signatures`."""
    at, row, known, used = state[0], state[1], state[2], state[3]
    mask = len(slot_code) - 1
    while at < end:
        start = at
        while byte_at(data, start) == _SPACE or byte_at(data, start) == _TAB:
            start += 1
        size = field_size(data, start)
        if size == 0 or byte_at(data, start) == _HASH:
            return ODD_LINE
        value = hash_of(data, start, size)
        place = np.int64(value) & mask
        found = np.int64(-1)
        while slot_code[place] >= 0:
            other = slot_code[place]
            alike = slot_hash[place] == value and id_size[other] == size
            if alike and same_text(data, start, id_bytes, id_start[other], size):
                found = other
                break
            place = (place + 1) & mask
        if found < 0:
            if 2 * (known + 1) > mask or known == len(id_start) or used + size + 8 > len(id_bytes):
                state[0], state[1], state[2], state[3] = at, row, known, used
                return FULL
            for i in range(size):
                id_bytes[used + i] = data[start + i]
            id_start[known], id_size[known] = used, size
            slot_hash[place], slot_code[place] = value, known
            found = known
            known += 1
            used += size
        line_start[row], code[row] = at, found
        row += 1
        at = start + size
        while at < end and byte_at(data, at) != _NEWLINE:
            at += 1
        at += 1
    state[0], state[1], state[2], state[3] = at, row, known, used
    return row


@njit(**COMPILED)
def enter_again(id_start, id_size, slot_hash, slot_code, id_bytes):
    """See `signatures`."""
    mask = len(slot_code) - 1
    for row in range(len(id_start)):
        value = hash_of(id_bytes, id_start[row], id_size[row])
        place = np.int64(value) & mask
        while slot_code[place] >= 0:
            place = (place + 1) & mask
        slot_hash[place], slot_code[place] = value, row
    return 0


@njit(**COMPILED)
def deal(data, line_start, code, n, dealt, dealt_code, bytes_end, rows_end):
    """See `signatures`."""
    buckets = len(bytes_end)
    for row in range(n):
        bucket = code[row] % buckets
        to = bytes_end[bucket]
        copy_text(dealt, to, data, line_start[row], line_start[row + 1] - line_start[row])
        bytes_end[bucket] = to + line_start[row + 1] - line_start[row]
        dealt_code[rows_end[bucket]] = code[row]
        rows_end[bucket] += 1
    return 0


@njit(**COMPILED)
def gather_order(code, begin, order):
    """See `signatures`."""
    for row in range(len(code)):
        order[begin[code[row]]] = row
        begin[code[row]] += 1
    return 0
