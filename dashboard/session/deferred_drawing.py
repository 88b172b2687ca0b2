"""Drawing that is deferred until the rest of the page is drawn: blocks that take long, and blocks
below the visible window."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def defer_drawing(draw: Callable[[], None], container: DeltaGenerator | None = None) -> None:
    """Request that `draw` be called at the end of this run of the app. What it draws appears in
    `container` or, if that is None, at the present position in the page."""
    target = st.container() if container is None else container
    st.session_state.setdefault("_deferred", []).append((target, draw))


def draw_deferred() -> None:
    """Draw everything that was deferred, in the order of the requests."""
    for container, draw in st.session_state.pop("_deferred", ()):
        with container:
            draw()
