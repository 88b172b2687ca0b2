"""Conversion of a chart's values to positions in px."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Axis:
    """An axis from `begin` to `end`, both in px. `settings` is the axis in Plotly's layout, with
    the range of its values."""

    settings: Mapping[str, Any]
    begin: float
    end: float

    def position(self, value: float) -> float:
        """Return the position of a value in px."""
        low, high = self.settings["range"]
        scaled = math.log10(value) if self.settings.get("type") == "log" else value
        return self.begin + (scaled - low) / (high - low) * (self.end - self.begin)

    def contains(self, value: float) -> bool:
        """Return whether a value is within the range of the axis, with a tolerance of half a
        pixel."""
        ends = sorted((self.begin, self.end))
        return ends[0] - 0.5 <= self.position(value) <= ends[1] + 0.5


@dataclass(frozen=True)
class Plot:
    """The layout of a chart, and the edges of its plot in px."""

    layout: Mapping[str, Any]
    left: float
    right: float
    top: float
    bottom: float

    def axis(self, name: str) -> Axis:
        """Return the axis with the name that a trace uses: x, x2, y or y2."""
        settings = self.layout[f"{name[0]}axis{name[1:]}"]
        low, high = settings.get("domain", (0, 1))
        if name[0] == "x":
            width = self.right - self.left
            return Axis(settings, self.left + low * width, self.left + high * width)
        height = self.bottom - self.top
        return Axis(settings, self.bottom - low * height, self.bottom - high * height)

    def position(self, reference: str, value: float, *, is_horizontal: bool) -> float:
        """Return the position of a note or a line in px. `value` is a value on the axis that
        `reference` names. If `reference` is "paper", `value` is a share of the plot's width or
        height."""
        if reference != "paper":
            return self.axis(reference).position(value)
        if is_horizontal:
            return self.left + value * (self.right - self.left)
        return self.bottom - value * (self.bottom - self.top)
