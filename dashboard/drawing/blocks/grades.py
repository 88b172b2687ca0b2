"""Grades as chips and small squares. Relevant grades have one of three tints, grade 0 has an
outline, and unjudged documents have dashes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w

TINTS = 3
NOT_RELEVANT, NOT_JUDGED = "not relevant", "unjudged"

_render = Template("grades")


@dataclass(frozen=True)
class Grades:
    """The grades of a collection. The colour of a grade depends on its ratio to the highest
    grade."""

    levels: tuple[float, ...]

    @classmethod
    def from_grades(cls, *grades: Iterable[float]) -> Grades:
        """Return the distinct grades in these sequences. Negative grades are ignored, because they
        do not count as judgments."""
        return cls(tuple(sorted({float(g) for some in grades for g in some if g >= 0})))

    def tint(self, grade: float) -> str:
        """Return the CSS class of a grade: g1 to g3, g0 for not relevant, gx for unjudged."""
        if math.isnan(grade) or grade < 0:
            return "gx"
        highest = max(self.levels, default=grade)
        if grade <= 0 or highest <= 0:
            return "g0"
        return f"g{min(TINTS, math.ceil(TINTS * grade / highest - 1e-9))}"

    def screen_reader_text(self, grade: float) -> str:
        """Return a description of a grade. It is shown on hover, and screen readers read it."""
        return NOT_JUDGED if self.tint(grade) == "gx" else f"grade {w.format_grade(grade)}"

    def chip(self, grade: float) -> Markup:
        """Draw a grade as a small square with its digit."""
        tint = self.tint(grade)
        digit = w.format_grade(None if tint == "gx" else grade)
        return _render("chip", tint=tint, spoken=self.screen_reader_text(grade), shown=digit)

    def legend(self, names: Mapping[float, str]) -> Markup:
        """Draw the legend of the chips, highest grade first."""
        given_names = {float(grade): name for grade, name in names.items()}
        entries = [
            (self.chip(grade), given_names.get(grade) or self._default_name(grade))
            for grade in sorted(self.levels, reverse=True)
        ]
        return _render("legend", entries=[*entries, (self.chip(math.nan), NOT_JUDGED)])

    def _default_name(self, grade: float) -> str:
        """Return a description of a grade that has no name."""
        positive = [level for level in self.levels if level > 0]
        if grade <= 0:
            return NOT_RELEVANT
        if len(positive) == 1:
            return "relevant"
        ends = {positive[0]: "least relevant", positive[-1]: "most relevant"}
        return ends.get(grade, "")
