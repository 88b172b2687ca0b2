"""History: the runs as versions of one system; what broke, what was fixed, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.page import FEWEST_VERSIONS
from dashboard.address.usual_baseline import differ_by_numbers, natural
from dashboard.address.view import Comparison
from dashboard.answers.history_dates import NAMES, NO_DATES, VersionDates
from dashboard.answers.pairs import every_pair
from dashboard.answers.query_chips import whole_failures
from dashboard.study.study import Study
from metrics_core.base.parallel import on_all_cores
from metrics_core.comparing.method import Method
from metrics_core.comparing.verdicts import BETTER_RUN
from metrics_core.explaining.history import History, first_bad_versions, history
from metrics_core.findings.history import history_finding, no_versions_finding
from metrics_core.findings.sentence import Sentence
from metrics_core.scoring.curves import judged_share
from metrics_core.slicing.breakdowns import ALL, by_group, coded_groups
from metrics_core.slicing.derived_groups import MARK

BY_NAME, AS_LOADED, BY_DATE, NONE = "", "loaded", "date", "none"
"""How an address orders the versions; `NONE` says that the runs are none of one system."""
MOST_QUERIES = 50
"""Queries that the page lists; all of them are in the download."""


@dataclass(frozen=True)
class GroupsByVersion:
    """A column's groups over the versions: `means` has group, run, queries, mean, low, high;
    `first_bad` names the version since which a group is clearly worse than it was at its best, for
    the groups that are."""

    means: pd.DataFrame
    groups: list[str]
    first_bad: dict[str, str]


@dataclass(frozen=True)
class HistoryPage:
    """What the page shows; where nothing tells that these are versions of one system, the finding
    alone, and both frames are empty. `overall` has run, queries, mean, low, high, judged, a row
    a version in order, `judged` being the share of its top results that are judged;
    `queries` has query_id, text, states (a text of "+" and "-" a version), changes, broke, fixed
    (names of versions, "" for none), first_bad, flickers: those that changed, latest first. The
    judgments may be `complete`."""

    finding: Sentence
    are_versions: bool
    versions: tuple[str, ...]
    overall: pd.DataFrame
    queries: pd.DataFrame
    complete: bool = False


def versions(
    study: Study, order: str, asked: Sequence[str], dates: VersionDates = NO_DATES
) -> tuple[str, ...]:
    """The runs, first version to last: those asked for in that order where there are two, else all
    of them by name, numbers by size, by their dates, or as they were loaded."""
    named = tuple(dict.fromkeys(name for name in asked if name in study.names))
    if len(named) >= FEWEST_VERSIONS:
        return named
    if order == AS_LOADED:
        return tuple(study.names)
    by_name = sorted(study.names, key=natural)
    return tuple(sorted(by_name, key=dates.order) if order == BY_DATE else by_name)


def are_versions(
    runs: Sequence[str], order: str, asked: Sequence[str], dates: VersionDates
) -> bool:
    """Whether something tells that these runs are versions of one system: that a reader put them in
    order, or that their names hold dates or differ by numbers alone, unless the reader said that
    they are not."""
    if order == NONE:
        return False
    by_hand = order != BY_NAME or tuple(dict.fromkeys(asked)) == tuple(runs)
    return by_hand or differ_by_numbers(runs) or dates.source == NAMES


def history_page(
    study: Study, shown: Comparison, runs: tuple[str, ...], *, are_versions: bool
) -> HistoryPage:
    """The page History: these runs in this order, over the queries in view."""
    return study.kept(_history, _of_all(shown), runs, are_versions)


def history_slices(
    study: Study, shown: Comparison, runs: tuple[str, ...], by: str
) -> GroupsByVersion:
    """The groups of one column, which follow; empty where there is no such column."""
    # Only a derived column may depend on who is compared.
    return study.kept(_slices, shown if by.endswith(MARK) else _of_all(shown), runs, by)


def _of_all(shown: Comparison) -> Comparison:
    """The key of what does not depend on who is compared, unless the queries in view do."""
    method = Method(level=shown.method.level)
    return replace(shown.narrowing, chosen=shown.chosen, cutoff=shown.cutoff, method=method)


def _history(study: Study, shown: Comparison, runs: tuple[str, ...], versions: bool) -> HistoryPage:
    if not versions:
        told = no_versions_finding(runs)
        return HistoryPage(told, versions, runs, pd.DataFrame(), pd.DataFrame())
    mask = study.in_view(shown)
    in_view = [study.judged[name].among(mask) for name in runs]
    overall = _means(study, shown, runs, pd.Series(ALL, index=list(in_view[0].query_ids)))
    overall = overall.drop(columns="group")
    overall["judged"] = [judged_share(ranks, shown.cutoff) for ranks in in_view]
    failed = on_all_cores(lambda run: whole_failures(study, run, shown.measure, shown.cutoff), runs)
    found = history(in_view, shown.measure, shown.cutoff, told=[kinds[mask] for kinds in failed])
    told = history_finding(
        list(overall["run"]),
        overall["mean"].to_numpy() * shown.measure.declaration.direction,
        shown.name,
        now_bad=int((found.first_bad >= 0).sum()),
        flickering=int(found.flickers.sum()),
        since=_first_bad(study, shown, runs, [np.ones(len(found.query_ids), dtype=bool)])[0],
        is_best=_is_best(study, shown, runs),
    )
    return HistoryPage(
        finding=told,
        are_versions=versions,
        versions=runs,
        overall=overall,
        queries=_queries(study, found),
        complete=study.settings.complete,
    )


def _is_best(study: Study, shown: Comparison, runs: Sequence[str]) -> bool:
    """Whether the last is clearly better than each of the others, as all pairs tell it."""
    pairs = every_pair(study, shown)
    rows = [pairs.runs.index(run) for run in runs]
    return bool((pairs.verdict[rows[-1], rows[:-1]] == BETTER_RUN).all())


def _means(study: Study, shown: Comparison, runs: Sequence[str], groups: pd.Series) -> pd.DataFrame:
    scores = study.every_score(shown, shown.measure).only(runs)
    return by_group(scores, shown.measure, groups)[
        ["group", "run", "queries", "mean", "low", "high"]
    ]


def _first_bad(
    study: Study, shown: Comparison, runs: Sequence[str], slices: Sequence[np.ndarray]
) -> list[str]:
    """The version since which each slice, bool[Q] of its queries, is clearly worse; "" for none."""
    scores = study.every_score(shown, shown.measure).only(runs).of(shown.measure)
    declared = shown.measure.declaration
    found = first_bad_versions(
        [scores[:, queries] for queries in slices],
        direction=declared.direction,
        combination=declared.combination,
        looked_at=len(slices),
    )
    return [runs[at] if at >= 0 else "" for at in found]


def _slices(study: Study, shown: Comparison, runs: tuple[str, ...], by: str) -> GroupsByVersion:
    columns = study.columns(shown) if by.endswith(MARK) else study.own_columns
    if by not in columns:
        return GroupsByVersion(pd.DataFrame(), [], {})
    groups = columns[by][study.in_view(shown)]
    codes, ordered = coded_groups(groups)
    bad = _first_bad(study, shown, runs, [codes == code for code in range(len(ordered))])
    means = _means(study, shown, runs, groups)
    named = zip(ordered, bad, strict=True)
    return GroupsByVersion(means, ordered, {group: run for group, run in named if run})


def _queries(study: Study, found: History) -> pd.DataFrame:
    """The queries that changed, those that broke latest first."""
    named = np.array([*found.versions, ""], dtype=object)
    signs = np.ascontiguousarray(np.where(found.fine.T, "+", "-"))
    states = signs.view(f"<U{len(found.versions)}")[:, 0].astype(object)
    frame = pd.DataFrame(
        {
            "query_id": list(found.query_ids),
            "states": states,
            "changes": found.changes,
            "broke": named[found.broke],
            "fixed": named[found.fixed],
            "first_bad": named[found.first_bad],
            "flickers": found.flickers,
        }
    )
    frame.insert(1, "text", frame["query_id"].map(study.texts))
    rank = pd.Series(found.first_bad).where(found.first_bad >= 0, -1)
    order = np.lexsort((-found.changes, -rank.to_numpy()))
    frame = frame.iloc[order]
    return frame[frame["changes"] > 0].reset_index(drop=True)
