"""A component that restores the scroll position after the browser's Back button was used or a table
was sorted."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_PLACE = st.components.v2.component(
    "ranklens_place",
    html="<span></span>",
    js=Path(__file__).with_name("place.js").read_text("utf-8"),
)


def remember_scroll_position() -> None:
    """Make the browser restore the scroll position when the user comes back to the page."""
    _PLACE(key="place")
