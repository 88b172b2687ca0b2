"""Rail and controls in the browser: the drawer of a narrow page, keys, focus, full names, the
link."""

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
    """Draw the component; a change of `page` closes the drawer.

    `names` has the full names of shortened ones, and `measures` the meaning of typed measure names
    that are not entries of the picker.
    """
    _FRAME(key="in_browser", data={"page": page, "names": dict(names), "measures": dict(measures)})
