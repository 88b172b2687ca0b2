"""The tables of the History page: versions, groups over versions, the queries that changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.table import Column
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.figures.text import short_names

Link = Callable[[str], str]

_NAME = 16

_render = Template("history")


def slice_table(
    means: pd.DataFrame,
    groups: Sequence[str],
    versions: Sequence[str],
    first_bad: Mapping[str, str],
    lead: Link,
) -> Markup:
    """A row a group, a column a version: the mean with its interval on hover. `means` has group,
    run, queries, mean, low, high; `first_bad` names, for some groups, the version since which they
    are worse."""
    short = short_names(versions, _NAME)
    return _render(
        "slice_table",
        groups=groups,
        heads=[Column(short[run], "number", hint=run) for run in versions],
        queries=means.groupby("group")["queries"].max(),
        told={(row["group"], row["run"]): row for row in means.to_dict("records")},
        first_bad=first_bad,
        lead=lead,
    )


def version_table(
    frame: pd.DataFrame, measure: str, judged_in: str, collection_link: Link
) -> Markup:
    """A row a version: its date, its mean with the interval, how many queries it is over, how much
    of its top results is judged, and by whose judgments. `frame` has run, collection, judged_by,
    date, queries, mean, low, high, judged, unknown. Who all are judged alike do not say it."""
    return _render(
        "version_table",
        rows=frame.to_dict("records"),
        measure=measure,
        judged_in=judged_in,
        dated=any(frame["date"]),
        apart=any(frame["collection"]),
        link=collection_link,
    )


def remarks(lines: Sequence[str]) -> Markup:
    """Sentences on what the versions rest on, one a line."""
    return _render("remarks", told=lines)


def query_table(frame: pd.DataFrame, versions: Sequence[str], query_link: Link) -> Markup:
    """A row a query: a mark for each version, good or not, and when it broke and was fixed. `frame`
    has query_id, text, states, broke, fixed, flickers."""
    rows = frame.to_dict("records")
    return _render("query_table", rows=rows, versions=versions, opened=query_link)
