"""Format numbers, lists and special characters for screens, sentences and exports."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

MINUS = "\u2212"
DASH = "\u2013"
NO_BREAK = "\u00a0"

_HIDDEN = "\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
_IN_A_LINE = re.compile(f"[\x00-\x1f{_HIDDEN}]")
_IN_LINES = re.compile(f"[\x00-\x08\x0b-\x1f{_HIDDEN}]")
"""Characters in a text of several lines that a terminal interprets instead of printing.

They are control characters (which can set colours, move the cursor and erase text), marks that
change the writing direction, and unusual line ends."""

_PLAIN = 100
"""Scores with an absolute value below this limit are printed with the full number of decimals."""
_NAMED = 3
_LONGEST_VALUE = 60
_MOST_BITS = 512
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def format_score(value: float | None, digits: int = 3) -> str:
    """Format a score with `digits` decimals, or with fewer if it is 100 or more; "–" if
    undefined."""
    if value is None or math.isnan(value):
        return DASH
    text = f"{value:,.{_score_digits(value, digits)}f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def _score_digits(value: float, digits: int) -> int:
    """Return the number of decimals with which a score is printed: `digits` below 100, at most one
    below 1,000, otherwise none."""
    size = abs(value)
    return digits if size < _PLAIN else min(digits, 1 if size < 1000 else 0)


def format_plain_number(value: float) -> str:
    """Return a number from a user's file in full; "–" for NaN.

    Thousands separators are not added, because the number may be a year."""
    if math.isnan(value):
        return DASH
    text = format(Decimal(repr(round(float(value), 12))), "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", MINUS)


def format_difference(value: float | None, digits: int = 3) -> str:
    """Format a difference with its sign; "–" if undefined.

    The minus sign is the typographic one; zero has no sign."""
    if value is None or math.isnan(value):
        return DASH
    text = format_score(abs(value), digits)
    if not text.strip("0."):
        return text
    return f"+{text}" if value > 0 else f"{MINUS}{text}"


def round_parts(total: float, parts: Sequence[float], digits: int = 3) -> list[float]:
    """Round the parts of a total so that the printed parts add up to the printed total.

    The remaining units of the last decimal are added to the parts that lost most by rounding
    (largest remainder method). A part of 0 stays 0."""
    nonzero = [i for i, part in enumerate(parts) if part]
    if not nonzero or not all(map(math.isfinite, (total, *parts))):
        return list(parts)
    digits = min(_score_digits(value, digits) for value in (total, *parts))
    printed = round(float(f"{total:.{digits}f}") * 10**digits)
    units = [part * 10**digits for part in parts]
    # A part that is a whole number of units, except for rounding errors, loses nothing.
    rounded = [math.floor(unit + 1e-9) for unit in units]
    each, more = divmod(printed - sum(rounded), len(nonzero))
    falling = sorted(nonzero, key=lambda i: rounded[i] - units[i])
    for position, i in enumerate(falling):
        rounded[i] += each + (position < more)
    return [unit / 10**digits for unit in rounded]


def format_interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Format an interval in brackets; "–" if undefined.

    If a bound is subnormal, only its sign is known. It is printed as an open bound at zero, such as
    "(0, 0.078]"."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return DASH
    lower_text = "(0" if 0 < low < sys.float_info.min else f"[{format_score(low, digits)}"
    upper_text = "0)" if 0 > high > -sys.float_info.min else f"{format_score(high, digits)}]"
    return f"{lower_text}, {upper_text}"


def interval_decimals(low: float | None, high: float | None) -> int:
    """Return the number of decimals needed to print an interval so that its width and the signs of
    its bounds remain visible.

    The result is usually 3. It is up to 8 if the interval is narrower than a few thousandths, or if
    a bound is closer to zero than this."""
    if low is None or high is None or not math.isfinite(high - low) or high <= low:
        return 3
    needed = [1 - math.floor(math.log10(high - low))]
    needed += [-math.floor(math.log10(2 * abs(end))) for end in (low, high) if abs(end) > 1e-8]
    return min(max(3, *needed), 8)


def distinguishing_decimals(value: float, limit: float, digits: int = 3) -> int:
    """Return how many decimals are needed so that a printed number differs from the printed limit.

    The result is at least `digits` and at most 12. If the number equals the limit, the result is
    `digits`."""
    if not math.isfinite(value) or math.isclose(value, limit, rel_tol=0, abs_tol=1e-12):
        return digits
    enough = (d for d in range(digits, 12) if f"{value:.{d}f}" != f"{limit:.{d}f}")
    return next(enough, 12)


def format_distinct_score(value: float, limit: float, digits: int = 3) -> str:
    """Format a score with enough decimals to differ from a limit that the score does not equal.

    For example, 0.9996 with a limit of 1 is formatted as "0.9996", because "1.000" would look like
    the limit."""
    digits = distinguishing_decimals(value, limit, digits)
    text = format_score(value, digits)
    is_limit = math.isclose(value, limit, rel_tol=0, abs_tol=1e-12)
    return (
        format_plain_number(value) if text == format_score(limit, digits) and not is_limit else text
    )


def column_decimals(lows: Iterable[float], highs: Iterable[float]) -> int:
    """Return the number of decimals for a column of intervals: the largest number that any of them
    needs."""
    return max(map(interval_decimals, lows, highs), default=3)


def format_column(values: Sequence[float], *, are_counts: bool) -> list[str]:
    """Format all numbers of a column with the number of decimals that `score_decimals` returns.

    If `are_counts` is true and all numbers are whole, they are printed without decimals."""
    if are_counts and all(value % 1 == 0 for value in values if math.isfinite(value)):
        return [format_count(value) for value in values]
    digits = score_decimals(values)
    return [format_score(value, digits) for value in values]


def score_decimals(values: Iterable[float]) -> int:
    """Return the number of decimals that `format_score` uses for the largest value. If this value
    is below 0.01, such as a price per query, it is the number that prints three of its digits.

    Values that are not finite are ignored."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if 1e-8 < largest < 0.01:
        return min(2 - math.floor(math.log10(largest)), 8)
    return _score_digits(largest, 3)


