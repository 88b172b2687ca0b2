"""The rows "Difference to the baseline": interval, numbers, queries lost and won."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dashboard.blocks import markup as m
from dashboard.theme import RunStyle
from metrics_core import wording as w
from metrics_core.comparing.pairs import UNCLEAR
from metrics_core.scoring.intervals import LEVEL

Row = dict[str, Any]

_TICKS = 4
_MARGIN = 0.08
_SHORT_NAME = 16


@dataclass(frozen=True)
class Axis:
    """The shared axis of differences; it always holds zero."""

    low: float
    high: float
    step: float

    @classmethod
    def around(cls, values: list[float]) -> Axis:
        """An axis for these values, with a step of 1, 2 or 5 and room at both ends."""
        known = [0.0, *(value for value in values if not math.isnan(value))]
        low, high = min(known), max(known)
        if high - low < 1e-9:
            low, high = -0.1, 0.1
        rough = (high - low) / _TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(f * power for f in (1, 2, 5, 10) if f * power >= rough * (1 - 1e-9))
        room = (high - low) * _MARGIN
        return cls(low - room, high + room, step)

    def share(self, value: float) -> float:
        """Where a value stands, from 0 at the left end to 1 at the right."""
        return (value - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> list[int]:
        """Ticks as multiples of the step."""
        first = math.ceil(self.low / self.step)
        return list(range(first, math.floor(self.high / self.step) + 1))

    def label(self, tick: int) -> str:
        """A tick's label; zero is plain."""
        digits = max(-math.floor(math.log10(self.step) + 1e-9), 2) if self.step < 1 else 0
        return w.difference(tick * self.step, digits) if tick else "0"


def difference_rows(
    comparison: pd.DataFrame, styles: m.Styles, focus: str, baseline: str, measure: str
) -> str:
    """Every run against the baseline, best first; `comparison` is the frame of `compare`."""
    others = comparison[comparison["run"] != baseline]
    if others.empty:
        text = f"Load a second run, and its difference to {baseline} stands here."
        return m.nothing("Nothing to compare yet", text)
    ordered = others.sort_values("difference", ascending=False, na_position="last", kind="stable")
    axis = Axis.around([*others["low"], *others["high"], *others["difference"]])
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


def _head(axis: Axis, baseline: str, mean: float) -> str:
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


def _row(row: Row, axis: Axis, most: int, style: RunStyle, focus: str) -> str:
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


def _drawing(row: Row, axis: Axis, style: RunStyle) -> str:
    lines = "".join(_line(axis, tick) for tick in axis.ticks)
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


def _line(axis: Axis, tick: int) -> str:
    kind = "zero" if tick == 0 else "tick"
    return f'<i class="{kind}" style="left:{m.percent(axis.share(tick * axis.step))}"></i>'


def _tally(row: Row, most: int) -> str:
    won, lost = int(row["won"]), int(row["lost"])
    return (
        f'<span class="pair"><span class="worse">{w.count(lost)}{m.unseen(" lost")}'
        f'<i style="--part:{lost / most:.4f}"></i></span> '
        f'<span class="better"><i style="--part:{won / most:.4f}"></i>'
        f"{w.count(won)}{m.unseen(' won')}</span></span>"
    )


def _feet(axis: Axis) -> str:
    """Tick labels and directions; for the eye only."""
    ticks = "".join(
        f'<i class="{"odd" if tick % 2 else ""}" '
        f'style="left:{m.percent(axis.share(tick * axis.step))}">{axis.label(tick)}</i>'
        for tick in axis.ticks
    )
    ends = '<span class="ends"><span>← worse</span><span>better →</span></span>'
    return (
        '<tr aria-hidden="true"><td class="who"></td>'
        f'<td class="plot"><span class="ticks">{ticks}</span>{ends}</td><td colspan="3"></td></tr>'
    )
