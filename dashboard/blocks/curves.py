"""The table beside the precision-recall curve."""

from __future__ import annotations

import math

import pandas as pd

from dashboard.blocks import markup as m
from metrics_core import wording as w

_READ_AT = ((0.2, "a fifth"), (0.5, "half"), (0.8, "four fifths"))


def read_off(frame: pd.DataFrame, styles: m.Styles, baseline: str) -> str:
    """Precision where a fifth, half and four fifths of the relevant documents are found, best run
    at half first; `frame` is that of `precision_recall`."""
    level = frame["recall"].round(6)
    columns = [
        dict(zip(part["run"], part["precision"], strict=True))
        for part in (frame[level == share] for share, _ in _READ_AT)
    ]
    middle = columns[1]
    runs = sorted(dict.fromkeys(frame["run"]), key=lambda r: -_known(middle.get(r)))
    rows = "".join(
        f'<tr><th scope="row">{m.run_label(m.style_of(styles, run))}</th>'
        f"{''.join(_cell(column, run) for column in columns)}</tr>"
        for run in runs
    )
    heads = "".join(f'<th scope="col" class="number">{name}</th>' for _, name in _READ_AT)
    label = f"Precision by recall; the baseline is {baseline}"
    return (
        f'<div class="lens read-off"><table aria-label="{m.escaped(label)}"><thead><tr>'
        f'<th scope="col">Run</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _known(value: float | None) -> float:
    return -1.0 if value is None or math.isnan(value) else value


def _cell(column: dict[str, float], run: str) -> str:
    text = w.score(column.get(run))
    best = len(column) > 1 and text == w.score(max(map(_known, column.values())))
    return f'<td class="number">{f"<b>{text}</b>" if best else text}</td>'
