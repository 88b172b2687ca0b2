"""A chart in a notebook: interactive if the notebook supports Plotly, otherwise an image. This
module loads Plotly, so it is imported only when it is needed."""

from __future__ import annotations

import json
from typing import Any

import plotly.graph_objects as go

from dashboard.drawing.figures.chart import Chart


class NotebookFigure(go.Figure):  # type: ignore[misc]
    """A Plotly figure with two additional attributes: `svg` is the same chart as an SVG file, and
    `caption` is its caption. Both are "" in a copy of the figure."""

    # A notebook then takes the MIME types below instead of Plotly's: nbconvert
    # and GitHub show the picture, which they would ignore beside HTML with a script.
    _ipython_display_ = _repr_html_ = None
    svg = caption = ""

    def _repr_mimebundle_(self, *_: Any, **__: Any) -> dict[str, Any]:
        interactive = {"application/vnd.plotly.v1+json": json.loads(self.to_json())}
        return interactive | ({"image/svg+xml": self.svg} if self.svg else {})


def notebook_figure(chart: Chart, svg: str, caption: str) -> NotebookFigure:
    """Return the notebook figure of a chart, given the same chart as an SVG file and its
    caption."""
    figure = NotebookFigure(**chart.to_dict())
    figure.svg, figure.caption = svg, caption
    return figure
