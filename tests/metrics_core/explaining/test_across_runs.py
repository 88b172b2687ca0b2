"""What several runs score on each query."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_core.explaining.across_runs import across_runs


def test_what_runs_score_on_each_query() -> None:
    nan = np.nan
    values = np.array(
        [[0.2, 0, 1, nan, 0, nan], [0.4, 0, 0, 0.5, nan, nan], [0.6, 0, 0, 0.5, 0, nan]]
    )
    found = across_runs(values)
    assert found.mean[:5] == pytest.approx([0.4, 0, 1 / 3, 0.5, 0])
    assert found.spread[:4] == pytest.approx([np.std([0.2, 0.4, 0.6]), 0, np.std([1, 0, 0]), 0])
    assert np.isnan([found.mean[5], found.spread[5]]).all()
