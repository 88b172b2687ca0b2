"""The part of the navigation rail and the controls that runs in the browser: the drawer on a narrow
page, keyboard shortcuts, focus, the full names of runs, and the link to copy."""

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
    """Draw the component. If `page` changes, the drawer is closed.

    `names` maps shortened names to full names. `measures` maps names that can be typed, but are not
    entries of the picker, to the measures that they mean.
    """
    _FRAME(key="in_browser", data={"page": page, "names": dict(names), "measures": dict(measures)})
