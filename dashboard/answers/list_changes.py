"""Changes between the result lists of two runs without judgments, for all pages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.table_column import TableColumn
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.base.arrays import AnyArray
from metrics_core.base.errors import NoSharedQueriesError, RanklensError
from metrics_core.explaining.diagnosis import Diagnosis
from metrics_core.explaining.list_changes import (
    ListChanges,
    baseline_ranks_of_first_documents,
    find_list_changes,
    find_overlap_by_cutoff,
    mean_overlap,
    no_second_run_error,
    refuse_different_depths,
    summarise_changes,
)
from metrics_core.findings.list_changes import describe_change_class
from metrics_core.measures import parse_measure
from metrics_core.scoring.curves import cutoffs_up_to

LISTED = 5
"""Number of queries or groups in each list of the Overview."""
_COLUMNS = {
    "overlap": "overlap",
    "rbo": "RBO",
    "first_change": "first change",
    "best_new": "best new",
    "new": "new",
}
"""The name in the table of queries for each column of `ListChanges.frame`."""
_KIND = "change"
_NEAR = 3
"""Ranks down to this multiple of k are near the first k."""


@dataclass(frozen=True)
class ChangesOverview:
    """The Overview of two runs without judgments. `changes` compares the run in focus with the
    baseline. `queries` has a row per query, the most changed first: text, meta, the columns of
    `ListChanges.frame`, is_changed, and was_rank (the rank of the run's first document in the first
    `depth` documents of the baseline, 0 if it is not among them). `groups` is the frame of
    `changes_by_group` for the column `grouping`. `runs` has a row of `summarise_changes` for each
    run except the baseline. The row is NaN if the run cannot be compared with the baseline."""

    changes: ListChanges
    queries: pd.DataFrame
    grouping: str
    groups: pd.DataFrame
    runs: pd.DataFrame
    depth: int


def top_comparison(
    study: Study, top: int, *, baseline: str | None, focus: str | None
) -> Comparison:
    """Return the comparison of the first `top` results of two runs without judgments. If no
    baseline is given, the first run is the baseline. Raises UnknownRunError for an unknown run, and
    RanklensError if the runs cannot be compared."""
    for error in study.refused.values():
        raise error
    measure = parse_measure(f"nDCG@{top}")
    comparison = study.comparison(measure, baseline=baseline, focus=focus)
    if comparison.is_single_run:
        raise no_second_run_error(comparison.baseline)
    refuse_different_depths(list_changes(study, comparison))
    return comparison


def list_changes(study: Study, comparison: Comparison) -> ListChanges:
    """Return how the lists of the run in focus differ from the baseline's lists, for the queries in
    view. Raises NoSharedQueriesError."""
    return changes_between(study, comparison, *comparison.pair)


def changes_between(study: Study, comparison: Comparison, run: str, baseline: str) -> ListChanges:
    """Return how the lists of `run` differ from the lists of `baseline`, for the queries in view.
    Raises NoSharedQueriesError."""
    view = comparison.comparison_that_selects_queries
    return study.cached_answer(_find_changes, view, run, baseline, comparison.cutoff)


def _find_changes(
    study: Study, comparison: Comparison, run: str, baseline: str, k: int
) -> ListChanges:
    return find_list_changes(
        study.runs[run], study.runs[baseline], k, _ids_in_view(study, comparison)
    )


def _ids_in_view(study: Study, comparison: Comparison) -> list[str]:
    ids = np.array(study.query_ids, dtype=object)
    return list(ids[study.view_mask(comparison)])


def find_depth_problem(study: Study, comparison: Comparison) -> tuple[RanklensError | None, int]:
    """Check whether the two runs are cut off at different depths within the first k. Return an
    error if they are, or None if they are not. Also return the largest k at which they can be
    compared."""
    changes = list_changes(study, comparison)
    try:
        refuse_different_depths(changes)
    except RanklensError as error:
        return error, min(changes.longest)
    return None, comparison.cutoff


@cache_answer
def changes_overview(study: Study, comparison: Comparison) -> ChangesOverview:
    """Return the Overview of two runs without judgments."""
    changes = list_changes(study, comparison)
    pair = study.runs[comparison.focus], study.runs[comparison.baseline]
    ranks = baseline_ranks_of_first_documents(*pair, changes.query_ids)
    frame = changes.frame.assign(is_changed=changes.is_changed, was_rank=ranks)
    # Lists in another order come before lists that are the same.
    order = ["new", "is_changed", "rbo"]
    frame = frame.sort_values(order, ascending=[False, False, True], ignore_index=True)
    grouping = next((c for c in study.splitting_columns(comparison) if c in study.groupings), "")
    groups = changes_by_group(study, comparison, grouping) if grouping else pd.DataFrame()
    rows = [
        summarise_changes([each]) if each else pd.DataFrame({"run": [run]})
        for run in study.names
        if run != comparison.baseline
        for each in [_comparable_changes(study, comparison, run, comparison.baseline)]
    ]
    return ChangesOverview(
        changes,
        study.with_texts(frame),
        grouping,
        groups,
        pd.concat(rows, ignore_index=True),
        study.max_depth,
    )


def _comparable_changes(
    study: Study, comparison: Comparison, run: str, baseline: str
) -> ListChanges | None:
    """Return how the lists of `run` differ from the lists of `baseline`. Returns None if the runs
    share no query in view or are cut off at different depths."""
    try:
        changes = changes_between(study, comparison, run, baseline)
    except NoSharedQueriesError:
        return None
    return changes if changes.longest[0] == changes.longest[1] else None


def changes_by_group(study: Study, comparison: Comparison, by: str) -> pd.DataFrame:
    """Return the mean overlap by group for one column of the queries, lowest overlap first.
    Columns: group, queries, overlap, low, high (NaN if there are too few queries for an
    interval)."""
    changes = list_changes(study, comparison)
    groups = study.columns(comparison)[by].reindex(list(changes.query_ids)).astype(str)
    rows = [
        (group, len(part), *(float(end[0]) for end in mean_overlap(part.to_numpy()[:, None])))
        for group, part in pd.Series(changes.overlap).groupby(groups.to_numpy())
    ]
    frame = pd.DataFrame(rows, columns=["group", "queries", "overlap", "low", "high"])
    return frame.sort_values("overlap", kind="stable", ignore_index=True)


@cache_answer
def overlap_curves(study: Study, comparison: Comparison) -> pd.DataFrame:
    """Return the mean overlap of each shown run with the baseline by k, up to the depth at which
    the shorter run ends. Columns: run, k, mean, low, high, difference, diff_low, diff_high. The
    last three are always NaN."""
    ids, baseline = _ids_in_view(study, comparison), study.runs[comparison.baseline]
    frames = []
    for run in comparison.runs:
        if run == comparison.baseline:
            continue
        cutoffs = cutoffs_up_to(study.max_depth, extra_cutoffs=[comparison.cutoff])
        cutoffs, overlap = find_overlap_by_cutoff(study.runs[run], baseline, ids, cutoffs)
        mean, low, high = mean_overlap(overlap)
        values = {"run": run, "k": cutoffs, "mean": mean, "low": low, "high": high}
        frames.append(pd.DataFrame(values))
    empty = dict.fromkeys(("difference", "diff_low", "diff_high"), np.nan)
    return pd.concat(frames, ignore_index=True).assign(**empty)


@cache_answer
def overlap_of_pairs(study: Study, comparison: Comparison) -> pd.DataFrame:
    """Return the rank-biased overlap of all pairs of runs. It is NaN for pairs that cannot be
    compared. Columns: run, baseline, rbo, overlap."""
    rows = []
    for number, run in enumerate(study.names):
        for other in study.names[:number]:
            changes = _comparable_changes(study, comparison, run, other)
            rbo, overlap = (changes.rbo, changes.overlap) if changes else (np.nan, np.nan)
            rows.append((run, other, float(np.mean(rbo)), float(np.mean(overlap))))
    return pd.DataFrame(rows, columns=["run", "baseline", "rbo", "overlap"])


@dataclass(frozen=True)
class QueryChanges:
    """The changes of one query. `counts` has the numbers of new, gone and kept documents ("new",
    "gone", "stay"). `row` has the query's rbo and first_change from `ListChanges.frame`; they are
    NaN if the frame does not contain the query. `mean_rbo` is the mean rank-biased overlap of the
    queries in view. `sources` says where the new documents were in the baseline's list: it maps
    each description of a range of ranks to the number of documents from there."""

    counts: dict[str, int]
    row: dict[str, float]
    mean_rbo: float
    sources: dict[str, int]


def query_changes(study: Study, comparison: Comparison, diagnosis: Diagnosis) -> QueryChanges:
    """Return the changes of one query."""
    k, changes = comparison.cutoff, list_changes(study, comparison)
    rows = diagnosis.align_rankings(*comparison.pair, k)
    places = np.array([row["other_rank"] for row in rows if not row["other_rank"] <= k])
    n_stay, near = len(rows) - len(places), _NEAR * k
    n_gone = len(diagnosis.align_rankings(comparison.baseline, comparison.focus, k)) - n_stay
    frame = changes.frame.set_index("query_id")[["rbo", "first_change"]]
    end = w.format_count(diagnosis.length(comparison.baseline))
    return QueryChanges(
        {"new": len(places), "gone": n_gone, "stay": n_stay},
        frame.reindex([diagnosis.query_id]).iloc[0].to_dict(),
        float(changes.rbo.mean()),
        {
            f"ranks {k + 1} to {near} of {comparison.baseline}": int((places <= near).sum()),
            "further down": int((places > near).sum()),
            f"not in the first {end}" if end != "0" else "not listed": int(np.isnan(places).sum()),
        },
    )


# Columns of the table of queries


def columns_of_list_changes(study: Study, comparison: Comparison) -> list[TableColumn]:
    """Return the columns that compare the two lists of each query, for the table of queries. With
    judgments, only overlap and rank-biased overlap are included. The result is empty if a run lacks
    document ids."""
    pair = comparison.pair
    if comparison.is_single_run or not study.runs or study.runs_without_doc_ids(pair):
        return []
    keys = list(_COLUMNS) if study.is_unjudged else ["overlap", "rbo"]
    columns = [TableColumn("number", f"list:{key}", f"list: {key}", _COLUMNS[key]) for key in keys]
    if study.is_unjudged:
        columns.append(TableColumn("group", f"list:{_KIND}", f"list: {_KIND}", _KIND))
    return columns


def values_of_list_changes(study: Study, comparison: Comparison, key: str) -> AnyArray:
    """Return the values of one of the `columns_of_list_changes` for the queries in view. The class
    of change is object[query]. All other columns are float64[query], NaN if undefined."""
    return np.asarray(study.cached_answer(_frame_of_list_changes, comparison)[key])


def _frame_of_list_changes(study: Study, comparison: Comparison) -> pd.DataFrame:
    ids = _ids_in_view(study, comparison)
    try:
        changes = list_changes(study, comparison)
    except NoSharedQueriesError:
        return pd.DataFrame(np.nan, index=ids, columns=[*_COLUMNS]).assign(**{_KIND: ""})
    frame = changes.frame.set_index("query_id")[[*_COLUMNS]].astype(np.float64)
    # 0 stands for "none" here, which is not a rank.
    ranks = ["first_change", "best_new"]
    frame[ranks] = frame[ranks].replace(0.0, np.nan)
    kinds = np.full(len(frame), "", dtype=object)
    for fewest, most, _ in changes.change_classes():
        kinds[changes.is_in_class(fewest, most)] = describe_change_class(fewest, most)
    return frame.assign(**{_KIND: kinds}).reindex(ids)
