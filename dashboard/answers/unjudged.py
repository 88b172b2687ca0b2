"""The Robustness page: the possible effect of unjudged documents on a difference, and the documents
to judge next."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.judging_order import Pair, is_random_sample
from dashboard.answers.robustness import pair_key, pair_ranks
from dashboard.study.cached_answers import limit_cached_results
from dashboard.study.study import Study
from metrics_core.base.arrays import Ints
from metrics_core.base.parallel import map_on_all_cores
from metrics_core.tables import Run
from metrics_core.unjudged.bounds import DifferenceBounds, bound_difference
from metrics_core.unjudged.expected_difference import EstimatedDifference, estimate_difference
from metrics_core.unjudged.first_documents import (
    FirstDocumentPair,
    FirstDocuments,
    match_documents,
    read_first_documents,
)
from metrics_core.unjudged.next_judgments import NextJudgments, find_next_judgments
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks, find_unjudged, judged_shares

_DEPTHS = (1, 5, 10, 20, 50, 100, 1000)
_KEPT_DEPTHS = (5, 10, 20, 50, 100)
_USUAL, _FEW_ROWS = 20, 500_000
"""The first documents of each list are read at least down to rank `_USUAL`, so that all default
cutoffs use the same documents. This depth is reduced if a run would then have more than `_FEW_ROWS`
documents."""


@dataclass(frozen=True)
class UnjudgedEffects:
    """The possible effect of a pair's unjudged documents on the difference. `bounds` are the bounds
    of the difference, and `likely` is the likely difference. `shares` has the judged shares of both
    lists by k (the frame of `judged_shares`); `share` is the unjudged share of the first `depth`
    ranks."""

    bounds: DifferenceBounds
    likely: EstimatedDifference
    shares: pd.DataFrame
    share: float
    depth: int


def unjudged_effects(study: Study, comparison: Comparison) -> UnjudgedEffects:
    """Return the possible effect of the pair's unjudged documents on the difference."""
    return study.cached_answer(_unjudged_effects, pair_key(comparison))


def _unjudged_effects(study: Study, comparison: Comparison) -> UnjudgedEffects:
    focus_ranks, baseline_ranks = pair_ranks(study, comparison)
    measure = comparison.measure
    unjudged = unjudged_ranks_of_pair(study, comparison, comparison.measure.cutoff)
    longest_list = max(int(r.retrieved.max(initial=0)) for r in (focus_ranks, baseline_ranks))
    depth = min(measure.cutoff or comparison.cutoff, max(longest_list, 1))
    cutoffs = sorted({k for k in _DEPTHS if k <= longest_list} | {depth})
    rank_counts = [sum(int(r.documents(depth).sum()) for r in (focus_ranks, baseline_ranks))]
    judged_count = sum(float(r.judged().count(depth).sum()) for r in (focus_ranks, baseline_ranks))
    # Both take long for very many queries and are independent, so they run in parallel.
    with ThreadPoolExecutor(1) as executor:
        compute_likely = partial(
            estimate_difference, is_selective=_is_selective_sample(study, comparison)
        )
        future = executor.submit(compute_likely, focus_ranks, baseline_ranks, measure, unjudged)
        outer_bounds, likely = unjudged_bounds(study, comparison), future.result()
    return UnjudgedEffects(
        bounds=outer_bounds,
        likely=likely,
        shares=judged_shares(focus_ranks, baseline_ranks, cutoffs),
        share=1 - judged_count / rank_counts[0] if rank_counts[0] else float("nan"),
        depth=depth,
    )


def unjudged_bounds(study: Study, comparison: Comparison) -> DifferenceBounds:
    """Return by how much the unjudged documents could change the difference."""
    return study.cached_answer(_unjudged_bounds, pair_key(comparison))


def _unjudged_bounds(study: Study, comparison: Comparison) -> DifferenceBounds:
    unjudged = unjudged_ranks_of_pair(study, comparison, comparison.measure.cutoff)
    return bound_difference(*pair_ranks(study, comparison), comparison.measure, unjudged)


def _is_selective_sample(study: Study, comparison: Comparison) -> bool:
    """Return whether the documents judged in the layers are a biased sample of the documents that
    are unjudged in the files. By default they are, because the To judge page offers the most
    influential documents first."""
    if not _has_layer_grades(study, comparison):
        return False
    files, still_unjudged = (
        find_unjudged_documents(s, comparison, comparison.measure.cutoff)
        for s in (study.unlayered, study)
    )
    return (
        files is None
        or still_unjudged is None
        or not is_random_sample(set(files) - set(still_unjudged), files)
    )


