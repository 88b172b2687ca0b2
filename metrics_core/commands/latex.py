"""LaTeX: names letter for letter, and tables between booktabs' rules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metrics_core.base import wording as w

_ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    # In LaTeX's first fonts these are other characters.
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    # At the begin of a row these would be options of the one before.
    | {"[": "{[}", "]": "{]}", "*": "{*}"}
    | {w.MINUS: "$-$", w.DASH: "--", w.NO_BREAK: "~", "’": "'"}
)
_LIGATURE = re.compile(r"(?<=[-`'?!])(?=[-`'])")
"""Between two of these, which would become one."""


def escape(text: str) -> str:
    """The text as LaTeX shows it letter for letter."""
    separated = _LIGATURE.sub("\0", w.escape_controls(text))
    return separated.translate(_ESCAPES).replace("\0", "{}")


def tabular(columns: str, head: str, rows: Sequence[str]) -> str:
    """A table between booktabs' rules; `head` and rows are cells with & between them."""
    lines = [r"\toprule", rf"{head} \\", r"\midrule", *(rf"{row} \\" for row in rows)]
    body = "\n".join([*lines, r"\bottomrule"])
    return f"\\begin{{tabular}}{{{columns}}}\n{body}\n\\end{{tabular}}\n"


def format_tabular(head: Sequence[str], rows: Sequence[Sequence[str]], labels: int) -> str:
    """Texts as a tabular, so many of the columns labels, the others numbers."""
    written = [" & ".join(map(escape, row)) for row in (head, *rows)]
    return tabular("l" * labels + "r" * (len(head) - labels), written[0], written[1:])
