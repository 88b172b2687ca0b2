"""Imitate two properties of trec_eval as a C program: it can exit with a status at any point, and
it parses a number from the beginning of a text."""

from __future__ import annotations

import re
from math import isfinite


class ProgramExit(Exception):  # noqa: N818 - it is an ending, and -h and -v are no errors
    """Exit of the program with this status. `messages` are printed to stderr, one per line.

    If the program exits at a query, `scored` is the number of queries that were scored before that
    query."""

    def __init__(self, status: int, *messages: str) -> None:
        super().__init__(*messages)
        self.status = status
        self.messages = messages
        self.scored = 0


ARGUMENTS = 1
"""Exit status if the command line is invalid."""
FILES = 2
"""Exit status if a file cannot be read, or if the parameters of a measure are invalid."""
CALCULATION = 4
"""Exit status if a measure cannot be calculated for a query."""
NO_QUERIES = 7
"""Exit status if no query has both judgments and results."""
CONFLICT = 134
"""Exit status if preferences contradict each other; trec_eval aborts in this case."""
NOBODY_READS = 141
"""Exit status if the reader of the output has closed the pipe (SIGPIPE)."""
Z_SCORES = 255
"""Exit status if the file of means and deviations for z-scores cannot be read."""


# Twenty digits already exceed 64 bits, and Python rejects very long numbers.
_WHOLE = re.compile(r"[ \t\n\v\f\r]*([+-]?)0*([0-9]{0,20})")
_DECIMAL = re.compile(r"[ \t\n\v\f\r]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_HEX = re.compile(
    r"[ \t\n\v\f\r]*([+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?)"
)
_WORD = re.compile(r"[ \t\n\v\f\r]*([+-]?(?:inf(?:inity)?|nan))", re.IGNORECASE)

_LARGEST = 2**63 - 1


def atol(text: str) -> int:
    """Return the whole number at the beginning of a string, clipped to 64 bits; 0 if the string
    does not begin with a number."""
    match = _WHOLE.match(text)
    return max(-_LARGEST - 1, min(_LARGEST, int(f"{match[1]}{match[2] or 0}"))) if match else 0


def atof(text: str) -> float:
    """Return the number at the beginning of a string; 0 if the string does not begin with a
    number."""
    if match := _HEX.match(text):
        try:
            return float.fromhex(match[1])
        except OverflowError:
            return float("-inf" if match[1].startswith("-") else "inf")
    match = _DECIMAL.match(text) or _WORD.match(text)
    return float(match[1]) if match else 0.0


def to_long(value: float) -> int:
    """Return the integer part of a number, like a cast to long in C.

    Values beyond 64 bits, and NaN, become the lowest 64-bit number, as on current machines."""
    integer = int(value) if isfinite(value) else _LARGEST + 1
    return integer if abs(integer) <= _LARGEST else -_LARGEST - 1
