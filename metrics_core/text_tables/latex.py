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


def build_tabular(columns: str, header: str, rows: Sequence[str]) -> str:
    """Return a table with booktabs rules. `header` and `rows` are cells joined by &."""
    lines = [r"\toprule", rf"{header} \\", r"\midrule", *(rf"{row} \\" for row in rows)]
    body = "\n".join([*lines, r"\bottomrule"])
    return f"\\begin{{tabular}}{{{columns}}}\n{body}\n\\end{{tabular}}\n"


def format_tabular(
    header: Sequence[str], rows: Sequence[Sequence[str]], n_label_columns: int
) -> str:
    """Format text cells as a tabular. The first `n_label_columns` columns contain labels, the
    others numbers."""
    written = [" & ".join(map(escape, row)) for row in (header, *rows)]
    return build_tabular(
        "l" * n_label_columns + "r" * (len(header) - n_label_columns), written[0], written[1:]
    )
