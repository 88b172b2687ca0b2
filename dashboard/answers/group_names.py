"""Names of query groups in sentences and tables."""

from __future__ import annotations

import pandas as pd

from metrics_core.base import wording as w
from metrics_core.findings.group_nouns import GroupNoun
from metrics_core.slicing import breakdowns
from metrics_core.slicing.derived_groups import find_derived_column


def group_name(group: str, column: str, groups: pd.Series, *, short: bool = False) -> str:
    """Return the name of a group for use in a sentence.

    If the group is a number or a range, the name includes the name of the column. For a group of a
    derived column, the name describes the queries of the group. If `short` is true, the name is for
    use outside sentences, so a group of a derived column is named by its label."""
    derived = find_derived_column(column)
    if group == breakdowns.NO_GROUP:
        return f"queries without {derived.name if derived else column}"
    if derived is not None:
        return group if short else derived.describe_group(group)
    return f"{column} {group}" if breakdowns.are_numeric_groups(groups) else group


def quote_groups(groups: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the frame with the groups in its column `group` replaced by their short names. Groups
    of derived columns are quoted instead."""
    mark = ("“", "”") if find_derived_column(column) else ("", "")
    names = {
        g: g.join(mark)
        if g != breakdowns.NO_GROUP and any(mark)
        else group_name(g, column, groups["group"], short=True)
        for g in dict.fromkeys(groups["group"])
    }
    return groups.assign(group=groups["group"].map(names))


def replace_group_names(groups: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the frame with the groups in its column `group` replaced by their names as used in
    sentences."""
    names = {g: group_name(g, column, groups["group"]) for g in dict.fromkeys(groups["group"])}
    return groups.assign(group=groups["group"].map(names))


_NOUNS = {
    "brand": "brands",
    "category": "categories",
    "country": "countries",
    "department": "departments",
    "domain": "domains",
    "intent": "intents",
    "language": "languages",
    "market": "markets",
    "product": "products",
    "segment": "segments",
    "source": "sources",
    "topic": "topics",
    "type": "types",
}
"""Plurals of nouns. If the name of a column ends with one of these nouns, a single group is named
after the column, for example "query type"."""


def column_name(column: str, cutoff: int) -> str:
    """Return the name of a column for choices and headings. Names of derived columns mention the
    cutoff."""
    derived = find_derived_column(column)
    return derived.title.format(k=w.format_count(cutoff)) if derived else column


def column_title(column: str, cutoff: int) -> str:
    """Return the column's name as a title: unchanged if the column is from a file, in sentence case
    if it is derived."""
    name = column_name(column, cutoff)
    return w.sentence_case(name) if find_derived_column(column) else name


def crossed_title(column: str, second_column: str, cutoff: int) -> str:
    """Return the title of two crossed columns, for example "category × difficulty"."""
    return f"{column_title(column, cutoff)} × {column_name(second_column, cutoff)}"


def group_noun(column: str) -> GroupNoun:
    """Return the nouns for one group and for several groups of a column."""
    name = column.replace("_", " ").lower()
    first, _, last = name.rpartition(" ")
    if last not in _NOUNS or find_derived_column(column):
        return GroupNoun()
    return GroupNoun(name, f"{first} {_NOUNS[last]}".strip())
