"""A chart as `st.plotly_chart` takes it. Imported where the first chart is drawn: see `chart`."""

from __future__ import annotations

from typing import Any

from plotly.basedatatypes import BaseFigure

from dashboard.drawing.figures.chart import Chart


class Sent(BaseFigure):  # type: ignore[misc]
    """A figure that was checked already."""

    def __init__(self, chart: Chart) -> None:
        # Without that of the base, which builds and checks an object for everything.
        self._chart = chart

    def to_dict(self) -> dict[str, Any]:
        """The traces and the layout; not to be changed."""
        return self._chart.to_dict()
