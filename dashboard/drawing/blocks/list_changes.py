"""Blocks for runs without judgments: what changed between the lists of two runs. The only colours
are the colours of the runs, because nothing is known about quality."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
from markupsafe import Markup

from dashboard.answers.list_changes import LISTED, ChangesOverview, QueryChanges
from dashboard.drawing.blocks.markup import (
    Href,
    LinkMaker,
    Styles,
    run_style,
)
from dashboard.drawing.blocks.overview import draw_amount_list, draw_side_by_side
from dashboard.drawing.blocks.table import Column
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.ticks import Ticks
from metrics_core.base import wording as w
from metrics_core.explaining.list_changes import ListChanges
from metrics_core.findings.list_changes import describe_change_class

MOST_BARS = 400
"""Maximum number of bars in the chart of changed queries. If there are more queries, a bar
represents several of them and shows the most changed one."""

_render = Template("list_changes")


def draw_kept_documents(changes: ListChanges, drawing: Drawing) -> Markup:
    """Draw the mean number of documents that are in the first k of both lists, with its interval,
    on an axis from 0 to k."""
    mean, low, high = (float(part) for part in changes.mean_kept())
    k = changes.k
    ticks = [0, k // 2, k] if k > 1 else [0, k]
    return _render(
        "kept",
        style=drawing.focus_style,
        axis=Ticks([float(t) for t in ticks], [*map(w.format_count, ticks)], (0.0, float(k))),
        mean=mean,
        low=low,
        high=high,
        k=k,
    )


def draw_change_classes(changes: ListChanges, drawing: Drawing, link: LinkMaker) -> Markup:
    """Draw the number of queries in each class of change, as one bar. `link` returns the link to
    the queries in a class."""
    classes = [
        (describe_change_class(fewest, most), n, most)
        for fewest, most, n in changes.change_classes()
        if n
    ]
    return _render("classes", classes=classes, link=link, style=drawing.focus_style, k=changes.k)


def draw_change_strip(
    queries: pd.DataFrame, k: int, drawing: Drawing, query_link: LinkMaker
) -> Markup:
    """Draw a bar for each query. Its height is the number of new documents. `queries` is
    `ChangesOverview.queries`."""
    step = -(-len(queries) // MOST_BARS)
    return _render(
        "strip",
        rows=queries.iloc[::step].to_dict("records"),
        k=k,
        step=step,
        link=query_link,
        style=drawing.focus_style,
    )


def draw_change_facts(runs: pd.DataFrame, run: str, changes: ListChanges) -> Markup:
    """Draw a line of numbers on the changes of a run. `runs` is `ChangesOverview.runs`."""
    row = runs.set_index("run").loc[run].to_dict()
    return _render("change_facts", row=row, changes=changes)


def draw_changed_runs(runs: pd.DataFrame, drawing: Drawing, run_link: LinkMaker) -> Markup:
    """Draw a table of all runs compared with the baseline. `runs` is `ChangesOverview.runs`."""
    return _render(
        "changed_runs",
        heads=[
            Column("Run", "who"),
            *(Column(name, "number") for name in ("changed", "kept", "RBO", "same first")),
        ],
        rows=[(run_style(drawing.styles, row["run"]), row) for row in runs.to_dict("records")],
        link=run_link,
        label=f"Changes from {drawing.baseline}",
        k=drawing.cutoff,
    )


def draw_lists_of_changes(
    answer: ChangesOverview,
    drawing: Drawing,
    href: Href,
    all_link: LinkMaker,
    group_link: LinkMaker,
) -> Markup:
    """Draw the most changed queries, the queries with a new first document, and the groups.
    `all_link` returns a link to the list of queries that match a filter line."""
    k, queries = drawing.cutoff, answer.queries
    changed, first = queries[queries["is_changed"]], queries[queries["first_change"] == 1]
    # A document that is missing from the baseline's list comes from deeper than any other.
    order = first["was_rank"].where(first["was_rank"] > 0, answer.depth + 1).sort_values
    first = first.loc[order(ascending=False, kind="stable").index]
    rows = changed.head(LISTED)
    notes = [f"first change at rank {w.format_count(n)}" for n in rows["first_change"]]
    meta = [" · ".join(filter(None, pair)) for pair in zip(rows["meta"], notes, strict=True)]
    kept_texts = [f"{w.format_count(n)} of {k}" for n in rows["kept"].round().astype(int)]
    ranks = first["was_rank"].head(LISTED)
    missing = f"not in the first {w.format_count(answer.depth)}"
    rank_texts = [f"was rank {w.format_count(n)}" if n else missing for n in ranks]

    def more_link(n: int, filter_line: str) -> tuple[str, str]:
        return f"all {w.format_count(n)}", all_link(filter_line)

    lists = [
        draw_amount_list(
            "Changed most",
            rows.assign(amount=kept_texts, meta=meta),
            href,
            subtitle="kept",
            all_link=more_link(len(changed), "`first change` >= 1"),
        )
    ]
    if len(first):
        lists.append(
            draw_amount_list(
                "New first document",
                first.head(LISTED).assign(amount=rank_texts),
                href,
                all_link=more_link(len(first), "`first change` == 1"),
            )
        )
    if len(answer.groups):
        count = f"all {w.format_count(len(answer.groups))}"
        lists.append(
            _render(
                "kept_by_group",
                title=f"By {answer.grouping}",
                more=(count, href("breakdown", by=answer.grouping)),
                rows=answer.groups.head(LISTED).to_dict("records"),
                link=group_link,
                k=k,
                style=drawing.focus_style,
            )
        )
    return draw_side_by_side(*lists)


def draw_groups_by_overlap(
    groups: pd.DataFrame, column: str, drawing: Drawing, group_link: LinkMaker
) -> Markup:
    """Draw all groups of a column with their overlap and its interval. `groups` is the frame of
    `changes_by_group`."""
    return _render(
        "groups_by_overlap",
        heads=[
            Column(column, "who"),
            Column("queries", "number"),
            Column(f"overlap@{drawing.cutoff}, 0 to 1", "mean"),
        ],
        rows=groups.to_dict("records"),
        link=group_link,
        axis=Ticks([], [], (0.0, 1.0)),
        style=drawing.focus_style,
        label=f"Overlap by {column}",
    )


def draw_overlap_matrix(
    pairs: pd.DataFrame, names: Sequence[str], styles: Styles, pair_link: Callable[[str, str], str]
) -> Markup:
    """Draw the rank-biased overlap of all pairs of runs as a triangle. `pairs` is the frame of
    `overlap_of_pairs`."""
    values = pairs.set_index(["run", "baseline"])["rbo"].to_dict()
    return _render(
        "overlap_matrix",
        styles=[run_style(styles, name) for name in names],
        values=values,
        link=pair_link,
    )


def draw_query_changes(changes: QueryChanges, drawing: Drawing) -> Markup:
    """Draw the numbers of new, gone and kept documents of one query."""
    return _render("query_changes", changes=changes, style=drawing.focus_style)


def draw_previous_ranks(changes: QueryChanges) -> Markup:
    """Draw the numbers of new documents that come from each part of the baseline's list for a
    query, or from outside of it."""
    return _render("counts", counts=changes.sources)
