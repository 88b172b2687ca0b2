"""ndcg_rel, Rndcg and G where the user says what each level is worth: a query at a time, because
trec_eval's ideal list need not be the best one (see `gains`)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from metrics_core.compatible.trec_eval.gains import Gains, ideal_gains, results_gains
from metrics_core.judging import JudgedRanks

Floats = npt.NDArray[np.float64]

_LEAST_COST = 1.0
"""What G takes for a rank at which the ideal list has nothing, or less."""


def scores(name: str, ranks: JudgedRanks, gains: Gains) -> Floats:
    """Scores of the measure of this name; float64[Q]."""
    measure = _MEASURES[name]
    results, ideals = results_gains(ranks, gains), ideal_gains(ranks, gains)
    return np.array([measure(r, i) for r, i in zip(results, ideals, strict=True)])


def _discounted(gains: Floats) -> Floats:
    """Running sums of gain / log2(rank + 1)."""
    return np.cumsum(gains / np.log2(np.arange(len(gains)) + 2.0))


def _through(sums: Floats, length: int) -> Floats:
    """The running sums at each of so many ranks; behind their end they stay as they are."""
    last = sums[-1:] if len(sums) else np.zeros(1)
    return np.concatenate([sums, np.repeat(last, max(length - len(sums), 0))])[:length]


def _ndcg_rel(results: Floats, ideal: Floats) -> float:
    size = max(len(results), len(ideal), 1)
    dcg, best = _through(_discounted(results), size), _through(_discounted(ideal), size)
    gaining = np.flatnonzero(results > 0)
    total = (dcg[gaining] / best[gaining]).sum()
    total += (len(ideal) - len(gaining)) * dcg[-1] / best[-1]
    # What gains although the ideal list is empty makes trec_eval print inf.
    return float(total / np.float64(len(ideal))) if total > 0 else 0.0


def _r_ndcg(results: Floats, ideal: Floats) -> float:
    """nDCG where the ideal list passes to another gain, and at the end of what is retrieved if
    that is beyond the ideal list."""
    if not len(ideal):
        return float("nan")
    changes = np.flatnonzero(ideal != np.append(ideal[1:], 0.0))
    size = max(len(results), len(ideal))
    dcg, best = _through(_discounted(results), size), _through(_discounted(ideal), size)
    shares = (dcg / best)[changes]
    if len(results) > len(ideal) + 1:
        shares = np.append(shares, dcg[-1] / best[-1])
    return float(shares.mean())


def _g(results: Floats, ideal: Floats) -> float:
    if not len(ideal):
        return 0.0
    cost = np.full(len(results), _LEAST_COST)
    within = min(len(results), len(ideal))
    cost[:within] = np.maximum(ideal[:within], _LEAST_COST)
    discount = np.log2(2 + np.cumsum(cost) - np.cumsum(results))
    gaining = results != 0
    return float((results[gaining] / discount[gaining]).sum() / ideal.sum())


_MEASURES: dict[str, Callable[[Floats, Floats], float]] = {
    "ndcg_rel": _ndcg_rel,
    "Rndcg": _r_ndcg,
    "G": _g,
}
