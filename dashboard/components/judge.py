"""A component to grade documents by keys or clicks: the results of one query, or a queue that shows
one document at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent

_KEYS = st.components.v2.component(
    "ranklens_judge",
    html='<div class="judge" tabindex="0" role="group" aria-label="Judge documents"></div>',
    css=(_HERE / "judge.css").read_text("utf-8"),
    js=(_HERE / "judge.js").read_text("utf-8"),
)


def judge_documents(
    key: str,
    data: Mapping[str, Any],
    on_actions: Callable[[], None],
    on_display_change: Callable[[], None],
) -> None:
    """Draw the documents in `data`. When the user grades or skips a document, `on_actions` is
    called. When the user changes how the documents are shown, `on_display_change` is called."""
    _KEYS(key=key, data=dict(data), on_acts_change=on_actions, on_chosen_change=on_display_change)
