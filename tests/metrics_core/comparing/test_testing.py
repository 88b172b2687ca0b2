"""Columns of differences by each test and correction: against scipy called directly, and as p-value
and interval together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metrics_core.base.errors import ParameterError
from metrics_core.comparing import testing
from metrics_core.comparing.method import BOOTSTRAP, TESTS, Method
from metrics_core.comparing.paired_tests import PAIRED_TESTS

VALUES = np.random.default_rng(9).normal([0.0, 0.15, 0.5, 0.8], 1.0, (40, 4))

EVERY = [
    Method(test, correction) for test in TESTS for correction in Method(test).valid_corrections
]


@pytest.mark.parametrize("method", EVERY, ids=lambda m: f"{m.test}, {m.effective_correction}")
def test_interval_and_corrected_p_never_disagree(method: Method) -> None:
    for seed in range(8):
        generator = np.random.default_rng(seed)
        shift = generator.normal(0, 0.4, 5)
        found = testing.compare_columns(np.round(generator.normal(shift, 1, (25, 5)), 1), method)
        asks_the_mean = method.test not in PAIRED_TESTS or PAIRED_TESTS[method.test].tests_mean
        if not asks_the_mean:
            assert np.isnan(found.low).all() and np.isnan(found.high).all()
            continue
        beyond = (found.low > 0) | (found.high < 0)
        assert (beyond == (found.p_corrected <= 0.05 + 1e-12)).all()
        known = ~np.isnan(found.p_corrected)
        assert (known == ~np.isnan(found.low)).all()
        assert (found.p_corrected >= found.p - 1e-12)[known].all()
        assert ((found.low <= found.mean) & (found.mean <= found.high))[known].all()


def test_p_values_are_scipys() -> None:
    t = stats.ttest_1samp(VALUES, 0.0)
    assert testing.compare_columns(VALUES, Method("t-test")).p == pytest.approx(t.pvalue, rel=1e-12)
    signed = [stats.wilcoxon(column).pvalue for column in VALUES.T]
    assert testing.compare_columns(VALUES, Method("wilcoxon")).p == pytest.approx(signed, rel=1e-12)


def test_an_uncorrected_t_interval_is_scipys() -> None:
    found = testing.compare_columns(VALUES, Method("t-test", "none"))
    ends = stats.ttest_1samp(VALUES, 0.0).confidence_interval(0.95)
    assert found.low == pytest.approx(ends.low, abs=1e-12)
    assert found.high == pytest.approx(ends.high, abs=1e-12)


def test_bonferroni_widens_by_the_number_of_columns() -> None:
    found = testing.compare_columns(VALUES, Method("t-test", "bonferroni"))
    ends = stats.ttest_1samp(VALUES, 0.0).confidence_interval(1 - 0.05 / 4)
    assert found.low == pytest.approx(ends.low, abs=1e-12)
    assert found.p_corrected == pytest.approx(np.minimum(4 * found.p, 1.0), rel=1e-12)


def test_what_is_not_corrected_is_as_if_it_were_alone() -> None:
    alone = testing.compare_columns(VALUES[:, [2]], Method())
    among = testing.compare_columns(VALUES, Method(correction="none"))
    assert among.low[2] == pytest.approx(alone.low[0], rel=1e-9)
    assert among.p_corrected[2] == pytest.approx(alone.p_corrected[0], abs=3e-4)


@pytest.mark.parametrize("test", TESTS)
def test_edges(test: str) -> None:
    values = np.zeros((12, 5))
    values[:, 1] = 0.25
    values[3:, 2] = np.nan
    values[:, 3] = np.nan
    values[:, 4] = np.linspace(-0.1, 0.4, 12)
    found = testing.compare_columns(values, Method(test))
    assert np.isnan(found.p[[2, 3]]).all() and np.isnan(found.low[[2, 3]]).all()
    assert found.p[0] == 1.0 and found.p_corrected[0] == 1.0
    assert found.p[1] < 0.01
    assert 0 <= found.p[4] <= 0.2
    assert found.mean[[0, 1]].tolist() == [0.0, 0.25] and np.isnan(found.mean[3])
    if test == BOOTSTRAP:
        # Of three that are tested: each may miss at one of 60.
        ends = found.low[1], found.high[1]
        assert ends == pytest.approx((0.25 * (0.05 / 3 / 2) ** (1 / 12), 0.25))
    none = testing.compare_columns(np.empty((12, 0)), Method(test))
    assert none.p.shape == (0,)


def test_draws_are_not_corrected_by_their_number() -> None:
    for test in ("randomization", "bca"):
        with pytest.raises(ParameterError, match="cannot be combined with the correction 'holm'"):
            Method(test, "holm")
