"""Check whether other measures agree: the better run, and the order of all runs, under each
measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats
from metrics_core.comparing.method import MIN_P, Method
from metrics_core.comparing.tested_quantities import (
    MEAN_DIFFERENCE,
    NOT_TESTED,
    find_tested_differences,
    find_tested_quantities,
)
from metrics_core.comparing.testing import compare_columns, largest_possible_difference
from metrics_core.comparing.verdicts import NO_VERDICT, decide_verdict
from metrics_core.comparing.winners import better_run_signs
from metrics_core.measures import GivenMeasure, parse_measure
from metrics_core.scoring.intervals import LEVEL
from metrics_core.scoring.scores import Scores

_ALIKE = 1e-9


@dataclass(frozen=True)
class Agreement:
    """Agreement of measures on whether a run or a baseline is better, and on the order of all runs.

    `table` has one row per measure. Columns:

        measure
        mean, baseline_mean, difference
        side       1 if the run is better, -1 if the baseline is better, 0 if they are equal
        low, high  interval of the difference, simultaneous over all measures, on the scale on
                   which the measure is averaged
        verdict    one of the constants of `verdicts`

    `orders` float64[measure, measure] is Kendall's tau-b between the orders of all runs; NaN for a
    measure on which all runs are tied."""

    table: pd.DataFrame
    orders: Floats

    def reorder(self, measures: Sequence[str]) -> Agreement:
        """Return a copy with the measures in this order."""
        positions = pd.Index(self.table["measure"]).get_indexer(list(measures))
        table = self.table.iloc[positions].reset_index(drop=True)
        return Agreement(table, self.orders[np.ix_(positions, positions)])

    def replace_verdict(self, measure: str, row: Mapping[str, Any]) -> Agreement:
        """Return a copy in which the row of one measure has the low, high and verdict of `row`, a
        row of `compare`.

        The values of `row` are corrected for the number of runs, not for the number of measures."""
        names = ["low", "high", "verdict"]
        table = self.table.copy()
        table.loc[table["measure"] == measure, names] = [row[name] for name in names]
        return Agreement(table, self.orders)

    def agreeing_measures(self, measure: str) -> list[str]:
        """Return the measures that favour the same run as `measure` does, including `measure`
        itself."""
        side = self.rows_with_difference.set_index("measure")["side"]
        return list(side.index[side == side[measure]])

    @property
    def rows_with_difference(self) -> pd.DataFrame:
        """The rows of `table` whose difference is defined."""
        return self.table.dropna(subset=["difference"])

    def measures_that_rank_runs_alike(self, measure: str) -> list[str]:
        """Return the measures that order all runs exactly like `measure`, and `measure` itself."""
        names = list(self.table["measure"])
        is_same = self.orders[names.index(measure)] >= 1 - _ALIKE
        return [name for name, same in zip(names, is_same, strict=True) if same or name == measure]


def find_agreement(scores: Scores, run: str, baseline: str, *, level: float = LEVEL) -> Agreement:
    """Compare a run with a baseline on every measure of the scores, and compare how the measures
    order all runs. Raises UnknownRunError."""
    combined = scores.combined()
    i, j = scores.position(run), scores.position(baseline)
    directions = np.array([m.declaration.direction for m in scores.measures])
    gaps, tested = [], []
    for m, measure in enumerate(scores.measures):
        onto = measure.declaration.combination.to_scale
        run_scores, baseline_scores = (onto(scores.values[[run], :, m]).T for run in (i, j))
        tested.append(find_tested_quantities(measure, run_scores, baseline_scores))
        gaps.append(find_tested_differences(run_scores, baseline_scores, tested[-1]))
    words = np.concatenate(tested)
    widest = [
        largest_possible_difference(m) if m.declaration.combination.linear else np.inf
        for m in scores.measures
    ]
    results = compare_columns(
        np.concatenate(gaps, axis=1), Method(correction=MIN_P, level=level), words
    ).clip_bounds(widest)
    is_mean = words == MEAN_DIFFERENCE
    p_corrected = np.where(words == NOT_TESTED, np.nan, results.p_corrected)
    difference = combined[i] - combined[j]
    table = pd.DataFrame(
        {
            "measure": [str(m) for m in scores.measures],
            "mean": combined[i],
            "baseline_mean": combined[j],
            "difference": difference,
            "side": better_run_signs(difference) * directions,
            "low": np.where(is_mean, results.low, np.nan),
            "high": np.where(is_mean, results.high, np.nan),
            "verdict": [
                decide_verdict(gap, p, n_queries=int(n), n_differing=int(m), level=level).word
                if sign
                else NO_VERDICT
                for sign, gap, p, n, m in zip(
                    directions,
                    np.where(is_mean, difference, results.mean) * directions,
                    p_corrected,
                    results.sample.queries,
                    results.sample.differing,
                    strict=True,
                )
            ],
        }
    )
    return Agreement(table, _kendall_taus(combined * directions))


def _kendall_taus(values: Floats) -> Floats:
    """Return Kendall's tau-b between the orders of the runs under each pair of measures,
    float64[measure, measure]. `values` is float64[run, measure].

    Tau-b is a quotient. The numerator is the number of run pairs that both measures order in the
    same way, minus the number of pairs that they order in opposite ways. The denominator is the
    geometric mean of the number of pairs that the first measure orders and the number of pairs that
    the second measure orders."""
    # Values that differ only by rounding are tied.
    steady = values.round(12)
    first, second = np.triu_indices(len(steady), 1)
    signs = np.sign(steady[first] - steady[second])
    ordered = np.sqrt((signs != 0).sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        taus = np.clip(signs.T @ signs / ordered[:, None] / ordered, -1.0, 1.0)
    taus[:, ordered == 0] = taus[ordered == 0] = np.nan
    np.fill_diagonal(taus, np.where(ordered > 0, 1.0, np.nan))
    return taus


def find_disagreements(
    scores: Scores,
    run: str,
    baseline: str,
    first_measure: GivenMeasure,
    second_measure: GivenMeasure,
) -> pd.DataFrame:
    """Return the queries on which two measures disagree about a pair of runs, strongest
    disagreement first.

    Columns: query_id, first, second, apart. `first` and `second` are the difference, run minus
    baseline, under each of the two measures. `apart` is the strength of the disagreement. To
    compute it, each difference is divided by the root mean square of all differences under the same
    measure, and signed so that positive is better. `apart` is the absolute difference between the
    two results. Queries without a score are excluded. Raises UnknownRunError."""
    pair = scores.select_runs([run, baseline])
    gaps: list[Floats] = []
    units: list[Floats] = []
    for measure in map(parse_measure, (first_measure, second_measure)):
        own_scores, other_scores = pair.values_of(measure)
        gap = own_scores - other_scores
        typical = float(np.sqrt(np.nanmean(np.square(gap)))) if (~np.isnan(gap)).any() else 0.0
        gaps.append(gap)
        sign = measure.declaration.direction or np.nan
        units.append(gap * sign / typical if typical > 0 else gap)
    frame = pd.DataFrame(
        {
            "query_id": np.array(pair.query_ids, dtype=object),
            "first": gaps[0],
            "second": gaps[1],
            "apart": np.abs(units[0] - units[1]),
        }
    )
    defined = frame.dropna(subset=["apart"])
    return defined.sort_values("apart", ascending=False, kind="stable").reset_index(drop=True)


def count_disagreeing_queries(frame: pd.DataFrame, measures: Sequence[GivenMeasure]) -> int:
    """Count the queries on which the two measures prefer different runs. `frame` is a result of
    `find_disagreements`."""
    first, second = (parse_measure(m).declaration.direction for m in measures)
    return int((frame["first"] * first * frame["second"] * second < 0).sum())
