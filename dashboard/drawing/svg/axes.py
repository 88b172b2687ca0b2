"""Where values of a chart lie, in px."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Axis:
    """Where values lie between two ends in px; `low` and `high` are those of its range."""

    given: Mapping[str, Any]
    begin: float
    end: float

    def at(self, value: float) -> float:
        """The place of a value in px."""
        low, high = self.given["range"]
        on = math.log10(value) if self.given.get("type") == "log" else value
        return self.begin + (on - low) / (high - low) * (self.end - self.begin)

    def has(self, value: float) -> bool:
        """Whether a value lies within the range."""
        ends = sorted((self.begin, self.end))
        return ends[0] - 0.5 <= self.at(value) <= ends[1] + 0.5


@dataclass(frozen=True)
class Plot:
    """The layout, and where its plot lies in px."""

    layout: Mapping[str, Any]
    left: float
    right: float
    top: float
    bottom: float

    def axis(self, name: str) -> Axis:
        """The axis that a trace names: x, x2, y, y2."""
        given = self.layout[f"{name[0]}axis{name[1:]}"]
        low, high = given.get("domain", (0, 1))
        if name[0] == "x":
            width = self.right - self.left
            return Axis(given, self.left + low * width, self.left + high * width)
        height = self.bottom - self.top
        return Axis(given, self.bottom - low * height, self.bottom - high * height)

    def place(self, reference: str, value: float, *, across: bool) -> float:
        """The place of a note or a rule in px, by an axis or as a share of the plot."""
        if reference != "paper":
            return self.axis(reference).at(value)
        if across:
            return self.left + value * (self.right - self.left)
        return self.bottom - value * (self.bottom - self.top)
