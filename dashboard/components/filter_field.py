"""The field for searches and filter lines. It completes columns, operators and values.

The component is not isolated from the rest of the page, because a keyboard shortcut of the page
moves the focus to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
KEY = "filter_line"

_FIELD = st.components.v2.component(
    "ranklens_filter_line",
    html='<div class="filter-line"><input type="text" role="combobox" aria-label="Search or filter"'
    ' aria-autocomplete="list" aria-expanded="false" aria-controls="entries" autocomplete="off"'
    ' autocapitalize="off" spellcheck="false"><kbd aria-hidden="true">/</kbd><span class="apply"'
    ' aria-hidden="true">Press Enter to apply</span><ul id="entries" role="listbox"'
    ' aria-label="Suggestions" hidden></ul></div>',
    css=(_HERE / "filter_line.css").read_text("utf-8"),
    js=(_HERE / "filter_words.js").read_text("utf-8")
    + (_HERE / "filter_line.js").read_text("utf-8"),
    isolate_styles=False,
)


def filter_field(
    line: str,
    vocabulary: Mapping[str, Any],
    *,
    placeholder: str,
    is_invalid: bool,
    on_submit: Callable[[], None],
) -> None:
    """Draw the search and filter field, which contains `line`. When the user presses Enter,
    `on_submit` is called. `is_invalid` must be true if the parser rejected `line`."""
    _FIELD(
        key=KEY,
        data={**vocabulary, "line": line, "placeholder": placeholder, "wrong": is_invalid},
        on_line_change=on_submit,
    )
