"""What the footer of a Parquet file tells of its parts, read without Arrow, which ends the process
where it is asked for a part that a damaged footer lacks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

import pyarrow as pa

from metrics_core.formats.source.parquet_structs import I32, I64, LIST, STRUCT, Fields, struct

_END = 8
"""Bytes behind the footer: its size and the magic."""
_CODECS, _DELTAS = 8, {6, 7}


@dataclass(frozen=True)
class Chunk:
    """The values of a column in a row group: how many, the bytes of their pages unpacked, and
    whether they are written as differences, which Arrow does not read as codes."""

    values: int
    size: int
    deltas: bool


@dataclass(frozen=True)
class RowGroup:
    """A row group, with the chunk of each column."""

    rows: int
    chunks: Sequence[Chunk]


def footer_size(file: BinaryIO) -> tuple[int, int]:
    """The bytes of a file's footer as it tells them, and of the file."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _END, 0))
    return int.from_bytes(file.read(4), "little"), size


def groups_of(file: BinaryIO) -> list[RowGroup]:
    """The row groups of a file. Raises ArrowInvalid for a damaged footer."""
    footer, size = footer_size(file)
    file.seek(max(size - _END - footer, 0))
    try:
        told, _ = struct(file.read(footer), 0)
        return [
            RowGroup(group[3, I64], [_chunk(chunk[3, STRUCT]) for chunk in group[1, LIST]])
            for group in told[4, LIST]
        ]
    except (IndexError, KeyError, TypeError):
        raise pa.ArrowInvalid("a footer of another kind") from None


def _chunk(told: Fields) -> Chunk:
    numbers = told[5, I64], told[6, I64], told[7, I64], told[9, I64]
    if min(numbers) < 0 or told[4, I32] not in range(_CODECS):
        raise pa.ArrowInvalid("a column that is nowhere, or packed in an unknown way")
    return Chunk(*numbers[:2], not _DELTAS.isdisjoint(told[2, LIST]))
