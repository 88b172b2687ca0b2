"""Blocks of the Overview if nothing is tested: the scores of a single run, or all queries if there
are too few to test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import pandas as pd
from markupsafe import Markup

from dashboard.address.query_list import DEFAULT_LIST, NO_LIST
from dashboard.drawing.blocks.markup import Href, LinkMaker, run_style
from dashboard.drawing.blocks.overview import draw_amount_list
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.ticks import Ticks
from metrics_core.base import wording as w

ScoreLinkMaker = Callable[[float, float], str]
"""A function that takes two scores and returns the link to the queries with scores between them."""

_MOST_MEANS = 8

_render = Template("untested")


def draw_message_box(title: str, text: str, label: str, link: str) -> Markup:
    """Draw a box with a title, a text and one link that says what to do next."""
    return _render("box", title=title, text=text, label=label, link=link)


def draw_histogram(
    counts: Sequence[int], drawing: Drawing, make_score_link: ScoreLinkMaker
) -> Markup:
    """Draw a histogram of the scores of a single run. `counts` has the number of queries in equal
    bins from 0 to 1. `make_score_link` returns the link to the queries with scores between two
    values."""
    total = sum(counts)
    title = f"Scores of the {w.format_count(total)} queries" if total != 1 else "Score of the query"
    most, style = max(1, *counts), drawing.focus_style
    return _render(
        "histogram", title=title, counts=counts, most=most, lead=make_score_link, style=style
    )


def draw_examples(rows: pd.DataFrame, drawing: Drawing, href: Href) -> Markup:
    """Draw all queries with both scores, in grey, for comparisons with too few queries to test.
    `rows` has query_id, text, meta, score, baseline_score, difference; the largest loss comes
    first."""
    less = not drawing.comparison.measure.declaration.higher_is_better
    reach = max(float(rows["difference"].abs().max()), 1e-12) if len(rows) else 1.0
    return _render(
        "examples",
        rows=rows.to_dict("records"),
        scale=Ticks([], [], (reach, -reach) if less else (-reach, reach)),
        baseline=run_style(drawing.styles, drawing.baseline),
        focus=drawing.focus_style,
        href=href,
        listed=NO_LIST,
    )


def draw_score_list(
    rows: pd.DataFrame,
    drawing: Drawing,
    kind: Literal["lowest", "highest"],
    href: Href,
    *,
    unanswerable: int = 0,
) -> Markup:
    """Draw the queries with the lowest or the highest scores of a single run. `rows` has query_id,
    text, meta, score. `unanswerable` is the number of queries without a relevant document. The list
    of lowest scores excludes these queries."""
    subtitle = ""
    if unanswerable and kind == "lowest":
        noun = w.plural(unanswerable, "query that has", "queries that have")
        subtitle = f"excluding the {w.format_count(unanswerable)} {noun} no relevant document"
    title = f"{kind.capitalize()} scores"
    if rows.empty:
        return _render("nothing_listed", title=title, text="No query has a score.")
    return draw_amount_list(
        title,
        rows.assign(amount=rows["score"].map(w.format_score)),
        href,
        subtitle=subtitle,
        all_link=("all", href("queries", **DEFAULT_LIST)),
        list_fields=NO_LIST | {"sort": "" if kind == "lowest" else f"-score:{drawing.focus}"},
    )


def draw_mean_list(
    rows: pd.DataFrame,
    drawing: Drawing,
    href: Href,
    make_group_link: LinkMaker,
    *,
    by: tuple[str, str],
) -> Markup:
    """Draw the means of a single run by group, in the given order. `by` is the key and the name of
    the column. `rows` has group, queries, mean."""
    if rows.empty:
        return _render(
            "nothing_listed", title=f"By {by[1]}", text="The queries in view have no groups."
        )
    return _render(
        "mean_list",
        title=f"By {by[1]}",
        more=(f"all {w.format_count(len(rows))}", href("breakdown", by=by[0])),
        rows=rows.head(_MOST_MEANS).to_dict("records"),
        lead=make_group_link,
        has_bar=bool(rows["mean"].dropna().between(0, 1).all()),
        style=drawing.focus_style,
    )
