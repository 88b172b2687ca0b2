"""HTML output of a result in a notebook: a heading, sentences and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from metrics_core.base import frames as pd
from metrics_core.base import wording as w

_CELL = "font-family:system-ui,sans-serif;line-height:1.45"


def html_cell(heading: str, parts: Iterable[str]) -> str:
    """Return a result as HTML for a notebook. `heading` is plain text; each part is HTML from
    `html_sentence` or `html_table`."""
    title = f'<p style="margin:0 0 4px;font-weight:600;font-size:1.1em">{_escape_text(heading)}</p>'
    return f'<div style="{_CELL}">{title}{"".join(parts)}</div>'


def html_sentence(text: str) -> str:
    """Return a sentence as HTML."""
    return f'<p style="margin:2px 0">{_escape_text(text)}</p>'


def html_table(table: pd.DataFrame, **formats: Callable[[Any], str]) -> str:
    """Return a table as HTML. Each keyword argument is a function that formats the values of the
    column with that name."""
    return table.to_html(index=False, border=0, formatters=formats)


def _escape_text(text: str) -> str:
    return escape(w.escape_controls(text))
