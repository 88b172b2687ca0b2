"""The table beside the precision-recall curve."""

from __future__ import annotations

import math

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.markup import style_of
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from metrics_core.base import wording as w

_READ_AT = ((0.2, "a fifth"), (0.5, "half"), (0.8, "four fifths"))

_drawn = Template("curves")


def read_off(frame: pd.DataFrame, drawing: Drawing) -> Markup:
    """Precision where a fifth, half and four fifths of the relevant documents are found, best run
    at half first; `frame` is that of `precision_recall`."""
    level = frame["recall"].round(6)
    columns = [
        dict(zip(part["run"], part["precision"], strict=True))
        for part in (frame[level == share] for share, _ in _READ_AT)
    ]
    middle = columns[1]
    runs = sorted(dict.fromkeys(frame["run"]), key=lambda r: -_known(middle.get(r)))
    return _drawn(
        "read_off",
        heads=[name for _, name in _READ_AT],
        rows=[(style_of(drawing.styles, run), [_cell(c, run) for c in columns]) for run in runs],
        label=f"Precision by recall; the baseline is {drawing.baseline}",
    )


def _known(value: float | None) -> float:
    return -1.0 if value is None or math.isnan(value) else value


def _cell(column: dict[str, float], run: str) -> tuple[str, bool]:
    """A value as it is written, and whether it is the best of its column."""
    text = w.score(column.get(run))
    return text, len(column) > 1 and text == w.score(max(map(_known, column.values())))
