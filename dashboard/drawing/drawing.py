"""What is compared and how it is drawn: what every figure and block takes beside its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dashboard.address.view import Comparison
from dashboard.drawing.theme import LIGHT, Palette, RunStyle, run_styles


@dataclass(frozen=True)
class Drawing:
    """A comparison, the colours of the reader's theme, and the styles of the runs shown, in the
    order in which they are shown. Equal ones draw the same."""

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
        """A comparison as it is drawn where `names` are loaded; their colours are those of `slots`,
        by default in their order."""
        run_slots = {name: i for i, name in enumerate(names)} if slots is None else slots
        styles = run_styles(names, run_slots, focus=comparison.focus, baseline=comparison.baseline)
        return cls(comparison, palette, {name: styles[name] for name in comparison.runs})

    @property
    def focus(self) -> str:
        """The run in focus."""
        return self.comparison.focus

    @property
    def baseline(self) -> str:
        """The run that the others are compared with."""
        return self.comparison.baseline

    @property
    def alone(self) -> bool:
        """Whether nothing is compared: the run in focus is the baseline itself."""
        return self.comparison.is_alone

    @property
    def focus_style(self) -> RunStyle:
        """How the run in focus is drawn."""
        return self.styles[self.focus]

    @property
    def name(self) -> str:
        """The measure's name, cutoff included."""
        return self.comparison.name

    @property
    def cutoff(self) -> int:
        """How many results count: the chosen k."""
        return self.comparison.cutoff

    @property
    def value_range(self) -> tuple[float, float]:
        """The least and the greatest value that the measure can have."""
        return self.comparison.measure.declaration.range

    @property
    def quiet(self) -> Drawing:
        """The same without the colours of better and worse: there is too little to tell."""
        return replace(self, palette=self.palette.quiet)
