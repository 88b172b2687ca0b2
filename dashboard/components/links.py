"""A component that handles clicks on links within the app, so that the next page is shown without
reloading the app.

If the theme changes, the page is drawn again, because charts are drawn on the server. A menu of
each chart offers several image formats, because Plotly's own download button supports only one."""

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


def clicked_link(
    theme: str,
    n_handled_theme_changes: int,
    address: str,
    on_theme: Callable[[], None],
    on_star: Callable[[], None],
) -> str:
    """Return the link that was clicked. Returns "" if no link was clicked.

    `theme` is the current theme of the page, `n_handled_theme_changes` is the number of theme
    changes that `on_theme` has handled, and `address` is the query string of the page. A click on
    the star of a query calls `on_star`."""
    result = _LINKS(
        key="links",
        data={"theme": theme, "heard": n_handled_theme_changes, "address": address},
        on_go_change=lambda: None,
        on_theme_change=on_theme,
        on_star_change=on_star,
    )
    return str(result.go or "")
