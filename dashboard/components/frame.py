"""The behaviour of the navigation rail and the controls in the browser: the rail as a drawer on
narrow screens, keyboard shortcuts, focus, the full names of runs, and copying the link."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent

_FRAME = st.components.v2.component(
    "ranklens_frame",
    js="".join((_HERE / f"{name}.js").read_text("utf-8") for name in ("keys", "focus", "frame")),
)


def watch_frame(page: str, names: Mapping[str, str], measures: Mapping[str, str]) -> None:
    """Draw the component. When `page` changes, the drawer is closed.

    `names` maps shortened names to full names. Users can also type names of measures that are not
    entries of the picker; `measures` maps these names to their measures."""
    _FRAME(key="in_browser", data={"page": page, "names": dict(names), "measures": dict(measures)})
