"""What a page draws once the rest of it stands: what takes longer, or lies below the window."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def defer(draw: Callable[[], None], container: DeltaGenerator | None = None) -> None:
    """Have this drawn here, or in a `container` that is there, at the end of this run of the
    page."""
    target = st.container() if container is None else container
    st.session_state.setdefault("_deferred", []).append((target, draw))


def draw_deferred() -> None:
    """Draw what was left for the end of the page, in its order."""
    for container, draw in st.session_state.pop("_deferred", ()):
        with container:
            draw()
