"""A chart as plain data, in the form that Plotly's JavaScript reads.

Plotly's Python classes validate each property when it is set, which takes ten times as long as
computing the marks. Here, charts are validated only in the tests (`Chart.data` and `Chart.layout`),
because the names of the properties do not change at run time. As a result, the app also starts
without waiting for Plotly: `plotly_figure` loads it after the Overview is shown, or with the first
chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

Trace = dict[str, Any]
"""Marks of one kind, as a dict with the property names of Plotly's reference."""


def make_scatter_trace(**properties: Any) -> Trace:
    """Return a trace of points or lines."""
    return {"type": "scatter", **properties}


def make_bar_trace(**properties: Any) -> Trace:
    """Return a trace of bars."""
    return {"type": "bar", **properties}


@dataclass(frozen=True, eq=False)
class Chart:
    """The traces and the layout of a chart, before validation."""

    traces: list[Trace]
    drawn_in: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the traces and the layout. The caller must not change them."""
        return {"data": self.traces, "layout": self.drawn_in}

    def with_layout(self, **more: Any) -> Chart:
        """Return the chart with properties added to its layout."""
        return replace(self, drawn_in={**self.drawn_in, **more})

    @property
    def data(self) -> tuple[Any, ...]:
        """The traces after validation. Raises ValueError for a property that Plotly does not
        know."""
        return tuple(self.validated_figure.data)

    @property
    def layout(self) -> Any:
        """The layout after validation. Raises ValueError for a property that Plotly does not
        know."""
        return self.validated_figure.layout

    @cached_property
    def validated_figure(self) -> Any:
        """The validated Plotly figure. With a Plotly version before 7, properties that this version
        does not know are omitted."""
        import plotly
        import plotly.graph_objects as go

        is_older = plotly.__version__.startswith(("5.", "6."))
        return go.Figure(**self.to_dict(), skip_invalid=is_older)
