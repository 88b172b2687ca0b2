"""A whole number of more digits than Python reads, wherever a user may write one: it ends in an
error of ours, or is read as a large one."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import metrics_core
from dashboard.address.default_baseline import natural_sort_key
from dashboard.address.edits_key import read_edits
from dashboard.address.view import read_cutoff
from metrics_core import RanklensError
from metrics_core.base.digits import parse_whole_number
from metrics_core.base.errors import ParameterError
from metrics_core.base.wording import shorten_value
from metrics_core.checks.id_readings import parse_id_map, parse_id_transform
from metrics_core.formats.source.limits import parse_size

DIGITS = "9" * 5_000


@pytest.mark.parametrize(
    "ask",
    [
        lambda: parse_id_transform(f"first {DIGITS}"),
        lambda: parse_id_transform(f"first {10**30}"),
        lambda: parse_id_transform("first 0"),
        lambda: parse_id_map(f"run: first {DIGITS}"),
        lambda: parse_size(DIGITS),
        lambda: metrics_core.parse_measure(f"nDCG@{DIGITS}"),
        lambda: metrics_core.parse_measure(f"P@10-l{DIGITS}"),
        lambda: metrics_core.parse_measure(f"P(rel={DIGITS})@5"),
        lambda: metrics_core.parse_measure(f"ndcg_cut_{DIGITS}"),
        lambda: metrics_core.parse_measure(f"nDCG(gains={{1:{DIGITS}}})@5"),
    ],
)
def test_an_option_of_many_digits_is_refused(ask: Callable[[], Any]) -> None:
    with pytest.raises(ParameterError):
        ask()


def test_an_address_of_many_digits_is_read() -> None:
    assert parse_whole_number(DIGITS) == 10**18 - 1
    assert parse_whole_number("0" * 5_000 + "7") == 7
    assert [parse_whole_number(text) for text in ("", "-1", "+1", "²", "٣", "1_0", "x")] == [
        None
    ] * 7
    assert read_cutoff(DIGITS, deepest_cutoff=20) == 20
    assert read_edits([f"{DIGITS}:d", f"000000000001{DIGITS}:d"]) == ()
    assert sorted([f"v{DIGITS}", "v10", "v2", "v"], key=natural_sort_key) == [
        "v",
        "v2",
        "v10",
        f"v{DIGITS}",
    ]


@pytest.mark.parametrize(
    "value",
    [
        *(DIGITS, 10**5_000, f"1e{10**20}", "1e400", Decimal("sNaN"), Decimal("1e999999")),
        *(Fraction(10**5_000, 3), [10**5_000]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_score_or_grade_beyond_measure_is_refused(value: Any) -> None:
    for qrels, run in (
        ({"q": {"d": value}}, {"q": {"d": 1}}),
        ({"q": {"d": 1}}, {"q": {"d": value}}),
    ):
        with pytest.raises(RanklensError):
            metrics_core.evaluate(qrels, run, ["P@5"])
    assert len(shorten_value(value)) < 100


def test_a_score_near_zero_is_zero() -> None:
    tiny, zero = (
        metrics_core.evaluate({"q": {"d": 1}}, {"q": {"d": score}}, ["P@1"])
        for score in (f"1e-{10**20}", "0")
    )
    assert tiny.equals(zero)
