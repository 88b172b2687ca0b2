"""How often what is said of runs is wrong: on differences of real runs, made so that the truth is
known.

    python -m benchmarks.simulations MATRICES [--replications 2000] [--only verdicts,power]

MATRICES is a folder of CSV files, each of scores by topic (rows) and system (columns). Each line
has what was asked, what is wanted, the share that was found and its standard error.
tests/metrics_core/comparing/test_simulations.py holds a few cells of it, on made matrices.

Four ways to make differences that are none: `permuted` deals the scores of a topic out anew among
the systems; `centred` moves real differences to a mean of 0 and draws topics from them, with their
skew; `scaled` makes wins as large as losses together, so that ties stay ties; `near_the_ends` has
runs of one mean near 0 or near 1, as of hits that nearly all or nearly none find, of unlike spread.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special, stats

from metrics_core.comparing.method import Method
from metrics_core.comparing.paired_tests import holm_adjusted
from metrics_core.comparing.power import smallest_detectable_difference
from metrics_core.comparing.resampled import resample_groups
from metrics_core.comparing.tested_quantities import (
    find_tested_differences,
    find_tested_quantities,
)
from metrics_core.comparing.testing import compare_columns
from metrics_core.explaining.history import find_first_bad_versions
from metrics_core.measures import make_score_only_measure
from metrics_core.scoring.intervals import mean_interval

Floats = npt.NDArray[np.float64]
Generator = np.random.Generator
Draw = Callable[[Floats, int, int, Generator], Floats]

LEVEL = 0.95
QUERIES, RUNS = (10, 15, 25, 40, 50, 100), (1, 5, 19)
_SEED = 20_260
_AT_ONCE = 400
"""Columns that are tested in one pass over the draws."""


@dataclass(frozen=True)
class Rate:
    """A share that was found in so many trials, beside what is wanted of it."""

    setting: str
    wanted: str
    found: float
    trials: int

    @property
    def error(self) -> float:
        """Its standard error."""
        return math.sqrt(max(self.found * (1 - self.found), 0.0) / max(self.trials, 1))


def matrices_in(folder: str) -> list[Floats]:
    """The matrices of a folder, float64[topics, systems] each."""
    return [pd.read_csv(path).to_numpy(float) for path in sorted(Path(folder).glob("*.csv"))]


def made_matrices(number: int) -> list[Floats]:
    """Matrices like those of real runs: topics easy or hard for all, systems of which some are
    alike, and many ties at 0."""
    made = []
    for seed in range(number):
        chance = np.random.default_rng((_SEED, seed))
        ease, skill = chance.beta(0.7, 1.1, (50, 1)), chance.normal(0, 0.12, (1, 40))
        score = np.clip(ease + skill + chance.normal(0, 0.18, (50, 40)), 0, 1)
        score = score**3 if seed % 3 == 1 else np.round(score * 10) / 10 if seed % 3 else score
        made.append(score)
    return made


def permuted(matrix: Floats, n: int, runs: int, chance: Generator) -> Floats:
    """Differences of runs to a baseline, float64[n, runs], whose scores are dealt out anew."""
    systems = chance.choice(matrix.shape[1], runs + 1, replace=False)
    topics = chance.choice(len(matrix), n, replace=n > len(matrix))
    dealt = chance.permuted(matrix[np.ix_(topics, systems)], axis=1)
    return dealt[:, 1:] - dealt[:, :1]


def centred(matrix: Floats, n: int, runs: int, chance: Generator) -> Floats:
    """Topics drawn from real differences about their means."""
    gaps = _all_gaps(matrix, runs, chance)
    return (gaps - gaps.mean(axis=0))[chance.integers(0, len(matrix), n)]


def scaled(matrix: Floats, n: int, runs: int, chance: Generator) -> Floats:
    """Topics drawn from real differences whose wins are made as large as their losses; of pairs of
    which neither is three times the other."""
    while True:
        baseline = chance.integers(matrix.shape[1])
        gaps = matrix - matrix[:, [baseline]]
        won, lost = np.maximum(gaps, 0).sum(axis=0), np.maximum(-gaps, 0).sum(axis=0)
        fit = np.flatnonzero((won > 0) & (lost > 0) & (won < 3 * lost) & (lost < 3 * won))
        if len(fit) >= runs:
            chosen = chance.choice(fit, runs, replace=False)
            some = gaps[:, chosen]
            some = np.where(some > 0, some * (lost[chosen] / won[chosen]), some)
            return some[chance.integers(0, len(matrix), n)]


def real(matrix: Floats, n: int, runs: int, chance: Generator) -> Floats:
    """Real differences of some topics."""
    topics = chance.choice(len(matrix), n, replace=n > len(matrix))
    return _all_gaps(matrix, runs, chance)[topics]


def _all_gaps(matrix: Floats, runs: int, chance: Generator) -> Floats:
    systems = chance.choice(matrix.shape[1], runs + 1, replace=False)
    return matrix[:, systems[1:]] - matrix[:, systems[:1]]


def near_the_ends(_: Floats, n: int, runs: int, chance: Generator) -> Floats:
    """Scores of beta distributions of one mean, .02 to .08 from 0 or 1; a shape is drawn a run."""
    off = chance.uniform(0.02, 0.08)
    mean = off if chance.random() < 0.5 else 1 - off
    shape = chance.choice([1, 3, 10], runs + 1)
    scores = chance.beta(mean * shape, (1 - mean) * shape, (n, runs + 1))
    return np.asarray(scores[:, 1:] - scores[:, :1])


NULLS: tuple[Draw, ...] = (permuted, centred, scaled, near_the_ends)


def p_values(columns: Floats) -> Floats:
    """The p-values of columns float64[n, C], each by itself; NaN where one is not tested."""
    starts = range(0, columns.shape[1], _AT_ONCE)
    parts = [resample_groups([columns[:, s : s + _AT_ONCE]])[0].p for s in starts]
    return np.concatenate(parts) if parts else np.zeros(0)


def t_tests(columns: Floats) -> Floats:
    """Those of t-tests."""
    with np.errstate(all="ignore"):
        p = stats.ttest_1samp(columns, 0.0).pvalue
    still = columns.std(axis=0) <= 1e-12
    return np.where(still, np.where(np.abs(columns.mean(axis=0)) > 1e-12, 0.0, 1.0), p)


def families(
    matrices: Sequence[Floats], draw: Draw, n: int, runs: int, replications: int
) -> Floats:
    """So many families of differences side by side, float64[n, replications * runs]."""
    chance = np.random.default_rng((_SEED, n, runs, len(draw.__name__)))
    drawn = (draw(matrices[i % len(matrices)], n, runs, chance) for i in range(replications))
    return np.concatenate(list(drawn), axis=1)


def found_in(p: Floats, runs: int) -> npt.NDArray[np.bool_]:
    """What is found in each family, corrected by Holm's rule; bool[families, runs]."""
    return np.array([holm_adjusted(family) <= 1 - LEVEL + 1e-12 for family in p.reshape(-1, runs)])


