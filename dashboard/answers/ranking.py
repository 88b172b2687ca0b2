"""Ranking: all runs on several measures, with the places that all pairs of each leave them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from dashboard.address.measure_key import at_k, read_measure
from dashboard.address.view import Comparison
from dashboard.answers.overview import gloss, overview_measures
from dashboard.answers.pairs import alike, every_pair, every_pair_known
from dashboard.study.study import Study
from metrics_core.base.arrays import Floats, Ints
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.places import first_alone
from metrics_core.findings.sentence import Sentence
from metrics_core.measures import Measure
from metrics_core.scoring.intervals import mean_intervals


@dataclass(frozen=True)
class RankedMeasure:
    """All runs on one measure, in the order of the chosen one; `key` chooses it in an address.
    `low` and `high` are each run's own interval, NaN of few queries. `first` and `last` are the
    best and the worst place that a run may have by all pairs of this measure; None while these are
    awaited, and where nothing was tested."""

    measure: Measure
    key: str
    gloss: str
    mean: Floats
    low: Floats
    high: Floats
    first: Ints | None
    last: Ints | None


@dataclass(frozen=True)
class Ranking:
    """All runs on several measures, the best on the chosen one first; `table` has a row for each of
    both. `alone` says on which others one run is first alone, as far as their places are known."""

    runs: tuple[str, ...]
    columns: tuple[RankedMeasure, ...]
    table: pd.DataFrame
    alone: Sentence = field(default_factory=Sentence)


def ranking(study: Study, shown: Comparison, *, whole: bool = True) -> Ranking:
    """All runs on the usual measures and the chosen one; the places on others than the chosen one
    take longer, and are there if they are known, or the `whole` is asked for."""
    if whole:
        for measure in overview_measures(shown):
            every_pair(study, _on(shown, measure))
    known = tuple(every_pair_known(study, _on(shown, m)) for m in overview_measures(shown))
    return study.kept(_ranking, alike(study, shown), known)


def ranking_soon(study: Study, shown: Comparison) -> bool:
    """Whether all places are at hand."""
    return all(every_pair_known(study, _on(shown, m)) for m in overview_measures(shown))


def _on(shown: Comparison, measure: Measure) -> Comparison:
    if measure == shown.measure:
        return shown
    return replace(shown, chosen=read_measure(at_k(measure), shown.cutoff))


def _ranking(study: Study, shown: Comparison, known: tuple[bool, ...]) -> Ranking:
    runs = every_pair(study, shown).runs
    columns = tuple(
        _ranked(study, shown, measure, runs, placed=placed)
        for measure, placed in zip(overview_measures(shown), known, strict=True)
    )
    parts = [
        pd.DataFrame(
            {"measure": str(c.measure), "run": runs, "mean": c.mean, "low": c.low, "high": c.high}
            | ({} if c.first is None else {"first_place": c.first, "last_place": c.last})
        )
        for c in columns
    ]
    alone = {
        str(c.measure): runs[int(np.argmin(c.last))]
        for c in columns
        if c.last is not None and c.last.min() == 1
    }
    return Ranking(
        runs,
        columns,
        pd.concat(parts, ignore_index=True),
        first_alone(alone, shown.name),
    )


def _ranked(
    study: Study, shown: Comparison, measure: Measure, runs: tuple[str, ...], *, placed: bool
) -> RankedMeasure:
    scores = study.every_score(shown, measure)
    values = np.asarray(scores.of(measure), dtype=np.float64)
    of = [scores.runs.index(run) for run in runs]
    told = measure.declaration
    (own,) = mean_intervals([values[of].T], told.combination, within=told.range)
    low, high = own.low, own.high
    if scores.n_queries < FEWEST_QUERIES:
        low, high = np.full((2, len(runs)), np.nan)
    first = last = None
    if placed:
        found = every_pair(study, _on(shown, measure))
        if found.draws:
            at = [found.runs.index(run) for run in runs]
            first, last = found.first[at], found.last[at]
    return RankedMeasure(measure, at_k(measure), gloss(measure), own.mean, low, high, first, last)
