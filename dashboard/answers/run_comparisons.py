"""Compare every loaded run with the baseline, once for all pages, whichever runs are shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.study.study import Study
from metrics_core.base.arrays import Objects
from metrics_core.comparing import power
from metrics_core.comparing.difference_warnings import find_warnings as doubts_of
from metrics_core.comparing.method import Method
from metrics_core.comparing.pairs import compare_measures
from metrics_core.comparing.verdicts import CANNOT_TELL, CLEAR
from metrics_core.findings.sentence import Sentence, join_sentences
from metrics_core.findings.significance import (
    detectable_difference_finding,
    mean_difference_caveats,
    needed_queries_finding,
    supported_margin_finding,
)
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores

CompareKey = tuple[Measure, str, Comparison, Method]
"""The values on which a comparison depends: measure, baseline, the part of the comparison that
selects the queries, and test method."""


def compare_runs(study: Study, comparison: Comparison, measure: Measure) -> pd.DataFrame:
    """Return the frame of `compare` for all loaded runs on one measure, over the queries in view.
    The p-values are corrected for the number of loaded runs, even if only some runs are shown."""
    return compare_on_measures(study, comparison, [measure])[0]


def compare_on_measures(
    study: Study, comparison: Comparison, measures: Sequence[Measure]
) -> list[pd.DataFrame]:
    """Return the frame of `compare_runs` for each measure. Frames that are not in the cache are
    computed in one pass."""
    keys = [_comparison_cache_key(comparison, measure) for measure in measures]
    new_keys = tuple(key for key in keys if not study.has_answer(_compare_runs, *key))
    if len(new_keys) > 1:
        for key, frame in zip(
            new_keys, study.cached_answer(_compare_on_measures, new_keys), strict=True
        ):
            study.cached_answer(_compare_runs, *key, precomputed=frame)
    return [study.cached_answer(_compare_runs, *key) for key in keys]


def _comparison_cache_key(comparison: Comparison, measure: Measure) -> CompareKey:
    # The margin belongs to the chosen measure alone.
    is_chosen = measure == comparison.measure
    method = comparison.method if is_chosen else replace(comparison.method, margin=None)
    return measure, comparison.baseline, comparison.comparison_that_selects_queries, method


def select_shown_runs(frame: pd.DataFrame, comparison: Comparison) -> pd.DataFrame:
    """Return the rows of `frame` for the shown runs, with the baseline first. `frame` has a column
    run."""
    runs = list(dict.fromkeys([comparison.baseline, *comparison.runs]))
    positions = {run: i for i, run in enumerate(frame["run"].tolist())}
    return frame.iloc[[positions[run] for run in runs]].reset_index(drop=True)


def _compare_runs(
    study: Study, measure: Measure, baseline: str, comparison: Comparison, method: Method
) -> pd.DataFrame:
    return _compare_on_measures(study, ((measure, baseline, comparison, method),))[0]


def _compare_on_measures(study: Study, keys: tuple[CompareKey, ...]) -> list[pd.DataFrame]:
    """Compare runs on several measures. All `keys` must have the same baseline and the same queries
    in view."""
    _, baseline, view, _ = keys[0]
    measures = tuple(key[0] for key in keys)
    scores = study.scores_of_all_runs(view, *measures)
    return compare_measures(scores, measures, baseline, methods=[key[3] for key in keys])


def power_sentences(study: Study, comparison: Comparison) -> Sentence:
    """Return a sentence on the smallest difference between the run in focus and the baseline that
    these queries can detect. If the test was inconclusive, a second sentence says how many queries
    would be needed."""
    size = sensitivity_of_test(study, comparison)
    if np.isnan(size.p) or not comparison.compares_means:
        return Sentence()
    margin = Sentence()
    if comparison.method.margin is not None:
        margin = supported_margin_finding(*size.inner, all_scores_equal=size.unchanged)
    sentences = [detectable_difference_finding(size.smallest, size.queries)]
    if sentences[0]:
        sentences.append(needed_queries_finding(size.difference, size.needed))
    return join_sentences([*sentences, margin], " ")


def doubts_about_test(study: Study, comparison: Comparison) -> Sentence:
    """Return the reasons why the test of the mean may be unreliable, as sentences. The result is
    empty if there are none."""
    size = sensitivity_of_test(study, comparison)
    if np.isnan(size.p) or not comparison.compares_means:
        return Sentence()
    focus_scores, baseline_scores = (
        study.scores(comparison, comparison.measure)
        .select_runs(comparison.pair)
        .values_of(comparison.measure)
    )
    return join_sentences(
        mean_difference_caveats(
            doubts_of(focus_scores - baseline_scores), is_significant=size.verdict in CLEAR
        ),
        " ",
    )


@dataclass(frozen=True)
class SampleSize:
    """The result of the test of the compared pair, with the difference that it can detect and the
    number of queries that it needs.

    `smallest` is the smallest difference that can be detected. If the test is inconclusive,
    `needed` is the number of queries needed. Both are NaN if unknown. `inner` is the interval of
    two one-sided tests. `unchanged` is true if both runs have the same score on every query."""

    difference: float
    queries: int
    p: float
    verdict: str | None
    inner: tuple[float, float]
    unchanged: bool
    smallest: float = math.nan
    needed: float = math.nan


def sensitivity_of_test(study: Study, comparison: Comparison) -> SampleSize:
    """Return the result of the test of the compared pair, including the smallest difference that it
    can detect."""
    row = compare_runs(study, comparison, comparison.measure).set_index("run").loc[comparison.focus]
    queries, inner = int(row["queries"]), (row["inner_low"], row["inner_high"])
    size = SampleSize(
        row["difference"],
        queries,
        row["p_corrected"],
        row["verdict"],
        inner,
        unchanged=not row["differing"],
    )
    measure = comparison.measure
    linear = measure.declaration.combination.linear and comparison.compares_means
    if np.isnan(row["width"]) or not linear or queries < power.FEWEST_FOR_POWER:
        return size
    size = replace(
        size, smallest=power.smallest_detectable_difference(row["error"], row["width"], queries)
    )
    if size.verdict != CANNOT_TELL:
        return size
    level = power.single_test_level(row["width"], queries)
    needed = power.find_query_count_needed(row["difference"], row["error"] * queries**0.5, level)
    return replace(size, needed=needed)


def run_without_results_by_query(scores: Scores, comparison: Comparison) -> Objects:
    """Return, for each query, the name of the run that lacks the query, object[query]. The value is
    "" if both runs contain the query, or if neither does."""
    focus_missing, baseline_missing = scores.select_runs(comparison.pair).missing
    return np.select(
        [focus_missing & ~baseline_missing, baseline_missing & ~focus_missing],
        comparison.pair,
        "",
    ).astype(object)
