"""Every pair of many runs at once, and what follows for their places.

All pairs are one family: their p-values are corrected together, and the places, the runs that may
be the best and the brackets of runs that cannot be told apart follow from the same verdicts, so
that nothing disagrees. Where every verdict holds, which fails for at most 1 - level of all draws of
queries, each run's true place lies within its own (Mohamad, Goeman and van Zwet, An improvement of
Tukey's HSD with application to ranking institutions, 2017; brackets: Piepho, An algorithm for a
letter-based representation of all-pairwise comparisons, 2004).

The draws are those of `resampled`, worked through in blocks of draws and pairs, so that 200 runs
with their 19,900 pairs need some tens of MB. A draw's standard error counts as at least half of
that in the data: where two runs differ in one query of fifty, every third draw holds no difference
of theirs at all, and its statistic without bound would hide what is clear between all other runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from metrics_core.comparing.pairs import AHEAD, BEHIND, FEWEST_QUERIES, TOO_FEW, UNCLEAR
from metrics_core.comparing.resampled import Resampled
from metrics_core.measures import Combination, GivenMeasure, parse_measure
from metrics_core.scoring.intervals import LEVEL, Interval
from metrics_core.scoring.resampling import draws, draws_of
from metrics_core.scoring.scores import Scores

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_WORK = 20_000_000_000
"""Draws times pairs times queries: more than this takes too long for a page."""
_FEWEST_DRAWS = 1_000
_VALUES = 2_000_000
"""Values of a block."""
_AT_ONCE = 500
"""Draws of a block."""
_LEAST_ERROR = 0.5
_ALIKE = 1e-12


@dataclass(frozen=True, eq=False)
class AllPairs:
    """R runs, best mean first, and all their pairs, row minus column.

    `means` is float64[R]; `difference`, its interval `low` to `high` that holds for all pairs at
    once, `p` of a pair by itself and `p_corrected` of all together are float64[R, R], NaN on the
    diagonal. `verdict` is object[R, R]: "ahead", "behind", "unclear" or, under ten shared queries,
    where there is neither interval nor p, "too few"; None on the diagonal. It says who does better,
    also where lower scores are better. `queries` int64[R, R] counts the shared ones. `first` and
    `last` int64[R] are the best and the worst place that a run may have. `draws` is how many draws
    of the queries all this rests on.
    """

    runs: tuple[str, ...]
    means: Floats
    difference: Floats
    low: Floats
    high: Floats
    p: Floats
    p_corrected: Floats
    verdict: npt.NDArray[np.object_]
    queries: Ints
    first: Ints
    last: Ints
    draws: int

    @property
    def n_pairs(self) -> int:
        """How many pairs were looked at together, in the whole family."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    @property
    def clear(self) -> npt.NDArray[np.bool_]:
        """Which pairs are told apart; bool[R, R], symmetric."""
        return np.isin(self.verdict, (AHEAD, BEHIND))

    @property
    def possible_bests(self) -> tuple[str, ...]:
        """The runs than which none is clearly better, best mean first."""
        return tuple(run for run, first in zip(self.runs, self.first, strict=True) if first == 1)

    def brackets(self) -> list[tuple[int, int]]:
        """First and last place in `runs` of each group of neighbours of which no two are told
        apart; groups that no other one holds, of two runs or more."""
        clear, found, reached = self.clear, [], -1
        for start in range(len(self.runs)):
            end = start
            while end + 1 < len(self.runs) and not clear[start : end + 1, end + 1].any():
                end += 1
            if end > max(start, reached):
                found.append((start, end))
                reached = end
        return found

    def among(self, runs: Iterable[str]) -> AllPairs:
        """The same for some of the runs, in the order of their means; verdicts and places stay
        those of all."""
        wanted = set(runs)
        rows = [i for i, run in enumerate(self.runs) if run in wanted]
        cells = np.ix_(rows, rows)
        square = ("difference", "low", "high", "p", "p_corrected", "verdict", "queries")
        return replace(
            self,
            runs=tuple(self.runs[i] for i in rows),
            **{name: getattr(self, name)[rows] for name in ("means", "first", "last")},
            **{name: getattr(self, name)[cells] for name in square},
        )


