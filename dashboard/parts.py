"""Small Streamlit pieces that every page puts together: headings with a CSV link, charts."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import session
from dashboard.blocks import markup, navigation
from dashboard.literal import literal
from dashboard.theme import RunStyle
from metrics_core import wording as w
from metrics_core.findings import Sentence

_CONFIG = {
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
}


def heading(
    title: str,
    explanation: str | Sentence,
    *,
    frame: pd.DataFrame | None = None,
    key: str = "",
    styles: dict[str, RunStyle] | None = None,
) -> None:
    """A section's heading with its muted line and, beside it, the table behind it as CSV."""
    if frame is None:
        st.html(markup.section(title, explanation, styles=styles))
        return
    with st.container(horizontal=True, key=f"head_{key}", vertical_alignment="bottom"):
        st.html(markup.section(title, explanation, styles=styles))
        st.download_button(
            "CSV",
            data=lambda: session.spreadsheet(frame),
            file_name=f"ranklens-{key}.csv",
            mime="text/csv",
            key=f"csv_{key}",
            type="tertiary",
            on_click="ignore",
            help=f"Download the table behind “{literal(title)}”.",
        )


def counted(n: int, one: str, many: str) -> str:
    """A number with its noun: "1 query", "84 queries"."""
    return f"{w.count(n)} {w.plural(n, one, many)}"


def chart(figure: go.Figure, key: str, *, alt: str, clickable: bool = True) -> list[Any] | None:
    """Draw a figure; the customdata of the mark that was clicked, if one was."""
    with st.container(key=f"chart_{key}"):
        st.html(navigation.image_menu(figure.layout.height or 0))
        event = st.plotly_chart(
            figure,
            key=f"{key}_{session.generation(key)}",
            theme=None,
            config=_CONFIG | {"toImageButtonOptions": {"filename": f"ranklens-{key}"}},
            alt=alt,
            on_select="rerun" if clickable else "ignore",
            selection_mode="points",
        )
    if not clickable:
        return None
    points = event["selection"]["points"] if event else []
    if not points:
        return None
    data = points[0].get("customdata")
    return list(data) if isinstance(data, (list, tuple)) else [data]
