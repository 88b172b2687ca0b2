"""Random situations for what is said of them: scores of 1 to 20 runs on 1 to 200 queries, with
ties, gaps and groups, and frames as the comparing functions give them.

The frames are made here in a few lines of numpy, by a z test, for what they are held against is the
text, not the test: 2,000 of them take a few seconds. `test_claims.py` holds them to `compare` in
all that is no test. On each push 300 are tried, in `make thorough` 2,000.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import erfc, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics_core.comparing.pairs import SAME
from metrics_core.comparing.verdicts import FEWEST_DIFFERING, FEWEST_QUERIES, decide_verdict
from metrics_core.comparing.winners import better_run_sign
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring.scores import Scores
from tests.random_cases import in_this_run

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

COUNT = 2_000
MEASURES = ("nDCG@10", "P@5", "Unjudged@10", "Utility", "RR", "NumRelRet")
KINDS = (
    "any", "better", "ties", "constant", "equal", "level", "negative", "counts", "tiny", "rare",
)  # fmt: skip
_LEVELS = (0.9, 0.95, 0.95, 0.95, 0.99)
_GROUPS = ("Billing", "Returns", "(none)", "Devices", "Travel", "Payroll", "Benefits", "Legal")


@dataclass(frozen=True, eq=False)
class Situation:
    """Scores on one measure; the first run is the baseline, the second, if there is one, that in
    focus. `groups` are up to three columns, each the group of every query."""

    seed: int
    kind: str
    measure: Measure
    scores: Scores
    groups: tuple[npt.NDArray[np.object_], ...]
    level: float
    margin: float | None
    has_intervals: bool

    @property
    def baseline(self) -> str:
        return self.scores.runs[0]

    @property
    def focus(self) -> str:
        return self.scores.runs[min(1, len(self.scores.runs) - 1)]

    @property
    def direction(self) -> int:
        return self.measure.declaration.direction

    def values(self, run: str) -> Floats:
        return self.scores.values[self.scores.runs.index(run), :, 0]

    def mean(self, run: str) -> float:
        return _mean(self.values(run))

    def gaps(self, run: str) -> Floats:
        """The defined differences to the baseline."""
        own = self.values(run) - self.values(self.baseline)
        return own[~np.isnan(own)]

    @cached_property
    def compared(self) -> pd.DataFrame:
        """A frame of `compare`."""
        others = self.scores.runs[1:]
        own = self.values(self.baseline)
        n = int((~np.isnan(own)).sum())
        base = {"run": self.baseline, "mean": _mean(own), "queries": n, "same": n, "won": 0}
        base |= {"lost": 0, "differing": 0, "verdict": None, "reason": None}
        rows = [base, *(_row(self, run, len(others)) for run in others)]
        frame = {column: [row.get(column, np.nan) for row in rows] for column in _COLUMNS}
        return _framed(frame)


_COLUMNS = [
    "run", "mean", "difference", "low", "high", "inner_low", "inner_high", "won", "lost", "same",
    "queries", "differing", "p_corrected", "verdict", "reason",
]  # fmt: skip
"""What sentences ask of a frame."""


def _framed(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """A frame of these; plain text columns are made and asked much sooner than those of Arrow."""
    kinds = {name: object if name in _TEXTS else None for name in columns}
    return pd.DataFrame({name: np.array(columns[name], kinds[name]) for name in columns})


_TEXTS = {"run", "group", "verdict", "reason"}


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.sum()) / len(known) if len(known) else float("nan")


def _row(given: Situation, run: str, runs: int) -> dict[str, Any]:
    """What a z test says of one run, corrected by how many are compared."""
    gaps, nan = given.gaps(run), float("nan")
    n, differing = len(gaps), int((gaps != 0).sum())
    better = gaps * given.direction
    won, lost = int((better > SAME + 1e-12).sum()), int((better < -SAME - 1e-12).sum())
    row: dict[str, Any] = {"run": run, "mean": _mean(given.values(run)), "queries": n}
    row |= {"won": won, "lost": lost, "same": n - won - lost, "differing": differing}
    row["difference"] = _mean(gaps)
    p = nan
    if n >= FEWEST_QUERIES and differing >= FEWEST_DIFFERING:
        error = float(gaps.std(ddof=1)) / sqrt(n)
        mean = row["difference"] if better_run_sign(row["difference"]) else 0.0
        z = abs(mean) / error if error > 1e-15 else float("inf") * abs(mean) if mean else 0.0
        p = min(1.0, erfc(z / sqrt(2)) * runs)
        for low, high, level in (
            ("low", "high", 1 - (1 - given.level) / runs),
            ("inner_low", "inner_high", 1 - 2 * (1 - given.level) / runs),
        ):
            wide = NormalDist().inv_cdf((1 + max(level, 0)) / 2) * error
            if given.has_intervals:
                row[low], row[high] = row["difference"] - wide, row["difference"] + wide
    inner = max(-row.get("inner_low", nan), row.get("inner_high", nan))
    said = decide_verdict(
        row["difference"] * given.direction,
        p,
        n_queries=n,
        n_differing=differing,
        level=given.level,
        is_within_margin=given.margin is not None and inner < given.margin,
    )
    return row | {"p_corrected": p, "verdict": said.word, "reason": said.reason}


def situations(every: int = 1, first: int = 0) -> tuple[Situation, ...]:
    """Each `every`-th situation of 2,000, from the `first` on; on each push at most 300 of them."""
    seeds = range(first, COUNT, every)
    return tuple(map(situation, seeds[: in_this_run(300, COUNT)]))


@cache
def situation(seed: int) -> Situation:
    """The situation of a seed."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    runs = int(rng.choice([1, 2, 2, 2, 3, 4, 6, 20]))
    queries = int(rng.choice([1, 2, 5, 9, 10, 11, 15, 25, 40, 60, 200]))
    measure = parse_measure(str(rng.choice(MEASURES)))
    values = _values(kind, runs, queries, rng)
    missing = np.zeros((runs, queries), dtype=bool)
    if kind not in ("constant", "equal", "level"):
        if rng.random() < 0.3:
            missing = rng.random((runs, queries)) < rng.choice([0.1, 0.5]) * (rng.random() < 0.8)
            values[missing] = 0.0
        if rng.random() < 0.2:
            values[rng.random((runs, queries)) < rng.choice([0.1, 0.6, 1.0])] = np.nan
    columns = int(rng.integers(4))
    groups = tuple(_groups(queries, rng) for _ in range(columns))
    return Situation(
        seed,
        kind,
        measure,
        Scores(
            tuple(f"run{i}" for i in range(runs)),
            tuple(f"q{i}" for i in range(queries)),
            (measure,),
            values[:, :, None],
            missing,
        ),
        groups,
        float(rng.choice(_LEVELS)),
        float(rng.choice([0.01, 0.05, 0.2])) if rng.random() < 0.4 else None,
        bool(rng.random() < 0.9),
    )


