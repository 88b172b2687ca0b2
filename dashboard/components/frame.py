"""Rail and controls in the browser: a narrow page's drawer, keys, focus, whole names, the link."""

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
    """Another `page` closes the drawer; `names` has the whole names of shortened ones, `measures`
    what a typed name means where that is no entry of the picker."""
    _FRAME(key="in_browser", data={"page": page, "names": dict(names), "measures": dict(measures)})
