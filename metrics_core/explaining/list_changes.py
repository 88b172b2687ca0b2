"""Compare the results of two runs without judgments: what changed in the first k documents of each
query."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.errors import NoSharedQueriesError, ParameterError, RanklensError
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.explaining.list_comparison import compare_runs, read_lists
from metrics_core.scoring.intervals import LEVEL, Interval, mean_interval
from metrics_core.tables import Run

DEEPEST = 1_000
"""The deepest rank at which a new document is looked up in the baseline's list."""
_LARGE, _MEDIUM = 0.6, 0.3
"""Minimum share of new documents for the first two classes of change."""


@dataclass(frozen=True, eq=False)
class ListChanges:
    """The changes in the first `k` documents of a run compared with a baseline, for the queries
    with results in either run. A rank without a document counts as a different document.

    new           int64[query]    documents of the run that the baseline lacks
    overlap       float64[query]  number of documents in both lists, divided by k; if both lists are
                                  shorter than k, divided by the length of the longer list
    rbo           float64[query]  rank-biased overlap, which also depends on the order
    first_change  int64[query]    first rank with different documents; 0 if there is none
    best_new      int64[query]    best rank of a new document; 0 if there is none

    `n_short` is the number of queries for which both lists are shorter than k, and `n_both` the
    number of queries with results in both runs. `longest` has the length of the run's longest list
    and the length of the baseline's longest list, each at most k."""

    run: str
    baseline: str
    k: int
    query_ids: tuple[str, ...]
    new: Ints
    overlap: Floats
    rbo: Floats
    first_change: Ints
    best_new: Ints
    n_short: int
    n_both: int
    longest: tuple[int, int]

    @property
    def n_kept(self) -> Floats:
        """The number of documents that are in the first k of both runs, float64[query]. If both
        lists are shorter than k, it is the overlap times k."""
        return self.overlap * self.k

    @property
    def is_changed(self) -> Mask:
        """Whether each query has a change in its first k documents or in their order,
        bool[query]."""
        return self.first_change > 0

    @property
    def n_changed(self) -> int:
        """The number of queries with a change in the first k documents or in their order."""
        return int(self.is_changed.sum())

    def mean_kept(self, level: float = LEVEL) -> Interval:
        """The mean number of the first k documents that stay, with its interval. The bounds of the
        interval are at least 0 and at most k."""
        return Interval(*(self.k * part[0] for part in mean_overlap(self.overlap[:, None], level)))

    def change_classes(self) -> list[tuple[int, int, int]]:
        """Return (fewest, most, queries) for each class of change: the range of the number of new
        documents, and the number of queries. Classes with many new documents come first.

        At the end, (0, 0, queries) counts the queries with the same documents in another order, and
        (-1, -1, queries) counts the queries with the same list. A class is left out if no number of
        documents lies between its bounds."""
        large = int(np.ceil(_LARGE * self.k))
        medium = min(int(np.ceil(_MEDIUM * self.k)), large)
        bounds = [(large, self.k), (medium, large - 1), (1, medium - 1)]
        bounds = [(fewest, most) for fewest, most in bounds if 1 <= fewest <= most]
        return [
            (fewest, most, int(self.is_in_class(fewest, most).sum()))
            for fewest, most in [*bounds, (0, 0), (-1, -1)]
        ]

    def is_in_class(self, fewest: int, most: int) -> Mask:
        """Return whether each query is in the class of change from `fewest` to `most` new documents
        (`change_classes`), bool[query]."""
        if most < 1:
            return (self.new == 0) & (self.is_changed == (most == 0))
        return (self.new >= fewest) & (self.new <= most)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per query. Columns: run, baseline, query_id, kept, new, overlap, rbo,
        first_change, best_new. `first_change` is 0 if nothing changed, and `best_new` is 0 if no
        document is new."""
        columns = ("new", "overlap", "rbo", "first_change", "best_new")
        values = {name: getattr(self, name) for name in columns}
        ids = {"run": self.run, "baseline": self.baseline, "query_id": list(self.query_ids)}
        return pd.DataFrame({**ids, "kept": self.n_kept, **values})


def mean_overlap(overlap: Floats, level: float = LEVEL) -> Interval:
    """Return the mean of `overlap`, float64[query, column], over the queries, with its interval.
    The bounds of the interval are clipped to 0 and 1, and NaN if a column has fewer than
    `FEWEST_QUERIES` queries."""
    share = mean_interval(overlap, level=level)
    is_enough = (~np.isnan(overlap)).sum(axis=0) >= FEWEST_QUERIES
    ends = (np.where(is_enough, np.clip(end, 0, 1), np.nan) for end in (share.low, share.high))
    return Interval(share.mean, *ends)


def find_list_changes(
    run: Run, baseline: Run, k: int, query_ids: Collection[str] | None = None
) -> ListChanges:
    """Return how the first `k` documents of a run differ from the baseline's, for the queries with
    these ids; if `query_ids` is None, for all queries.

    Raises ParameterError if `k` is below 1, RanklensError if a run has no results, and
    NoSharedQueriesError if no query has results in both runs."""
    if k < 1:
        raise ParameterError(f"{k} is not a valid number of results.", "It must be at least 1.")
    for entry in (baseline, run):
        if not entry.query_ids:
            raise RanklensError(f"{entry.name} has no results.", "Give runs with results.")
    refuse_incomparable_run(run, baseline)
    every_id = dict.fromkeys([*baseline.query_ids, *run.query_ids])
    in_view = every_id if query_ids is None else set(query_ids)
    listed_ids = tuple(query_id for query_id in every_id if query_id in in_view)
    top = compare_runs(run, baseline, listed_ids, depth=k)
    n = len(listed_ids)
    same_rank = top.rank == top.other_rank
    first_change = _first_missing_rank(top.query[same_rank], top.rank[same_rank], n)
    first_change[first_change > np.maximum(top.listed, top.other_listed)] = 0
    best_new = _first_missing_rank(top.query, top.rank, n)
    best_new[best_new > top.listed] = 0
    return ListChanges(
        run=run.name,
        baseline=baseline.name,
        k=k,
        query_ids=listed_ids,
        new=top.listed - np.bincount(top.query, minlength=n),
        overlap=top.overlap(k),
        rbo=top.rbo(),
        first_change=first_change,
        best_new=best_new,
        n_short=int((np.maximum(top.listed, top.other_listed) < k).sum()),
        n_both=int(((top.listed > 0) & (top.other_listed > 0)).sum()),
        longest=(int(top.listed.max(initial=0)), int(top.other_listed.max(initial=0))),
    )


def find_changes_of_runs(runs: Sequence[Run], baseline: Run, k: int) -> list[ListChanges]:
    """Return how the first `k` documents of each run except the baseline differ from the
    baseline's. `runs` contains the baseline.

    Raises the errors of `find_list_changes` and `refuse_different_depths`, and RanklensError if
    there is no other run."""
    changes = [find_list_changes(run, baseline, k) for run in runs if run is not baseline]
    if not changes:
        raise no_second_run_error(baseline.name)
    for each in changes:
        refuse_different_depths(each)
    return changes


def no_second_run_error(name: str) -> RanklensError:
    """Return the error for a run that has neither judgments nor a second run to be compared
    with."""
    return RanklensError(
        f"There is no run to compare with {name}.", "Add a second run or judgments."
    )


def refuse_different_depths(changes: ListChanges) -> None:
    """Raise RanklensError if the longest lists of the two runs differ in length within the first k
    documents. One run's results were then cut off earlier, so the other run's documents beyond that
    rank must not count as changes."""
    if changes.longest[0] == changes.longest[1]:
        return
    names = (changes.run, changes.baseline)
    (least, shorter), (most, longer) = sorted(zip(changes.longest, names, strict=True))
    raise RanklensError(
        f"{shorter} has at most {least} results per query, but {longer} has up to {most} in the top"
        f" {changes.k}.",
        f"Compare the top {least}, or give {shorter} with at least {most} results per query.",
    )


def refuse_incomparable_run(run: Run, baseline: Run) -> None:
    """Raise NoSharedQueriesError if no query has results in both runs, and RanklensError if only
    the judged documents of the run are known."""
    if not run.complete:
        raise RanklensError(
            f"Only the ranks of judged documents were loaded for {run.name}.",
            "Load the run itself, or judgments.",
        )
    if run.query_ids and set(baseline.query_ids).isdisjoint(run.query_ids):
        raise NoSharedQueriesError(
            f"{run.name} and {baseline.name} have no query in common: the first id is"
            f" {run.query_ids[0]} in {run.name} and {baseline.query_ids[0]} in {baseline.name}.",
            "Give two runs on the same queries, with the same query ids.",
        )


def find_list_length(run: Run) -> int:
    """Return the length of the run's longest list, at most `DEEPEST`; 0 if the run has no
    results."""
    return int(read_lists(run, run.query_ids, DEEPEST)[1].max(initial=0))


def baseline_ranks_of_first_documents(run: Run, baseline: Run, query_ids: Sequence[str]) -> Ints:
    """Return the baseline's rank of the document that the run ranks first, int64[query]; 0 if it is
    not among the baseline's first `DEEPEST` documents."""
    deep = compare_runs(run, baseline, query_ids, depth=DEEPEST)
    ranks, is_first = np.zeros(len(query_ids), dtype=np.int64), deep.rank == 1
    ranks[deep.query[is_first]] = deep.other_rank[is_first]
    return ranks


