"""Parse the lines of a TREC run into arrays, and find the positions at which a block can be split
between queries.

Parsing a block stops at the first irregular line. A regular line is printable ASCII and has six
columns, a plain number as score, and a whole number as rank. Blocks with irregular lines are read
by `formats.parsing.trec_lines`."""

from __future__ import annotations

import numpy as np
from numba import njit

from metrics_core.base.compiled.functions.words import (
    COMPILED,
    byte_at,
    copy_text,
    field_size,
    hash_text,
    is_same_text,
)
from metrics_core.base.compiled.signatures import IRREGULAR

_SPACE, _TAB, _NEWLINE, _HASH, _PLUS, _MINUS, _DOT = 32, 9, 10, 35, 43, 45, 46
_ZERO, _NINE, _E, _SMALL_E = 48, 57, 69, 101
_LONGEST_RANK = 7  # digits that single precision, in which ranks are stored, represents exactly
_MOST_DIGITS = 18
_LARGEST_EXPONENT = 100_000
_EXACT = 2**53
_POWERS = 10.0 ** np.arange(23)
"""Powers of ten that a double represents exactly. A mantissa below 2**53, multiplied or divided by
one of them, is rounded once and so gives the nearest double (Clinger 1990)."""


@njit(**COMPILED)
def _is_blank(byte):
    return byte == _SPACE or byte == _TAB


@njit(**COMPILED)
def _skip_blanks(data, at):
    while _is_blank(byte_at(data, at)):
        at += 1
    return at


@njit(**COMPILED)
def _is_digit(byte):
    return _ZERO <= byte <= _NINE


@njit(**COMPILED)
def _parse_whole_number(data, at, size):
    """Return the whole number with `size` digits that starts at `at`. Returns -1 if one of its
    characters is not a digit, or if `size` is 0."""
    number = np.int64(0)
    for i in range(at, at + size):
        byte = byte_at(data, i)
        if not _is_digit(byte):
            return np.int64(-1)
        number = number * 10 + (byte - _ZERO)
    return number if size else np.int64(-1)


@njit(**COMPILED)
def _parse_exponent(data, at):
    """Return the value of an exponent and the position after it. `at` is the position of the letter
    "e".

    The returned position is -1 if the exponent is malformed."""
    at += 1
    sign = byte_at(data, at)
    if sign == _MINUS or sign == _PLUS:
        at += 1
    first = at
    number = np.int64(0)
    while _is_digit(byte_at(data, at)):
        number = min(number * 10 + (byte_at(data, at) - _ZERO), _LARGEST_EXPONENT)
        at += 1
    return (-number if sign == _MINUS else number), (at if at > first else np.int64(-1))


@njit(**COMPILED)
def _append_digits(data, at, mantissa, digits):
    """Append the digits that start at position `at` to the number `mantissa` with `digits` digits.
    Returns the position after them, the new number and its digit count.

    Digits beyond `_MOST_DIGITS` are counted but not appended."""
    byte = byte_at(data, at)
    while _is_digit(byte):
        if digits < _MOST_DIGITS:
            mantissa = mantissa * 10 + (byte - _ZERO)
        digits += mantissa != 0
        at += 1
        byte = byte_at(data, at)
    return at, mantissa, digits


@njit(**COMPILED)
def read_score(data, start):
    """Return the value of a plain decimal number and the position after it.

    The value is NaN if the nearest double cannot be computed with a single floating-point
    operation. The position is -1 if the text is not a number."""
    at = start
    negative = byte_at(data, at) == _MINUS
    if negative:
        at += 1
    power, first = np.int64(0), at
    at, mantissa, digits = _append_digits(data, at, np.int64(0), np.int64(0))
    if at == first:
        return np.nan, np.int64(-1)
    if byte_at(data, at) == _DOT:
        first = at + 1
        at, mantissa, digits = _append_digits(data, first, mantissa, digits)
        if at == first:
            return np.nan, np.int64(-1)
        power = first - at
    byte = byte_at(data, at)
    if byte == _E or byte == _SMALL_E:
        more, at = _parse_exponent(data, at)
        if at < 0:
            return np.nan, np.int64(-1)
        power += more
    value = np.nan
    if mantissa == 0:
        value = 0.0
    elif digits <= _MOST_DIGITS and mantissa <= _EXACT and -22 <= power <= 22:
        value = float(mantissa)
        value = value / _POWERS[-power] if power < 0 else value * _POWERS[power]
    return (-value if negative else value), at


