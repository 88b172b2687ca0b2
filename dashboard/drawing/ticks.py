"""Round values on an axis, for all charts and for tables that contain bars."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from metrics_core.base import wording


class Ticks(NamedTuple):
    """The ticks of an axis: round values, their texts, and the range of the axis."""

    values: list[float]
    texts: list[str]
    span: tuple[float, float]

    def select_range(self, low: float, high: float) -> Ticks:
        """Return the ticks between `low` and `high`, on an axis with this range."""
        pairs = [(v, t) for v, t in zip(self.values, self.texts, strict=True) if low <= v <= high]
        return Ticks([v for v, _ in pairs], [t for _, t in pairs], (low, high))

    def share(self, value: float) -> float:
        """Return the position of a value on the axis, from 0 at its start to 1 at its end."""
        return (value - self.span[0]) / (self.span[1] - self.span[0])


def nice_ticks(
    low: float,
    high: float,
    *,
    max_ticks: int = 6,
    min_digits: int = 0,
    format_value: Callable[[float, int], str] = wording.format_score,
) -> Ticks:
    """Return at most `max_ticks` + 1 round ticks that cover the range. Their texts have as many
    decimals as the ticks need. Unless all ticks are whole numbers, the texts have at least
    `min_digits` decimals."""
    span = high - low
    if not (math.isfinite(span) and span > 0):
        low, high, span = 0.0, 1.0, 1.0
    power = 10.0 ** math.floor(math.log10(span / max_ticks))
    step = next(
        s
        for f in (1, 2, 5, 10, 20)
        if math.ceil(high / (s := f * power) - 1e-9) - math.floor(low / s + 1e-9) <= max_ticks
    )
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    needed = max(0, -math.floor(math.log10(step) + 1e-9))
    digits = max(needed, min_digits) if needed else 0
    values = [round(i * step, needed + 1) for i in range(first, last + 1)]
    return Ticks(values, [format_value(v, digits) for v in values], (values[0], values[-1]))


def _format_signed(value: float, digits: int) -> str:
    """Format a tick on an axis of differences. Values other than zero have a sign."""
    return "0" if value == 0 else wording.format_difference(value, digits)


def signed_ticks(low: float, high: float, *, max_ticks: int = 6, min_digits: int = 0) -> Ticks:
    """Return ticks for differences on an axis from `low` to `high`."""
    ticks = nice_ticks(
        low, high, max_ticks=max_ticks, min_digits=min_digits, format_value=_format_signed
    )
    return ticks.select_range(low, high)


def zero_based_ticks(values: Iterable[float], *, max_ticks: int = 6) -> Ticks:
    """Return ticks for differences on an axis that includes zero and has a tick at each end. NaN is
    ignored."""
    return nice_ticks(*_finite_range(values, 0.0), max_ticks=max_ticks, format_value=_format_signed)


def difference_ticks(
    values: Iterable[float], *, max_ticks: int = 6, padding: float = 0.04, min_digits: int = 0
) -> Ticks:
    """Return ticks for differences on an axis that includes zero. At both ends, the axis extends
    beyond the values by `padding`, which is a share of their range. NaN is ignored."""
    low, high = _finite_range(values, 0.0)
    if high - low < 1e-9:
        low, high = -0.1, 0.1
    more = padding * (high - low)
    return signed_ticks(low - more, high + more, max_ticks=max_ticks, min_digits=min_digits)


def score_ticks(values: Iterable[float], value_range: tuple[float, float] = (0, 1)) -> Ticks:
    """Return ticks from the lowest to the highest possible score. If values are outside this range,
    the ticks cover them, too."""
    return nice_ticks(*_finite_range(values, *value_range))


def _finite_range(values: Iterable[float], *more: float) -> tuple[float, float]:
    """Return the lowest and the highest finite number among all arguments. Returns 0 and 1 if no
    number is finite."""
    numbers = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=float)
    finite = [float(v) for v in more if math.isfinite(v)]
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers):
        finite += [float(numbers.min()), float(numbers.max())]
    return min(finite, default=0.0), max(finite, default=1.0)
