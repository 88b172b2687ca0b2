"""A result as HTML for the cell of a notebook: a heading, sentences and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from metrics_core.base import wording as w

_CELL = "font-family:system-ui,sans-serif;line-height:1.45"
_TABLE = "border-collapse:collapse;margin:6px 0;font-variant-numeric:tabular-nums"


def html_cell(heading: str, parts: Iterable[str]) -> str:
    """Return the HTML of a result; `heading` is text, each part the result of a function below."""
    title = f'<p style="margin:0 0 4px;font-weight:600;font-size:1.1em">{_text(heading)}</p>'
    return f'<div style="{_CELL}">{title}{"".join(parts)}</div>'


def html_sentence(text: str) -> str:
    """Return a sentence as HTML."""
    return f'<p style="margin:2px 0">{_text(text)}</p>'


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]], labels: int) -> str:
    """Return a table of text cells as HTML; the first `labels` columns are labels, the remaining
    ones numbers."""
    aligned = [f"text-align:{'left' if i < labels else 'right'}" for i in range(len(head))]
    lines = [
        "".join(
            f'<{tag} style="{style};padding:2px 10px 2px 0">{_text(cell)}</{tag}>'
            for style, cell in zip(aligned, row, strict=True)
        )
        for tag, row in (("th", head), *(("td", row) for row in rows))
    ]
    return f'<table style="{_TABLE}">{"".join(f"<tr>{line}</tr>" for line in lines)}</table>'


def _text(text: str) -> str:
    return escape(w.escape_controls(text))
