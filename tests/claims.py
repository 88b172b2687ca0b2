"""What a text claims, read back out of it: numbers as they are printed, counts in words, and what
no text may hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from metrics_core.base import wording as w

Case = TypeVar("Case")

NUMBER = rf"[+{w.MINUS}]?[\d,]+(?:\.\d+)?"
_BOUND = rf"({w.MINUS}?[\d,.]+)"
INTERVAL = rf"[\[(]{_BOUND}, {_BOUND}[\])]"

_NOUNS = "document|run|group|version|file|measure"
_UNTIDY = {
    "nan": r"\bnan\b|\bNone\b(?! of)|\binf\b",
    "a zero with a sign": rf"[+{w.MINUS}]0(\.0+)?(?![\d.])",
    "decimals of nothing": r"(?<![\d.])0\.0{4,}(?!\d)",
    "blanks": r"  | [.,;:]|^ | $",
    "punctuation": r"[.,;:]{2}|[^.]$",
    "one of several": rf"(?<![\d,.\-–])(1|[Oo]ne) (queries|(?:{_NOUNS})s)\b",
    "several of one": rf"\b([02-9]|\d\d+|two|three) (query|{_NOUNS})\b",
    "braces": r"[{}]",
}
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def untidy(text: str) -> Iterator[str]:
    """What no sentence may hold."""
    for name, pattern in _UNTIDY.items():
        if found := re.search(pattern, text):
            yield f"{name}: {found[0]!r}"


def value_of(printed: str) -> float:
    """A number as it is printed."""
    plain = printed.replace(",", "").replace(w.MINUS, "-").replace(w.NO_BREAK, "")
    return float(plain.rstrip("%").lstrip("<"))


def count_of(printed: str) -> int:
    """A count, in figures or as a word."""
    word = printed.lower()
    return _WORDS.index(word) if word in _WORDS else int(word.replace(",", ""))


def is_rounded(printed: str, value: float) -> bool:
    """Whether this is the value as far as it is printed."""
    # A "0" without decimals is the open end of an interval.
    decimals = 12 if printed == "0" else len(printed.partition(".")[2])
    return abs(value_of(printed) - value) <= 0.5 * 10**-decimals * (1 + 1e-6) + 1e-12


def named_in(text: str) -> tuple[list[str], int]:
    """The words of a list "a, b and c" or "a, b, c and 4 more", and how many it stands for."""
    words = re.split(", | and ", text)
    more = re.fullmatch(r"([\d,]+) more", words[-1])
    return (words[:-1], len(words) - 1 + count_of(more[1])) if more else (words, len(words))


def names_others(text: str, *runs: str) -> str | bool:
    """A run that the text names and is none of these."""
    return next(iter(sorted(set(re.findall(r"\brun\d+\b", text)) - set(runs))), False)


def offenders(
    cases: Iterable[Case],
    text_of: Callable[[Case], str],
    false_in: Callable[[Case, str], Iterable[str | bool]],
) -> list[str]:
    """The first few cases of which a text is untidy or claims what is false, each with both."""
    found = []
    for case in cases:
        text = text_of(case)
        wrong = [claim for claim in (*untidy(text), *false_in(case, text)) if claim] if text else []
        if wrong:
            found.append(f"{getattr(case, 'seed', case)}: {'; '.join(map(str, wrong))} in: {text}")
    return found[:5] + ([f"and {len(found) - 5} more"] if len(found) > 5 else [])