def all_pairs(scores: Scores, measure: GivenMeasure, *, level: float = LEVEL) -> AllPairs:
    """Every pair of the runs on one measure, each over the queries that both define.

    There are as many draws as for one pair (10,000 up to 20,000 queries), fewer where runs and
    queries are so many that these would take minutes, 1,000 at least: 8,000 for 200 runs and 125
    queries. A geometric mean is tested on logarithms; the interval is that of two means about the
    same middle. Raises RanklensError where the measure has no scores.
    """
    wanted = parse_measure(measure)
    combination = wanted.declaration.combination
    direction = 1 if wanted.declaration.higher_is_better else -1
    scaled = np.asarray(combination.onto(scores.of(wanted)), dtype=np.float64)
    middle = _means(scaled)
    order = np.argsort(-direction * middle, kind="stable")  # NaN last
    scaled, middle = scaled[order], middle[order]
    pairs = np.stack(np.triu_indices(len(order), 1))
    tested, n_draws = _tested(scaled, pairs)
    found = _on_its_scale(tested.intervals(level), combination, scaled, pairs)
    ahead = np.where(tested.mean * direction > 0, AHEAD, BEHIND)
    # The interval excludes zero just where this is so; see `Resampled.intervals`.
    clear = (found.low > 0) | (found.high < 0)
    enough = tested.queries >= FEWEST_QUERIES
    verdict = np.where(enough, np.where(clear, ahead, UNCLEAR), TOO_FEW).astype(object)
    square = _Square(len(order), pairs)
    verdicts = square.mirrored(verdict, {AHEAD: BEHIND, BEHIND: AHEAD})
    own = (~np.isnan(scaled)).sum(axis=1)
    return AllPairs(
        runs=tuple(scores.runs[i] for i in order),
        means=combination.back(middle),
        difference=square.signed(found.mean),
        low=square.signed(found.low, found.high),
        high=square.signed(found.high, found.low),
        p=square.same(tested.single),
        p_corrected=square.same(tested.corrected),
        verdict=verdicts,
        queries=square.same(tested.queries, own),
        first=1 + (verdicts == BEHIND).sum(axis=1),
        last=len(order) - (verdicts == AHEAD).sum(axis=1),
        draws=n_draws,
    )


@dataclass(frozen=True)
class _Square:
    """Writes one value for each pair into both halves of a matrix of so many runs."""

    runs: int
    pairs: Ints

    def signed(self, above: Floats, below: Floats | None = None) -> Floats:
        matrix = np.full((self.runs, self.runs), np.nan)
        matrix[*self.pairs] = above
        matrix[*self.pairs[::-1]] = -(above if below is None else below)
        return matrix

    def same(self, values: npt.NDArray, diagonal: npt.ArrayLike = np.nan) -> npt.NDArray:
        matrix = np.zeros((self.runs, self.runs), dtype=values.dtype)
        np.fill_diagonal(matrix, diagonal)
        matrix[*self.pairs] = matrix[*self.pairs[::-1]] = values
        return matrix

    def mirrored(
        self, values: npt.NDArray[np.object_], turned: dict[str, str]
    ) -> npt.NDArray[np.object_]:
        matrix = np.full((self.runs, self.runs), None, dtype=object)
        matrix[*self.pairs] = values
        matrix[*self.pairs[::-1]] = [turned.get(value, value) for value in values]
        return matrix


def _means(scaled: Floats) -> Floats:
    """Means of rows over their defined values; NaN where there is none."""
    defined = ~np.isnan(scaled)
    means = np.full(len(scaled), np.nan)
    total = np.where(defined, scaled, 0.0).sum(axis=1)
    return np.divide(total, defined.sum(axis=1), out=means, where=defined.any(axis=1))


@dataclass(frozen=True)
class _Columns:
    """Differences of some pairs about their means, 0 where undefined: `centred` float64[p, Q]; and
    where they are defined, None for all: `defined` bool[p, Q]."""

    centred: Floats
    defined: npt.NDArray[np.bool_] | None
    mean: Floats
    queries: Ints

    @classmethod
    def of(cls, scaled: Floats, pairs: Ints, *, whole: bool) -> _Columns:
        gap = scaled[pairs[0]] - scaled[pairs[1]]
        if whole:
            mean = gap.mean(axis=1)
            gap -= mean[:, None]
            return cls(gap, None, mean, np.full(len(mean), gap.shape[1]))
        defined = ~np.isnan(gap)
        mean = _means(gap)
        centred = np.where(defined, gap - mean[:, None], 0.0)
        return cls(centred, defined, mean, defined.sum(axis=1))


