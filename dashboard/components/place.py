"""Back returns to where a page was left; a table that is sorted stays where it is seen."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_PLACE = st.components.v2.component(
    "ranklens_place",
    html="<span></span>",
    js=Path(__file__).with_name("place.js").read_text("utf-8"),
)


def remember_scroll() -> None:
    """Let the browser remember where a page was left."""
    _PLACE(key="place")
