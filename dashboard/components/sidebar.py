"""The sidebar in the browser: a drawer on a narrow page, and names that were shortened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

_SIDEBAR = st.components.v2.component(
    "ranklens_sidebar", js=Path(__file__).with_name("sidebar.js").read_text("utf-8")
)


def watch_sidebar(chosen: Sequence[Any], names: Mapping[str, str]) -> None:
    """`chosen` closes the drawer when it changes; `names` has the whole names of shortened ones."""
    _SIDEBAR(key="in_browser", data={"chosen": list(chosen), "names": dict(names)})