@njit(**COMPILED)
def read_lines(
    data, end, doc_start, doc_size, doc_hash, score, rank, segments, tags, unread, counts
):
    """Parse the complete lines of a TREC run. `signatures` describes the arguments."""
    at = row = segment = tag = left = np.int64(0)
    query_start, query_size = np.int64(0), np.int64(-1)
    tag_start, tag_size = np.int64(0), np.int64(-1)
    while at < end:
        start = _skip_blanks(data, at)
        size = field_size(data, start)
        if size == 0 or byte_at(data, start) == _HASH or not _is_blank(byte_at(data, start + size)):
            return IRREGULAR
        if size != query_size or not is_same_text(data, start, data, query_start, size):
            query_start, query_size = start, size
            segments[segment, 0] = row
            segments[segment, 1] = start
            segments[segment, 2] = size
            segment += 1
        start = _skip_blanks(data, start + size)
        size = field_size(data, start)
        if size == 0 or not _is_blank(byte_at(data, start + size)):
            return IRREGULAR
        start = _skip_blanks(data, start + size)
        size = field_size(data, start)
        if size == 0 or not _is_blank(byte_at(data, start + size)):
            return IRREGULAR
        doc_start[row], doc_size[row], doc_hash[row] = start, size, hash_text(data, start, size)
        start = _skip_blanks(data, start + size)
        size = field_size(data, start)
        number = _parse_whole_number(data, start, min(size, _LONGEST_RANK + 1))
        if number < 0 or size > _LONGEST_RANK or not _is_blank(byte_at(data, start + size)):
            return IRREGULAR
        rank[row] = number
        start = _skip_blanks(data, start + size)
        value, at = read_score(data, start)
        if at < 0 or not _is_blank(byte_at(data, at)):
            return IRREGULAR
        score[row] = value
        if np.isnan(value):
            unread[left, 0], unread[left, 1], unread[left, 2] = row, start, at - start
            left += 1
        start = _skip_blanks(data, at)
        size = field_size(data, start)
        if size == 0:
            return IRREGULAR
        if size != tag_size or not is_same_text(data, start, data, tag_start, size):
            if tag == len(tags):
                return IRREGULAR
            tag_start, tag_size = start, size
            tags[tag, 0], tags[tag, 1] = start, size
            tag += 1
        at = _skip_blanks(data, start + size)
        if at < end:
            if byte_at(data, at) != _NEWLINE:
                return IRREGULAR
            at += 1
        row += 1
    if at > end:
        return IRREGULAR
    counts[0], counts[1], counts[2] = segment, tag, left
    return row


@njit(**COMPILED)
def _are_bytes_equal(data, one, other, size):
    for i in range(size):
        if byte_at(data, one + i) != byte_at(data, other + i):
            return False
    return True


@njit(**COMPILED)
def find_last_query(data, first, end):
    """Find the position at which the lines of the last query begin. `signatures` describes the
    arguments."""
    # Irregular lines have a first field too; it is enough that equal queries are recognised as
    # equal. Blank lines belong to the lines after them.
    last_start, last_size = np.int64(0), np.int64(-1)
    begin = line_end = end
    while line_end > first:
        line = line_end - 1
        while line > first and byte_at(data, line - 1) != _NEWLINE:
            line -= 1
        start = line
        while start < line_end and _is_blank(byte_at(data, start)):
            start += 1
        stop = start
        while stop < line_end and byte_at(data, stop) > _SPACE:
            stop += 1
        size = stop - start
        if size > 0:
            if last_size < 0:
                last_start, last_size = start, size
            elif size != last_size or not _are_bytes_equal(data, start, last_start, size):
                return begin
        begin = line_end = line
    return first


@njit(**COMPILED)
def copy_texts(data, start, size, copied, edge):
    """Copy strings one after another. `signatures` describes the arguments."""
    to = np.int64(0)
    for row in range(len(start)):
        edge[row] = to
        copy_text(copied, to, data, start[row], size[row])
        to += size[row]
    edge[len(start)] = to
    return to
