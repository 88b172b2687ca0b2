"""Movement of a document between two lists, in words and as a connecting line."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w

GAP = 52
"""Width in px of the space between the two lists, where the lines are drawn."""
_TITLE = 22
_THICK, _THIN = 4.2, 1.3

Row = Mapping[str, Any]
_Stroke = tuple[str, float]
"""A curve as an SVG path, and the width of its line in px."""

_render = Template("movement")


@dataclass(frozen=True)
class Movement:
    """The movement of a document in words, with an arrow. `tone` is "better", "worse", or "" for
    neither."""

    words: str
    tone: str
    arrow: str = ""

    @property
    def length(self) -> int:
        """Number of visible characters of the movement, including the arrow."""
        return len(f"{self.arrow} {self.words}".strip())


NO_MOVE = Movement("", "")
"""The movement of a document if there is no second list, or if its rank in the second list is
unknown."""


def describe_movement(row: Row, side: str) -> Movement:
    """Describe how the document in a row of `Diagnosis.align_rankings` moved. In the left list, the
    words say where the document is in the right list; in the right list, they say where it came
    from. `tone` is set only for relevant documents."""
    if not row["other_known"]:
        return NO_MOVE
    rank, other = row["rank"], row["other_rank"]
    matters, arrow = row["relevant"], ""
    if math.isnan(other):
        words, tone = ("dropped", "worse") if side == "left" else ("new", "better")
    elif other == rank:
        return Movement("stays", "")
    else:
        fell = (other > rank) == (side == "left")
        arrow, tone = ("▼", "worse") if fell else ("▲", "better")
        words = f"{'to' if side == 'left' else 'from'} {w.format_count(other)}"
    return Movement(words, tone if matters else "", arrow)


def describe_list_change(row: Row, side: str, cutoff: int) -> tuple[str, str, Movement]:
    """Describe the change of a document in one of two lists without judgments. Returns the name of
    the document's mark ("stays", "gone" or "new"), the sign drawn for this mark, and the movement
    in words. A document below rank k has no mark."""
    rank, other = row["rank"], row["other_rank"]
    if rank > cutoff:
        return "", "", describe_movement(row, side)
    if other <= cutoff:
        movement = describe_movement(row, side)
        return "stays", "=", movement
    name, sign = ("gone", w.MINUS) if side == "left" else ("new", "+")
    words = name if math.isnan(other) else f"{'to' if side == 'left' else 'from'} {other:,.0f}"
    return name, sign, Movement(words, "")


def draw_movement_lines(left: Sequence[Row], right: Sequence[Row], height: int) -> Markup:
    """Draw the lines between the rows of the same document in two lists. Rows are `height` px high.
    All lines of one colour are drawn together as a CSS mask, because the sanitiser removes inline
    SVG but allows masks. (A mask contains only numbers.)"""
    layers: dict[str, list[_Stroke]] = {"line": [], "worse": [], "better": []}
    ends = {row["doc_id"]: number for number, row in enumerate(right)}
    for number, row in enumerate(left):
        if row["doc_id"] and row["doc_id"] in ends:
            color = describe_movement(row, "left").tone or "line"
            start, end = (_row_y(n, height) for n in (number, ends[row["doc_id"]]))
            # Control points near the other end keep both ends of the curve horizontal.
            curve = f"M0 {start}C{GAP * 0.55:g} {start} {GAP * 0.45:g} {end} {GAP} {end}"
            layers[color].append((curve, _THICK if row["relevant"] else _THIN))
    total = max(len(left), len(right)) * height
    masks = [(color, _mask_image(strokes, total)) for color, strokes in layers.items() if strokes]
    return _render("joins", layers=masks)


def _row_y(number: int, height: int) -> int:
    return number * height + min(_TITLE, height // 2)


def _mask_image(strokes: list[_Stroke], height: int) -> str:
    """Return the strokes as an image in CSS."""
    drawing = _render("mask", strokes=strokes, width=GAP, height=height)
    code = base64.b64encode(drawing.encode()).decode()
    return f"url(data:image/svg+xml;base64,{code}) 0 0/100% 100% no-repeat"
