"""A chart in the form that `st.plotly_chart` accepts. This module is imported when the first chart
is drawn; see `chart`."""

from __future__ import annotations

from typing import Any

from plotly.basedatatypes import BaseFigure

from dashboard.drawing.figures.chart import Chart


class UnvalidatedFigure(BaseFigure):  # type: ignore[misc]
    """A Plotly figure that is sent to the browser without validation."""

    def __init__(self, chart: Chart) -> None:
        # Skips the base class, which builds and validates an object for every property.
        self._chart = chart

    def to_dict(self) -> dict[str, Any]:
        """Return the traces and the layout. The caller must not change them."""
        return self._chart.to_dict()
