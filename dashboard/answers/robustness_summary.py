"""The Robustness page: its summary, with a word and a reason for each way in which the verdict
could change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from dashboard.address.view import Comparison
from dashboard.answers import robustness
from dashboard.answers.overview_measures import overview_measures
from dashboard.answers.run_comparisons import compare_on_measures, sensitivity_of_test
from dashboard.answers.unjudged import unjudged_effects
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.base.arrays import Floats
from metrics_core.comparing.verdicts import CLEAR, FEWEST_QUERIES, NO_MATTER
from metrics_core.findings import file_risks, open_verdicts
from metrics_core.findings import margin_risks as matter
from metrics_core.findings import verdict_risks as ways
from metrics_core.findings.costs import no_direction_text
from metrics_core.findings.cutoffs import median_list_length
from metrics_core.findings.robustness import Robustness, RobustnessCheck, build_robustness


def is_robustness_cached(study: Study, comparison: Comparison) -> bool:
    """Return whether the summary is in the cache. Computing it takes a while."""
    return study.has_answer(robustness_summary, comparison)


@cache_answer
def robustness_summary(study: Study, comparison: Comparison) -> Robustness:
    """Return the summary of all checks, with each way in which the verdict could change."""
    if comparison.is_single_run:
        return Robustness()
    if not comparison.has_direction:
        frame = compare_on_measures(study, comparison, [comparison.measure])[0].set_index("run")
        row = frame.loc[comparison.focus]
        text = no_direction_text(row, row["baseline_mean"], comparison.name).text
        return Robustness((), text, robustness.compared_pair(study, comparison))
    differences = robustness.query_differences(study, comparison)
    query_count = int((~np.isnan(differences)).sum())
    if query_count < FEWEST_QUERIES:
        return build_robustness(robustness.compared_pair(study, comparison), [], query_count)
    if not study.is_computed(comparison.measure):
        return _given_measure_checks(study, comparison, differences, query_count)
    # The effect of unjudged documents takes as long as all the rest, so it runs in parallel.
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(unjudged_effects, study, comparison)
        pair = robustness.compared_pair(study, comparison)
        by_cutoff = robustness.compare_pair_by_cutoff(study, comparison)
        measures = robustness.measure_agreement(study, comparison)
        tie_effects = robustness.tie_effects(study, comparison)
        fragility = robustness.query_fragility(study, comparison)
        effects = future.result()
    lengths = {r.run_name: median_list_length(r) for r in robustness.pair_ranks(study, comparison)}
    cutoffs = by_cutoff.crossings if by_cutoff else None
    coverage = robustness.query_coverage(study, comparison)
    shared_difference = robustness.difference_on_shared_queries(study, comparison)
    missing_counts = {run: len(query_ids) for run, query_ids in coverage.lacking.items()}
    difference = effects.bounds.difference
    is_complete = study.settings.complete
    by_judges = (
        None
        if is_complete
        else ways.unjudged_check(effects.bounds, effects.likely, effects.share, effects.depth)
    )
    by_ties = (
        file_risks.ties_check(tie_effects.span, difference, tie_effects.counts, tie_effects.exact)
        if tie_effects
        else file_risks.unknown_ties_check(study.runs_without_doc_ids(comparison.pair))
    )
    by_missing = file_risks.missing_queries_check(
        missing_counts,
        difference,
        shared_difference,
        coverage.shared,
        robustness.p_value_on_shared_queries(study, comparison)
        if pair.is_significant and any(missing_counts.values())
        else math.nan,
        comparison.method.level,
        robustness.missing_queries_share(study, comparison),
    )
    margin = comparison.method.margin
    if pair.verdict == NO_MATTER and margin is not None:
        entries = [
            by_judges and matter.unjudged_check(by_judges, effects.bounds, effects.likely, margin),
            matter.single_queries_check(differences, margin),
            matter.cutoff_check(cutoffs, pair, margin),
            matter.other_measures_check(measures, pair),
            matter.margin_check(by_ties, tie_effects.span, margin, is_exact=tie_effects.exact)
            if tie_effects
            else by_ties,
            matter.margin_check(by_missing, (shared_difference, shared_difference), margin),
        ]
    else:
        entries = [
            by_judges,
            ways.single_queries_check(
                fragility,
                pair,
                differences,
                robustness.find_missed_queries(study, comparison, fragility),
            ),
            ways.cutoff_check(cutoffs, pair, comparison.measure.cutoff, lengths),
            ways.other_measures_check(measures, pair, len(comparison.runs)),
            by_ties,
            by_missing,
        ]
    return _add_settling_checks(
        study,
        comparison,
        build_robustness(pair, entries, query_count),
        None if is_complete else open_verdicts.unjudged_check(effects.share, effects.depth),
        open_verdicts.cutoff_check(cutoffs, comparison.measure.cutoff),
        later_checks=(
            open_verdicts.ties_check(by_ties),
            open_verdicts.missing_queries_check(by_missing),
        ),
    )


def _given_measure_checks(
    study: Study, comparison: Comparison, differences: Floats, query_count: int
) -> Robustness:
    """Return the checks for a given measure (with scores from another tool). Checks of the cutoff,
    of ties and of unjudged documents are not included, because they need result lists."""
    pair = robustness.compared_pair(study, comparison)
    fragility = robustness.query_fragility(study, comparison)
    agreement = robustness.measure_agreement(study, comparison)
    entries = [
        ways.single_queries_check(fragility, pair, differences, None),
        ways.other_measures_check(agreement, pair, len(comparison.runs))
        if len(agreement.table) > 1
        else None,
        file_risks.missing_scores_check(
            {run: len(ids) for run, ids in robustness.unscored_queries(study, comparison).items()}
        ),
    ]
    return _add_settling_checks(study, comparison, build_robustness(pair, entries, query_count))


def _add_settling_checks(
    study: Study,
    comparison: Comparison,
    summary: Robustness,
    *list_checks: RobustnessCheck | None,
    later_checks: Sequence[RobustnessCheck | None] = (),
) -> Robustness:
    """Return `summary` with the checks that could make an inconclusive verdict conclusive. If the
    verdict is conclusive already, return `summary` unchanged. `list_checks` and `later_checks` are
    checks of the result lists: `list_checks` come before the check of other measures, and
    `later_checks` come after it."""
    pair = robustness.compared_pair(study, comparison)
    if pair.verdict in CLEAR or pair.verdict == NO_MATTER:
        return summary
    size = sensitivity_of_test(study, comparison)
    settling = (
        open_verdicts.sample_size_check(size.difference, size.needed),
        open_verdicts.detectable_difference_check(size.smallest),
        *list_checks,
        open_verdicts.other_measures_check(_verdicts_by_measure(study, comparison), pair),
        *later_checks,
    )
    return replace(summary, settling_checks=tuple(filter(None, settling)))


def _verdicts_by_measure(study: Study, comparison: Comparison) -> dict[str, str]:
    """Return the verdict on the run in focus for each measure in the Overview's table."""
    measures = overview_measures(study, comparison)
    frames = compare_on_measures(study, comparison, measures)
    return {
        str(measure): str(frame.set_index("run").loc[comparison.focus, "verdict"])
        for measure, frame in zip(measures, frames, strict=True)
    }
