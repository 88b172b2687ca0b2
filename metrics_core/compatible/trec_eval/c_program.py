"""What trec_eval has from being a C program: it ends with an exit status wherever it stands, and of
a number it reads what the text begins with."""

from __future__ import annotations

import re
from math import isfinite


class ProgramExit(Exception):  # noqa: N818 - it is an ending, and -h and -v are no errors
    """Stop here with this exit status; `messages` goes to stderr, one line each. `scored` is how
    many queries had their scores before, where it ends at a query."""

    def __init__(self, status: int, *messages: str) -> None:
        super().__init__(*messages)
        self.status = status
        self.messages = messages
        self.scored = 0


ARGUMENTS = 1
"""The command line cannot be understood."""
FILES = 2
"""A file cannot be read, or a measure's parameters are wrong."""
CALCULATION = 4
"""A measure cannot be calculated for a query."""
NO_QUERIES = 7
"""No query has both judgments and results."""
CONFLICT = 134
"""Preferences contradict each other: trec_eval aborts."""
NOBODY_READS = 141
"""Whoever read the output has stopped, as the signal SIGPIPE says."""
Z_SCORES = 255
"""The file of means and deviations cannot be read."""


# Twenty digits are more than 64 bits hold, and any number of them more than Python reads.
_WHOLE = re.compile(r"[ \t\n\v\f\r]*([+-]?)0*([0-9]{0,20})")
_DECIMAL = re.compile(r"[ \t\n\v\f\r]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_HEX = re.compile(
    r"[ \t\n\v\f\r]*([+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?)"
)
_WORD = re.compile(r"[ \t\n\v\f\r]*([+-]?(?:inf(?:inity)?|nan))", re.IGNORECASE)

_LARGEST = 2**63 - 1


def atol(text: str) -> int:
    """The whole number at the start of a text; 0 where there is none, at most 64 bits."""
    match = _WHOLE.match(text)
    return max(-_LARGEST - 1, min(_LARGEST, int(f"{match[1]}{match[2] or 0}"))) if match else 0


def atof(text: str) -> float:
    """The number at the start of a text; 0 where there is none."""
    if match := _HEX.match(text):
        try:
            return float.fromhex(match[1])
        except OverflowError:
            return float("-inf" if match[1].startswith("-") else "inf")
    match = _DECIMAL.match(text) or _WORD.match(text)
    return float(match[1]) if match else 0.0


def to_long(value: float) -> int:
    """The number without its fraction, as C casts it; what 64 bits do not hold, undefined among it,
    becomes the least they hold, as on the machines in use."""
    integer = int(value) if isfinite(value) else _LARGEST + 1
    return integer if abs(integer) <= _LARGEST else -_LARGEST - 1
