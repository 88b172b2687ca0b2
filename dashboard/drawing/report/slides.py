"""The findings of a report one a screen, for a meeting."""

from __future__ import annotations

from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.answers.group_table import GroupTableRequest, listed
from dashboard.drawing.blocks import curves as curves_blocks
from dashboard.drawing.blocks import differences, untested
from dashboard.drawing.blocks import report as blocks
from dashboard.drawing.blocks.markup import Badge
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.parts import PARTS, WIDE, Parts
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.firmness import firmness_finding
from metrics_core.findings.sentence import Sentence, muted

_GROUPS, _RUNS = 6, 6
"""Groups and runs that a screen shows."""


def slides_of(parts: Parts) -> list[Markup]:
    """The findings, one a screen; a screen that has nothing to show is left out."""
    return _Slides(parts).drawn()


class _Slides:
    """The screens of one report."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def drawn(self) -> list[Markup]:
        """The screens."""
        found = [
            self._slide_verdict(),
            self._slide_checks(),
            self._slide_groups(),
            self._slide_cutoff(),
            *(self._slide_case(kind) for kind in ("losses", "wins")),
        ]
        return [slide for slide in found if slide]

    def _slide(
        self,
        key: str,
        question: str,
        answer: str | Sentence,
        picture: Markup,
        badge: Badge | None = None,
        told: str | Sentence = "",
    ) -> Markup:
        styles = self._parts.styles
        return blocks.slide(key, question, answer, picture, styles, badge=badge, told=told)

    def _slide_verdict(self) -> Markup:
        shown, drawing = self._parts.shown.overview, self._parts.drawing
        found, name = shown.verdict, self._parts.drawing.name
        badge = Badge(found.badge, found.tone) if found.badge else None
        if drawing.alone:
            picture = untested.histogram(shown.histogram, drawing, lambda low, high: "")
            question = f"How good is {drawing.focus} on {name}?"
            return (
                self._slide("verdict", question, found.title, picture, badge)
                if shown.histogram
                else picture
            )
        question = f"Is {drawing.focus} better than {drawing.baseline} on {name}?"
        if drawing.focus in shown.too_few:
            return self._slide(
                "verdict",
                question,
                found.title,
                untested.examples(shown.examples, drawing, self._nowhere),
            )
        picture = differences.difference_rows(
            _first_runs(shown.comparison, drawing),
            drawing,
            lead=lambda run: "",
            listed=lambda run, outcome: "",
            level=drawing.comparison.method.level,
        )
        return self._slide("verdict", question, found.title, picture, badge, found.lead)

    def _nowhere(self, page: str, **changes: Any) -> str:
        return ""

    def _slide_checks(self) -> Markup:
        firmness = self._parts.shown.firmness
        if not firmness.checks:
            return Markup()
        return self._slide(
            "checks",
            self._parts.title("checks"),
            firmness_finding(firmness),
            blocks.reasons(firmness, brief=True),
        )

    def _slide_groups(self) -> Markup:
        if self._parts.shown.groups is None or self._parts.drawing.alone:
            return Markup()
        found, _ = self._parts.shown.groups
        higher = self._parts.drawing.comparison.measure.declaration.higher_is_better
        rows = listed(
            found, GroupTableRequest(), alone=False, higher_is_better=higher, most=_GROUPS
        )
        question = f"Where does it come from, by {self._parts.shown.overview.grouped_by}?"
        table, told = self._parts.group_table(found, rows), found.lead("", higher_is_better=higher)
        return self._slide("groups", question, found.title, table, told=told)

    def _slide_cutoff(self) -> Markup:
        shown, drawing = self._parts.shown.curves, self._parts.drawing
        family = "" if shown is None else next(iter(shown.frames), "")
        if shown is None or not family:
            return Markup()
        told = shown.lead
        if drawing.comparison.measure.cutoff is None:
            told = muted(f"{drawing.name} counts the whole list; the curves show {family} by k.")
        note = curves_blocks.bands(drawing, tested=shown.queries >= FEWEST_QUERIES)
        legend = curves_blocks.legend(drawing, shown.in_colour(drawing.comparison), {}, note)
        charts = self._parts.chart(family, WIDE), self._parts.chart(family)
        picture = legend + blocks.by_width(*charts)
        return self._slide("curves", PARTS["curves"], shown.title, picture, told=told)

    def _slide_case(self, kind: str) -> Markup:
        cases = getattr(self._parts.shown, kind)
        if not cases:
            return Markup()
        case = cases[0]
        question = (
            f"What does {'the largest loss' if kind == 'losses' else 'the largest win'} look like?"
        )
        return self._slide(kind, question, f"“{case.page.text}”", self._parts.case_of(case, ""))


def _first_runs(compared: pd.DataFrame, drawing: Drawing) -> pd.DataFrame:
    """Of many runs those that fit a screen: the pair, and those nearest to it."""
    if len(compared) <= _RUNS + 1:
        return compared
    others = compared[~compared["run"].isin([drawing.baseline, drawing.focus])]
    kept = others.sort_values("mean", ascending=False).head(_RUNS - 1)["run"]
    return compared[compared["run"].isin([drawing.baseline, drawing.focus, *kept])]
