"""Where lines end: at LF, CRLF and CR, not at U+2028 and its kin."""

from __future__ import annotations

from collections.abc import Iterator


def last_line_end(data: bytes) -> int:
    """Where the last whole line of `data` ends; a CR at the very end may yet become CRLF."""
    newline = data.rfind(b"\n")
    return max(newline, data.rfind(b"\r", newline + 1, len(data) - 1)) + 1


def first_line_end(data: bytes) -> int:
    """Where the first line of `data` ends; 0 if it does not."""
    ends = [end + 1 for end in (data.find(b"\n"), data.find(b"\r")) if end >= 0]
    return min(ends, default=0)


def split_lines(block: bytes) -> Iterator[str]:
    """Lines of a block with their ends."""
    if b"\r" not in block:
        text = block.decode()
        start = 0
        while (end := text.find("\n", start)) >= 0:
            yield text[start : end + 1]
            start = end + 1
        if start < len(text):
            yield text[start:]
        return
    # bytes.splitlines knows only these three ends, which str.splitlines does not.
    yield from (line.decode() for line in block.splitlines(keepends=True))
