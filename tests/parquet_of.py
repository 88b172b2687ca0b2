"""Parquet files written byte by byte, to tell what no writer tells."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

INT64, DOUBLE, BYTES, FIXED = 2, 5, 6, 7
PLAIN, DELTA_LENGTH, DELTA_BYTES, RLE_DICTIONARY = 0, 6, 7, 8
DATA, DICTIONARY, DATA_V2 = 0, 2, 3
CODECS = {"none": 0, "snappy": 1, "gzip": 2, "brotli": 4, "zstd": 6, "lz4_raw": 7}


class Long(int):
    """A number that Thrift writes as one of 64 bits."""


def varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def zigzag(number: int) -> bytes:
    """A number that may be negative."""
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def _kind(value: Any) -> int:
    kinds = {Long: 6, int: 5, bytes: 8, list: 9, dict: 12}
    return (1 if value else 2) if isinstance(value, bool) else kinds[type(value)]


def _bare(value: Any) -> bytes:
    if isinstance(value, bool):
        return b""
    if isinstance(value, int):
        return zigzag(value)
    if isinstance(value, bytes):
        return varint(len(value)) + value
    if isinstance(value, list):
        kind = _kind(value[0]) if value else 12
        short = len(value) < 15
        head = bytes([(len(value) if short else 15) << 4 | kind])
        return head + (b"" if short else varint(len(value))) + b"".join(map(_bare, value))
    return thrift(value)


def thrift(fields: Mapping[int, Any]) -> bytes:
    """A struct of Thrift's compact protocol, its fields by their numbers."""
    out, before = b"", 0
    for number, value in sorted(fields.items()):
        out += bytes([number - before << 4 | _kind(value)]) + _bare(value)
        before = number
    return out + b"\0"


def deltas(first: int, then: int, count: int, claimed: int | None = None) -> bytes:
    """DELTA_BINARY_PACKED: a number, and one that comes in all places after it."""
    out = varint(128) + varint(4) + varint(count if claimed is None else claimed) + zigzag(first)
    for block in range(0, count - 1, 128):
        width = 32 if not block else 0
        out += zigzag(0) + bytes([width, 0, 0, 0])
        out += struct.pack("<32I", (then - first) & 0xFFFFFFFF, *[0] * 31) if width else b""
    return out


class Page(bytes):
    """The bytes of a page, with what the footer tells of it: its size unpacked and its encoding."""

    size: int
    encoding: int


def page(
    values: int,
    data: bytes,
    encoding: int = PLAIN,
    codec: str = "zstd",
    *,
    kind: int = DATA,
    size: int | None = None,
) -> Page:
    """A page with its header; `size` is what that says its bytes unpack to."""
    packed = data if codec == "none" else pa.compress(data, codec, asbytes=True)
    told = {1: kind, 2: len(data) if size is None else size, 3: len(packed)}
    own: dict[int, Any] = {1: values, 2: encoding}
    if kind == DATA:
        own |= {3: 3, 4: 3}
    if kind == DATA_V2:
        own = {1: values, 2: 0, 3: values, 4: encoding, 5: 0, 6: 0}
    made = Page(thrift(told | {{DATA: 5, DICTIONARY: 7, DATA_V2: 8}[kind]: own}) + packed)
    made.size, made.encoding = len(data) if size is None else size, encoding
    return made


@dataclass(frozen=True)
class Column:
    """A column of a row group, of these pages, the first of which may hold its dictionary. `told`
    replaces what the footer tells of it."""

    name: str
    pages: Sequence[Page]
    type: int = BYTES
    codec: str = "zstd"
    length: int = 0
    has_dictionary: bool = False
    told: Mapping[int, Any] = field(default_factory=dict)


def parquet(rows: int, columns: Sequence[Column], groups: int = 1) -> bytes:
    """A file of so many row groups, which all consist of these pages."""
    out, chunks = b"PAR1", []
    for column in columns:
        starts = [len(out)]
        for one in column.pages:
            out += one
            starts.append(len(out))
        told = {
            1: column.type,
            2: sorted({PLAIN, *(one.encoding for one in column.pages)}),
            3: [column.name.encode()],
            4: CODECS[column.codec],
            5: Long(rows),
            6: Long(sum(one.size for one in column.pages)),
            7: Long(len(out) - starts[0]),
            9: Long(starts[1] if column.has_dictionary else starts[0]),
        }
        told |= {11: Long(starts[0])} if column.has_dictionary else {}
        chunks.append({2: Long(starts[0]), 3: told | dict(column.told)})
    schema: list[dict[int, Any]] = [{4: b"schema", 5: len(columns)}]
    for column in columns:
        element = {1: column.type, 3: 0, 4: column.name.encode()}
        element |= {2: column.length} if column.length else {}
        element |= {6: 0} if column.type == BYTES else {}
        schema.append(element)
    group = {1: chunks, 2: Long(1000), 3: Long(rows)}
    footer = thrift({1: 2, 2: schema, 3: Long(rows * groups), 4: [group] * groups})
    return out + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def text(value: bytes) -> bytes:
    """A text as PLAIN has it."""
    return len(value).to_bytes(4, "little") + value


def repeated(rows: int, bits: int = 1) -> bytes:
    """The first word of a dictionary in all rows, by RLE."""
    return bytes([bits]) + varint(rows << 1) + b"\0"


def scores(rows: int) -> Column:
    """A column of scores that are all the same."""
    return Column("score", [page(rows, struct.pack("<d", 1.5) * rows)], DOUBLE)


def ids(name: str, rows: int) -> Column:
    """A column of ids that are all different."""
    return Column(name, [page(rows, b"".join(text(b"%d" % i) for i in range(rows)))])
