"""Tables of the History page: the versions, the groups by version, and the queries that changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.markup import run_style
from dashboard.drawing.blocks.table import Column
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES

Link = Callable[[str], str]

_NAME = 24

_render = Template("history")


def draw_slice_table(
    means: pd.DataFrame,
    groups: Sequence[str],
    versions: Sequence[str],
    first_bad_version: Mapping[str, str],
    make_slice_link: Link,
) -> Markup:
    """Draw a table of means with one row per group and one column per version. The interval of a
    mean is shown on hover. `means` has group, run, queries, mean, low, high. `first_bad_version`
    maps a group to the version since which it has been significantly worse than at its best. A
    group with too few queries is marked as not tested."""
    short = short_names(versions, _NAME)
    return _render(
        "slice_table",
        groups=groups,
        short=short,
        heads=[Column(short[run], "number", hint=run) for run in versions],
        queries=means.groupby("group")["queries"].max(),
        rows_by_cell={(row["group"], row["run"]): row for row in means.to_dict("records")},
        first_bad=first_bad_version,
        lead=make_slice_link,
        fewest=FEWEST_QUERIES,
    )


def draw_version_table(frame: pd.DataFrame, drawing: Drawing, collection_link: Link) -> Markup:
    """Draw a table with one row per version: mean with interval, difference from the previous
    version (coloured if it is significant), number of queries with results, judged share of the top
    results, date, and the collection whose judgments were used. The date is omitted if it is the
    same for all versions, and so is the collection.

    `frame` has run, collection, judged_by, date, queries, mean, low, high, judged, answered,
    unknown, change, outcome."""
    return _render(
        "version_table",
        rows=frame.to_dict("records"),
        styles=[run_style(drawing.styles, run) for run in frame["run"]],
        short=short_names(frame["run"], _NAME),
        measure=drawing.name,
        judged_in=f"Top {w.format_count(drawing.cutoff)} judged",
        dated=frame["date"].nunique() > 1,
        apart=any(frame["collection"]),
        link=collection_link,
    )


def draw_version_remarks(lines: Sequence[str]) -> Markup:
    """Draw remarks on the versions, one sentence per line."""
    return _render("remarks", lines=lines)


def draw_query_table(frame: pd.DataFrame, versions: Sequence[str], query_link: Link) -> Markup:
    """Draw a table with one row per query. It shows for each version whether the query was good or
    failed, the version with which it last broke, and the version with which it was last fixed.
    `frame` has query_id, text, states, broke, fixed, flickers."""
    return _render(
        "query_table",
        rows=frame.to_dict("records"),
        versions=versions,
        short=short_names(versions, _NAME) | {"": w.DASH},
        opened=query_link,
    )
