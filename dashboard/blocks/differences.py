"""The rows "Difference to the baseline": interval, numbers, queries lost and won."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from dashboard.blocks import markup as m
from dashboard.theme import RunStyle
from dashboard.ticks import Ticks, difference_ticks
from metrics_core import wording as w
from metrics_core.comparing.pairs import UNCLEAR
from metrics_core.scoring.intervals import LEVEL

Row = dict[str, Any]

_MOST_TICKS = 5
_ROOM = 0.08
_SHORT_NAME = 16


def difference_rows(
    comparison: pd.DataFrame, styles: m.Styles, focus: str, baseline: str, measure: str
) -> str:
    """Every run against the baseline, best first; `comparison` is the frame of `compare`."""
    others = comparison[comparison["run"] != baseline]
    if others.empty:
        text = f"Load a second run, and its difference to {baseline} stands here."
        return m.nothing("Nothing to compare yet", text)
    ordered = others.sort_values("difference", ascending=False, na_position="last", kind="stable")
    values = [*others["low"], *others["high"], *others["difference"]]
    axis = difference_ticks(values, most=_MOST_TICKS, room=_ROOM, fewest_digits=2)
    most = max(1, int(others[["won", "lost"]].to_numpy().max()))
    records = ordered.to_dict("records")
    rows = "".join(_row(r, axis, most, m.style_of(styles, r["run"]), focus) for r in records)
    mean = comparison.loc[comparison["run"] == baseline, "mean"].iloc[0]
    label = f"Difference to {baseline} on {measure}"
    return (
        f'<div class="lens differences"><table role="table" aria-label="{m.escaped(label)}">'
        f"<thead>{_head(axis, baseline, float(mean))}</thead><tbody>{rows}</tbody>"
        f"<tfoot>{_feet(axis)}</tfoot></table></div>"
    )


def _head(axis: Ticks, baseline: str, mean: float) -> str:
    zero = axis.share(0)
    # A label in the middle of its line, unless it would leave the drawing.
    centred = 0.15 < zero < 0.85 and len(baseline) <= _SHORT_NAME
    place = f"left:{m.percent(zero)};transform:translateX(-{m.percent(0.5 if centred else zero)})"
    zero_label = (
        f'<span class="zero-label" style="{place}">{m.isolated(baseline)} = {w.score(mean)}'
    )
    lost, won = '<span class="worse">lost</span>', '<span class="better">won</span>'
    cells = [
        m.column_head(m.unseen("Run"), "who"),
        m.column_head(f"{zero_label}</span>", "plot"),
        m.column_head(f"difference [{w.share(LEVEL)} interval]", "numbers"),
        m.column_head(f'<span class="pair">{lost} {won}</span>', "tally"),
        m.column_head("same", "same"),
    ]
    return f'<tr role="row">{"".join(cells)}</tr>'


def _row(row: Row, axis: Ticks, most: int, style: RunStyle, focus: str) -> str:
    gap = w.interval(row["low"], row["high"])
    kind = "focus" if row["run"] == focus else ""
    clear = row["verdict"] is not None and row["verdict"] != UNCLEAR
    change = m.change(row["difference"], clear=clear)
    cells = [
        m.row_head(m.run_text(style), "who"),
        m.cell(_drawing(row, axis, style), "plot"),
        m.cell(f'{change} <span class="gap">{gap}</span>', "numbers"),
        m.cell(_tally(row, most), "tally"),
        m.cell(f'{w.count(row["same"])}<span class="word"> same</span>', "same"),
    ]
    return f'<tr role="row" class="{kind}" {m.run_color(style)}>{"".join(cells)}</tr>'


def _drawing(row: Row, axis: Ticks, style: RunStyle) -> str:
    lines = "".join(_line(axis, tick) for tick in axis.values)
    marks = ""
    if not math.isnan(row["low"]) and not math.isnan(row["high"]):
        left, right = axis.share(row["low"]), axis.share(row["high"])
        marks = (
            f'<i class="interval" style="left:{m.percent(left)};'
            f'width:{m.percent(right - left)}"></i>'
        )
    if not math.isnan(row["difference"]):
        at = m.percent(axis.share(row["difference"]))
        marks += f'<i class="point {style.symbol}" style="left:{at}"></i>'
    # The numbers of the next cell say the same, so the drawing is not read aloud.
    return m.unspoken(lines + marks, "drawing")


def _line(axis: Ticks, tick: float) -> str:
    kind = "zero" if tick == 0 else "tick"
    return f'<i class="{kind}" style="left:{m.percent(axis.share(tick))}"></i>'


def _tally(row: Row, most: int) -> str:
    won, lost = int(row["won"]), int(row["lost"])
    return (
        f'<span class="pair"><span class="worse">{w.count(lost)}{m.unseen(" lost")}'
        f'<i style="--part:{lost / most:.4f}"></i></span> '
        f'<span class="better"><i style="--part:{won / most:.4f}"></i>'
        f"{w.count(won)}{m.unseen(' won')}</span></span>"
    )


def _feet(axis: Ticks) -> str:
    """Tick labels and directions; for the eye only."""
    zero = axis.values.index(0)
    ticks = "".join(
        f'<i class="{"odd" if (place - zero) % 2 else ""}" '
        f'style="left:{m.percent(axis.share(tick))}">{text}</i>'
        for place, (tick, text) in enumerate(zip(axis.values, axis.texts, strict=True))
    )
    ends = '<span class="ends"><span>← worse</span><span>better →</span></span>'
    return (
        '<tr aria-hidden="true"><td class="who"></td>'
        f'<td class="plot"><span class="ticks">{ticks}</span>{ends}</td><td colspan="3"></td></tr>'
    )
