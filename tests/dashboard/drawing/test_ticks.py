"""Round values on an axis."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import numpy as np
import pytest

from dashboard.drawing.ticks import difference_ticks, nice_ticks, score_ticks

ROOT = Path(__file__).parents[3]


def test_ticks_are_round_and_hold_zero() -> None:
    assert score_ticks([0.3]).texts == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert nice_ticks(0, 7).values == [0, 2, 4, 6, 8]
    ticks = difference_ticks([-0.32, 0.21])
    assert ticks.texts == ["−0.2", "0", "+0.2"]
    assert difference_ticks([]).texts[len(difference_ticks([]).texts) // 2] == "0"
    assert difference_ticks([np.nan, 0.0]).span[0] < 0


@pytest.mark.parametrize(
    "values", [[], [0.0], [0.3], [-0.4, -0.2], [1e-4, 2e-4], [1e-7], [-3.0, 250.0]]
)
def test_an_axis_of_differences_holds_zero_and_a_handful_of_ticks(values: list[float]) -> None:
    axis = difference_ticks([*values, math.nan], max_ticks=5, padding=0.08)
    assert 0 < axis.share(0) < 1
    assert all(0 <= axis.share(v) <= 1 for v in values)
    assert 2 <= len(axis.values) <= 7
    assert axis.texts[axis.values.index(0)] == "0"
    assert len(set(axis.texts)) == len(axis.texts)


def test_fewest_digits_are_for_parts_of_one_only() -> None:
    assert difference_ticks([-0.4, 0.9], min_digits=2).texts[-1] == "+0.50"
    assert difference_ticks([-30.0, 90.0], min_digits=2).texts[-1] == "+50"


def test_there_is_one_algorithm_of_ticks() -> None:
    rounding = [
        path.name
        for path in (ROOT / "dashboard").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "floor"
    ]
    assert set(rounding) == {"ticks.py"}
