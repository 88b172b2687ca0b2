"""Fisher's randomization test for many columns at once, based on sums under random signs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.scoring.random_groups import sum_by_unit

_DRAWS = 9_999
_SEED = 20_260
_ENUMERATED = 15
"""Maximum number of queries for which all sign assignments (up to 32,768) are enumerated."""
_BLOCK = 4_000_000
_ROUNDING = 1e-12


def random_sign_p_values(differences: Floats) -> Floats:
    """Return the two-sided p-value of each column of `differences`, float64[column].

    `differences` is float64[query, column]; undefined differences must be 0. A column of zeros has
    p-value 1.

    For up to 15 queries, all sign assignments are enumerated. For more queries, 9,999 assignments
    are drawn, the same each time, and the observed assignment is added. For more than 20,000
    queries, the signs of random groups of queries change together (`scoring.random_groups`). These
    assignments form a subgroup of all assignments, so the test keeps its level (Hemerik and Goeman,
    Exact testing with random permutations, TEST 2018)."""
    units = sum_by_unit(differences)
    n = len(units)
    # The sum of an assignment that ties with the data may differ from it by rounding.
    limits = np.abs(units.sum(axis=0)) - _ROUNDING * np.abs(units).sum(axis=0)
    n_as_far = np.zeros(units.shape[1])
    size = max(1, _BLOCK // max(min(2**n, _DRAWS), 1))
    columns = [slice(begin, begin + size) for begin in range(0, len(n_as_far), size)]
    for flips in _all_sign_choices(n) if n <= _ENUMERATED else _random_sign_choices(n):
        for part in columns:
            n_as_far[part] += (_sums_after_flips(units[:, part], flips) >= limits[part]).sum(axis=0)
    p_values = n_as_far / 2**n if n <= _ENUMERATED else (n_as_far + 1) / (_DRAWS + 1)
    return np.where(limits > 0, p_values, 1.0)


def _all_sign_choices(n: int) -> Iterator[Floats]:
    yield ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.float64)


def _random_sign_choices(n: int) -> Iterator[Floats]:
    generator = np.random.default_rng(_SEED)
    step = max(1, _BLOCK // n)
    for start in range(0, _DRAWS, step):
        rows = min(step, _DRAWS - start)
        bits = np.frombuffer(generator.bytes(rows * -(-n // 8)), dtype=np.uint8)
        yield np.unpackbits(bits.reshape(rows, -1), axis=1, count=n).astype(np.float64)


def _sums_after_flips(differences: Floats, flips: Floats) -> Floats:
    """Return the absolute sum of each column after flipping signs, float64[choice, column].

    Each row of `flips`, float64[choice, query], is 1 for the queries whose signs are flipped, else
    0."""
    return np.abs(differences.sum(axis=0) - 2 * (flips @ differences))
