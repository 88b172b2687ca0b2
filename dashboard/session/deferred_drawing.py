"""Drawing that is left for the end of the page: slow parts, and parts below the window."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def defer_drawing(draw: Callable[[], None], container: DeltaGenerator | None = None) -> None:
    """Call `draw` at the end of this run of the page. It then draws at the current position, or in
    `container`."""
    target = st.container() if container is None else container
    st.session_state.setdefault("_deferred", []).append((target, draw))


def draw_deferred() -> None:
    """Draw the deferred parts, in order."""
    for container, draw in st.session_state.pop("_deferred", ()):
        with container:
            draw()
