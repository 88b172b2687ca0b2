"""Select and order the groups in the table of the Breakdown page."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from dashboard.answers.breakdown import Breakdown
from metrics_core.base import wording as w
from metrics_core.findings.groups import untested_note
from metrics_core.slicing.breakdowns import order_groups

MOST_ROWS = 12
"""Maximum number of groups in the table, unless the user requests all."""

LEAST_QUERIES = (10, 30, 100)
"""Values offered for the minimum number of queries per group."""

_ROOM = ("order", "below", "missing")


@dataclass(frozen=True)
class GroupTableRequest:
    """The user's choices for the table. `ranked` is the column to sort by ("-" before it for
    descending order), `within` is a string that the names of groups must contain, `least` is the
    minimum number of queries, and `every` says whether to show all groups."""

    ranked: str = ""
    within: str = ""
    least: int = 0
    every: bool = False


@dataclass(frozen=True)
class GroupRows:
    """The shown `rows` of `Breakdown.table`. Their additional column `printed` has the values of
    the column `adds`, rounded so that the printed values sum to the total.

    `hidden` is the number of groups that are not shown, `hidden_queries` is the number of their
    queries, and `hidden_adds` is the sum of their contributions (`hidden_printed` if rounded).
    `matching_count` is the number of groups that match the request; `sort_key` is the column by
    which groups are sorted ("-" before it for descending order)."""

    rows: pd.DataFrame
    hidden: int
    hidden_queries: int
    hidden_adds: float
    hidden_printed: float
    matching_count: int
    sort_key: str
    note: str


def select_groups(
    breakdown: Breakdown,
    request: GroupTableRequest,
    *,
    is_single_run: bool,
    max_rows: int = MOST_ROWS,
) -> GroupRows:
    """Return the groups that match the request, in the requested order: at most `max_rows` groups,
    unless the request is for all."""
    groups = breakdown.groups
    total = float(breakdown.total_row["adds"])
    digits = w.mean_decimals([total])
    groups = groups.assign(printed=w.round_parts(total, groups["adds"].tolist(), digits))
    default_key = "mean" if breakdown.direction < 0 else "-mean"
    if not is_single_run:
        default_key = "-adds"
    if breakdown.has_numeric_order:
        default_key = "group"
    keys = make_sort_values(groups)
    sort_key = request.ranked if request.ranked.removeprefix("-") in keys else default_key
    order = keys[sort_key.removeprefix("-")].sort_values(
        ascending=not sort_key.startswith("-"), kind="stable", na_position="last"
    )
    groups = groups.loc[order.index]
    is_matching = groups["queries"] >= request.least
    if request.within:
        is_matching &= (
            groups["group"].str.casefold().str.contains(request.within.casefold(), regex=False)
        )
    matching = groups[is_matching]
    rows = matching if request.every else matching.head(max_rows)
    rest = groups.drop(index=rows.index)
    return GroupRows(
        rows=rows,
        hidden=len(rest),
        hidden_queries=int(rest["queries"].sum()),
        hidden_adds=float(rest["adds"].sum()),
        hidden_printed=float(rest["printed"].sum()),
        matching_count=len(matching),
        sort_key=sort_key,
        note=""
        if is_single_run or not breakdown.direction
        else untested_note(rows, tests_means=breakdown.tests_means),
    )


def make_sort_values(groups: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the sort keys of the rows: for each column, the values by which rows are sorted.
    `groups` is `Breakdown.groups`."""
    positions = {group: i for i, group in enumerate(order_groups(groups["group"]))}
    columns = {"group": groups["group"].map(positions), "queries": groups["queries"]}
    columns["mean"] = groups["mean"]
    if groups["difference"].notna().any():
        columns |= {"difference": groups["difference"], "adds": groups["adds"].abs()}
    if set(_ROOM) <= set(groups.columns):
        columns["room"] = groups[list(_ROOM)].sum(axis=1, min_count=1)
    return columns
