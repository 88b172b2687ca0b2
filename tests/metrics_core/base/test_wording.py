"""Numbers as written: decimals where they say something, a real minus, a dash for nothing."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.base import wording as w


@pytest.mark.parametrize(
    ("low", "high", "digits"),
    [
        (0.03, 0.092, 3),
        (-0.1, 0.1, 3),
        (0.0311, 0.0323, 4),
        (0.00031, 0.00053, 5),
        (1e-12, 2e-12, 8),
        (0.0004, 0.078, 4),
        (-0.09, -0.00002, 5),
        (1e-17, 0.078, 3),
        (0.5, 0.5, 3),
        (math.nan, math.nan, 3),
        (None, None, 3),
    ],
)
def test_an_interval_has_the_decimals_that_its_width_and_its_side_of_zero_need(
    low: float | None, high: float | None, digits: int
) -> None:
    assert w.interval_decimals(low, high) == digits


def test_the_numbers_of_a_column_have_the_same_decimals() -> None:
    assert w.format_column([7.0, math.nan], are_counts=True) == ["7", w.DASH]
    assert w.format_column([1.0, 0.25], are_counts=True) == ["1.000", "0.250"]
    assert w.format_column([1.0, 0.0], are_counts=False) == ["1.000", "0.000"]
    assert w.format_column([0.25, 120.0], are_counts=False) == ["0.2", "120.0"]
    columns = [0.5, math.nan], [99, 741], [741, -1413], [], [0.01, 0.0001], [0.0], [1e-12]
    assert [w.score_decimals(values) for values in columns] == [3, 1, 0, 3, 3, 3, 3]
    prices = [0.000709, 0.000102, math.nan]  # per query
    assert w.format_column(prices, are_counts=False) == ["0.000709", "0.000102", w.DASH]
    assert w.column_decimals([0.03, 0.0311], [0.092, 0.0323]) == 4


@given(low=st.floats(-1, 1), width=st.floats(1e-6, 1))
def test_the_ends_of_an_interval_are_told_apart(low: float, width: float) -> None:
    digits = w.interval_decimals(low, low + width)
    assert w.format_score(low, digits) != w.format_score(low + width, digits)


def test_a_difference_with_its_interval() -> None:
    assert w.format_with_interval(0.038, 5e-324, 0.078) == "+0.038 (0, 0.078]"
    assert w.format_with_interval(-0.038, -0.078, -5e-324) == "−0.038 [−0.078, 0)"
    assert w.format_with_interval(0.06, 0.03, 0.092) == "+0.060 [0.030, 0.092]"
    assert w.format_with_interval(-0.00042, -0.00053, -0.00031) == "−0.00042 [−0.00053, −0.00031]"
    assert w.format_with_interval(math.nan, math.nan, math.nan) == w.DASH


HIDDEN = [
    *map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *map(chr, range(0x202A, 0x202F)),
    *map(chr, range(0x2066, 0x206A)), "\u061c", "\u200e", "\u200f", "\u2028", "\u2029",
]  # fmt: skip


@pytest.mark.parametrize("letter", HIDDEN, ids=ascii)
def test_what_a_terminal_would_obey_is_written(letter: str) -> None:
    written = f"\\u{ord(letter):04x}"
    assert w.escape_controls(f"a{letter}b") == f"a{written}b"
    kept = letter if letter in "\n\t" else written
    assert w.escape_controls_in_lines(f"a{letter}b") == f"a{kept}b"
    assert json.loads(f'"{written}"') == letter


@pytest.mark.parametrize("text", ["", "q1", "é – \u00a0 ü", "日本", "\u200d", "😀", "a\\b"])
def test_all_else_stays(text: str) -> None:
    assert w.escape_controls(text) == w.escape_controls_in_lines(text) == text


def printed(value: float) -> int:
    """A number as it is printed, in thousandths."""
    return round(1000 * float(w.format_difference(value).replace(w.MINUS, "-")))


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=20))
def test_printed_parts_add_up_to_the_printed_whole(parts: list[float]) -> None:
    whole = math.fsum(parts)
    found = w.round_parts(whole, parts)
    if any(parts):
        assert sum(map(printed, found)) == printed(whole)
    for part, shown in zip(parts, found, strict=True):
        assert abs(part - shown) < 0.001 + 1e-9
        assert part or shown == 0


def test_what_is_cut_off_goes_where_most_was() -> None:
    assert w.round_parts(0.0532, [0.0536, -0.0004]) == [0.054, -0.001]
    eight = w.round_parts(0.0872, [0.0109] * 8)
    assert sorted(eight) == [0.010] + [0.011] * 7
    assert w.round_parts(0.3, [0.1, 0.2]) == [0.1, 0.2]
    assert w.round_parts(1234.5, [1234.25, 0.25]) == [1234, 0]
    assert math.isnan(w.round_parts(math.nan, [math.nan])[0])
    assert w.round_parts(0.5, []) == []


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.0004, "p < 0.001"),
        (0.0031, "p = 0.003"),
        (0.0497, "p = 0.0497"),
        (0.0502, "p = 0.0502"),
        (0.0098, "p = 0.0098"),
        (0.254, "p = 0.25"),
        (1.0, "p = 1.00"),
        (float("nan"), "p = –"),
    ],
)
def test_a_p_value_says_on_which_side_of_a_limit_it_is(p: float, said: str) -> None:
    assert w.format_p_value(p).replace(w.NO_BREAK, " ") == said
