"""Two columns crossed, on the Breakdown page: a cell for each pair of their groups."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import session
from dashboard.address.query_list import PLAIN
from dashboard.answers.breakdown import Breakdown
from dashboard.answers.crossing import Crossing, crossing
from dashboard.answers.group_names import column_name
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import groups
from dashboard.drawing.drawn_once import drawn
from dashboard.drawing.figures import heatmap, panels
from dashboard.session import Opened
from metrics_core.slicing.breakdowns import ALL


def crossed(shown: Breakdown, across: str, here: Opened, top: Callable[..., None]) -> None:
    """The cells of two columns, below what `top` puts on top of the page."""
    view, every = here.comparison, bool(here.view.address["every"])
    found = crossing(here.study, view, shown.by, across, every=every)
    names = shown.column, column_name(across, view.cutoff)
    download = ("cells", "Cells (CSV)", lambda: found.cells)
    top(here, found.title, found.lead, shown, across, [download])
    both = f"by {names[0]} and {names[1]}"
    figure = drawn(
        heatmap.difference_heatmap,
        found.cells,
        palette=here.look.palette,
        rows_title=names[0],
        columns_title=names[1],
    )
    picture = section.caption(
        f"{view.focus} minus {view.baseline}, {both}",
        str(view.measure),
        "n is the number of queries",
        runs=(view.focus, view.baseline),
    )
    alt = f"Difference to {view.baseline} {both}. {found.extremes}"
    clicked = section.chart(figure, "cells", alt=alt, picture=picture)
    if clicked:
        picked = {shown.by: clicked[0], across: clicked[1]}
        chosen = {column: [value] for column, value in picked.items() if value != ALL}
        session.goto("queries", where=view.narrowed(chosen), **PLAIN)
    st.html(
        groups.cells_scale(
            found.cells,
            here.drawing,
            f"fewer than {heatmap.FEWEST_UNHATCHED} queries: hatched",
        )
    )
    if found.left_out or every:
        text = "Show fewer groups" if every else f"{found.left_out} more groups"
        st.html(groups.more_link(text, session.href("breakdown", every="" if every else "1")))
    _panels(found, names[1], here)


def _panels(found: Crossing, name: str, here: Opened) -> None:
    """The scores of all runs by the second column alone, where they are asked for."""
    view, is_open = here.comparison, bool(here.view.address["charts"])
    runs = section.counted(len(view.runs), "run", "runs")
    link = session.href("breakdown", charts="" if is_open else "1")
    text = f"Charts of {runs} by {name} {'↑' if is_open else '↓'}"
    st.html(groups.more_link(text, link))
    if not is_open:
        return
    section.heading(
        f"By {name}",
        f"{view.measure} per run with 95 % interval, same scale in all.",
        frame=found.groups,
        key="second",
    )
    figure = drawn(panels.score_by_difficulty, found.groups, here.drawing, order=found.order)
    picture = section.caption(
        f"Score on {view.measure}, by {name}", str(view.measure), section.INTERVALS
    )
    alt = f"Mean {view.measure} per run by {name}. {found.best}"
    clicked = section.chart(figure, "second", alt=alt, picture=picture)
    if not clicked:
        return
    run = clicked[1] if len(clicked) > 1 else view.focus
    if run in (view.focus, view.baseline):
        session.goto("queries", where=view.narrowed({found.across: [clicked[0]]}), **PLAIN)
    session.forget("second")
    session.goto("breakdown", **here.view.comparing(run))
