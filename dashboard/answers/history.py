"""The History page: the runs as versions of one system, and which queries were broken or fixed in
which version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.default_baseline import differ_only_by_numbers, natural_sort_key
from dashboard.address.page import FEWEST_VERSIONS
from dashboard.address.view import Comparison
from dashboard.answers.history_dates import NAMES, NO_DATES, VersionDates
from dashboard.answers.pairs import all_run_pairs
from dashboard.answers.query_chips import run_failures
from dashboard.study.study import Study
from metrics_core.base.parallel import map_on_all_cores
from metrics_core.comparing.method import Method
from metrics_core.comparing.tested_quantities import to_tested_scale
from metrics_core.comparing.verdicts import BETTER_RUN
from metrics_core.explaining.history import History, find_first_bad_versions, make_history
from metrics_core.findings.history import (
    history_finding,
    no_versions_finding,
    undeclared_history_finding,
)
from metrics_core.findings.sentence import Sentence
from metrics_core.scoring.curves import judged_share
from metrics_core.slicing.breakdowns import ALL, encode_groups, summarise_groups
from metrics_core.slicing.derived_groups import MARK

BY_NAME, AS_LOADED, BY_DATE, NONE = "", "loaded", "date", "none"
"""Orders of the versions, in the form used in an address. `NONE` means that the runs are not
versions of one system."""
MOST_QUERIES = 50
"""Maximum number of queries that the page lists. The download contains all of them."""


@dataclass(frozen=True)
class GroupsByVersion:
    """The scores of the groups of a column by version.

    `means` has group, run, queries, mean, low, high. `first_bad` maps a group to the version since
    which the group has been significantly worse than at its best. Groups that have no such version
    are not in `first_bad`."""

    means: pd.DataFrame
    groups: list[str]
    first_bad: dict[str, str]


@dataclass(frozen=True)
class HistoryPage:
    """The content of the History page. `queries` is empty if the runs are not recognised as
    versions.

    `overall` has one row per version, in order: run, queries, mean, low, high, judged (judged share
    of its top results), answered (number of queries with results) and, for recognised versions,
    change (difference from the previous version) and outcome (of the test of this pair). `queries`
    has the queries that changed between good and failed, in the order of `_changed_queries`:
    query_id, text, states (for each version, "+" for good or "-" for failed), changes, broke,
    fixed, first_bad (version names, "" for none), flickers. `complete` says whether the judgments
    are complete."""

    finding: Sentence
    are_versions: bool
    versions: tuple[str, ...]
    overall: pd.DataFrame
    queries: pd.DataFrame
    complete: bool = False


def ordered_versions(
    study: Study, order: str, names: Sequence[str], dates: VersionDates = NO_DATES
) -> tuple[str, ...]:
    """Return the runs as versions, from first to last.

    If `names` contains at least two loaded runs, the result consists of these runs in the order of
    `names`. Otherwise, the result has all runs in the order that `order` states: by name (v2 before
    v10), by date, or as loaded."""
    chosen = tuple(dict.fromkeys(name for name in names if name in study.names))
    if len(chosen) >= FEWEST_VERSIONS:
        return chosen
    if order == AS_LOADED:
        return tuple(study.names)
    by_name = sorted(study.names, key=natural_sort_key)
    return tuple(sorted(by_name, key=dates.sort_key) if order == BY_DATE else by_name)


def are_versions(
    runs: Sequence[str], order: str, names: Sequence[str], dates: VersionDates
) -> bool:
    """Return whether these runs are treated as versions of one system. They are not if the user has
    stated that they are not. Otherwise, they are if the user put them in order, if their names
    contain dates, or if their names differ only by numbers."""
    if order == NONE:
        return False
    by_hand = order != BY_NAME or tuple(dict.fromkeys(names)) == tuple(runs)
    return by_hand or differ_only_by_numbers(runs) or dates.source == NAMES


def history_page(
    study: Study, comparison: Comparison, runs: tuple[str, ...], *, are_versions: bool
) -> HistoryPage:
    """Return the content of the History page for these runs in this order, over the queries in
    view."""
    return study.cached_answer(_history_page, _versions_key(comparison), runs, are_versions)


def groups_by_version(
    study: Study, comparison: Comparison, runs: tuple[str, ...], by: str
) -> GroupsByVersion:
    """Return the groups of one column by version. They are not part of `history_page`, because the
    page loads them separately. The result is empty if the column is unknown."""
    # Only a derived column may depend on who is compared.
    return study.cached_answer(
        _groups_by_version, comparison if by.endswith(MARK) else _versions_key(comparison), runs, by
    )


def _versions_key(comparison: Comparison) -> Comparison:
    """Return the cache key of results that do not depend on which runs are compared. The compared
    runs are part of the key only if the queries in view depend on them."""
    method = Method(level=comparison.method.level)
    return replace(
        comparison.comparison_that_selects_queries,
        chosen_measure=comparison.chosen_measure,
        cutoff=comparison.cutoff,
        method=method,
    )


def _history_page(
    study: Study, comparison: Comparison, runs: tuple[str, ...], are_versions: bool
) -> HistoryPage:
    mask = study.view_mask(comparison)
    query_ids = study.scores_of_all_runs(comparison, comparison.measure).query_ids
    overall = _means_by_group(study, comparison, runs, pd.Series(ALL, index=list(query_ids)))
    overall = overall.drop(columns="group")
    computed = study.is_computed(comparison.measure)
    in_view = [study.judged[name].select_queries(mask) for name in runs] if computed else []
    overall["judged"] = [judged_share(ranks, comparison.cutoff) for ranks in in_view] or np.nan
    overall["answered"] = [int((r.retrieved > 0).sum()) for r in in_view] or overall["queries"]
    if not are_versions:
        return HistoryPage(
            no_versions_finding(),
            are_versions,
            runs,
            overall,
            pd.DataFrame(),
            study.settings.complete,
        )
    failures = map_on_all_cores(
        lambda run: run_failures(study, run, comparison.measure, comparison.cutoff), runs
    )
    result = (
        make_history(in_view, [kinds[mask] for kinds in failures])
        if computed
        else _history_without_failures(runs, query_ids)
    )
    versions, means = list(overall["run"]), overall["mean"].to_numpy()
    pairs = all_run_pairs(study, comparison)
    rows = [pairs.runs.index(run) for run in runs]
    overall["change"] = [np.nan, *pairs.difference[rows[1:], rows[:-1]]]
    overall["outcome"] = ["", *pairs.verdict[rows[1:], rows[:-1]]]
    finding = history_finding(
        versions,
        means * comparison.measure.declaration.direction,
        comparison.name,
        n_failing=int((result.first_bad_version >= 0).sum()),
        n_flickering=int(result.is_flickering.sum()),
        first_bad_version=_find_regressing_versions(
            study, comparison, runs, [np.ones(len(result.query_ids), dtype=bool)]
        )[0],
        is_best=bool((pairs.verdict[rows[-1], rows[:-1]] == BETTER_RUN).all()),
        compares_means=comparison.compares_means,
        counts_failures=computed,
    )
    if not comparison.has_direction:
        finding = undeclared_history_finding(versions, means, comparison.name)
    return HistoryPage(
        finding=finding,
        are_versions=are_versions,
        versions=runs,
        overall=overall,
        queries=_changed_queries(study, result),
        complete=study.settings.complete,
    )


def _history_without_failures(runs: tuple[str, ...], query_ids: tuple[str, ...]) -> History:
    """Return the history for a measure whose scores come from another tool. Every query counts as
    good in it, because such scores do not say which queries fail."""
    return History(runs, query_ids, np.ones((len(runs), len(query_ids)), dtype=np.bool_))


def _means_by_group(
    study: Study, comparison: Comparison, runs: Sequence[str], groups: pd.Series
) -> pd.DataFrame:
    scores = study.scores_of_all_runs(comparison, comparison.measure).select_runs(runs)
    return summarise_groups(scores, comparison.measure, groups)[
        ["group", "run", "queries", "mean", "low", "high"]
    ]


def _find_regressing_versions(
    study: Study, comparison: Comparison, runs: Sequence[str], slices: Sequence[np.ndarray]
) -> list[str]:
    """Return, for each slice (bool[query]), the version since which the slice has been
    significantly worse than at its best. It is "" if there is no such version."""
    scores = (
        study.scores_of_all_runs(comparison, comparison.measure)
        .select_runs(runs)
        .values_of(comparison.measure)
    )
    tested = to_tested_scale(comparison.measure, scores)
    indices = find_first_bad_versions(
        [tested[:, queries] for queries in slices],
        direction=comparison.measure.declaration.direction,
        n_tested=len(slices),
    )
    return [runs[index] if index >= 0 else "" for index in indices]


def _groups_by_version(
    study: Study, comparison: Comparison, runs: tuple[str, ...], by: str
) -> GroupsByVersion:
    columns = study.columns(comparison) if by.endswith(MARK) else study.file_columns
    if by not in columns:
        return GroupsByVersion(pd.DataFrame(), [], {})
    groups = columns[by][study.view_mask(comparison)]
    codes, ordered = encode_groups(groups)
    first_bad = _find_regressing_versions(
        study, comparison, runs, [codes == code for code in range(len(ordered))]
    )
    means = _means_by_group(study, comparison, runs, groups)
    first_bad_runs = zip(ordered, first_bad, strict=True)
    return GroupsByVersion(means, ordered, {group: run for group, run in first_bad_runs if run})


def _changed_queries(study: Study, result: History) -> pd.DataFrame:
    """Return the queries that changed between good and failed. Queries that fail now come first,
    the most recently broken ones at the top."""
    version_names = np.array([*result.versions, ""], dtype=object)
    signs = np.ascontiguousarray(np.where(result.fine.T, "+", "-"))
    states = signs.view(f"<U{len(result.versions)}")[:, 0].astype(object)
    frame = pd.DataFrame(
        {
            "query_id": list(result.query_ids),
            "states": states,
            "changes": result.change_counts,
            "broke": version_names[result.broken_at],
            "fixed": version_names[result.fixed_at],
            "first_bad": version_names[result.first_bad_version],
            "flickers": result.is_flickering,
        }
    )
    frame.insert(1, "text", frame["query_id"].map(study.texts))
    rank = pd.Series(result.first_bad_version).where(result.first_bad_version >= 0, -1)
    order = np.lexsort((-result.change_counts, -rank.to_numpy()))
    frame = frame.iloc[order]
    return frame[frame["changes"] > 0].reset_index(drop=True)
