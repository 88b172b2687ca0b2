"""A click on one of our links changes the page in place; the browser itself would reload it.

Another theme draws the page again, because charts are drawn on the server. Plotly's built-in
download button supports one image format at a time, which a chart's menu sets.
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
    """Return the link that was clicked, or an empty text.

    `theme` is the current theme of the page, `heard` the number of theme changes handled by
    `on_theme`, and `address` the query string of the page.
    """
    result = _LINKS(
        key="links",
        data={"theme": theme, "heard": heard, "address": address},
        on_go_change=lambda: None,
        on_theme_change=on_theme,
    )
    return str(result.go or "")
