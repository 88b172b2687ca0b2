"""A chart as Plotly's JavaScript reads it: plain data, sent as it is.

Plotly's Python classes look at each property of each mark when it is set, which takes ten times as
long as working out where the marks stand. What is drawn here does not change at run time: so the
tests look instead (`Chart.data` and `Chart.layout` are the checked ones), and a page is not kept
waiting for it. Nor is a start for Plotly itself, which `sent` loads: once the Overview
stands, or with the first chart that is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

Trace = dict[str, Any]
"""The marks of one kind, by the names that Plotly's reference gives their properties."""


def scatter(**properties: Any) -> Trace:
    """Points or lines."""
    return {"type": "scatter", **properties}


def bar(**properties: Any) -> Trace:
    """Bars."""
    return {"type": "bar", **properties}


@dataclass(frozen=True, eq=False)
class Chart:
    """Traces and a layout, as they were given."""

    traces: list[Trace]
    drawn_in: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The traces and the layout; not to be changed."""
        return {"data": self.traces, "layout": self.drawn_in}

    def with_layout(self, **more: Any) -> Chart:
        """The same with more in its layout."""
        return replace(self, drawn_in={**self.drawn_in, **more})

    @property
    def data(self) -> tuple[Any, ...]:
        """The traces, checked. Raises ValueError where Plotly does not know a property."""
        return tuple(self.checked.data)

    @property
    def layout(self) -> Any:
        """The layout, checked. Raises ValueError where Plotly does not know a property."""
        return self.checked.layout

    @cached_property
    def checked(self) -> Any:
        """The figure that Plotly makes of it."""
        import plotly.graph_objects as go

        return go.Figure(**self.to_dict())
