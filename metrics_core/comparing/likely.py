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

from metrics_core.comparing.holes import NEAR, Holes
from metrics_core.comparing.moved import Graded
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.intervals import LEVEL, Interval

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DEEPEST = NEAR
"""Ranks below it are taken as not relevant: few are judged there, and those for other runs."""

_SEED = 20_260
_MOST_DRAWN = 200_000
_WORK, _FEWEST, _MOST = 4_000_000, 10, 200


def likely_difference(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    found: Holes,
    *,
    level: float = LEVEL,
) -> Interval:
    """Mean, low and high of the combined difference; `found` reaches to the measure's cutoff. NaN
    where a measure needs more than grades, or no listed document is judged not relevant: where only
    what was found relevant is written down, nothing tells what the others are worth."""
    nothing = Interval(*np.full(3, np.nan))
    # Of very many queries the first ranks say it all, and the rest would take minutes.
    deepest = DEEPEST if run.n_queries * DEEPEST <= _MOST_DRAWN else max(measure.cutoff or 10, 10)
    near = found.some(found.best_rank <= min(deepest, DEEPEST))
    pools = _Pools.of(run, baseline)
    if measure.declaration.needs:
        return nothing
    if not len(near):
        return Interval(*np.full(3, _difference(run, baseline, measure)))
    if not pools.hold_both:
        return nothing
    generator = np.random.default_rng(_SEED)
    draw = pools.drawn(near.best_rank)
    graded = Graded(run, baseline, measure, near, pools.grades)
    size = len(near) + len(run.query) + len(run.judged_query)
    drawn = []
    for _ in range(int(np.clip(_WORK // size, _FEWEST, _MOST))):
        drawn.append(_between(*graded.scores(draw(generator)), measure))
    mean, spread = float(np.mean(drawn)), float(np.std(drawn, ddof=1))
    reach = NormalDist().inv_cdf((1 + level) / 2) * spread
    return Interval(*np.array([mean, mean - reach, mean + reach]))


def _difference(run: JudgedRanks, baseline: JudgedRanks, measure: Measure) -> float:
    return _between(measure.score(run), measure.score(baseline), measure)


def _between(own: Floats, other: Floats, measure: Measure) -> float:
    of = measure.declaration.combination.of
    defined = ~(np.isnan(own) | np.isnan(other))
    return float(of(own[defined]) - of(other[defined]))


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
        order = np.argsort(rank, kind="stable")
        ranks, starts, counts = np.unique(rank[order], return_index=True, return_counts=True)
        return cls(ranks, starts, counts, grades[order])

    @property
    def hold_both(self) -> bool:
        """Whether some of the documents were judged not relevant."""
        return bool((self._grades <= 0).any())

    def place(self, rank: Ints) -> Ints:
        """The pool of each rank: its own, else that of the next better rank that has one."""
        return np.maximum(np.searchsorted(self.ranks, rank, "right") - 1, 0)

    def drawn(self, rank: Ints) -> Callable[[np.random.Generator], Ints]:
        """Draws of a grade for a document at each of these ranks, by its place in `grades`."""
        pool = self.place(rank)
        starts, counts = self._starts[pool], self._counts[pool]

        def draw(generator: np.random.Generator) -> Ints:
            chosen = (generator.random(len(rank)) * counts).astype(np.int64)
            return self._codes[starts + chosen]

        return draw

    def expected(self, rank: Ints) -> Floats:
        """The mean grade of each of these ranks."""
        sums = np.add.reduceat(self._grades, self._starts)
        return (sums / self._counts)[self.place(rank)]


def expected_grades(run: JudgedRanks, baseline: JudgedRanks, rank: Ints) -> Floats:
    """The mean grade of the judged documents at each of these ranks in either list, of the next
    better rank where none is judged there; NaN where none is judged at all."""
    pools = _Pools.of(run, baseline)
    return pools.expected(rank) if len(pools.ranks) else np.full(len(rank), np.nan)
