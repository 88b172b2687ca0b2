"""Compare runs with a baseline: paired differences, wins and losses, tests and verdicts.

A difference is always run minus baseline. Outcomes and verdicts name the better run, even for
measures for which lower is better. The outcome on a query is "same" if its two scores differ by at
most `SAME`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import AnyArray, Floats, Mask, Objects
from metrics_core.comparing.comparison_results import ComparisonResults
from metrics_core.comparing.difference_warnings import count_decisive_queries
from metrics_core.comparing.method import DEFAULT_METHOD, Method
from metrics_core.comparing.testing import PairedScores, compare_groups
from metrics_core.comparing.verdicts import (
    NO_MATTER,
    Verdict,
    decide_verdict,
    undeclared_direction_verdict,
)
from metrics_core.measures import MEAN, GivenMeasure, Measure, parse_measure
from metrics_core.scoring.scores import Scores

SAME = 0.01
"""Two scores of a query count as the same if they differ by at most this."""

BETTER, WORSE, TIED = "better", "worse", "same"


def choose_tie_threshold(measure: Measure, tie_threshold: float = SAME) -> float:
    """Return the largest difference with which two scores on a measure count as the same: 0 for
    costs, whose unit can be anything, otherwise `tie_threshold`."""
    return 0.0 if measure.declaration.scale == "cost" else tie_threshold


def classify_differences(
    differences: Floats, measure: Measure, *, tie_threshold: float = SAME
) -> Objects:
    """Return "better", "worse" or "same" for each difference, object[…]; None if the difference is
    undefined.

    `differences` float64[…] are positive if the run is better. A difference of at most
    `choose_tie_threshold`, in absolute value, is "same"."""
    better, worse = _mark_beyond_tie_threshold(
        differences, choose_tie_threshold(measure, tie_threshold)
    )
    result = np.full(differences.shape, TIED, dtype=object)
    result[better] = BETTER
    result[worse] = WORSE
    result[np.isnan(differences)] = None
    return result


def _mark_beyond_tie_threshold(differences: Floats, tie_threshold: float) -> tuple[Mask, Mask]:
    """Return which differences are above the band of ties, and which are below it."""
    # A difference of exactly `same` in decimals must not leave the band by rounding.
    edge = tie_threshold + 1e-12
    return differences > edge, differences < -edge


def query_differences(
    scores: Scores | pd.DataFrame,
    measure: GivenMeasure,
    run: str,
    baseline: str,
    *,
    tie_threshold: float = SAME,
) -> pd.DataFrame:
    """Return the scores of run and baseline on each query. Columns: query_id, score,
    baseline_score, difference (run minus baseline), outcome ("better", "worse", "same" or None).
    Raises UnknownRunError."""
    run_scores, parsed_measure = Scores.from_any(scores), parse_measure(measure)
    own_scores, other_scores = run_scores.select_runs([run, baseline]).values_of(parsed_measure)
    return pd.DataFrame(
        {
            "query_id": np.array(run_scores.query_ids, dtype=object),
            "score": own_scores,
            "baseline_score": other_scores,
            "difference": own_scores - other_scores,
            "outcome": classify_differences(
                (own_scores - other_scores) * parsed_measure.declaration.direction,
                parsed_measure,
                tie_threshold=tie_threshold,
            ),
        }
    )


def compare(
    scores: Scores | pd.DataFrame,
    measure: GivenMeasure,
    baseline: str,
    *,
    tie_threshold: float = SAME,
    method: Method = DEFAULT_METHOD,
) -> pd.DataFrame:
    """Compare every run with the baseline on one measure. The row of the baseline comes first.

    Columns:

        run
        mean, baseline_mean      each over the queries on which the run's own score is defined
        difference, low, high    mean paired difference, run minus baseline, and its interval
        inner_low, inner_high    the narrower interval of two one-sided tests against a margin
        won, lost, same          number of queries
        queries, differing       queries with both scores defined, and queries on which they differ
        p, p_corrected           p-value, uncorrected and corrected for the number of runs
        effect                   mean difference in standard deviations of the differences
        effect_low, effect_high  interval of the effect, not corrected
        error                    standard error of the difference
        width                    number of standard errors from zero at which it is significant
        verdict, reason          one of the constants of `verdicts`, and its reason
        tested                   the quantity that p and the verdict concern (`tested_quantities`)
        ratio                    typical ratio of run to baseline, if it is tested
        ratio_low, ratio_high    interval of the typical ratio
        half_from                smallest number of queries that make up half of the difference

    In the row of the baseline, difference and everything derived from it are NaN or None. Without a
    test, interval, p and p_corrected are NaN. The interval excludes zero if and only if the
    difference is significant by p_corrected; tests that do not concern the mean have no interval.
    For a cost the mean difference is not tested and has no interval, and on each query any
    difference counts as won or lost. If the direction of the measure is not declared, nothing is
    tested, and won, lost, same are NaN. For a geometric mean, difference is the difference of the
    two geometric means, and the test is on logarithms. Raises UnknownRunError."""
    return compare_measures(
        scores, [measure], baseline, tie_threshold=tie_threshold, methods=[method]
    )[0]


def verdict_interval(row: Mapping[str, Any], level: float) -> tuple[float, float, float]:
    """Return the bounds and the level of the interval on which the verdict of a row of `compare` is
    based.

    If the verdict is "no difference that matters", this is the narrower interval, from two
    one-sided tests at the full level. Otherwise, it is the interval from low to high."""
    if row["verdict"] == NO_MATTER and "inner_low" in row:
        return row["inner_low"], row["inner_high"], 2 * level - 1
    return row["low"], row["high"], level


def compare_measures(
    scores: Scores | pd.DataFrame,
    measures: Sequence[GivenMeasure],
    baseline: str,
    *,
    tie_threshold: float = SAME,
    methods: Sequence[Method],
) -> list[pd.DataFrame]:
    """Return the `compare` frame of each measure, in one pass over the draws. `methods` has one
    method per measure; they may differ only in their margins. Raises UnknownRunError."""
    run_scores, parsed_measures = Scores.from_any(scores), [parse_measure(m) for m in measures]
    run_scores.position(baseline)
    if len({replace(method, margin=None) for method in methods}) != 1:
        raise ValueError("measures that are compared together need the same method")
    runs = list(dict.fromkeys([baseline, *run_scores.runs]))
    run_values = [
        np.ascontiguousarray(run_scores.select_runs(runs).values_of(measure).T)
        for measure in parsed_measures
    ]
    results = compare_groups(
        [
            PairedScores(values[:, 1:], values[:, :1], measure)
            for measure, values in zip(parsed_measures, run_values, strict=True)
        ],
        methods[0],
    )
    return [
        _make_frame(runs, measure, values, result, method, tie_threshold)
        for measure, values, result, method in zip(
            parsed_measures, run_values, results, methods, strict=True
        )
    ]


def _make_frame(
    runs: Sequence[str],
    measure: Measure,
    values: Floats,
    result: ComparisonResults,
    method: Method,
    tie_threshold: float,
) -> pd.DataFrame:
    combination, direction = measure.declaration.combination, measure.declaration.direction
    mean = combination.from_scale(MEAN.combine(combination.to_scale(values)))
    gaps = (values[:, 1:] - values[:, :1]) * direction
    beyond = _mark_beyond_tie_threshold(gaps, choose_tie_threshold(measure, tie_threshold))
    won, lost = (np.count_nonzero(side, axis=0) for side in beyond)
    n_defined, n_baseline = (~np.isnan(gaps)).sum(axis=0), int((~np.isnan(values[:, 0])).sum())
    verdicts = _find_verdicts(result, measure, method)
    effect = result.effect_interval(method.level)
    # First the value in the baseline's own row, then those of the other runs.
    columns: dict[str, tuple[object, AnyArray]] = {
        "mean": (mean[0], mean[1:]),
        "baseline_mean": (mean[0], np.full(len(won), mean[0])),
        "difference": (np.nan, result.mean),
        "low": (np.nan, result.low),
        "high": (np.nan, result.high),
        "won": (0, won),
        "lost": (0, lost),
        "same": (n_baseline, n_defined - won - lost),
        "queries": (n_baseline, result.sample.queries),
        "differing": (0, result.sample.differing),
        "p": (np.nan, result.p),
        "p_corrected": (np.nan, result.p_corrected),
        "inner_low": (np.nan, result.inner_low),
        "inner_high": (np.nan, result.inner_high),
        "effect": (np.nan, result.effect),
        "effect_low": (np.nan, effect.low),
        "effect_high": (np.nan, effect.high),
        "error": (np.nan, result.sample.error),
        "width": (np.nan, result.width),
        "tested": (None, result.tested_quantities),
        **{
            column: (np.nan, getattr(result.costs, name, np.full(len(won), np.nan)))
            for column, name in _RATIOS.items()
        },
        "half_from": (0, np.array([count_decisive_queries(g[~np.isnan(g)]) for g in gaps.T])),
    }
    if direction == 0:
        unknown = np.full(len(won), np.nan)
        columns |= dict.fromkeys(("won", "lost", "same"), (np.nan, unknown))
    frame = pd.DataFrame(
        {"run": list(runs)}
        | {
            name: np.concatenate([[baseline_value], run_values])
            for name, (baseline_value, run_values) in columns.items()
        }
    )
    return frame.assign(
        verdict=pd.Series([None, *(v.word for v in verdicts)], dtype=object),
        reason=pd.Series([None, *(v.reason for v in verdicts)], dtype=object),
    )


_RATIOS = {"ratio": "ratio", "ratio_low": "low", "ratio_high": "high"}


def _find_verdicts(tested: ComparisonResults, measure: Measure, method: Method) -> list[Verdict]:
    """Return the verdict on each run, in the order of the columns of `tested`."""
    direction = measure.declaration.direction
    if direction == 0:
        return [undeclared_direction_verdict(str(measure))] * len(tested.mean)
    contrary = tested.side * np.sign(tested.estimate) < 0
    sample = tested.sample
    columns = [
        c.tolist() for c in (tested.estimate, tested.p_corrected, sample.queries, sample.differing)
    ]
    verdicts = [
        decide_verdict(
            difference * direction,
            p_corrected,
            n_queries=queries,
            n_differing=differing,
            level=method.level,
            is_within_margin=bool(is_within),
            is_contrary=bool(is_contrary),
        )
        for difference, p_corrected, queries, differing, is_within, is_contrary in zip(
            *columns, tested.is_within_margin(method.margin), contrary, strict=True
        )
    ]
    if tested.costs is None or method.margin is None:
        return verdicts
    note = "; the margin applies to the means, which are not tested"
    return [verdict._replace(reason=verdict.reason + note) for verdict in verdicts]
