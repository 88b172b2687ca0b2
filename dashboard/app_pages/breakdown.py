"""Breakdown: where does the difference come from?"""

from typing import Any

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.query_list import PLAIN
from dashboard.address.view import Comparison
from dashboard.answers import breakdown as answers
from dashboard.answers.breakdown import Breakdown
from dashboard.answers.slices import slices
from dashboard.app_pages.parts import explaining, section
from dashboard.drawing.blocks import bridge, markup
from dashboard.drawing.drawn_once import drawn
from dashboard.drawing.figures import breakdown as figures
from dashboard.drawing.figures import heatmap, panels
from dashboard.session import Opened
from dashboard.session.deferred import defer
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.sentence import muted, run
from metrics_core.scoring.intervals import LEVEL
from metrics_core.slicing.breakdowns import ALL


def render() -> None:
    """Slices that differ, groups that add up to the difference, and each group by itself."""
    here = session.opened_study()
    shown = answers.breakdown(here.study, here.comparison, here.view.address["by"])
    if not shown.groupings:
        st.html(
            markup.nothing(
                "Nothing tells these queries apart.",
                "Add a column such as category to the query file to break results down.",
            )
        )
        return
    styles = here.drawing.styles
    st.html(
        markup.sentence(shown.finding, styles)
        + markup.second(shown.reversal, styles)
        + markup.second(shown.mixed, styles)
        + markup.second(shown.strongest, styles)
    )
    defer(lambda: _slices(here))
    _columns(shown)
    if here.comparison.alone:
        st.html(
            markup.nothing(
                "From groups to the headline",
                "With one run there is no difference to take apart: load a second run, or compare"
                " another one at the left.",
            )
        )
    else:
        _taken_apart(shown, here)
    with st.container(key="by_score"):
        left, right = st.columns([1, 1], gap="large")
        with left:
            defer(lambda: _scores(shown, here))
        with right:
            defer(lambda: _second(shown, here))
    if not here.comparison.alone:
        defer(lambda: _cells(shown, here))
    defer(lambda: explaining.room_part(shown, here))


def _taken_apart(shown: Breakdown, here: Opened) -> None:
    """The groups that add up to the difference, and the difference of each."""
    with st.container(key="by_group"):
        left, right = st.columns([1.5, 1], gap="large")
        with left:
            _bridge(shown, here)
        with right:
            _differences(shown, here)


def _columns(shown: Breakdown) -> None:
    """The columns to group by, and what a derived one is."""
    section.group_by(shown.groupings, shown.by, labelled=True)
    if shown.explanation:
        st.caption(shown.explanation)


def _slices(here: Opened) -> None:
    """The slices in which the difference is unlike elsewhere."""
    known = slices(here.study, here.comparison)
    if here.comparison.alone or not known.looked_at:
        return
    among = section.counted(known.looked_at, "slice", "slices")
    share = w.share(1 - LEVEL)
    if not known.found:
        st.html(
            markup.second(
                muted(
                    f"Looked at {among} of one or two columns: in none is the difference unlike"
                    f" elsewhere, with false discoveries held to {share}."
                ),
                here.drawing.styles,
            )
        )
        return
    section.heading(
        f"Found among {among}",
        "Queries of one or two columns in which the difference is unlike the rest; false"
        f" discoveries held to {share}. A click lists the queries.",
        frame=known.table,
        key="slices",
    )

    def draw() -> Markup:
        return bridge.slice_rows(
            known.found,
            lead=lambda found: session.href("queries", where=found.where, **PLAIN),
        )

    section.standing("slices", draw, known)


def _bridge(shown: Breakdown, here: Opened) -> None:
    """The groups as steps to the difference over all queries."""
    view = here.comparison
    if not shown.paired:
        st.html(markup.nothing("From groups to the headline", "No query has a score with both."))
        return
    section.heading(
        "From groups to the headline",
        "Each bar is the group’s share of the queries times its mean difference; together they are"
        f" the difference of the means. Full colour: clear on its own, {_when_clear(shown)}. A"
        " click lists the queries.",
        frame=shown.bridge,
        key="bridge",
    )

    def draw() -> Markup:
        return bridge.bridge_rows(
            shown.steps,
            here.drawing,
            lead=lambda group: session.href(
                "queries", where=view.narrowed({shown.by: [group]}), **PLAIN
            ),
            coloured=shown.paired >= FEWEST_QUERIES,
        )

    section.standing("bridge", draw, shown, here.drawing)


def _when_clear(shown: Breakdown) -> str:
    groups = section.counted(shown.looked_at, "group", "groups")
    return f"for all {groups} together and from {FEWEST_QUERIES} queries on"


