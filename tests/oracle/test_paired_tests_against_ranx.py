"""The paired tests that ranx has, on the same scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from metrics_core.comparing.paired_tests import randomization_test, t_test
from tests.oracle.test_against_ranx import ranx

__all__ = ["ranx"]

GENERATOR = np.random.default_rng(12)
BASELINE = GENERATOR.random(30)
SCORES = np.clip(BASELINE + GENERATOR.normal(0.06, 0.15, 30), 0, 1)


def test_as_ranx(ranx: Any) -> None:
    from ranx.statistical_tests import fisher_randomization_test, paired_student_t_test

    p, _ = paired_student_t_test(BASELINE, SCORES)
    assert t_test(SCORES - BASELINE) == pytest.approx(p, rel=1e-9)
    # Its draws swap the scores of a query, which changes the sign of its difference.
    drawn, _ = fisher_randomization_test(BASELINE, SCORES, n_permutations=1_500)
    chance = 4 * np.sqrt(p * (1 - p) / 1_500)
    assert randomization_test(SCORES - BASELINE) == pytest.approx(drawn, abs=chance)
