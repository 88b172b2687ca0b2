"""Two columns crossed, on the Breakdown page: a cell for each pair of their groups."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import session
from dashboard.answers.breakdown import Breakdown
from dashboard.answers.crossing import crossing
from dashboard.app_pages.parts import group_charts
from dashboard.drawing.blocks import curves, groups
from dashboard.session import Opened


def crossed(shown: Breakdown, across: str, here: Opened, top: Callable[..., None]) -> None:
    """The cells of two columns, and the scores of all runs by the second, below what `top` puts on
    top of the page."""
    every = bool(here.view.address["every"])
    found = crossing(here.study, here.comparison, shown.by, across, every=every)
    downloads = [
        ("cells", "Cells (CSV)", lambda: found.cells),
        ("second", "Scores of all runs shown (CSV)", lambda: found.groups),
    ]
    top(here, found.title, found.lead, shown, across, downloads)
    group_charts.legend(here)
    with st.container(key="crossed"):
        left, right = st.columns([1.8, 1], gap="medium")
    with left:
        group_charts.cells(found, shown.by, here)
        if found.left_out or every:
            text = "Show fewer groups" if every else f"{found.left_out} more groups"
            st.html(groups.more_link(text, session.href("breakdown", every="" if every else "1")))
    with right:
        group_charts.scores(found.groups, across, found.order, found.best, here)
        st.html(curves.note("A dot or a row opens its queries."))