def _differences(shown: Breakdown, here: Opened) -> None:
    view, styles = here.comparison, here.drawing.styles
    name = str(view.measure)
    single = ""
    if shown.has_small_groups:
        single = f" Under {FEWEST_QUERIES} queries a group is a few single cases."
    if shown.lacks_intervals:
        single += " No bar: too few of the queries differ."
    section.heading(
        f"Difference to {view.baseline} on {name}, by {shown.by_name}",
        muted("In their own order" if shown.in_own_order else "In the same order")
        + muted(
            ". Bars are 95 % intervals of one group each; a bar that crosses the line may be"
            f" chance.{single}"
        ),
        frame=shown.groups.drop(columns=["low", "high"]),
        key="groups",
        styles=styles,
    )
    figure = drawn(figures.difference_by_group, shown.groups, here.drawing, order=shown.order)
    alt = f"Difference to {view.baseline} by {shown.by_name}. {shown.finding.text}"
    picture = section.caption(
        f"Difference to {view.baseline} on {name}, by {shown.by_name}", name, section.INTERVALS
    )
    _draw(figure, "difference_by_group", here, shown.by, alt=alt, picture=picture)


def _scores(shown: Breakdown, here: Opened) -> None:
    view = here.comparison
    scores = answers.group_scores(here.study, view, shown.by)
    section.heading(
        f"Score on {view.measure}",
        f"Mean per run, by {shown.by_name}; the same order of groups.",
        frame=scores.groups,
        key="scores",
    )
    figure = drawn(figures.score_by_group, scores.groups, here.drawing, order=shown.order)
    alt = f"Mean {view.measure} per run by {shown.by_name}. {scores.best}"
    picture = section.caption(f"Score on {view.measure}, by {shown.by_name}", str(view.measure))
    _draw(figure, "score_by_group", here, shown.by, alt=alt, picture=picture)


def _cells(shown: Breakdown, here: Opened) -> None:
    view, styles = here.comparison, here.drawing.styles
    second = answers.second_breakdown(here.study, view, shown.by)
    if second is None:
        return
    section.heading(
        f"{w.sentence_case(shown.by_name)} and {second.name}",
        run(view.focus)
        + muted(
            f" minus {view.baseline} on {view.measure}; n is the number of queries. Cells under"
            f" {FEWEST_QUERIES} queries are pale: read them as single cases. A click lists the"
            " queries."
        ),
        frame=second.cells,
        key="cells",
        styles=styles,
    )
    figure = drawn(
        heatmap.difference_heatmap,
        second.cells,
        palette=here.look.palette,
        rows_title=shown.by_name,
        columns_title=second.name,
    )
    both = f"by {shown.by_name} and {second.name}"
    alt = f"Difference to {view.baseline} {both}. {second.extremes}"
    picture = section.caption(
        f"{view.focus} minus {view.baseline}, {both}",
        str(view.measure),
        "n is the number of queries",
        runs=(view.focus, view.baseline),
    )
    clicked = section.chart(figure, "cells", alt=alt, picture=picture)
    if clicked:
        picked = {shown.by: clicked[0], second.column: clicked[1]}
        _list_queries(view, picked)


def _second(shown: Breakdown, here: Opened) -> None:
    view = here.comparison
    second = answers.second_breakdown(here.study, view, shown.by)
    if second is None:
        return
    section.heading(
        f"By {second.name}",
        f"{view.measure} per run with 95 % interval, same scale in all.",
        frame=second.groups,
        key="second",
    )
    figure = drawn(panels.score_by_difficulty, second.groups, here.drawing, order=second.order)
    alt = f"Mean {view.measure} per run by {second.name}. {second.best}"
    picture = section.caption(
        f"Score on {view.measure}, by {second.name}", str(view.measure), section.INTERVALS
    )
    _draw(figure, "second", here, second.column, alt=alt, picture=picture)


def _draw(figure: Any, key: str, here: Opened, by: str, **told: Any) -> None:
    """A chart with groups and runs: a click on a run's dot compares that run, one on the rest of a
    row opens its queries."""
    view, clicked = here.comparison, section.chart(figure, key, **told)
    if not clicked:
        return
    run_clicked = clicked[1] if len(clicked) > 1 else view.focus
    if run_clicked in (view.focus, view.baseline):
        _list_queries(view, {by: clicked[0]})
    session.forget(key)
    session.goto("breakdown", **here.view.comparing(run_clicked))


def _list_queries(view: Comparison, picked: dict[str, str]) -> None:
    """Open the queries of a group or cell; "all" leaves a column as it was."""
    chosen = {column: [value] for column, value in picked.items() if value != ALL}
    session.goto("queries", where=view.narrowed(chosen), **PLAIN)


if __name__ == "__main__":
    render()
