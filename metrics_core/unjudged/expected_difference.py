"""Where the difference would likely lie if the unjudged documents were judged too.

Each is given a grade drawn from those of the judged documents that stand at its rank, in either
list and any query; the better rank counts where it stands in both lists. Again and again, that
gives the mean and the spread of the difference. It takes the documents that were judged for like
those that were not; as pools are judged from the top, what nobody judged is rather worth less.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.intervals import LEVEL, Interval
from metrics_core.unjudged.graded_scores import Codes, Graded
from metrics_core.unjudged.unjudged_ranks import NEAR, UnjudgedRanks

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DEEPEST = NEAR
"""Ranks below it are taken as not relevant: few are judged there, and those for other runs."""

_SEED = 20_260
_MOST_DRAWN = 200_000
_WORK, _FEWEST, _MOST = 4_000_000, 10, 200
_SOME, _TELLING = 3, 1_000
"""So many draws, in which so many queries vary, tell the spread."""
_SEEN = 2.5e-4
"""A mean that is off by no more, one time in three, is shown the same or in its last digit one off:
half of what rounding to three digits leaves."""
_AT_A_TIME = 50_000
"""Documents whose grades are drawn at a time."""


def likely_difference(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    found: UnjudgedRanks,
    *,
    level: float = LEVEL,
) -> Interval:
    """Mean, low and high of the combined difference; `found` reaches to the measure's cutoff. NaN
    where a measure needs more than grades, or no listed document is judged not relevant: where only
    what was found relevant is written down, nothing tells what the others are worth."""
    nothing = Interval(*np.full(3, np.nan))
    # Of very many queries the first ranks say it all, and the rest would take minutes.
    deepest = DEEPEST if run.n_queries * DEEPEST <= _MOST_DRAWN else max(measure.cutoff or 10, 10)
    near = _within(found, min(deepest, DEEPEST))
    pools = _Pools.of(run, baseline)
    if measure.declaration.needs:
        return nothing
    if not len(near):
        return Interval(*np.full(3, _difference(run, baseline, measure)))
    if not pools.hold_both:
        return nothing
    draw = pools.drawn(near.best_rank, np.random.default_rng(_SEED))
    graded = Graded(run, baseline, measure, near, pools.grades)
    size = len(near) + len(run.query) + len(run.judged_query)
    known = _Drawn(measure)
    for _ in range(int(np.clip(_WORK // size, _FEWEST, _MOST))):
        known.add(*graded.scores(draw()))
        if known.enough:
            break
    mean, spread = known.mean, known.spread
    reach = NormalDist().inv_cdf((1 + level) / 2) * spread
    return Interval(*np.array([mean, mean - reach, mean + reach]))


class _Drawn:
    """The differences that were drawn, and their spread: where each query adds to the difference by
    itself, that of the queries, which a few draws tell."""

    def __init__(self, measure: Measure) -> None:
        self._measure, self._differences = measure, list[float]()
        declaration = measure.declaration
        self._by_query = declaration.by_query and declaration.combination.linear

    def add(self, own: Floats, other: Floats) -> None:
        self._differences.append(_between(own, other, self._measure))
        gap = own - other
        if len(self._differences) == 1:
            self._first, self._sum, self._squares = gap, np.zeros_like(gap), np.zeros_like(gap)
        gap = gap - self._first
        self._sum += gap
        self._squares += np.square(gap)

    @property
    def mean(self) -> float:
        return float(np.mean(self._differences))

    @property
    def spread(self) -> float:
        """That of the difference; where some query is not defined in a draw, that of the draws."""
        return self._spread_of(self._variances())

    @property
    def enough(self) -> bool:
        """Whether more draws would change nothing that anybody sees."""
        count = len(self._differences)
        if not self._by_query or count < _SOME or len(self._sum) < _TELLING:
            return False
        every = self._variances()
        varying = int((every > 0).sum())
        return varying >= _TELLING and self._spread_of(every) <= _SEEN * count**0.5

    def _spread_of(self, variances: Floats) -> float:
        every = variances.sum() if self._by_query else np.nan
        if np.isnan(every):
            return float(np.std(self._differences, ddof=1))
        averaged = self._measure.declaration.combination.averaged
        return float(np.sqrt(every)) / (len(self._sum) if averaged else 1)

    def _variances(self) -> Floats:
        """Those of each query; float64[Q]."""
        count = len(self._differences)
        left = np.maximum(self._squares - np.square(self._sum) / count, 0.0)
        return np.asarray(left / (count - 1))


def _within(found: UnjudgedRanks, depth: int) -> UnjudgedRanks:
    """The documents that one list or both hold within a depth."""
    if max(int(r.max(initial=0)) for r in (found.run_rank, found.baseline_rank)) <= depth:
        return found
    return found.some(found.best_rank <= depth)


def _difference(run: JudgedRanks, baseline: JudgedRanks, measure: Measure) -> float:
    return _between(measure.score(run), measure.score(baseline), measure)


def _between(own: Floats, other: Floats, measure: Measure) -> float:
    of = measure.declaration.combination.of
    defined = ~(np.isnan(own) | np.isnan(other))
    if not defined.all():
        own, other = own[defined], other[defined]
    return float(of(own) - of(other))


class _Pools:
    """The grades of the judged documents of two lists by rank: of each of `ranks`, ascending, those
    from `starts` on, `counts` of them. `grades` are the rising ones that occur."""

    def __init__(self, ranks: Ints, starts: Ints, counts: Ints, grades: Floats) -> None:
        self.ranks, self._starts, self._counts, self._grades = ranks, starts, counts, grades
        self.grades, self._codes = np.unique(grades, return_inverse=True)

    @classmethod
    def of(cls, run: JudgedRanks, baseline: JudgedRanks) -> _Pools:
        judged = (run.judged(), baseline.judged())
        rank = np.concatenate([hits.rank for hits in judged])
        grades = np.concatenate([hits.relevance for hits in judged])
        # Numbers of few bytes are sorted by counting them.
        order = np.argsort(rank.astype(np.min_scalar_type(int(rank.max(initial=0)))), kind="stable")
        ranks, starts, counts = np.unique(rank[order], return_index=True, return_counts=True)
        return cls(ranks, starts, counts, grades[order])

    @property
    def hold_both(self) -> bool:
        """Whether some of the documents were judged not relevant."""
        return bool((self._grades <= 0).any())

    def place(self, rank: Ints) -> Ints:
        """The pool of each rank: its own, else that of the next better rank that has one."""
        deepest = int(rank.max(initial=0))
        if deepest > len(rank):
            return np.maximum(np.searchsorted(self.ranks, rank, "right") - 1, 0)
        every = np.searchsorted(self.ranks, np.arange(deepest + 1), "right") - 1
        return np.maximum(every, 0)[rank]

    def drawn(self, rank: Ints, generator: np.random.Generator) -> Callable[[], Codes]:
        """Draws of a grade for a document at each of these ranks, by its place in `grades`; a draw
        holds until the next one."""
        pool = self.place(rank)
        starts, counts = self._starts[pool], self._counts[pool].astype(np.float64)
        # Of few bytes each, the grades of all judged documents stay close to the processor.
        known = self._codes.astype(np.min_scalar_type(len(self.grades)))
        codes = np.empty(len(rank), dtype=known.dtype)
        drawn, place = np.empty(_AT_A_TIME), np.empty(_AT_A_TIME, dtype=np.int64)

        def draw() -> Codes:
            # A part at a time stays close to the processor; the numbers drawn are the same.
            for begin in range(0, len(rank), _AT_A_TIME):
                part = slice(begin, min(begin + _AT_A_TIME, len(rank)))
                number, own = drawn[: part.stop - begin], place[: part.stop - begin]
                generator.random(out=number)
                number *= counts[part]
                own[:] = number
                own += starts[part]
                known.take(own, out=codes[part], mode="clip")
            return codes

        return draw
