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
"""Characters in a text of several lines that a terminal obeys instead of showing.

They are control characters (which colour, move and erase), marks that change the writing direction,
and unusual line ends.
"""

_PLAIN = 100
"""Absolute scores below this are printed with all decimals."""
_NAMED = 3
_LONGEST_VALUE = 60
_MOST_BITS = 512
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def format_score(value: float | None, digits: int = 3) -> str:
    """Return a score with three decimals, or fewer if it is 100 or more; "–" if undefined."""
    if value is None or math.isnan(value):
        return DASH
    text = f"{value:,.{_score_digits(value, digits)}f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def _score_digits(value: float, digits: int) -> int:
    """Return the number of decimals of a score."""
    size = abs(value)
    return digits if size < _PLAIN else min(digits, 1 if size < 1000 else 0)


def format_plain_number(value: float) -> str:
    """Return a number from a user's file in full, "–" for NaN.

    There are no thousands separators, because the number may be a year.
    """
    if math.isnan(value):
        return DASH
    text = format(Decimal(repr(round(float(value), 12))), "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", MINUS)


def format_scores(values: Iterable[float], digits: int = 3) -> list[str]:
    """Return many scores in the same form as `format_score`."""
    return [
        f"{value + 0.0:.{digits}f}" if 0 <= value < _PLAIN else format_score(value, digits)
        for value in values
    ]


def format_differences(values: Iterable[float], digits: int = 3) -> list[str]:
    """Return many differences in the same form as `format_difference`."""
    signs = {True: "+", False: MINUS}
    zero = f"{0:.{digits}f}"
    return [
        f"{signs[value > 0]}{text}"
        if (text := f"{abs(value):.{digits}f}") != zero and -_PLAIN < value < _PLAIN
        else format_difference(value, digits)
        for value in values
    ]


def format_difference(value: float | None, digits: int = 3) -> str:
    """Return a difference with its sign, "–" if undefined.

    Minus is the typographic minus sign; zero has no sign.
    """
    if value is None or math.isnan(value):
        return DASH
    text = format_score(abs(value), digits)
    if not text.strip("0."):
        return text
    return f"+{text}" if value > 0 else f"{MINUS}{text}"


def round_parts(total: float, parts: Sequence[float], digits: int = 3) -> list[float]:
    """Round parts so that, as printed, they add up to the printed whole.

    Remainders go to the parts that lost most by rounding (largest remainder method). A part of 0
    stays 0.
    """
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
    """Return an interval in brackets, "–" if undefined.

    A bound that is only known to be above or below zero (a subnormal number) is written in words:
    "[above 0, 0.078]".
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return DASH
    return f"[{_format_bound(low, digits)}, {_format_bound(high, digits)}]"


def _format_bound(value: float, digits: int) -> str:
    if 0 < abs(value) < sys.float_info.min:
        return "above 0" if value > 0 else "below 0"
    return format_score(value, digits)


def interval_decimals(low: float | None, high: float | None) -> int:
    """Return the number of decimals with which an interval keeps its width and the signs of its
    bounds.

    This is three, or up to eight if the interval is narrower than a few thousandths or a bound is
    that close to zero.
    """
    if low is None or high is None or not math.isfinite(high - low) or high <= low:
        return 3
    needed = [1 - math.floor(math.log10(high - low))]
    needed += [-math.floor(math.log10(2 * abs(end))) for end in (low, high) if abs(end) > 1e-8]
    return min(max(3, *needed), 8)


def distinguishing_decimals(value: float, limit: float, digits: int = 3) -> int:
    """Return how many decimals a number needs to be printed differently from a limit.

    The result is at least `digits` and at most twelve. If the number equals the limit, it is
    `digits`.
    """
    if not math.isfinite(value) or math.isclose(value, limit, rel_tol=0, abs_tol=1e-12):
        return digits
    enough = (d for d in range(digits, 12) if f"{value:.{d}f}" != f"{limit:.{d}f}")
    return next(enough, 12)


def format_distinct_score(value: float, limit: float, digits: int = 3) -> str:
    """Return a score with enough decimals to differ from a limit that it does not equal.

    For a limit of 1, the result is "0.9996" rather than "1.000".
    """
    digits = distinguishing_decimals(value, limit, digits)
    text, is_limit = (
        format_score(value, digits),
        math.isclose(value, limit, rel_tol=0, abs_tol=1e-12),
    )
    return (
        format_plain_number(value) if text == format_score(limit, digits) and not is_limit else text
    )


def column_decimals(lows: Iterable[float], highs: Iterable[float]) -> int:
    """Return the number of decimals of a column of intervals: the maximum that any of the intervals
    needs."""
    return max(map(interval_decimals, lows, highs), default=3)


def format_column(values: Sequence[float], *, counts: bool) -> list[str]:
    """Return the numbers of a column as texts with the same number of decimals, as many as
    `format_score` gives the largest number.

    If `counts` is true and all numbers are whole, they have no decimals.
    """
    finite = [value for value in values if math.isfinite(value)]
    if counts and all(value % 1 == 0 for value in finite):
        return [format_count(value) for value in values]
    digits = min((_score_digits(value, 3) for value in finite), default=3)
    return [format_score(value, digits) for value in values]


def format_with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """Return a difference with its interval, with the decimals that the interval needs.

    For example "+0.060 [0.030, 0.092]".
    """
    if low is None or math.isnan(low):
        return format_difference(value)
    digits = interval_decimals(low, high)
    return f"{format_difference(value, digits)} {format_interval(low, high, digits)}"


def format_share(value: float | None) -> str:
    """Return a share as a whole percentage with a space.

    A share below 1 is never rounded up to 100 %: 99.6 % becomes 99 %.
    """
    if value is None or math.isnan(value):
        return DASH
    percent = round(100 * value)
    if percent == 100 and value < 1:
        percent = 99
    if percent == 0 and value > 0:
        return f"<{NO_BREAK}1{NO_BREAK}%"
    return f"{percent}{NO_BREAK}%"


def format_count(value: float | int | None) -> str:
    """Return a whole number with thousands separators, "–" if undefined."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return DASH
    return f"{int(value):,}"


