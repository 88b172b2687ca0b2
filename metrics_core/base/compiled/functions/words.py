"""Texts in a buffer of bytes, processed eight bytes at a time.

The buffer is padded after its texts. Eight bytes can therefore be read safely at the end of the
last text, and the padding's line feed ends the last line."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

COMPILED: dict[str, Any] = {"error_model": "numpy"}

_WORD = 8
_SEED = np.uint64(0xCBF29CE484222325)
ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_FIRST_PRINTABLE = np.uint64(0x2121212121212121)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@intrinsic
def byte_at(typing, array, index):
    """Return one byte as int64, without a bounds check. A negative index does not count from the
    end."""

    def make(context, builder, signature, given):
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        byte = builder.load(builder.gep(data, [given[1]]))
        return builder.zext(byte, ir.IntType(64))

    return types.int64(array, types.int64), make


@intrinsic
def word_at(typing, array, index):
    """Read eight bytes as a little-endian uint64. The bytes need not be aligned."""

    def make(context, builder, signature, given):
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        there = builder.gep(data, [given[1]])
        word = builder.load(builder.bitcast(there, ir.IntType(64).as_pointer()), align=1)
        return word if sys.byteorder == "little" else builder.bswap(word)

    return types.uint64(array, types.int64), make


@intrinsic
def _count_trailing_zeros(typing, word):
    """Return the number of zero bits below the lowest set bit of a word."""

    def make(context, builder, signature, given):
        return builder.cttz(given[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), make


@intrinsic
def _set_word(typing, array, index, word):
    """Write eight bytes at `index`. The position need not be aligned."""

    def make(context, builder, signature, given):
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        there = builder.gep(data, [given[1]])
        word = given[2] if sys.byteorder == "little" else builder.bswap(given[2])
        builder.store(word, builder.bitcast(there, ir.IntType(64).as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), make


@njit(**COMPILED)
def copy_text(to, to_start, data, start, size):
    """Copy `size` bytes. Up to seven bytes after the copy are overwritten too."""
    done = 0
    while done < size:
        _set_word(to, to_start + done, word_at(data, start + done))
        done += _WORD


@njit(**COMPILED)
def _keep_first_bytes(word, count):
    """Return the first `count` bytes of a word (1 to 8), with all other bytes set to zero."""
    return word & (_ALL >> np.uint64((_WORD - count) * 8))


@njit(**COMPILED)
def mix_hash(value, word):
    """Combine a hash with eight more bytes and return the new hash."""
    value = (value ^ word) * ODD
    return value ^ (value >> _HALF)


@njit(**COMPILED)
def field_size(data, start):
    """Return the number of consecutive bytes from `start` that are printable ASCII and not blanks.

    The bytes must end within the buffer or its padding."""
    at = start
    while True:
        word = word_at(data, at)
        # The top bit of each byte below 0x21 and from 0x7F on; exact up to the first such byte.
        low = (word - _FIRST_PRINTABLE) & ~word
        ends = (low | (word + _ONES) | word) & _TOPS
        if ends != np.uint64(0):
            return at - start + (_count_trailing_zeros(ends) >> 3)
        at += _WORD


@njit(**COMPILED)
def hash_text(data, start, size):
    """Return a 64-bit hash of `size` bytes from `start`."""
    value = _SEED + np.uint64(size)
    at, left = start, size
    while left > _WORD:
        value = mix_hash(value, word_at(data, at))
        at += _WORD
        left -= _WORD
    if left > 0:
        value = mix_hash(value, _keep_first_bytes(word_at(data, at), left))
    return value


@njit(**COMPILED)
def is_same_text(one, start, other, other_start, size):
    """Return whether the `size` bytes of `one` from `start` equal the `size` bytes of `other` from
    `other_start`."""
    at = 0
    while size - at > _WORD:
        if word_at(one, start + at) != word_at(other, other_start + at):
            return False
        at += _WORD
    if size == at:
        return True
    differing = word_at(one, start + at) ^ word_at(other, other_start + at)
    return _keep_first_bytes(differing, size - at) == np.uint64(0)


@njit(**COMPILED)
def precedes(data, one, one_size, other, other_size):
    """Return whether one string precedes another in byte order. Both strings are in the same
    buffer."""
    for i in range(min(one_size, other_size)):
        mine, its = byte_at(data, one + i), byte_at(data, other + i)
        if mine != its:
            return mine < its
    return one_size < other_size
