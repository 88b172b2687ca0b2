"""The presentation: it covers the page and shows one finding per screen. The arrow keys go to the
next or previous screen, and Esc ends the presentation."""

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


def show_presentation(html: str, screen: str, on_end: Callable[[], None]) -> None:
    """Show the screens in `html` over the page, starting at the one with the key `screen`. `on_end`
    is called when the user ends the presentation."""
    _MEETING(key="meeting", data={"html": html, "screen": screen}, on_end_change=on_end)