def format_grade(value: float | None) -> str:
    """Return a relevance grade as text: whole numbers without decimals, "?" if unjudged."""
    if value is None or math.isnan(value):
        return "?"
    return f"{value:g}"


def join_words(words: Iterable[str], last: str = "and") -> str:
    """Return words as a list in a sentence: "a, b and c"."""
    items = list(words)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def shorten_list(words: Sequence[str], *, most_words: int = 4) -> str:
    """Return words as a list in a sentence.

    If there are more than `most_words` words, only the first three are listed, followed by the
    number of remaining words.
    """
    if len(words) <= most_words:
        return join_words(words)
    rest = len(words) - _NAMED
    return f"{', '.join(words[:_NAMED])} and {format_count(rest)} more"


def format_p_value(p: float | None) -> str:
    """Return a p-value such as "p = 0.003", with non-breaking spaces.

    It has two decimals if it is 0.105 or more, otherwise three; four if it is within 0.001 of 0.1,
    0.05 or 0.01.
    """
    if p is None or math.isnan(p):
        return f"p{NO_BREAK}={NO_BREAK}{DASH}"
    if p < 0.001:
        return f"p{NO_BREAK}<{NO_BREAK}0.001"
    is_near_limit = any(abs(p - limit) < 0.001 for limit in (0.1, 0.05, 0.01))
    return f"p{NO_BREAK}={NO_BREAK}{p:.{4 if is_near_limit else 2 if p >= 0.105 else 3}f}"


def number_word(n: int) -> str:
    """Return a whole number as a word from "no" to "ten"; larger numbers are written in figures."""
    return _WORDS[n] if 0 <= n < len(_WORDS) else format_count(n)


def ordinal_word(n: int) -> str:
    """Return a position from 1 on as a word up to "tenth", then "11th", "22nd"."""
    if n <= len(_ORDINALS):
        return _ORDINALS[n - 1]
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{format_count(n)}{ending}"


def plural(n: int, one: str, many: str | None = None) -> str:
    """Return the noun that goes with n: "query" or "queries"."""
    return one if n == 1 else (many or f"{one}s")


def sentence_case(text: str) -> str:
    """Return the text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def escape_controls(text: str) -> str:
    r"""Return a name or line with control characters as \uXXXX, which JSON reads back.

    Control characters are characters that a terminal would obey instead of showing.
    """
    return text if text.isprintable() else _IN_A_LINE.sub(_escape, text)


def escape_controls_in_lines(text: str) -> str:
    r"""Return a text of several lines with control characters as \uXXXX, like `escape_controls`.

    Line breaks and tabs are kept.
    """
    return text if text.isprintable() else _IN_LINES.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def shorten_value(value: Any) -> str:
    """Return a Python value for a message, shortened."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        # Python refuses to convert numbers with many thousand digits.
        return f"a whole number of about {value.bit_length() * math.log10(2):,.0f} digits"
    try:
        text = repr(value)
    except ValueError:  # the value contains such a number
        return f"a {type(value).__name__} with a number that has many thousands of digits"
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
