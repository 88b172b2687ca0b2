"""A click on a link of ours changes the page in place; the browser itself would load it anew.

Another theme draws the page again, for charts are drawn here. And Plotly's own download button
knows one image format at a time: a chart's menu sets it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

_LINKS = st.components.v2.component(
    "ranklens_links",
    html='<i class="scheme"></i>',
    css=".scheme{position:absolute;color:light-dark(#000,#fff);transition:color 1ms}",
    js=Path(__file__).with_name("links.js").read_text("utf-8"),
)


def clicked_link(theme: str, heard: int, address: str, on_theme: Callable[[], None]) -> str:
    """The link that was clicked; "" where none was. `theme` is the one that the page has, `heard`
    counts the changes of it that were heard by `on_theme`, `address` stands behind the page."""
    result = _LINKS(
        key="links",
        data={"theme": theme, "heard": heard, "address": address},
        on_go_change=lambda: None,
        on_theme_change=on_theme,
    )
    return str(result.go or "")
