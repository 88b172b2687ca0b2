"""Charts that were drawn are kept: a page that is seen again draws nothing anew.

A figure function is asked for the same thing where it is given the same: tables and lists by being
the very same object (answers are kept, and nobody changes them), all else by value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from dashboard.figures.chart import Chart
from dashboard.weighing import weight
from metrics_core.memo import Memo

ROOM_FOR_CHARTS = 60_000_000
"""Bytes of charts that are kept, those asked for last: those of twenty readers, each at a cutoff of
their own."""

Drawn = TypeVar("Drawn")


def _cost(made: Any) -> int:
    return weight(made.to_dict() if isinstance(made, Chart) else made)


_charts = Memo(ROOM_FOR_CHARTS, _cost)


@dataclass(frozen=True, eq=False)
class _This:
    """One object, whatever is in it; held, so that no other can take its place in memory."""

    given: Any

    def __hash__(self) -> int:
        return id(self.given)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _This) and other.given is self.given


def drawn(figure: Callable[..., Drawn], *given: Any, **options: Any) -> Drawn:
    """`figure(*given, **options)`, worked out once while it is kept."""
    named = tuple((name, _told(value)) for name, value in sorted(options.items()))
    asked = (figure, tuple(map(_told, given)), named)
    return _charts(asked, lambda: figure(*given, **options))


def _told(given: Any) -> Hashable:
    try:
        hash(given)
    except TypeError:
        return _This(given)
    return given