def _tested(scaled: Floats, pairs: Ints) -> tuple[Resampled, int]:
    """What `resampled` finds for the differences of all pairs, and of how many draws. Pairs under
    ten queries are not tested."""
    n_queries, n_pairs = scaled.shape[1], pairs.shape[1]
    whole = not np.isnan(scaled).any()
    size = max(1, min(n_pairs, _VALUES // max(n_queries, 1), _VALUES // _AT_ONCE))
    mean, error = np.full((2, n_pairs), np.nan)
    queries = np.zeros(n_pairs, dtype=np.int64)
    for block in _blocks(np.arange(n_pairs), size):
        found = _Columns.of(scaled, pairs[:, block], whole=whole)
        mean[block], queries[block] = found.mean, found.queries
        error[block] = _errors(found)
    statistic = _statistics(mean, error)
    tested = np.flatnonzero(queries >= FEWEST_QUERIES)
    ranked = tested[np.argsort(-np.abs(statistic[tested]), kind="stable")]
    single, corrected = np.full((2, n_pairs), np.nan)
    largest = np.zeros(1)
    n_draws = 0
    if len(ranked):
        n_draws = int(np.clip(_WORK // (n_queries * n_pairs), _FEWEST_DRAWS, draws_of(n_queries)))
        off, steps, largest = _drawn(
            scaled, pairs[:, ranked], error[ranked], statistic[ranked], n_draws, size
        )
        single[ranked] = (off + 1) / (n_draws + 1)
        corrected[ranked] = np.maximum.accumulate((steps + 1) / (n_draws + 1))
    return Resampled(mean, error, statistic, queries, single, corrected, largest), n_draws


def _drawn(
    scaled: Floats, pairs: Ints, error: Floats, statistic: Floats, n_draws: int, size: int
) -> tuple[Ints, Ints, Floats]:
    """For pairs in falling order of their statistic: in how many draws each is as far off as in the
    data, in how many one of it and its successors is, and how far off the farthest is in each."""
    whole = not np.isnan(scaled).any()
    n_pairs = len(error)
    limits = np.square(np.abs(statistic) * (1 - 1e-9))[:, None]
    least = np.square(np.where(error == 0, 1.0, _LEAST_ERROR * error))[:, None]
    off, steps = np.zeros((2, n_pairs), dtype=np.int64)
    largest = []
    for counts in draws(scaled.shape[1], n_draws):
        for part in _blocks(counts, _AT_ONCE):
            weight = np.ascontiguousarray(part.T, dtype=np.float64)
            farthest = np.zeros((1, len(part)))
            # From the smallest statistic on: a pair's successors are those that came before.
            for block in _blocks(np.arange(n_pairs)[::-1], size):
                columns = _Columns.of(scaled, pairs[:, block], whole=whole)
                columns.centred[error[block] == 0] = 0.0
                away = _squared_statistics(columns, weight, least[block])
                off[block] += (away >= limits[block]).sum(axis=1)
                away[:1] = np.maximum(away[:1], farthest)
                np.maximum.accumulate(away, axis=0, out=away)
                steps[block] += (away >= limits[block]).sum(axis=1)
                farthest = away[-1:]
            largest.append(np.sqrt(farthest[0]))
    return off, steps, np.concatenate(largest)


def _squared_statistics(columns: _Columns, weight: Floats, least: Floats) -> Floats:
    """How far off the mean of each pair is in each draw, in standard errors of that draw but at
    least the root of `least`, squared; float64[p, draws]. `weight` is float64[Q, draws]."""
    n: Floats | float = float(len(weight))
    if columns.defined is not None:
        n = columns.defined.astype(np.float64) @ weight
    sums = columns.centred @ weight
    np.square(sums, out=sums)
    spread = np.square(columns.centred) @ weight
    spread *= n
    spread -= sums
    np.maximum(spread, least * np.square(n) * np.maximum(n - 1, 0), out=spread)
    sums *= np.maximum(n - 1, 0)
    # No draw of a pair without two of its queries says anything.
    return np.divide(sums, spread, out=sums, where=spread > 0)


def _errors(columns: _Columns) -> Floats:
    """Standard errors of the means; 0 where all differences are alike, NaN under two queries."""
    squares, n = np.square(columns.centred).sum(axis=1), columns.queries
    error = np.full(len(n), np.nan)
    np.divide(squares, (n - 1) * n, out=error, where=n > 1)
    error = np.sqrt(error)
    error[error * np.sqrt(n) <= _ALIKE * np.abs(columns.mean)] = 0.0
    return error


def _statistics(mean: Floats, error: Floats) -> Floats:
    """Means in standard errors; without bound where all are alike and not 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((error == 0) & (mean == 0), 0.0, mean / error)


def _blocks(values: npt.NDArray, size: int) -> Iterator[npt.NDArray]:
    return (values[start : start + size] for start in range(0, len(values), size))


def _on_its_scale(
    found: Interval, combination: Combination, scaled: Floats, pairs: Ints
) -> Interval:
    """Differences of combined scores from those on the scale of the combination: of two that lie so
    far apart there, about the middle of the two in the data."""
    if combination.linear:
        return found
    middle = np.full(pairs.shape[1], np.nan)
    for place, (one, other) in enumerate(pairs.T):
        both = ~np.isnan(scaled[one]) & ~np.isnan(scaled[other])
        if both.any():
            middle[place] = (scaled[one][both].mean() + scaled[other][both].mean()) / 2
    return Interval(
        *(combination.back(middle + end / 2) - combination.back(middle - end / 2) for end in found)
    )
