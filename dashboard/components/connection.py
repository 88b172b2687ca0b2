"""A server that does not answer, a page that comes back to one, uploads that were cut off; charts’
script while there is time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

_CONNECTION = st.components.v2.component(
    "ranklens_connection",
    html="<span></span>",
    js=Path(__file__).with_name("connection.js").read_text("utf-8"),
)


def watch_connection(address: str, uploads: int, largest: int, charts: str) -> Any:
    """What the page tells when it comes back to a server; None where it was never away. `uploads`
    counts the uploaders so far, `largest` is what one file may have, in bytes, `charts` where the
    script is that draws charts."""
    result = _CONNECTION(
        key="connection",
        data={"address": address, "uploads": uploads, "largest": largest, "charts": charts},
        on_back_change=lambda: None,
    )
    return result.back
