"""The Robustness page: the evidence for each check of the verdict, which is computed on request."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.run_comparisons import compare_runs, sensitivity_of_test
from dashboard.study.study import Study
from metrics_core.base.arrays import Floats
from metrics_core.comparing import agreement as other_measures
from metrics_core.comparing.coverage import QueryCoverage, find_coverage, select_shared_queries
from metrics_core.comparing.crossings import Crossings, difference_curve, find_crossings
from metrics_core.comparing.fragility import (
    Fragility,
    find_fragility,
    share_of_mean_difference,
)
from metrics_core.comparing.method import DEFAULT_METHOD
from metrics_core.comparing.tested_quantities import find_tested_differences, find_tested_quantities
from metrics_core.comparing.ties import TieRange, difference_range, find_tie_range
from metrics_core.comparing.verdicts import CLEAR
from metrics_core.findings import file_risks
from metrics_core.findings.robustness import ComparedPair
from metrics_core.findings.sentence import Sentence
from metrics_core.findings.verdict_risks import MissedQueries
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, parse_measure

_MEASURES = (
    "nDCG@5", "nDCG@10", "nDCG@20", "P@1", "P@5", "P@10", "P@20", "R@10", "R@100",
    "Success@1", "Success@10", "RR", "AP", "RBP(p=0.8)", "ERR@20",
)  # fmt: skip


@dataclass(frozen=True)
class ByCutoff:
    """The comparison of the pair at every cutoff. `frame` is the frame of `mean_curves` for the two
    runs (run, k, mean, low, high, difference, diff_low, diff_high). In this frame, diff_low and
    diff_high are the bounds of the band of `crossings`, and low and high are NaN."""

    crossings: Crossings
    frame: pd.DataFrame


def compared_pair(study: Study, comparison: Comparison) -> ComparedPair:
    """Return the compared pair together with its verdict."""
    frame = compare_runs(study, comparison, comparison.measure)
    verdict = frame.set_index("run").loc[comparison.focus, "verdict"]
    # The sum on the scale of averaging has the sign of the difference, with less rounding.
    side = (
        int(np.sign(query_fragility(study, comparison).total))
        * comparison.measure.declaration.direction
    )
    return ComparedPair(*comparison.pair, comparison.name, str(verdict), side)


def pair_ranks(study: Study, comparison: Comparison) -> tuple[JudgedRanks, JudgedRanks]:
    """Return the judged ranks (the ranks of judged documents) of the run in focus and of the
    baseline, for the queries in view."""
    mask = study.view_mask(comparison)
    return study.judged[comparison.focus].select_queries(mask), study.judged[
        comparison.baseline
    ].select_queries(mask)


def pair_key(comparison: Comparison) -> Comparison:
    """Return the cache key of answers that depend only on the compared pair, not on other runs."""
    return replace(comparison, other_runs=(), loaded=0, method=DEFAULT_METHOD)


def _runs_key(comparison: Comparison) -> Comparison:
    """Return the cache key of answers that depend on the runs and on the queries in view, but not
    on the chosen measure."""
    return replace(
        comparison.comparison_that_selects_queries,
        focus=comparison.focus,
        baseline=comparison.baseline,
        other_runs=comparison.other_runs,
    )


def query_differences(study: Study, comparison: Comparison) -> Floats:
    """Return the difference of each query, float64[query], on the scale on which the measure is
    tested."""
    focus_scores, baseline_scores = (
        study.scores(comparison, comparison.measure)
        .select_runs(comparison.pair)
        .values_of(comparison.measure)
    )
    to_scale = comparison.measure.declaration.combination.to_scale
    values, base = to_scale(focus_scores)[:, None], to_scale(baseline_scores)[:, None]
    tested = find_tested_quantities(comparison.measure, values, base)
    return find_tested_differences(values, base, tested)[:, 0]


def query_fragility(study: Study, comparison: Comparison) -> Fragility:
    """Return the smallest set of queries that must be removed to change the sign of the
    difference."""
    return study.cached_answer(_query_fragility, pair_key(comparison))


def _query_fragility(study: Study, comparison: Comparison) -> Fragility:
    return find_fragility(query_differences(study, comparison))


def find_missed_queries(
    study: Study, comparison: Comparison, removals: Fragility
) -> MissedQueries | None:
    """Return the queries for which the run that is behind found nothing relevant and, for each of
    the two runs, the queries for which its list is empty. Returns None if the runs are tied, or if
    the lowest score of the measure does not mean that nothing relevant was found."""
    declaration, measure = comparison.measure.declaration, comparison.measure
    is_quality = declaration.higher_is_better and study.is_computed(measure)
    if not is_quality or declaration.range[0] != 0 or not removals.total:
        return None
    focus_ranks, baseline_ranks = pair_ranks(study, comparison)
    relevant = (baseline_ranks if removals.total > 0 else focus_ranks).relevant(
        measure.relevant_from
    )
    empty_lists = {ranks.run_name: ranks.retrieved == 0 for ranks in (focus_ranks, baseline_ranks)}
    return MissedQueries(relevant.count(measure.cutoff) == 0, empty_lists, measure.cutoff)


def difference_after_removal(study: Study, comparison: Comparison) -> Floats:
    """Return the mean difference after each removal of a query, float64[removed]. The queries that
    contribute most to the sign of the difference are removed one by one. The first value is the
    difference before any removal. At most twice as many queries are removed as are needed to change
    the sign, and one query always remains."""
    differences, removals = query_differences(study, comparison), query_fragility(study, comparison)
    most = max(removals.queries - 1, 0)
    end = min(most, 2 * removals.turning) if removals.turning else most
    removed_sums = np.append(0.0, np.cumsum(differences[removals.order[:end]]))
    return (removals.total - removed_sums) / np.arange(removals.queries, most - end, -1)


def queries_that_reverse_sign(study: Study, comparison: Comparison) -> pd.DataFrame:
    """Return the queries that, if they are removed together, reverse the sign of the mean
    difference, largest contribution first. The result is empty if no removal reverses the sign.
    Columns: query_id, text, meta, difference, left (the mean difference after removing this query
    and the queries above it)."""
    removals = query_fragility(study, comparison)
    order = removals.order[: removals.turning or 0]
    ids = np.array(study.scores(comparison, comparison.measure).query_ids, dtype=object)
    frame = pd.DataFrame(
        {
            "query_id": ids[order],
            "difference": query_differences(study, comparison)[order],
            "left": difference_after_removal(study, comparison)[1 : len(order) + 1],
        }
    )
    return study.with_texts(frame)


def compare_pair_by_cutoff(study: Study, comparison: Comparison) -> ByCutoff | None:
    """Return the comparison of the pair at every cutoff. Returns None if the measure has no cutoff
    or needs additional data."""
    return study.cached_answer(_compare_pair_by_cutoff, pair_key(comparison))


def _compare_pair_by_cutoff(study: Study, comparison: Comparison) -> ByCutoff | None:
    measure = comparison.measure
    if measure.declaration.cutoff is None or measure.declaration.needs:
        return None  # given measures have no cutoff either
    # Independent of the cutoff, so that a reader who tries several waits only once.
    differences = study.cached_answer(_differences_by_cutoff, _runs_key(comparison), measure.at(1))
    lists = pair_ranks(study, comparison)
    crossing_points = find_crossings(
        *lists, measure, extra_cutoff=measure.cutoff or comparison.cutoff, difference=differences
    )
    means = dict(zip(comparison.pair, crossing_points.means, strict=True))
    gap = crossing_points.difference[crossing_points.cutoffs - 1]
    blanks = np.full(len(crossing_points.cutoffs), np.nan)
    parts = [
        pd.DataFrame(
            {
                "run": name,
                "k": crossing_points.cutoffs,
                "mean": means[name],
                "low": blanks,
                "high": blanks,
                "difference": gap if name == comparison.focus else blanks,
                "diff_low": crossing_points.low if name == comparison.focus else blanks,
                "diff_high": crossing_points.high if name == comparison.focus else blanks,
            }
        )
        for name in comparison.pair
    ]
    return ByCutoff(crossing_points, pd.concat(parts, ignore_index=True))


def _differences_by_cutoff(study: Study, pair: Comparison, measure: Measure) -> Floats:
    return difference_curve(*pair_ranks(study, pair), measure)


def _compared_measures(study: Study, comparison: Comparison) -> tuple[Measure, ...]:
    """Return the chosen measure, followed by all other measures that have the same direction,
    whether their scores are given in files or computed. Measures with another direction cannot
    agree with the chosen one."""
    direction = comparison.measure.declaration.direction
    computed = map(parse_measure, _MEASURES) if study.judged else ()
    others = [m for m in (*study.given_measures, *computed) if m.declaration.direction == direction]
    return tuple(dict.fromkeys([comparison.measure, *others]))


def measure_agreement(study: Study, comparison: Comparison) -> other_measures.Agreement:
    """Return how well other measures agree with the chosen one, both on which run of the pair is
    better and on the order of all shown runs. The result begins with the chosen measure and its
    verdict."""
    measures = _compared_measures(study, comparison)
    # Cached once for all choices among the default measures.
    agreement = study.cached_answer(
        _measure_agreement, _runs_key(comparison), tuple(sorted(measures, key=str))
    )
    verdict = (
        compare_runs(study, comparison, comparison.measure).set_index("run").loc[comparison.focus]
    )
    return agreement.reorder([str(measure) for measure in measures]).replace_verdict(
        comparison.name, verdict
    )


def _measure_agreement(
    study: Study, comparison: Comparison, measures: tuple[Measure, ...]
) -> other_measures.Agreement:
    scores = study.scores(comparison, *measures)
    return other_measures.find_agreement(scores, *comparison.pair)


def most_opposed_measure(study: Study, comparison: Comparison) -> tuple[str, pd.DataFrame]:
    """Return the measure that prefers a different run than the chosen measure on the largest number
    of queries, and the ten queries on which the two measures differ most. The queries are rows of
    the frame of `find_disagreements`, with the additional columns text and meta."""
    return study.cached_answer(_most_opposed_measure, pair_key(comparison))


def _most_opposed_measure(study: Study, comparison: Comparison) -> tuple[str, pd.DataFrame]:
    chosen_measure, *others = _compared_measures(study, comparison)
    scores = study.scores(comparison, chosen_measure, *others)
    frames = {
        str(other): other_measures.find_disagreements(
            scores, *comparison.pair, chosen_measure, other
        )
        for other in others
    }
    name = max(
        frames,
        key=lambda n: other_measures.count_disagreeing_queries(frames[n], [chosen_measure, n]),
    )
    return name, study.with_texts(frames[name].head(10))


@dataclass(frozen=True)
class TieEffects:
    """The possible effect of the order of tied scores on the difference. `span` is the lowest and
    the highest possible difference. `counts` is the number of queries with ties, and the number of
    all queries. `run` and `baseline` are the possible ranges of the two runs' scores. If `exact` is
    false, the ranges are only bounds."""

    span: tuple[float, float]
    counts: tuple[int, int]
    exact: bool
    run: TieRange
    baseline: TieRange


def tie_effects(study: Study, comparison: Comparison) -> TieEffects | None:
    """Return the possible effect of the order of tied scores. Returns None if a run was loaded as
    judged ranks, which have no scores."""
    if study.runs_without_doc_ids(comparison.pair):
        return None
    return study.cached_answer(_tie_effects, pair_key(comparison))


def _tie_effects(study: Study, comparison: Comparison) -> TieEffects:
    mask = study.view_mask(comparison)
    focus_ties, baseline_ties = (
        study.cached_answer(_tie_range, name, comparison.measure).select_queries(mask)
        for name in comparison.pair
    )
    return TieEffects(
        difference_range(focus_ties, baseline_ties, comparison.measure),
        (int((focus_ties.tied | baseline_ties.tied).sum()), int(mask.sum())),
        focus_ties.exact and baseline_ties.exact,
        focus_ties,
        baseline_ties,
    )


def _tie_range(study: Study, name: str, measure: Measure) -> TieRange:
    return find_tie_range(study.runs[name], study.judged[name], measure)


def queries_moved_by_ties(study: Study, comparison: Comparison) -> pd.DataFrame | None:
    """Return the queries whose difference depends on the order of tied scores, widest range first.
    Returns None if a run was loaded as judged ranks, which have no scores. Columns: query_id, text,
    meta, difference, low, high."""
    effects = tie_effects(study, comparison)
    if effects is None:
        return None
    scores = study.scores(comparison, comparison.measure)
    focus_scores, baseline_scores = scores.select_runs(comparison.pair).values_of(
        comparison.measure
    )
    frame = pd.DataFrame(
        {
            "query_id": np.array(scores.query_ids, dtype=object),
            "difference": focus_scores - baseline_scores,
            "low": effects.run.low - effects.baseline.high,
            "high": effects.run.high - effects.baseline.low,
        }
    )
    width = frame["high"] - frame["low"]
    moved = frame.assign(width=width)[width > 1e-12].sort_values("width", ascending=False)
    return study.with_texts(moved.drop(columns="width"))


def unscored_queries(study: Study, comparison: Comparison) -> dict[str, list[str]]:
    """Return, for each of the two runs, the queries in view for which it has no score. The
    comparison leaves these queries out. A run that has all scores is not in the result."""
    pair = comparison.pair
    scores = study.scores(comparison, comparison.measure).select_runs(pair)
    ids = np.array(scores.query_ids, dtype=object)
    missing = np.isnan(scores.values_of(comparison.measure))
    return {run: ids[row].tolist() for run, row in zip(pair, missing, strict=True) if row.any()}


def query_coverage(study: Study, comparison: Comparison) -> QueryCoverage:
    """Return the coverage of the queries in view by the two runs, including the queries for which
    each run has no results."""
    return find_coverage(pair_ranks(study, comparison))


def compare_means_by_coverage(study: Study, comparison: Comparison) -> pd.DataFrame:
    """Return a frame with two rows: the means over all queries, and the means over the queries with
    results from both runs. Columns: queries, mean, baseline_mean, difference. A mean over no query
    is NaN."""
    pair = comparison.pair
    scores = study.scores(comparison, comparison.measure).select_runs(pair)
    rows = []
    for selected_scores in (scores, select_shared_queries(scores)):
        n = selected_scores.n_queries
        mean, baseline_mean = selected_scores.combined()[:, 0] if n else (np.nan, np.nan)
        rows.append((n, float(mean), float(baseline_mean), float(mean - baseline_mean)))
    return pd.DataFrame(rows, columns=["queries", "mean", "baseline_mean", "difference"])


def difference_on_shared_queries(study: Study, comparison: Comparison) -> float:
    """Return the difference over the queries that are in both runs. It is NaN if there are no such
    queries."""
    return float(compare_means_by_coverage(study, comparison)["difference"].iloc[1])


def missing_queries_share(study: Study, comparison: Comparison) -> float:
    """Return the share of the difference that comes from queries without results from both runs."""
    scores = study.scores(comparison, comparison.measure).select_runs(comparison.pair)
    is_missing = np.asarray(scores.missing.any(axis=0))
    return share_of_mean_difference(query_differences(study, comparison), is_missing)


def missing_queries_doubt(study: Study, comparison: Comparison) -> Sentence:
    """Return a sentence that states the difference over the queries that are in both runs. It is
    empty unless the verdict is significant and this difference is much smaller or larger than the
    difference over all queries."""
    is_significant = sensitivity_of_test(study, comparison).verdict in CLEAR
    if not (is_significant and study.is_computed(comparison.measure)):
        return Sentence()
    on_all, on_shared = compare_means_by_coverage(study, comparison)["difference"]
    return file_risks.missing_queries_caveat(query_coverage(study, comparison), on_all, on_shared)


def p_value_on_shared_queries(study: Study, comparison: Comparison) -> float:
    """Return the corrected p-value of the difference over the queries that are in both runs."""
    shared = replace(comparison, is_limited_to_shared_queries=True)
    rows = compare_runs(study, shared, comparison.measure).set_index("run")
    return float(rows.loc[comparison.focus, "p_corrected"])


def queries_without_results(study: Study, comparison: Comparison) -> pd.DataFrame:
    """Return the queries in view for which one of the two runs has no results: query_id, text,
    meta, run."""
    rows = [
        {"query_id": query_id, "run": run}
        for run, missing in query_coverage(study, comparison).lacking.items()
        for query_id in missing
    ]
    return study.with_texts(pd.DataFrame(rows, columns=["query_id", "run"]))
