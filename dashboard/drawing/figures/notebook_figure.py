"""A chart in a notebook: interactive where Plotly can draw, a picture elsewhere. Imported on use,
since it loads Plotly."""

from __future__ import annotations

import json
from typing import Any

import plotly.graph_objects as go

from dashboard.drawing.figures.chart import Chart


class NotebookFigure(go.Figure):  # type: ignore[misc]
    """A Plotly figure with the same chart as an SVG file and a caption, both "" in a copy."""

    # A notebook then takes the MIME types below instead of those of Plotly's renderer: nbconvert
    # and GitHub show the picture, which they would ignore beside HTML with a script.
    _ipython_display_ = _repr_html_ = None
    _svg = _caption = ""

    @property
    def svg(self) -> str:
        """The chart as an SVG file at its width on paper."""
        return self._svg

    @property
    def caption(self) -> str:
        """A description of the chart."""
        return self._caption

    def _repr_mimebundle_(self, *_: Any, **__: Any) -> dict[str, Any]:
        interactive = {"application/vnd.plotly.v1+json": json.loads(self.to_json())}
        return interactive | ({"image/svg+xml": self._svg} if self._svg else {})


def notebook_figure(chart: Chart, svg: str, caption: str) -> NotebookFigure:
    """Return the figure of a chart, of the same chart as an SVG file, and of its caption."""
    figure = NotebookFigure(**chart.to_dict())
    figure._svg, figure._caption = svg, caption
    return figure
