"""A component that notices when the server does not answer, when a page reconnects, and when an
upload was interrupted. It also loads the script for charts in advance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

_CONNECTION = st.components.v2.component(
    "ranklens_connection",
    html="<span></span>",
    js=Path(__file__).with_name("connection.js").read_text("utf-8"),
)


def watch_connection(
    address: str, uploader_generation: int, max_file_size: int, chart_script: str
) -> Any:
    """Return the message that the browser sends after the page has reconnected to a server. Returns
    None if the page was never disconnected.

    `uploader_generation` is the generation of the uploader, which increases each time the uploader
    is reset. `max_file_size` is the maximum size of a file in bytes, and `chart_script` is the URL
    of the script that draws charts."""
    result = _CONNECTION(
        key="connection",
        data={
            "address": address,
            "uploads": uploader_generation,
            "largest": max_file_size,
            "charts": chart_script,
        },
        on_back_change=lambda: None,
    )
    return result.back
