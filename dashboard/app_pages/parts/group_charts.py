"""Charts of the Breakdown page: scores and differences by group, and two columns crossed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import session
from dashboard.address.query_list import PLAIN
from dashboard.answers.crossing import Crossing
from dashboard.answers.group_names import column_name, crossed_title
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import curves as blocks
from dashboard.drawing.blocks import groups
from dashboard.drawing.drawn_once import drawn
from dashboard.drawing.figures import breakdown as figures
from dashboard.drawing.figures import heatmap
from dashboard.session import Opened
from metrics_core.base import wording as w
from metrics_core.scoring.intervals import LEVEL
from metrics_core.slicing.breakdowns import ALL


def legend(here: Opened) -> None:
    """The one legend of all these charts."""
    st.html(blocks.legend(here.drawing, list(here.drawing.styles), {}))


def scores(frame: pd.DataFrame, by: str, order: Sequence[str], told: str, here: Opened) -> None:
    """The score of each run by group."""
    name, column = here.comparison.name, column_name(by, here.comparison.cutoff)
    st.html(blocks.panel_head("Score", f"mean {name}, {w.share(LEVEL)} intervals"))
    figure = drawn(figures.score_by_group, frame, here.drawing, order=order)
    picture = section.caption(f"Score on {name}, by {column}", name, section.INTERVALS)
    alt = f"Mean {name} per run by {column}. {told}"
    clicked = section.chart(figure, "score_by_group", alt=alt, picture=picture)
    _open_queries(clicked, by, here)


def differences(
    frame: pd.DataFrame, by: str, order: Sequence[str], told: str, looked_at: int, here: Opened
) -> None:
    """The difference of each run to the baseline by group."""
    view = here.comparison
    column, every = column_name(by, view.cutoff), section.counted(looked_at, "group", "groups")
    of = f"Difference from {view.baseline}"
    st.html(blocks.panel_head(of, f"{w.share(view.method.level)} CI, corrected for {every}"))
    figure = drawn(figures.difference_by_group, frame, here.drawing, order=order)
    picture = section.caption(f"{of} on {view.name}, by {column}", view.name, section.INTERVALS)
    alt = f"{of} by {column}. {told}"
    clicked = section.chart(figure, "difference_by_group", alt=alt, picture=picture)
    _open_queries(clicked, by, here)


def cells(found: Crossing, by: str, here: Opened) -> None:
    """The difference in each cell of two columns, and what the colours say."""
    view = here.comparison
    rows, columns = (column_name(name, view.cutoff) for name in (by, found.across))
    both, of = f"by {rows} and {columns}", f"{view.focus} minus {view.baseline}"
    title = crossed_title(by, found.across, view.cutoff)
    st.html(blocks.panel_head(title, f"{of} on {view.name}"))
    figure = drawn(
        heatmap.difference_heatmap,
        found.cells,
        palette=here.look.palette,
        rows_title=rows,
        columns_title=columns,
    )
    picture = section.caption(
        f"{of}, {both}",
        view.name,
        "n is the number of queries",
        runs=(view.focus, view.baseline),
    )
    alt = f"Difference from {view.baseline} {both}. {found.extremes}"
    clicked = section.chart(figure, "cells", alt=alt, picture=picture)
    if clicked:
        picked = {by: clicked[0], found.across: clicked[1]}
        _list_queries({name: group for name, group in picked.items() if group != ALL}, here)
    about = f"fewer than {heatmap.FEWEST_UNHATCHED} queries: hatched"
    st.html(groups.cells_scale(found.cells, here.drawing, about))


def _open_queries(clicked: Sequence[Any] | None, by: str, here: Opened) -> None:
    """Open the queries of the group that was clicked, of a dot's run against the baseline."""
    if not clicked:
        return
    view, run = here.comparison, clicked[1] if len(clicked) > 1 else ""
    another = bool(run) and run not in (view.focus, view.baseline)
    _list_queries({by: clicked[0]}, here, here.view.comparing(run) if another else {})


def _list_queries(
    picked: Mapping[str, str], here: Opened, compared: Mapping[str, Any] | None = None
) -> None:
    where = here.comparison.narrowed({column: [value] for column, value in picked.items()})
    session.goto("queries", **(compared or {}), where=where, **PLAIN)