def mean_decimals(values: Iterable[float]) -> int:
    """Return the number of decimals of means that are compared: three, or more if all are below
    0.01. A mean of 100 or more still has fewer."""
    return max(3, score_decimals(values))


def format_with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """Format a difference followed by its interval, such as "+0.060 [0.030, 0.092]".

    Both have the number of decimals that the interval needs."""
    if low is None or math.isnan(low):
        return format_difference(value)
    digits = interval_decimals(low, high)
    return f"{format_difference(value, digits)} {format_interval(low, high, digits)}"


def format_share(value: float | None) -> str:
    """Format a share as a whole percentage.

    A share below 1 is never rounded up to 100%: 99.6% becomes 99%."""
    if value is None or math.isnan(value):
        return DASH
    percent = round(100 * value)
    if percent == 100 and value < 1:
        percent = 99
    if percent == 0 and value > 0:
        return "<1%"
    return f"{percent}%"


def format_count(value: float | int | None) -> str:
    """Return a whole number with thousands separators, "–" if undefined."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return DASH
    return f"{int(value):,}"


def format_with_noun(n: int, singular: str, plural_form: str = "") -> str:
    """Format a number with its noun, for example "84 queries" or "1 query". The default plural ends
    in "s"."""
    return f"{format_count(n)} {plural(n, singular, plural_form)}"


def format_query_count(n: int, adjective: str = "") -> str:
    """Format a number of queries, such as "84 judged queries". `adjective` ends in a blank: "judged
    "."""
    return format_with_noun(n, f"{adjective}query", f"{adjective}queries")


def format_grade(value: float | None) -> str:
    """Format a relevance grade: whole numbers without decimals, "?" if unjudged."""
    if value is None or math.isnan(value):
        return "?"
    return f"{value:g}"


def join_words(words: Iterable[str], conjunction: str = "and") -> str:
    """Join words into a list for a sentence, such as "a, b and c". `conjunction` is the word before
    the last item."""
    items = list(words)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {conjunction} {items[-1]}"


def shorten_list(words: Sequence[str], *, max_words: int = 4) -> str:
    """Join words into a list for a sentence, shortened if it is long.

    If there are more than `max_words` words, only the first three are listed, followed by the
    number of remaining words."""
    if len(words) <= max_words:
        return join_words(words)
    rest = len(words) - _NAMED
    return f"{', '.join(words[:_NAMED])} and {format_count(rest)} more"


def list_first(words: Sequence[object], limit: int) -> str:
    """Return the first `limit` words, separated by commas, followed by "…" if there are more."""
    return ", ".join([*map(str, words[:limit]), *(["…"] if len(words) > limit else [])])


def format_p_value(p: float | None) -> str:
    """Format a p-value, such as "p = 0.003", with non-breaking spaces.

    Values of 0.105 or more have two decimals, smaller values three. Values within 0.001 of 0.1,
    0.05 or 0.01 have four. Values below 0.001 become "p < 0.001"."""
    if p is None or math.isnan(p):
        return f"p{NO_BREAK}={NO_BREAK}{DASH}"
    if p < 0.001:
        return f"p{NO_BREAK}<{NO_BREAK}0.001"
    is_near_limit = any(abs(p - limit) < 0.001 for limit in (0.1, 0.05, 0.01))
    return f"p{NO_BREAK}={NO_BREAK}{p:.{4 if is_near_limit else 2 if p >= 0.105 else 3}f}"


def number_word(n: int) -> str:
    """Return a whole number as a word, from "no" for 0 to "ten". Larger numbers are written in
    digits."""
    return _WORDS[n] if 0 <= n < len(_WORDS) else format_count(n)


def plural(n: int, singular: str, plural_form: str | None = None) -> str:
    """Return the noun that goes with n: "query" or "queries"."""
    return singular if n == 1 else (plural_form or f"{singular}s")


def sentence_case(text: str) -> str:
    """Return the text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def escape_controls(text: str) -> str:
    r"""Replace control characters in a name or line with escapes such as \uXXXX, which JSON can
    read back.

    Control characters are characters that a terminal interprets instead of printing."""
    return text if text.isprintable() else _IN_A_LINE.sub(_escape, text)


def escape_controls_in_lines(text: str) -> str:
    r"""Replace control characters in a text of several lines in the same way as `escape_controls`,
    but keep line breaks and tabs."""
    return text if text.isprintable() else _IN_LINES.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def shorten_value(value: Any) -> str:
    """Return a Python value as a short string for a message."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        # Python refuses to convert numbers with many thousand digits.
        return f"a whole number of about {value.bit_length() * math.log10(2):,.0f} digits"
    try:
        text = repr(value)
    except ValueError:  # the value contains such a number
        return f"a {type(value).__name__} that contains a number with many thousands of digits"
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
