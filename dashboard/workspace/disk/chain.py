"""Lines of journals: each checks itself, and names the check of the line before it, so that a piece
that was taken out is known to have been there. Earlier versions wrote lines that name none.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from dashboard.workspace.disk.decoded import check_values
from dashboard.workspace.disk.records import Extent

Line = dict[str, Any]
Piece = tuple[bytes, Line | None]
"""The bytes of a line without its end, and what it tells; None where it is not as it was written.
"""

END = b"\n"
_AFTER = "after"
"""The check of the line before."""

_START = b'{"check":"'
_CHECK = slice(len(_START), len(_START) + 64)
_BEGINS = re.compile(rb"(?!^)(?=" + re.escape(_START) + rb")")
"""Where a line begins behind another one: a text in a line has no quotes of its own."""


@dataclass(frozen=True)
class Read:
    """A journal as it was read: its lines, oldest first, the numbers (from 1) of those that are
    not as they were written, and how many bytes of the file these are. `file` tells it apart from
    another one that stands in its place later, and `tail`, the last of these bytes, from one that
    the system gave the same number.

    `gaps` are the numbers of lines before which others are gone, with the check of the last of
    those, `short` says how many are gone at the end, as far as that is known. `last` is the check
    of the last whole line, `checks` are those of all and those that they name. `is_torn` says that
    the last line is not as it was written, so that it may be the one that the next one names."""

    lines: tuple[Line, ...] = ()
    damaged: tuple[int, ...] = ()
    size: int = 0
    file: int = 0
    tail: bytes = b""
    gaps: tuple[tuple[int, str], ...] = ()
    short: int = 0
    last: str = ""
    checks: tuple[str, ...] = ()
    is_torn: bool = False

    def __len__(self) -> int:
        return len(self.lines) + len(self.damaged)

    @property
    def version(self) -> str:
        """What changes when a line is added, or another one is told to be gone."""
        return f"{self.file}-{self.size}-{len(self.gaps)}-{self.short}"

    @property
    def missing(self) -> tuple[str, ...]:
        """Which lines are gone, in words."""
        gaps = tuple(f"lacks what stood before line {number}" for number, _ in self.gaps)
        few = "its last line" if self.short == 1 else f"its last {self.short} lines"
        return (*gaps, f"lacks {few}") if self.short else gaps

    def followed_by(self, pieces: Iterable[Piece]) -> Read:
        """The same with further lines."""
        told, damaged = list[Line](), list[int]()
        gaps, checks = list[tuple[int, str]](), list[str]()
        last, is_torn = self.last, self.is_torn
        for number, (content, line) in enumerate(pieces, start=len(self) + 1):
            is_behind_torn, is_torn = is_torn, line is None
            if line is None:
                damaged.append(number)
                continue
            after = line.get(_AFTER)
            if isinstance(after, str) and after:
                checks.append(after)
                if after != last and not is_behind_torn:
                    gaps.append((number, after))
            last = _check_of(content)
            checks.append(last)
            told.append({name: value for name, value in line.items() if name != _AFTER})
        return replace(
            self,
            lines=(*self.lines, *told),
            damaged=(*self.damaged, *damaged),
            gaps=(*self.gaps, *gaps),
            last=last,
            checks=(*self.checks, *checks),
            is_torn=is_torn,
        )

    def beside(self, reach: Extent | None) -> Read:
        """The same, held against how far the journal is known to have gone."""
        if not reach:
            return self
        gaps = tuple(gap for gap in self.gaps if gap[1] not in reach.gone)
        is_there = reach.last in self.checks or reach.lines in self.damaged
        short = max(reach.lines - len(self), 1) if reach.last and not is_there else 0
        return replace(self, gaps=gaps, short=short)


def sealed(told: Line) -> bytes:
    """A line as it is written."""
    text = json.dumps(told, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    check = hashlib.sha256(text.encode()).hexdigest()
    return f'{{"check":"{check}","change":{text}}}\n'.encode()


def opened(content: bytes) -> Line | None:
    """What a line tells, without its end; None where it is not as it was written."""
    try:
        told = json.loads(content)["change"]
        check_values(told)
        return told if isinstance(told, dict) and sealed(told) == content + END else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def linked(lines: Iterable[Line], last: str) -> bytes:
    """Lines as they are written behind the one of this check; "" where they are the first."""
    content = []
    for line in lines:
        content.append(sealed({**line, _AFTER: last} if last else line))
        last = _check_of(content[-1])
    return b"".join(content)


def pieces(content: bytes) -> Iterator[Piece]:
    """The lines of bytes that end with a line's end."""
    for line in content.split(END)[:-1]:
        yield from _apart(line)


def behind(tail: bytes) -> list[Piece]:
    """What stands behind the last end: lines that are whole but for theirs, which is harmed or
    lacks. The rest was never told to be kept."""
    found = _apart(tail, open_ended=True)
    while found and found[-1][1] is None:
        found.pop()
    return found


def _apart(line: bytes, *, open_ended: bool = False) -> list[Piece]:
    """A line, or those that run into each other because the end in between is harmed."""
    told = opened(line)
    if told is not None:
        return [(line, told)]
    parts = _BEGINS.split(line)
    ends = [_but_for_its_end(part) for part in (parts if open_ended else parts[:-1])]
    found = ends if open_ended else [*ends, (parts[-1], opened(parts[-1]))]
    return found if any(own is not None for _, own in found) else [(line, None)]


def _but_for_its_end(part: bytes) -> Piece:
    whole = next((p for p in (part, part[:-1]) if opened(p) is not None), part)
    return whole, opened(whole)


def _check_of(line: bytes) -> str:
    return line[_CHECK].decode()