def _groups(queries: int, rng: np.random.Generator) -> npt.NDArray[np.object_]:
    """One to eight groups of very unequal sizes, one of them of queries without a value."""
    n = int(rng.integers(1, len(_GROUPS) + 1))
    weights = rng.dirichlet(np.ones(n))
    return np.array(_GROUPS, dtype=object)[rng.choice(n, size=queries, p=weights)]


def _values(kind: str, runs: int, queries: int, rng: np.random.Generator) -> Floats:
    shape = (runs, queries)
    usual = np.round(rng.beta(0.7, 0.9, shape), 3)
    if kind == "better":
        shift = np.linspace(0, rng.choice([0.1, 0.4]), runs)[:, None]
        return np.clip(usual * 0.5 + rng.permuted(shift, axis=0), 0, 1)
    if kind == "ties":
        return rng.choice([0.0, 0.5, 1.0], shape)
    if kind == "constant":
        return np.repeat(np.round(rng.random((runs, 1)), 2), queries, axis=1)
    if kind == "equal":
        return np.repeat(usual[:1], runs, axis=0)
    if kind == "level":
        return rng.permuted(np.repeat(usual[:1], runs, axis=0), axis=1)
    if kind == "negative":
        return rng.normal(0, 1, shape)
    if kind == "counts":
        return rng.integers(0, rng.choice([3, 2_000]), shape).astype(float)
    if kind == "tiny":
        return (
            0.5 + rng.normal(0, rng.choice([1e-9, 1e-4]), shape) + np.arange(runs)[:, None] * 1e-4
        )
    if kind == "rare":
        return (rng.random(shape) < 0.06) * usual
    return usual


@cache
def by_group(given: Situation, column: int = 0) -> pd.DataFrame:
    """A frame of `slicing.breakdowns.summarise_groups` of the first ten runs, by a z test for all
    groups together."""
    names = list(dict.fromkeys(given.groups[column]))
    strict = NormalDist().inv_cdf(1 - 0.025 / len(names))
    rows: list[tuple[Any, ...]] = []
    for run in given.scores.runs[:10]:
        whole = given.values(run) - given.values(given.baseline)
        for name in names:
            inside = whole[given.groups[column] == name]
            gaps = inside[~np.isnan(inside)]
            mean, error, n = _mean(gaps), np.nan, len(gaps)
            if n >= FEWEST_QUERIES and (gaps != 0).sum() >= FEWEST_DIFFERING:
                error = float(gaps.std(ddof=1)) / sqrt(n)
            ends = (
                (np.nan, np.nan) if run == given.baseline else (mean - 2 * error, mean + 2 * error)
            )
            clear = run != given.baseline and abs(mean) > strict * error
            own = np.nan if run == given.baseline else mean
            rows.append((name, run, n, own, *ends, bool(clear)))
    columns = ["group", "run", "queries", "difference", "diff_low", "diff_high", "clear"]
    return _framed(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))


@cache
def bridge_of(given: Situation, column: int = 0) -> pd.DataFrame:
    """The groups of the run in focus, with the columns part, tested, clear and unlike."""
    own = by_group(given, column)
    own = own[(own["run"] == given.focus) & (own["queries"] > 0)].reset_index(drop=True)
    own["part"] = own["difference"] * own["queries"] / max(own["queries"].sum(), 1)
    own["tested"] = own["diff_low"].notna()
    own["unlike"] = [_unlike(given, column, group) for group in own["group"]]
    return own


def _unlike(given: Situation, column: int, group: str) -> bool:
    """Whether the difference of a group is unlike that of the rest, by a z test."""
    gaps = given.values(given.focus) - given.values(given.baseline)
    known, inside = ~np.isnan(gaps), given.groups[column] == group
    own, rest = gaps[known & inside], gaps[known & ~inside]
    if min(len(own), len(rest)) < FEWEST_QUERIES:
        return False
    error = sqrt(own.var(ddof=1) / len(own) + rest.var(ddof=1) / len(rest))
    return abs(own.mean() - rest.mean()) > 3 * error