def find_overlap_by_cutoff(
    run: Run, baseline: Run, query_ids: Sequence[str], cutoffs: Sequence[int]
) -> tuple[list[int], Floats]:
    """Return the cutoffs k that both runs reach with their longest lists, and the overlap of the
    first k documents, float64[query, k]. The overlap is NaN for queries without results."""
    top = compare_runs(run, baseline, query_ids, depth=max(cutoffs))
    deepest = min(top.listed.max(initial=0), top.other_listed.max(initial=0))
    shared = [k for k in cutoffs if k <= deepest]
    return shared, np.array([top.overlap(k) for k in shared]).reshape(-1, len(query_ids)).T


def _first_missing_rank(query: Ints, rank: Ints, n_queries: int) -> Ints:
    """Return, for each query, the lowest rank that does not occur, int64[query]. The ranks of a
    query must be distinct and ascending."""
    starts = np.searchsorted(query, np.arange(n_queries))
    position = np.arange(1, len(query) + 1) - starts[query]
    return np.bincount(query[rank == position], minlength=n_queries) + 1


def find_documents_to_judge(
    run: Run, baseline: Run, query_ids: Sequence[str], k: int, *, only_in_one_list: bool
) -> pd.DataFrame:
    """Return the first `k` documents of the two runs on these queries, in the order of `query_ids`.
    Queries with the same list in both runs are left out. Columns: query_id, doc_id.

    If `only_in_one_list` is true, documents in both lists are left out: whatever their grades, they
    add the same amount to P@k of both runs, though not to other measures."""
    sides = [read_lists(each, query_ids, k) for each in (run, baseline)]
    rows = pd.concat([pd.DataFrame({"query": q, "rank": r, "doc_id": d}) for q, r, d in sides])
    rows = rows[rows["query"].isin(rows["query"][~rows.duplicated(keep=False)])]
    rows = rows.drop_duplicates(["query", "doc_id"], keep=False if only_in_one_list else "first")
    rows = rows.sort_values("query", kind="stable", ignore_index=True)
    names = np.array(query_ids, dtype=object)[rows["query"].to_numpy()]
    return pd.DataFrame({"query_id": names, "doc_id": rows["doc_id"].to_numpy(dtype=object)})


def summarise_changes(changes: Sequence[ListChanges], level: float = LEVEL) -> pd.DataFrame:
    """Return one row per run. Columns: run, baseline, k, queries, changed (number of queries), kept
    (mean number of documents out of k that stay), low and high (interval of kept), none_kept and
    same_first (numbers of queries), new_documents, first_change (median over the changed queries),
    rbo (mean)."""
    rows = []
    for each in changes:
        mean, low, high = each.mean_kept(level)
        changed_ranks = each.first_change[each.is_changed]
        rows.append(
            {
                "run": each.run,
                "baseline": each.baseline,
                "k": each.k,
                "queries": len(each.query_ids),
                "changed": each.n_changed,
                "kept": float(mean),
                "low": float(low),
                "high": float(high),
                "none_kept": int((each.overlap == 0).sum()),
                "same_first": int((each.first_change != 1).sum()),
                "new_documents": int(each.new.sum()),
                "first_change": float(np.median(changed_ranks)) if len(changed_ranks) else np.nan,
                "rbo": float(each.rbo.mean()),
            }
        )
    return pd.DataFrame(rows)