def find_unjudged_documents(
    study: Study, comparison: Comparison, cutoff: int | None
) -> list[Pair] | None:
    """Return the unjudged documents of the pair within a cutoff as (query_id, doc_id). Returns None
    if the lists are too long to compare."""
    unjudged = unjudged_ranks_of_pair(study, comparison, cutoff)
    if unjudged.doc_ids is None:
        return None
    query_ids = np.array(pair_ranks(study, comparison)[0].query_ids, dtype=object)[unjudged.query]
    return list(zip(query_ids.tolist(), unjudged.doc_ids.to_pylist(), strict=True))


def _has_layer_grades(study: Study, comparison: Comparison) -> bool:
    """Return whether the layers judge documents in the lists of the pair that are unjudged in the
    files."""
    has_more = np.zeros(len(study.query_ids), dtype=np.bool_)
    for name in comparison.pair:
        layer_counts, file_counts = (
            s.judged[name].judged().count(comparison.measure.cutoff)
            for s in (study, study.unlayered)
        )
        # Queries judged only in layers come after the others.
        has_more |= layer_counts > np.pad(file_counts, (0, len(layer_counts) - len(file_counts)))
    return bool(has_more[study.view_mask(comparison)].any())


def unjudged_ranks_of_pair(
    study: Study, comparison: Comparison, cutoff: int | None
) -> UnjudgedRanks:
    """Return the unjudged documents of the pair within a cutoff. They are the same for all
    measures. If `cutoff` is None, the whole lists are searched."""
    return study.cached_answer(
        _unjudged_ranks,
        replace(
            comparison.comparison_that_selects_queries,
            focus=comparison.focus,
            baseline=comparison.baseline,
        ),
        cutoff,
    )


def count_unjudged_documents(study: Study, comparison: Comparison) -> int:
    """Return the number of unjudged documents of the pair within the measure's cutoff. The result
    is 0 if the documents of the two lists were not matched, because documents in both lists would
    then be counted twice."""
    unjudged = unjudged_ranks_of_pair(study, comparison, comparison.measure.cutoff)
    return len(unjudged) if unjudged.is_matched else 0


@limit_cached_results(2)
def _unjudged_ranks(study: Study, comparison: Comparison, cutoff: int | None) -> UnjudgedRanks:
    return find_unjudged(*pair_ranks(study, comparison), cutoff, _make_pair_reader(study))


def _make_pair_reader(study: Study) -> Callable[[Run, Run, int], FirstDocumentPair]:
    """Return a function that reads the first documents of two runs. Its results are cached.
    Requests with similar depths share a result, which may be longer than requested."""

    def read_cached_pair(run: Run, baseline: Run, depth: int) -> FirstDocumentPair:
        least_depth = max(depth, min(_USUAL, _FEW_ROWS // max(len(run.query_ids), 1)))
        cached_depth = next((k for k in _KEPT_DEPTHS if least_depth <= k), depth)
        # Opening a run with very many queries takes long.
        focus_documents, baseline_documents = map_on_all_cores(
            lambda of: study.cached_answer(_first_documents, of.name, cached_depth), (run, baseline)
        )
        same = study.cached_answer(_match_pair_documents, run.name, baseline.name, cached_depth)
        return FirstDocumentPair(focus_documents, baseline_documents, same)

    return read_cached_pair


@limit_cached_results(5)
def _first_documents(study: Study, name: str, depth: int) -> FirstDocuments:
    return read_first_documents(study.runs[name], depth)


def _match_pair_documents(study: Study, name: str, baseline: str, depth: int) -> Ints:
    run, other = study.runs[name], study.runs[baseline]
    focus_documents, baseline_documents = (
        study.cached_answer(_first_documents, run_name, depth) for run_name in (name, baseline)
    )
    return match_documents(run, focus_documents, other, baseline_documents)


def next_judgments(study: Study, comparison: Comparison) -> NextJudgments:
    """Return the documents to judge next, sorted by their effect on the difference, largest
    first."""
    return study.cached_answer(_next_judgments, pair_key(comparison))


def are_next_judgments_cached(study: Study, comparison: Comparison) -> bool:
    """Return whether the result of `next_judgments` is in the cache. Computing it takes a while."""
    return study.has_answer(_next_judgments, pair_key(comparison))


def _next_judgments(study: Study, comparison: Comparison) -> NextJudgments:
    focus_ranks, baseline_ranks = pair_ranks(study, comparison)
    outer_bounds = unjudged_effects(study, comparison).bounds
    return find_next_judgments(
        focus_ranks,
        baseline_ranks,
        comparison.measure,
        unjudged_ranks_of_pair(study, comparison, comparison.measure.cutoff),
        outer_bounds,
    )
