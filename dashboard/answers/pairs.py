"""The Ranking page: the runs that may be the best, and the significant differences between runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.study.study import Study
from metrics_core.comparing.all_pairs.all_pairs import AllPairs, all_pairs
from metrics_core.comparing.method import Method
from metrics_core.findings.phrases import NO_DIRECTION
from metrics_core.findings.ranking import ranking_subtitle, ranking_title
from metrics_core.findings.sentence import Sentence, muted_span
from metrics_core.scoring.curves import judged_share_of_runs

MOST_IN_MATRIX = 40
"""Maximum number of runs in the matrix of pairs. If there are more, the best runs are shown."""


@dataclass(frozen=True)
class Pairs:
    """The comparison of all pairs of loaded runs on the chosen measure.

    `table` has one row per pair: run, against, difference, low, high, p, p_corrected, verdict,
    queries. In each row, run has the better mean. `queries` is the number of queries in view.
    `judged_share` is the judged share of the top k results, over all runs."""

    title: Sentence
    lead: Sentence
    run_pairs: AllPairs
    queries: int
    judged_share: float
    table: pd.DataFrame

    def matching_runs(self, search: str) -> tuple[str, ...]:
        """Return the runs whose names contain at least one of the comma-separated strings in
        `search`. If `search` is empty, return all runs."""
        texts = [text.strip().lower() for text in search.split(",") if text.strip()]
        runs = self.run_pairs.runs
        return tuple(r for r in runs if any(t in r.lower() for t in texts)) if texts else runs


def pairs(study: Study, comparison: Comparison) -> Pairs:
    """Return the comparison of all pairs of loaded runs on the chosen measure, even if only some of
    the runs are shown."""
    return study.cached_answer(_pairs, pairs_key(study, comparison))


def pairs_key(study: Study, comparison: Comparison) -> Comparison:
    """Return the cache key of results that depend only on the pairs. It is the same for all
    comparisons with the same pairs."""
    run_names = tuple(study.names)
    # Always by resampling, whatever test is chosen for the comparison with the baseline.
    return replace(
        comparison,
        focus=run_names[0],
        baseline=run_names[0],
        other_runs=run_names,
        method=Method(level=comparison.method.level),
    )


def all_run_pairs(study: Study, comparison: Comparison) -> AllPairs:
    """Return the test results for all pairs of loaded runs over the queries in view. All pages use
    this one result."""
    return pairs(study, comparison).run_pairs


def are_pairs_cached(study: Study, comparison: Comparison) -> bool:
    """Return whether the result of `all_run_pairs` is in the cache. Computing it takes a while."""
    return study.has_answer(_pairs, pairs_key(study, comparison))


def _pairs(study: Study, comparison: Comparison) -> Pairs:
    run_pairs = all_pairs(
        study.scores(comparison, comparison.measure),
        comparison.measure,
        level=comparison.method.level,
    )
    mask = study.view_mask(comparison)
    computed = study.is_computed(comparison.measure)
    ranks = [study.judged[n].select_queries(mask) for n in comparison.runs] if computed else []
    queries = int(mask.sum())
    return Pairs(
        title=ranking_title(
            run_pairs, comparison.name, queries, has_direction=comparison.has_direction
        ),
        lead=ranking_subtitle(run_pairs, comparison.name, queries)
        if comparison.has_direction
        else muted_span(NO_DIRECTION),
        run_pairs=run_pairs,
        queries=queries,
        judged_share=judged_share_of_runs(ranks, comparison.cutoff),
        table=_pair_table(run_pairs),
    )


def _pair_table(run_pairs: AllPairs) -> pd.DataFrame:
    """Return a frame with one row per pair. The column `run` has the run with the better mean, and
    the column `against` has the other run."""
    one, other = np.triu_indices(len(run_pairs.runs), 1)
    runs = np.array(run_pairs.runs, dtype=object)
    cells = ("difference", "low", "high", "p", "p_corrected", "verdict", "queries")
    return pd.DataFrame(
        {"run": runs[one], "against": runs[other]}
        | {name: getattr(run_pairs, name)[one, other] for name in cells}
    )
