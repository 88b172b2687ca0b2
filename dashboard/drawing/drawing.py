"""A comparison together with how it is drawn. Every chart and block takes this as an argument, in
addition to its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dashboard.address.view import Comparison
from dashboard.drawing.theme import LIGHT, Palette, RunStyle, run_styles


@dataclass(frozen=True)
class Drawing:
    """A comparison, the colours of the user's theme, and the styles of the shown runs in display
    order. Equal objects yield equal charts and blocks."""

    comparison: Comparison
    palette: Palette
    styles: Mapping[str, RunStyle] = field(hash=False)

    @classmethod
    def for_comparison(
        cls,
        comparison: Comparison,
        names: Sequence[str],
        slots: Mapping[str, int] | None = None,
        palette: Palette = LIGHT,
    ) -> Drawing:
        """Return the drawing of a comparison. `names` are the loaded runs. `slots` maps each run to
        the number of its colour; if it is None, colours are assigned in the order of `names`."""
        run_slots = {name: i for i, name in enumerate(names)} if slots is None else slots
        styles = run_styles(names, run_slots, focus=comparison.focus, baseline=comparison.baseline)
        return cls(comparison, palette, {name: styles[name] for name in comparison.runs})

    @property
    def focus(self) -> str:
        """The run in focus."""
        return self.comparison.focus

    @property
    def baseline(self) -> str:
        """The run with which the other runs are compared."""
        return self.comparison.baseline

    @property
    def is_single_run(self) -> bool:
        """Whether only one run is shown, without a comparison: the run in focus is also the
        baseline."""
        return self.comparison.is_single_run

    @property
    def focus_style(self) -> RunStyle:
        """The style of the run in focus."""
        return self.styles[self.focus]

    @property
    def name(self) -> str:
        """The measure's name with its cutoff."""
        return self.comparison.name

    @property
    def cutoff(self) -> int:
        """The chosen cutoff k."""
        return self.comparison.cutoff

    @property
    def value_range(self) -> tuple[float, float]:
        """The lowest and highest possible value of the measure."""
        return self.comparison.measure.declaration.range

    @property
    def without_outcome_colours(self) -> Drawing:
        """The same drawing without the colours for better and worse. It is used for
        views without a test."""
        return replace(self, palette=self.palette.without_outcome_colours)
