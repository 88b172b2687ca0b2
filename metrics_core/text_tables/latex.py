"""Write LaTeX: escape text, and build tables with booktabs rules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metrics_core.base import wording as w

_ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    # LaTeX's default font encoding has other characters in their places.
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    # At the beginning of a row these would be options of the row before.
    | {"[": "{[}", "]": "{]}", "*": "{*}"}
    | {w.MINUS: "$-$", w.DASH: "--", w.NO_BREAK: "~", "’": "'"}
)
_LIGATURE = re.compile(r"(?<=[-`'?!])(?=[-`'])")
"""Pattern of the position between two characters that LaTeX would print as a ligature."""


def escape(text: str) -> str:
    """Escape text so that LaTeX prints it unchanged."""
    separated = _LIGATURE.sub("\0", w.escape_controls(text))
    return separated.translate(_ESCAPES).replace("\0", "{}")


def tabular(columns: str, head: str, rows: Sequence[str]) -> str:
    """Return a table with booktabs rules. `head` and `rows` are cells joined by &."""
    lines = [r"\toprule", rf"{head} \\", r"\midrule", *(rf"{row} \\" for row in rows)]
    body = "\n".join([*lines, r"\bottomrule"])
    return f"\\begin{{tabular}}{{{columns}}}\n{body}\n\\end{{tabular}}\n"


def format_tabular(head: Sequence[str], rows: Sequence[Sequence[str]], labels: int) -> str:
    """Format text cells as a tabular. The first `labels` columns contain labels, the others
    numbers."""
    written = [" & ".join(map(escape, row)) for row in (head, *rows)]
    return tabular("l" * labels + "r" * (len(head) - labels), written[0], written[1:])