def false_verdicts(
    matrices: Sequence[Floats], draw: Draw, n: int, runs: int, replications: int
) -> Rate:
    """How many families of runs that are equal to their baseline have a verdict."""
    columns = families(matrices, draw, n, runs, replications)
    wrong = float(found_in(p_values(columns), runs).any(axis=1).mean())
    most = "at most 0.090" if draw is near_the_ends else "at most 0.080"
    return Rate(f"false: {draw.__name__}, n={n}, {runs} runs", most, wrong, replications)


def true_verdicts(
    matrices: Sequence[Floats], n: int, runs: int, replications: int
) -> Iterator[Rate]:
    """How many real differences have a verdict, and by t-tests."""
    columns = families(matrices, real, n, runs, replications)
    for name, ask in (("", p_values), (" by t-test", t_tests)):
        share = float(found_in(ask(columns), runs).mean())
        yield Rate(f"found{name}: real, n={n}, {runs} runs", "", share, replications * runs)


def verdicts(matrices: Sequence[Floats], replications: int) -> Iterator[Rate]:
    """All cells, and the mean of each null."""
    for draw in NULLS:
        cells = []
        for n in QUERIES:
            for runs in RUNS:
                cells.append(false_verdicts(matrices, draw, n, runs, replications))
                yield cells[-1]
        mean = float(np.mean([cell.found for cell in cells]))
        most = "" if draw is near_the_ends else "at most 0.055"
        yield Rate(f"false: {draw.__name__}, mean", most, mean, replications * len(cells))
    for n in QUERIES:
        for runs in RUNS:
            yield from true_verdicts(matrices, n, runs, max(replications // 4, 100))


def powers(matrices: Sequence[Floats], n: int, populations: int, samples: int) -> Rate:
    """How often a difference is shown that is said to be shown four times out of five: mean over
    populations of real differences about 0, of which one sample says how large it is and a fresh
    one is moved by that."""
    chance = np.random.default_rng((_SEED, n, 9))
    said, fresh = list[Floats](), list[Floats]()
    while len(said) < populations:
        gaps = centred(matrices[len(said) % len(matrices)], 10_000, 1, chance)[:, 0]
        if (np.abs(gaps - np.median(gaps)) > 1e-12).mean() < 0.3:
            continue
        said.append(gaps[chance.integers(0, len(gaps), (n, samples))])
        fresh.append(gaps[chance.integers(0, len(gaps), (n, samples))])
    first, second = np.concatenate(said, axis=1), np.concatenate(fresh, axis=1)
    width = float(stats.t.ppf((1 + LEVEL) / 2, n - 1))
    one = smallest_detectable_difference(1.0, width, n)
    moved = second + one * first.std(axis=0, ddof=1) / math.sqrt(n)
    shown = (p_values(moved) <= 1 - LEVEL) & (moved.mean(axis=0) > 0)
    return Rate(f"shown: n={n}", "0.75 to 0.85", float(shown.mean()), populations * samples)


def uncovered_means(matrices: Sequence[Floats], n: int, trials: int) -> Rate:
    """How many intervals of a run's mean hold the true one."""
    chance = np.random.default_rng((_SEED, n, 7))
    columns, true = [], []
    for trial in range(trials):
        matrix = matrices[trial % len(matrices)]
        scores = matrix[:, chance.integers(matrix.shape[1])]
        columns.append(scores[chance.integers(0, len(scores), n)])
        true.append(scores.mean())
    found = mean_interval(np.array(columns).T)
    known = ~np.isnan(found.low)
    holds = (found.low <= np.array(true) + 1e-12) & (found.high >= np.array(true) - 1e-12)
    return Rate(f"mean held: n={n}", "at least 0.93", float(holds[known].mean()), int(known.sum()))


def uncovered_differences(matrices: Sequence[Floats], n: int, trials: int) -> Rate:
    """How many intervals of one difference hold the true one."""
    chance = np.random.default_rng((_SEED, n, 6))
    columns, true = [], []
    for trial in range(trials):
        gaps = _all_gaps(matrices[trial % len(matrices)], 1, chance)[:, 0]
        columns.append(gaps[chance.integers(0, len(gaps), n)])
        true.append(gaps.mean())
    found = compare_columns(np.array(columns).T, Method(correction="none"))
    known, middle = ~np.isnan(found.p), np.array(true)
    holds = (found.low <= middle + 1e-12) & (found.high >= middle - 1e-12)
    return Rate(
        f"difference held: n={n}", "about 0.95", float(holds[known].mean()), int(known.sum())
    )


def equivalence_errors(matrices: Sequence[Floats], n: int, trials: int) -> Rate:
    """How often a difference as large as the margin is called smaller than matters."""
    chance = np.random.default_rng((_SEED, n, 8))
    margin = 0.1
    drawn = [centred(matrices[i % len(matrices)], n, 1, chance) for i in range(trials)]
    columns = np.concatenate(drawn, axis=1) + margin
    within = compare_columns(columns, Method(correction="none", margin=margin)).is_within_margin(
        margin
    )
    return Rate(f"at the margin: n={n}", "at most 0.05", float(within.mean()), trials)


def histories(
    matrices: Sequence[Floats], draw: Draw, n: int, versions: int, replications: int
) -> Rate:
    """How many histories of equal versions, looked at after each, are told to be worse at some
    time."""
    chance = np.random.default_rng((_SEED, n, versions))
    wrong = 0
    for i in range(replications):
        gaps = draw(matrices[i % len(matrices)], n, versions - 1, chance)
        scores = np.vstack([np.zeros(n), gaps.T])
        looks = [scores[:seen] for seen in range(2, versions + 1)]
        wrong += any(
            find_first_bad_versions([look])[0] >= 0
            for look in looks
            if look.mean(axis=1)[-1] < look.mean(axis=1).max()
        )
    setting = f"worse at some time: {draw.__name__}, n={n}, {versions} versions"
    return Rate(setting, "at most 0.060", wrong / replications, replications)


def _normal(n: int, runs: int, chance: Generator) -> Floats:
    """Logarithms of costs, float64[n, runs]; so are those of the three below. Their mean is 0."""
    return chance.normal(0, 0.3, (n, runs))


def _wide(n: int, runs: int, chance: Generator) -> Floats:
    return chance.normal(0, 1, (n, runs))


def _with_floor(n: int, runs: int, chance: Generator) -> Floats:
    """A floor of 1 and an exponential tail; the mean logarithm is e * E1(1)."""
    return np.asarray(np.log1p(chance.exponential(1, (n, runs))) - np.e * special.exp1(1))


def _with_timeouts(n: int, runs: int, chance: Generator) -> Floats:
    """3% of the queries take ten times as long."""
    late = chance.random((n, runs)) < 0.03
    return np.asarray(_normal(n, runs, chance) + (late - 0.03) * np.log(10))


_LOGARITHMS = {
    "spread 1 to 0.3": (_wide, _normal),
    "floor to lognormal": (_with_floor, _normal),
    "timeouts to none": (_with_timeouts, _normal),
    "swapped": (_with_timeouts, _wide),
}
"""Costs of the runs and of the baseline, by name."""
COST_QUERIES, COST_RUNS = (20, 50, 200), (1, 4)
_LATENCY = make_score_only_measure("latency", higher_is_better=False, scale="cost")


def costs(name: str, n: int, runs: int, chance: Generator, *, by_sign: bool) -> Floats:
    """Costs of a baseline and of runs that equal it, float64[n, 1 + runs]: with equal geometric
    means; or with a first query of 0 and an equal chance that either is higher."""
    first, other = _LOGARITHMS[name]
    baseline, values = other(n, 1, chance), first(n, runs, chance)
    if by_sign:
        values -= _median_gap(name)
    logs = np.concatenate([baseline, values], axis=1)
    if name == "swapped":
        logs = chance.permuted(logs, axis=1)
    made: Floats = 900 * np.exp(logs + chance.normal(0, 0.7, (n, 1)))
    made[: int(by_sign)] = 0
    return made


@cache
def _median_gap(name: str) -> float:
    """By how much the logarithms of runs are above those of the baseline, in the middle."""
    first, other = _LOGARITHMS[name]
    chance = np.random.default_rng(_SEED)
    return float(np.median(first(10**6, 1, chance) - other(10**6, 1, chance)))


def false_cost_verdicts(name: str, n: int, runs: int, replications: int, *, by_sign: bool) -> Rate:
    """How many families of runs whose costs equal their baseline's have a verdict."""
    chance = np.random.default_rng((_SEED, n, runs, len(name), by_sign))
    columns, tested = [], []
    for _ in range(replications):
        made = costs(name, n, runs, chance, by_sign=by_sign)
        values, baseline = made[:, 1:], made[:, :1]
        words = find_tested_quantities(_LATENCY, values, baseline)
        columns.append(find_tested_differences(values, baseline, words))
        tested.append(words)
    gaps, all_words = np.concatenate(columns, axis=1), np.concatenate(tested)
    parts = [slice(start, start + _AT_ONCE) for start in range(0, gaps.shape[1], _AT_ONCE)]
    alone = Method(correction="none")
    p = np.concatenate([compare_columns(gaps[:, s], alone, all_words[s]).p for s in parts])
    wrong = float(found_in(p, runs).any(axis=1).mean())
    (word,) = set(all_words)
    setting = f"false {word}: {name}, n={n}, {runs} runs"
    return Rate(setting, "at most 0.080", wrong, replications)


def all_rates(matrices: Sequence[Floats], replications: int, only: Sequence[str]) -> Iterator[Rate]:
    """Every line of the table, as it is found."""
    if "verdicts" in only:
        yield from verdicts(matrices, replications)
    if "power" in only:
        for n in (20, 25, 50, 100):
            yield powers(matrices, n, 120, 150 * replications // 2_000)
    if "intervals" in only:
        for n in (8, 10, 15, 25):
            yield uncovered_means(matrices, n, replications)
        for n in QUERIES:
            yield uncovered_differences(matrices, n, replications)
            yield equivalence_errors(matrices, n, replications)
    if "histories" in only:
        for draw in (permuted, centred):
            for n in (25, 50):
                for versions in (10, 20):
                    yield histories(matrices, draw, n, versions, 400 * replications // 2_000)

    if "costs" in only:
        for by_sign in (False, True):
            for name in _LOGARITHMS:
                for n in COST_QUERIES:
                    for runs in COST_RUNS:
                        yield false_cost_verdicts(name, n, runs, 2 * replications, by_sign=by_sign)


PARTS = ("verdicts", "power", "intervals", "histories", "costs")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("matrices", help="a folder of topic-by-system matrices")
    parser.add_argument("--replications", type=int, default=2_000)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between them")
    options = parser.parse_args()
    matrices = matrices_in(options.matrices)
    print(f"{'setting':52} {'wanted':14} found   s.e.")
    for rate in all_rates(matrices, options.replications, options.only.split(",")):
        print(f"{rate.setting:52} {rate.wanted:14} {rate.found:.3f}  {rate.error:.3f}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
