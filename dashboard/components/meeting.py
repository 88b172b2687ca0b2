"""The presentation, which covers the page: one finding per screen, with arrow keys to move and Esc
to end."""

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
    """Show the screens in `html` over the page, starting with the one whose key is `screen`.
    `on_end` is called when the user ends the presentation."""
    _MEETING(key="meeting", data={"html": html, "screen": screen}, on_end_change=on_end)
