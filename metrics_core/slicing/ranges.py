"""Ranges of a numeric column of the queries: how long a query is, its year, its clarity."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats

MOST_NUMBERS = 8
"""A column with no more distinct numbers keeps them as they are."""

_MOST_RANGES = 6
_QUERIES_A_RANGE = 10
_NUMBER = rf"[{w.MINUS}-]?(?:\d+\.?\d*|\.\d+)"
_RANGE = re.compile(
    rf"(under )?({_NUMBER})(?:[\u2013-]{_NUMBER}| (?:to|or) {_NUMBER}| or more)?"
    r"(?: (?:words?|relevant))?"
)


def ranges(numbers: pd.Series) -> pd.Series:
    """The range of each number as text, "3\u20137", with the same index; NaN stays NaN.

    There are six ranges at most, with about as many queries in each; their edges are rounded. Whole
    numbers are told by the least and the greatest in a range, others by its edges, of which the
    lower belongs to it.
    """
    values = numbers.to_numpy(dtype=np.float64)
    known = values[~np.isnan(values)]
    edges = _edges(known)
    names = np.array(_names(known, edges), dtype=object)
    place = np.searchsorted(edges, np.nan_to_num(values), side="right")
    return pd.Series(np.where(np.isnan(values), np.nan, names[place]), index=numbers.index)


def in_words(names: Iterable[str], one: str, many: str) -> list[str]:
    """Ranges of whole numbers with what they count: "1 word", "2 or 3 words", "4 to 9 words"."""

    def said(name: str) -> str:
        low, _, high = name.partition("\u2013")
        if not high:
            return f"{low} {one if low == '1' else many}"
        return f"{low} {'or' if int(high) == int(low) + 1 else 'to'} {high} {many}"

    return [said(name) for name in names]


def by_size(name: str) -> tuple[float, int] | None:
    """What sorts numbers and ranges by size; None for any other text."""
    found = _RANGE.fullmatch(name)
    if found is None:
        return None
    return float(found[2].replace(w.MINUS, "-")), 0 if found[1] else 1


def _edges(known: Floats) -> Floats:
    """Where a range ends and the next begins: quantiles, rounded as far as they stay apart."""
    parts = min(_MOST_RANGES, max(2, len(known) // _QUERIES_A_RANGE))
    cuts = np.unique(np.quantile(known, np.arange(1, parts) / parts, method="higher"))
    cuts = cuts[cuts > known.min()]
    if not len(cuts):
        # Nearly all are the least there is: it stands for itself.
        cuts = np.unique(known)[1:2]
    gaps = np.diff(np.concatenate([[known.min()], cuts, [known.max()]]))
    nearest = np.minimum(gaps[:-1], gaps[1:])
    whole = bool((known % 1 == 0).all())
    rounded = [_rounded(c, gap, whole=whole) for c, gap in zip(cuts, nearest, strict=True)]
    # An edge that nothing lies below or beyond would end an empty range.
    held = np.diff(np.searchsorted(np.sort(known), [-np.inf, *rounded, np.inf]))
    return np.unique([edge for edge, below in zip(rounded, held[:-1], strict=True) if below])


def _rounded(cut: float, gap: float, *, whole: bool) -> float:
    """A cut with as few digits as keep it within a quarter of the gap to its neighbour."""
    digits = math.ceil(-math.log10(gap / 2)) if gap > 0 else 0 if whole else 6
    return round(cut, min(digits, 0) if whole else digits)


def _names(known: Floats, edges: Floats) -> list[str]:
    dash = " to " if (known < 0).any() else "\u2013"
    if (known % 1 == 0).all() or not len(edges):
        place = np.searchsorted(edges, known, side="right")
        ends = pd.Series(known).groupby(place).agg(["min", "max"])
        ends = ends.reindex(range(len(edges) + 1))
        return [
            _span(w.plain_number(low), w.plain_number(high), dash) for low, high in ends.to_numpy()
        ]
    texts = [w.plain_number(edge) for edge in edges]
    between = [_span(low, high, dash) for low, high in pairwise(texts)]
    return [f"under {texts[0]}", *between, f"{texts[-1]} or more"]


def _span(low: str, high: str, dash: str) -> str:
    return low if low == high else f"{low}{dash}{high}"
