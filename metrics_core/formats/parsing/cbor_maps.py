"""Maps of maps of numbers in CBOR (RFC 8949): the few shapes of it that a run takes. What is of
another shape is refused where it stands, before anything is held of what it announces."""

from __future__ import annotations

import math
import struct
from array import array
from dataclasses import dataclass, field

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.formats.source.lines import refuse
from metrics_core.formats.source.source import Source, shortened
from metrics_core.formats.values import A_SCORE

_TYPES = ("a number", "a number", "bytes", "a text", "a list", "a map", "a tag", "a value")
_TEXT, _MAP, _SIMPLE = 3, 5, 7
_LENGTHS = {24: ">B", 25: ">H", 26: ">I", 27: ">Q"}
_FLOATS = {25: ">e", 26: ">f", 27: ">d"}
_SHORT_TEXT = range(0x60, 0x78)


@dataclass
class CborRows:
    """The rows of `{query: {document: number}}`; `empty` are the queries without documents."""

    queries: list[str] = field(default_factory=list)
    docs: list[str] = field(default_factory=list)
    numbers: array[float] = field(default_factory=lambda: array("d"))
    empty: list[str] = field(default_factory=list)


def is_map(start: bytes) -> bool:
    """Whether these are the first bytes of a map."""
    return bool(start) and start[0] >> 5 == _MAP


def rows_of(source: Source, data: bytes, hint: str) -> CborRows:
    """The rows of a map of maps. Raises FileFormatError, with `hint`, for any other shape."""
    reading = _Reading(source, data, hint)
    try:
        found = reading.whole()
    except (IndexError, struct.error):
        raise reading.refused("its end, inside a value", "a whole file", "") from None
    if reading.at < len(data):
        raise reading.refused("more behind the map", "one map", "")
    return found


@dataclass
class _Reading:
    """How far the bytes have been read."""

    source: Source
    data: bytes
    hint: str
    at: int = 0

    def whole(self) -> CborRows:
        found = CborRows()
        for _ in range(self._entries("")):
            query_id = self._text("")
            documents = self._entries(query_id)
            if not documents:
                found.empty.append(query_id)
            for _ in range(documents):
                doc_id = self._text(query_id)
                found.numbers.append(self._number(query_id, doc_id))
                found.docs.append(doc_id)
                found.queries.append(query_id)
            # Bytes bound what is held: an entry takes two of them at least.
        return found

    def refused(self, found: str, expected: str, path: str) -> FileFormatError:
        where = f" at {shortened(path)}" if path else ""
        problem = LineProblem(None, f"{found}{where}, before byte {self.at:,}", expected)
        return refuse(self.source, [problem], hint=self.hint)

    def _head(self) -> tuple[int, int]:
        """The type of the next value, and its length or number as it is announced."""
        first = self.data[self.at]
        self.at += 1
        kind, short = first >> 5, first & 31
        if short < 24:
            return kind, short
        layout = _LENGTHS.get(short)
        if layout is None:
            raise self.refused("a value of unknown length", "a length", "")
        (length,) = struct.unpack_from(layout, self.data, self.at)
        self.at += struct.calcsize(layout)
        return kind, length

    def _entries(self, path: str) -> int:
        kind, entries = self._head()
        if kind != _MAP:
            raise self.refused(_TYPES[kind], "a map", path)
        return entries

    def _text(self, path: str) -> str:
        first = self.data[self.at]
        if first in _SHORT_TEXT:
            self.at += 1
            kind, length = _TEXT, first & 31
        else:
            kind, length = self._head()
        end = self.at + length
        if kind != _TEXT:
            raise self.refused(_TYPES[kind], "an id, as a text", path)
        if end > len(self.data):
            raise IndexError
        try:
            text = self.data[self.at : end].decode()
        except UnicodeDecodeError:
            raise self.refused("bytes that are not UTF-8", "an id, as a text", path) from None
        self.at = end
        return text

    def _number(self, *path: str) -> float:
        first = self.data[self.at]
        if first >> 5 == _SIMPLE and first & 31 in _FLOATS:
            layout = _FLOATS[first & 31]
            (number,) = struct.unpack_from(layout, self.data, self.at + 1)
            self.at += 1 + struct.calcsize(layout)
            if not math.isfinite(number):
                raise self.refused(f"`{number}`", A_SCORE, ".".join(path))
            return float(number)
        kind, value = self._head()
        if kind > 1:
            raise self.refused(_TYPES[kind], A_SCORE, ".".join(path))
        return float(value if kind == 0 else -1 - value)
