"""How often a gate is wrong, in two cells of made matrices; `benchmarks.gates` has all."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.gates import cell, changed
from benchmarks.simulations import made_matrices


def test_a_gate_seldom_fails_what_did_not_get_worse() -> None:
    found = cell(made_matrices(6), 50, 0.7, 0.03, 25)
    assert max(found.fails.values()) <= 0.12 and set(found.fails) == {1, 3, 10}
    assert found.let_by <= 0.12
    assert abs(found.told - found.does) < 0.3
    assert found.lower_end > 0.4


def test_an_unchanged_run_never_fails() -> None:
    found = cell(made_matrices(2), 25, 0.0, 0.03, 5)
    assert not any(found.fails.values()) and found.lower_end == 0
    assert math.isnan(found.let_by) and "| – |" in found.line()


@pytest.mark.parametrize("proportional", [False, True])
def test_a_made_change_has_the_loss_that_is_asked(proportional: bool) -> None:
    chance, matrix = np.random.default_rng(1), made_matrices(1)[0]
    gaps = changed(matrix, 200_000, 0.3, 0.05, chance, proportional=proportional)
    assert abs(gaps.mean() + 0.05) < 0.002 and abs((gaps != 0).mean() - 0.3) < 0.02
