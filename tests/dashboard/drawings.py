"""A `Drawing` for figures and blocks, from the styles of its runs."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.address.measure_key import ChosenMeasure
from dashboard.address.view import Comparison
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.theme import LIGHT, Palette, RunStyle
from metrics_core.measures import parse_measure


def drawing_of(
    styles: Mapping[str, RunStyle],
    palette: Palette = LIGHT,
    *,
    measure: str = "nDCG@10",
    cutoff: int = 10,
) -> Drawing:
    """A drawing of these runs; focus and baseline are the ones that are drawn as such."""
    roles = {style.role: name for name, style in styles.items()}
    baseline = roles["baseline"]
    focus = roles.get("focus", baseline)
    also = tuple(name for name in styles if name not in (focus, baseline))
    chosen = ChosenMeasure(parse_measure(measure), measure)
    shown = Comparison(focus, baseline, also, chosen, cutoff, loaded=len(styles))
    return Drawing(shown, palette, styles)
