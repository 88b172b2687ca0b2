"""The Ranking page: all runs on several measures, and the places that each run may have according
to the comparison of all pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.measure_key import ChosenMeasure, key_at_k
from dashboard.address.view import Comparison
from dashboard.answers.overview_measures import measure_gloss, overview_measures
from dashboard.answers.pairs import all_run_pairs, are_pairs_cached, pairs_key
from dashboard.study.study import Study
from metrics_core.base.arrays import Floats, Ints
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.ranking import first_places_text
from metrics_core.measures import Measure
from metrics_core.scoring.intervals import mean_intervals


@dataclass(frozen=True)
class RankedMeasure:
    """All runs on one measure. The runs are ordered by the chosen measure; arrays have shape [run]
    (float64, int64).

    `key` selects the measure in an address. `low` and `high` are the bounds of the confidence
    interval of each run, NaN if there are too few queries. `first` and `last` are the best and
    worst place that a run may have on this measure, according to the comparison of all pairs. They
    are None if the comparison is not computed yet or there is no test."""

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
    """All runs on several measures, sorted by the chosen measure, best run first.

    `table` has one row per measure and run: measure, run, mean, low, high and, if the places are
    known, first_place and last_place. `first_places` says for the other measures which runs rank
    first. It covers only measures on which the places are known."""

    runs: tuple[str, ...]
    columns: tuple[RankedMeasure, ...]
    table: pd.DataFrame
    first_places: str = ""


def ranking(study: Study, comparison: Comparison, *, with_all_rank_ranges: bool = True) -> Ranking:
    """Return the ranking of all runs on the default measures and the chosen one. The possible ranks
    on measures other than the chosen one take longer to compute, so they are included only if they
    are in the cache or if `with_all_rank_ranges` is true."""
    if with_all_rank_ranges:
        pairs_on_measures(study, comparison)
    known_places = tuple(
        are_pairs_cached(study, _replace_measure(comparison, m))
        for m in overview_measures(study, comparison)
    )
    return study.cached_answer(_ranking, pairs_key(study, comparison), known_places)


def pairs_on_measures(study: Study, comparison: Comparison) -> dict[Measure, AllPairs]:
    """Return the comparison of all pairs of loaded runs on each measure of the table."""
    return {
        measure: all_run_pairs(study, _replace_measure(comparison, measure))
        for measure in overview_measures(study, comparison)
    }


def is_ranking_cached(study: Study, comparison: Comparison) -> bool:
    """Return whether the possible ranks of the runs are in the cache for all measures of the
    ranking."""
    return all(
        are_pairs_cached(study, _replace_measure(comparison, m))
        for m in overview_measures(study, comparison)
    )


def _replace_measure(comparison: Comparison, measure: Measure) -> Comparison:
    if measure == comparison.measure:
        return comparison
    return replace(comparison, chosen_measure=ChosenMeasure(measure, key_at_k(measure)))


def _ranking(study: Study, comparison: Comparison, cached_rank_ranges: tuple[bool, ...]) -> Ranking:
    runs = all_run_pairs(study, comparison).runs
    columns = tuple(
        _rank_on_measure(study, comparison, measure, runs, with_rank_ranges=placed)
        for measure, placed in zip(
            overview_measures(study, comparison), cached_rank_ranges, strict=True
        )
    )
    parts = [
        pd.DataFrame(
            {"measure": str(c.measure), "run": runs, "mean": c.mean, "low": c.low, "high": c.high}
            | ({} if c.first is None else {"first_place": c.first, "last_place": c.last})
        )
        for c in columns
    ]
    leaders = {
        str(c.measure): tuple(runs[i] for i in firsts) if len(firsts) > 1 or 1 in c.last else ()
        for c in columns
        if c.first is not None and c.last is not None
        for firsts in [np.flatnonzero(c.first == 1)]
    }
    return Ranking(
        runs,
        columns,
        pd.concat(parts, ignore_index=True),
        first_places_text(leaders, comparison.name),
    )


def _rank_on_measure(
    study: Study,
    comparison: Comparison,
    measure: Measure,
    runs: tuple[str, ...],
    *,
    with_rank_ranges: bool,
) -> RankedMeasure:
    scores = study.scores_of_all_runs(comparison, measure)
    values = np.asarray(scores.values_of(measure), dtype=np.float64)
    positions = [scores.runs.index(run) for run in runs]
    declaration = measure.declaration
    (means,) = mean_intervals(
        [values[positions].T], declaration.combination, limits=declaration.range
    )
    low, high = means.low, means.high
    if scores.n_queries < FEWEST_QUERIES:
        low, high = np.full((2, len(runs)), np.nan)
    first = last = None
    if with_rank_ranges:
        run_pairs = all_run_pairs(study, _replace_measure(comparison, measure))
        if run_pairs.draws:
            pair_rows = [run_pairs.runs.index(run) for run in runs]
            first, last = run_pairs.first[pair_rows], run_pairs.last[pair_rows]
    return RankedMeasure(
        measure, key_at_k(measure), measure_gloss(measure), means.mean, low, high, first, last
    )
