"""The rows "Difference to the baseline": interval, numbers, queries lost and won."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.blocks.markup import Styles, nothing, style_of
from dashboard.blocks.templates import Template, percent
from dashboard.theme import RunStyle
from metrics_core import wording as w
from metrics_core.comparing.pairs import UNCLEAR

_drawn = Template("differences")

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

    def at(self, tick: int) -> str:
        """Where a tick stands, as CSS."""
        return percent(self.share(tick * self.step))

    def label(self, tick: int) -> str:
        """A tick's label; zero is plain."""
        digits = max(-math.floor(math.log10(self.step) + 1e-9), 2) if self.step < 1 else 0
        return w.difference(tick * self.step, digits) if tick else "0"


@dataclass(frozen=True)
class _Row:
    """A run against the baseline; the parts are shares of the largest count of lost or won."""

    style: RunStyle
    in_focus: bool
    difference: float
    low: float
    high: float
    clear: bool
    lost: int
    won: int
    same: int
    lost_part: str
    won_part: str


def difference_rows(
    comparison: pd.DataFrame, styles: Styles, focus: str, baseline: str, measure: str
) -> Markup:
    """Every run against the baseline, best first; `comparison` is the frame of `compare`."""
    others = comparison[comparison["run"] != baseline]
    if others.empty:
        text = f"Load a second run, and its difference to {baseline} stands here."
        return nothing("Nothing to compare yet", text)
    ordered = others.sort_values("difference", ascending=False, na_position="last", kind="stable")
    axis = Axis.around([*others["low"], *others["high"], *others["difference"]])
    most = max(1, int(others[["won", "lost"]].to_numpy().max()))
    return _drawn(
        "difference_rows",
        rows=[_row(record, styles, focus, most) for record in ordered.to_dict("records")],
        axis=axis,
        zero_label=_zero_label(axis, baseline),
        baseline=baseline,
        mean=float(comparison.loc[comparison["run"] == baseline, "mean"].iloc[0]),
        label=f"Difference to {baseline} on {measure}",
    )


def _zero_label(axis: Axis, baseline: str) -> str:
    """Where the zero line's label stands, as CSS."""
    zero = axis.share(0)
    # In the middle of its line, unless it would leave the drawing.
    centred = 0.15 < zero < 0.85 and len(baseline) <= _SHORT_NAME
    return f"left:{percent(zero)};transform:translateX(-{percent(0.5 if centred else zero)})"


def _row(record: dict[str, Any], styles: Styles, focus: str, most: int) -> _Row:
    won, lost = int(record["won"]), int(record["lost"])
    return _Row(
        style=style_of(styles, record["run"]),
        in_focus=record["run"] == focus,
        difference=record["difference"],
        low=record["low"],
        high=record["high"],
        clear=record["verdict"] is not None and record["verdict"] != UNCLEAR,
        lost=lost,
        won=won,
        same=record["same"],
        lost_part=f"{lost / most:.4f}",
        won_part=f"{won / most:.4f}",
    )
