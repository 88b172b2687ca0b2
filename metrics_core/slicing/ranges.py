"""Group a numeric column of the queries into ranges, such as query length, year or clarity."""

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
"""Maximum number of distinct numbers in a column that is not grouped into ranges."""

_MOST_RANGES = 6
_QUERIES_A_RANGE = 10
_NUMBER = rf"[{w.MINUS}-]?(?:\d+\.?\d*|\.\d+)"
_RANGE = re.compile(
    rf"(under )?({_NUMBER})(?:[\u2013-]{_NUMBER}| (?:to|or) {_NUMBER}| or more)?"
    r"(?: (?:words?|relevant))?"
)


def label_ranges(numbers: pd.Series) -> pd.Series:
    """Return the range of each number as text, such as "3–7", in a Series with the same index; NaN
    stays NaN.

    There are at most six ranges, with rounded edges and about the same number of queries in each. A
    range of whole numbers is named by its lowest and highest number. Any other range is named by
    its edges; the lower edge belongs to the range."""
    values = numbers.to_numpy(dtype=np.float64)
    finite = values[~np.isnan(values)]
    edges = _find_edges(finite)
    names = np.array(_name_ranges(finite, edges), dtype=object)
    index = np.searchsorted(edges, np.nan_to_num(values), side="right")
    return pd.Series(np.where(np.isnan(values), np.nan, names[index]), index=numbers.index)


def add_nouns_to_ranges(names: Iterable[str], singular: str, plural_form: str) -> list[str]:
    """Add a noun to ranges of whole numbers: "1 word", "2 or 3 words", "4 to 9 words"."""

    def add_noun_to_range(name: str) -> str:
        low, _, high = name.partition("\u2013")
        if not high:
            return f"{low} {singular if low == '1' else plural_form}"
        return f"{low} {'or' if int(high) == int(low) + 1 else 'to'} {high} {plural_form}"

    return [add_noun_to_range(name) for name in names]


def numeric_sort_key(name: str) -> tuple[float, int] | None:
    """Return a sort key for a number or range. Returns None for any other string."""
    match = _RANGE.fullmatch(name)
    if match is None:
        return None
    return float(match[2].replace(w.MINUS, "-")), 0 if match[1] else 1


def _find_edges(finite: Floats) -> Floats:
    """Return the lower edges of all ranges except the first, float64[edge]. They are rounded
    quantiles. Edges that would make an empty range are dropped."""
    parts = min(_MOST_RANGES, max(2, len(finite) // _QUERIES_A_RANGE))
    cuts = np.unique(np.quantile(finite, np.arange(1, parts) / parts, method="higher"))
    cuts = cuts[cuts > finite.min()]
    if not len(cuts):
        # Almost all numbers are the lowest one, which becomes a range of its own.
        cuts = np.unique(finite)[1:2]
    gaps = np.diff(np.concatenate([[finite.min()], cuts, [finite.max()]]))
    nearest = np.minimum(gaps[:-1], gaps[1:])
    is_whole = bool((finite % 1 == 0).all())
    rounded = [_round_edge(c, gap, is_whole=is_whole) for c, gap in zip(cuts, nearest, strict=True)]
    # Drop edges that would make an empty range.
    counts = np.diff(np.searchsorted(np.sort(finite), [-np.inf, *rounded, np.inf]))
    return np.unique([edge for edge, below in zip(rounded, counts[:-1], strict=True) if below])


def _round_edge(edge: float, gap: float, *, is_whole: bool) -> float:
    """Round the edge of a range to the fewest digits that keep it within a quarter of the gap to
    its neighbour."""
    digits = math.ceil(-math.log10(gap / 2)) if gap > 0 else 0 if is_whole else 6
    return round(edge, min(digits, 0) if is_whole else digits)


def _name_ranges(finite: Floats, edges: Floats) -> list[str]:
    dash = " to " if (finite < 0).any() else "\u2013"
    if (finite % 1 == 0).all() or not len(edges):
        index = np.searchsorted(edges, finite, side="right")
        ends = pd.Series(finite).groupby(index).agg(["min", "max"])
        ends = ends.reindex(range(len(edges) + 1))
        return [
            _format_span(w.format_plain_number(low), w.format_plain_number(high), dash)
            for low, high in ends.to_numpy()
        ]
    texts = [w.format_plain_number(edge) for edge in edges]
    between = [_format_span(low, high, dash) for low, high in pairwise(texts)]
    return [f"under {texts[0]}", *between, f"{texts[-1]} or more"]


def _format_span(low: str, high: str, dash: str) -> str:
    return low if low == high else f"{low}{dash}{high}"
