"""How often the verdicts are wrong: runs are drawn so that the truth is known.

    python -m benchmarks.simulations [--trials 1000] [--families 150]

Each line has a setting, the rate that is stated, the rate that was found, and three standard errors
of it. tests/metrics_core/comparing/test_simulations.py holds the lines to it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from metrics_core.comparing.doubts import doubts
from metrics_core.comparing.method import Method
from metrics_core.comparing.power import smallest_shown
from metrics_core.comparing.resampled import resampled
from metrics_core.comparing.testing import tested
from metrics_core.comparing.verdicts import FEWEST_QUERIES

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
QUERIES, TIES, RUNS = (10, 20, 50, 200), (0.0, 0.3, 0.7), (1, 5, 19)
_SEED = 20_260


@dataclass(frozen=True)
class Rate:
    """A rate that was found in so many trials, beside the one that is stated."""

    setting: str
    stated: float
    found: float
    trials: int

    @property
    def chance(self) -> float:
        """Three standard errors of a rate that is as stated."""
        return 3 * math.sqrt(self.stated * (1 - self.stated) / max(self.trials, 1))

    @property
    def held(self) -> bool:
        """Whether it is at most the stated one, but for chance."""
        return self.found <= self.stated + self.chance


def exchangeable(
    generator: np.random.Generator, queries: int, runs: int, ties: float, families: int
) -> Floats:
    """Differences of runs to a baseline from which nothing tells them apart, on three measures of
    the same lists; float64[Q, families, 3, runs].

    Queries are easy or hard for all; on the share `ties` of them all runs score the same. The
    measures are the score itself, one that counts the best only, and one of yes and no.
    """
    ease = generator.beta(0.8, 1.2, (queries, families, 1))
    noise = generator.normal(0, 0.2, (queries, families, runs + 1))
    noise *= generator.random((queries, families, 1)) >= ties
    score = np.clip(ease + noise, 0, 1)
    measures = np.stack([score, score**3, (score > 0.5).astype(np.float64)], axis=2)
    return measures[..., 1:] - measures[..., :1]


MEASURES = ("score", "cubed", "yes or no")


def false_verdicts(queries: int, runs: int, ties: float, trials: int) -> list[Rate]:
    """How often a difference is found between equal runs, one or several at once, per measure."""
    generator = np.random.default_rng((_SEED, queries, runs, round(10 * ties)))
    gaps = exchangeable(generator, queries, runs, ties, trials)
    if runs == 1:
        columns = gaps.reshape(queries, trials * 3)
        p = by_themselves(columns).reshape(trials, 3)
    else:
        p = np.array([[_smallest(gaps[:, f, m]) for m in range(3)] for f in range(trials)])
    found = (p <= 1 - LEVEL).mean(axis=0)
    name = f"equal runs: n={queries}, {runs} run{'s' * (runs > 1)}, {ties:.0%} ties"
    return [
        Rate(f"{name}, {measure}", 1 - LEVEL, float(rate), trials)
        for measure, rate in zip(MEASURES, found, strict=True)
    ]


def by_themselves(columns: Floats) -> Floats:
    """p-values of columns float64[Q, C] that have nothing to do with each other; NaN where one is
    not tested. All are drawn at once, and those alone that are not tested among so many."""
    p = resampled(columns, fewest=FEWEST_QUERIES).single
    for i in np.flatnonzero(np.isnan(p)):
        p[i] = resampled(columns[:, [i]], fewest=FEWEST_QUERIES).single[0]
    return p


def _smallest(columns: Floats) -> float:
    """The smallest corrected p-value of a family; 1 where none of it is tested."""
    p = resampled(columns, fewest=FEWEST_QUERIES).corrected
    return float(np.nanmin(p)) if not np.isnan(p).all() else 1.0


SKEWED = ("normal", "lognormal", "one in twenty")


def skewed(generator: np.random.Generator, kind: str, shape: tuple[int, int]) -> Floats:
    """Differences whose mean is 0 and whose spread is on one side, or for comparison on both;
    float64[Q, trials]."""
    if kind == "normal":
        return generator.normal(0.0, 1.0, shape)
    if kind == "lognormal":
        return generator.lognormal(0.0, 1.0, shape) - math.exp(0.5)
    # Nearly always a small loss, and a large gain on few queries.
    small = generator.normal(-0.05, 0.02, shape)
    return np.where(generator.random(shape) < 0.05, 0.95, small)


def skewed_verdicts(queries: int, kind: str, trials: int) -> list[Rate]:
    """How often a difference is found where there is none and the spread is skewed: of all trials,
    and where the verdict is withheld of what `doubts` calls strongly skewed; of how many that is,
    and of how many it says that they are skewed."""
    generator = np.random.default_rng((_SEED, queries, SKEWED.index(kind)))
    values = skewed(generator, kind, (queries, trials))
    found = by_themselves(values) <= 1 - LEVEL
    known = [doubts(column) for column in values.T]
    withheld = np.array([one.strongly_skewed for one in known])
    said = float(np.mean([one.skewed for one in known]))
    name = f"{kind}: n={queries}"
    firm = float((found & ~withheld).mean())
    return [
        Rate(name, 1 - LEVEL, float(found.mean()), trials),
        Rate(f"{name}, strongly skewed withheld", 1 - LEVEL, firm, trials),
        Rate(f"{name}, share withheld", math.nan, float(withheld.mean()), trials),
        Rate(f"{name}, share said to be skewed", math.nan, said, trials),
    ]


def uncovered(queries: int, trials: int) -> list[Rate]:
    """How often the interval of one difference does not hold the true one."""
    generator = np.random.default_rng((_SEED, queries, 7))
    shape = (queries, trials)
    kinds = {
        "normal": generator.normal(0.3, 1.0, shape) - 0.3,
        "many alike": np.where(generator.random(shape) < 0.4, 0, generator.normal(0.1, 0.2, shape))
        - 0.06,
        "skewed": generator.gamma(4.0, 0.1, shape) - 0.4,
    }
    # The interval holds a value just where the difference to it is not found.
    return [
        Rate(f"interval misses: n={queries}, {kind}", 1 - LEVEL, _share_found(values), trials)
        for kind, values in kinds.items()
    ]


def _share_found(columns: Floats) -> float:
    return float((by_themselves(columns) <= 1 - LEVEL).mean())


def equivalence_errors(queries: int, trials: int) -> Rate:
    """How often a difference as large as the margin is called smaller than matters."""
    generator = np.random.default_rng((_SEED, queries, 8))
    margin = 0.1
    values = generator.normal(margin, 2 * margin, (queries, trials))
    method = Method(margin=margin)
    within = [bool(tested(column[:, None], method).within(margin)[0]) for column in values.T]
    return Rate(f"at the margin: n={queries}", 1 - LEVEL, float(np.mean(within)), trials)


def powers(queries: int, trials: int) -> Rate:
    """How often the difference is found that the formula says is found four times out of five."""
    generator = np.random.default_rng((_SEED, queries, 9))
    width = float(stats.t.ppf((1 + LEVEL) / 2, queries - 1))
    smallest = smallest_shown(1 / math.sqrt(queries), width, queries)
    found = _share_found(generator.normal(smallest, 1.0, (queries, trials)))
    return Rate(f"power: n={queries}", 0.8, found, trials)


def all_rates(trials: int, families: int) -> Iterator[Rate]:
    """Every line of the table, as it is found."""
    for runs in RUNS:
        for queries in QUERIES:
            for ties in TIES:
                most = families // (3 if queries * runs > 2_000 else 1)
                yield from false_verdicts(queries, runs, ties, trials if runs == 1 else most)
    for kind in SKEWED:
        for queries in QUERIES:
            yield from skewed_verdicts(queries, kind, trials)
    for queries in QUERIES:
        yield from uncovered(queries, trials)
    for queries in QUERIES:
        yield equivalence_errors(queries, trials)
        yield powers(queries, trials)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--trials", type=int, default=1_000)
    parser.add_argument("--families", type=int, default=150)
    options = parser.parse_args()
    print(f"{'setting':58} stated  found  3 s.e.")
    for rate in all_rates(options.trials, options.families):
        stated = "     –" if math.isnan(rate.stated) else f"{rate.stated:6.3f}"
        chance = "" if math.isnan(rate.stated) else f"{rate.chance:7.3f}"
        print(f"{rate.setting:58} {stated} {rate.found:6.3f} {chance}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
