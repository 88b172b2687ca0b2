"""Which groups the table of the Breakdown page shows, and in which order."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from dashboard.answers.breakdown import Breakdown
from metrics_core.base import wording as w
from metrics_core.findings.groups import untested_note
from metrics_core.slicing.breakdowns import ordered_groups

MOST_ROWS = 12
"""Groups that are shown unless all are asked for."""

LEAST = (10, 30, 100)
"""Numbers of queries that a group may be asked to have."""

_ROOM = ("order", "below", "missing")


@dataclass(frozen=True)
class GroupTableRequest:
    """What a reader asks of the table: `ranked` is a column, "-" before it where the greatest is
    first, `within` a part of a group's name, `least` the queries that a group must have."""

    ranked: str = ""
    within: str = ""
    least: int = 0
    every: bool = False


@dataclass(frozen=True)
class GroupRows:
    """The rows shown of `Breakdown.table`, with `printed` (what each adds, as it is written: with
    what is hidden and `whole` they add up), and what is `hidden`: groups, queries, what they add,
    exactly and as printed. `found` counts the groups that were asked for, `ranked` is the order."""

    rows: pd.DataFrame
    hidden: int
    hidden_queries: int
    hidden_adds: float
    hidden_printed: float
    found: int
    ranked: str
    note: str


def listed(
    shown: Breakdown,
    asked: GroupTableRequest,
    *,
    alone: bool,
    higher_is_better: bool,
    most: int = MOST_ROWS,
) -> GroupRows:
    """The rows that a reader asked for, at most so many unless all are."""
    groups = shown.groups
    whole = float(shown.whole["adds"])
    groups = groups.assign(printed=w.parts_of(whole, groups["adds"].tolist()))
    usual = "-mean" if higher_is_better else "mean"
    if not alone:
        usual = "-adds"
    if shown.in_own_order:
        usual = "group"
    keys = ranks_of(groups)
    ranked = asked.ranked if asked.ranked.removeprefix("-") in keys else usual
    order = keys[ranked.removeprefix("-")].sort_values(
        ascending=not ranked.startswith("-"), kind="stable", na_position="last"
    )
    groups = groups.loc[order.index]
    wanted = groups["queries"] >= asked.least
    if asked.within:
        wanted &= groups["group"].str.casefold().str.contains(asked.within.casefold(), regex=False)
    matching = groups[wanted]
    rows = matching if asked.every else matching.head(most)
    rest = groups.drop(index=rows.index)
    return GroupRows(
        rows=rows,
        hidden=len(rest),
        hidden_queries=int(rest["queries"].sum()),
        hidden_adds=float(rest["adds"].sum()),
        hidden_printed=float(rest["printed"].sum()),
        found=len(matching),
        ranked=ranked,
        note="" if alone else untested_note(rows),
    )


def ranks_of(groups: pd.DataFrame) -> dict[str, pd.Series]:
    """The columns that rows can be ranked by, with the value of each row."""
    place = {group: i for i, group in enumerate(ordered_groups(groups["group"]))}
    found = {"group": groups["group"].map(place), "queries": groups["queries"]}
    found["mean"] = groups["mean"]
    if groups["difference"].notna().any():
        found |= {"difference": groups["difference"], "adds": groups["adds"].abs()}
    if set(_ROOM) <= set(groups.columns):
        found["room"] = groups[list(_ROOM)].sum(axis=1, min_count=1)
    return found
