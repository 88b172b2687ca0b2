"""The names given with -m: several between commas, trec_eval's list of cutoffs behind a point."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics_core.measures import Measure, measures_from

_PART = re.compile(r"""(?:[^,({\['"]|\([^)]*\)|\{[^}]*\}|\[[^\]]*\]|'[^']*'|"[^"]*"|[({\['"])+""")
_NUMBERED = re.compile(r"(?P<name>.*?[.@_])(?P<number>\d*\.?\d+)")
_NUMBER = re.compile(r"\d*\.?\d+")


def measures_named(given: Sequence[str]) -> list[Measure]:
    """The measures of `AP,nDCG@10`, `P.5,10`, `P(rel=2)@5`, each once, in their order. Raises
    RanklensError where there is none, UnknownMeasureError and ParameterError."""
    return list(dict.fromkeys(measures_from(names_given(given))))


def names_given(given: Sequence[str]) -> list[str]:
    """The single names in these texts, as they were typed."""
    return [name for text in given for name in _names(text)]


def _names(text: str) -> Iterator[str]:
    """The names in a text; a number alone is a further cutoff of the name before it."""
    before = ""
    for part in (part.strip() for part in _PART.findall(text)):
        numbered = _NUMBERED.fullmatch(part)
        if _NUMBER.fullmatch(part) and before:
            yield before + part
            continue
        before = numbered["name"] if numbered else ""
        if part:
            yield part
