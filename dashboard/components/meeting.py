"""The meeting view over a page: one finding per screen, arrow keys, Esc."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from dashboard.drawing.report import document

_MEETING = st.components.v2.component(
    "ranklens_meeting",
    js=Path(document.__file__).with_name("present.js").read_text("utf-8")
    + Path(__file__).with_name("meeting.js").read_text("utf-8"),
)


def show_meeting(html: str, screen: str, on_end: Callable[[], None]) -> None:
    """Show these screens over the page, starting with the screen of this key. `on_end` is called
    when the user leaves them."""
    _MEETING(key="meeting", data={"html": html, "screen": screen}, on_end_change=on_end)
