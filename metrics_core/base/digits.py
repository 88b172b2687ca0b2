"""Whole numbers in texts that users write: URLs, options, names."""

from __future__ import annotations

_MOST_DIGITS = 18


def parse_whole_number(text: str) -> int | None:
    """Parse a string of digits (0 to 9) as a whole number. Returns None for any other string.

    Only the first 18 digits are used: no valid number is longer, and Python refuses to parse more
    than 4,300 digits."""
    if not (text.isascii() and text.isdigit()):
        return None
    return int(text.lstrip("0")[:_MOST_DIGITS] or 0)
