"""The findings of a report for a presentation, one per screen."""

from __future__ import annotations

from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.answers.group_table import GroupTableRequest, list_groups
from dashboard.drawing.blocks import curves as curves_blocks
from dashboard.drawing.blocks import differences, untested
from dashboard.drawing.blocks import report as blocks
from dashboard.drawing.blocks.markup import Badge
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.parts import PARTS, WIDE, ReportParts
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.robustness import robustness_finding
from metrics_core.findings.sentence import Sentence, muted_span

_GROUPS, _RUNS = 6, 6
"""Maximum number of groups and of runs on a screen."""


def make_slides(parts: ReportParts) -> list[Markup]:
    """Return the findings, one per screen; empty screens are omitted."""
    return _Slides(parts).draw_all()


class _Slides:
    def __init__(self, parts: ReportParts) -> None:
        self._parts = parts

    def draw_all(self) -> list[Markup]:
        slides = [
            self._slide_verdict(),
            self._slide_checks(),
            self._slide_groups(),
            self._slide_cutoff(),
            *(self._slide_case(kind) for kind in ("losses", "wins")),
        ]
        return [slide for slide in slides if slide]

    def _slide(
        self,
        key: str,
        question: str,
        answer: str | Sentence,
        picture: Markup,
        badge: Badge | None = None,
        note: str | Sentence = "",
    ) -> Markup:
        styles = self._parts.styles
        return blocks.draw_slide(key, question, answer, picture, styles, badge=badge, note=note)

    def _slide_verdict(self) -> Markup:
        answer, drawing = self._parts.report.overview, self._parts.drawing
        verdict, name = answer.verdict, self._parts.drawing.name
        badge = Badge(verdict.badge, verdict.tone) if verdict.badge else None
        if drawing.alone:
            picture = untested.draw_histogram(answer.histogram, drawing, lambda low, high: "")
            question = f"How good is {drawing.focus} on {name}?"
            return (
                self._slide("verdict", question, verdict.title, picture, badge)
                if answer.histogram
                else picture
            )
        question = f"Is {drawing.focus} better than {drawing.baseline} on {name}?"
        if drawing.focus in answer.too_few:
            return self._slide(
                "verdict",
                question,
                verdict.title,
                untested.draw_examples(answer.examples, drawing, self._no_link),
            )
        picture = differences.draw_difference_rows(
            _first_runs(answer.shown_rows, drawing),
            drawing,
            lead=lambda run: "",
            list_link=lambda run, outcome: "",
            level=drawing.comparison.method.level,
        )
        return self._slide("verdict", question, verdict.title, picture, badge, verdict.lead)

    def _no_link(self, page: str, **changes: Any) -> str:
        return ""

    def _slide_checks(self) -> Markup:
        robustness = self._parts.report.robustness
        if not robustness.checks:
            return Markup()
        return self._slide(
            "checks",
            self._parts.title("checks"),
            robustness_finding(robustness),
            blocks.draw_reasons(robustness, brief=True),
        )

    def _slide_groups(self) -> Markup:
        if self._parts.report.groups is None or self._parts.drawing.alone:
            return Markup()
        breakdown, _ = self._parts.report.groups
        higher = self._parts.drawing.comparison.measure.declaration.higher_is_better
        rows = list_groups(
            breakdown, GroupTableRequest(), alone=False, higher_is_better=higher, most=_GROUPS
        )
        question = f"Where does it come from, by {self._parts.report.overview.grouped_by}?"
        table, note = (
            self._parts.group_table(breakdown, rows),
            breakdown.lead("", higher_is_better=higher),
        )
        return self._slide("groups", question, breakdown.title, table, note=note)

    def _slide_cutoff(self) -> Markup:
        curves, drawing = self._parts.report.curves, self._parts.drawing
        family = "" if curves is None else next(iter(curves.frames), "")
        if curves is None or not family:
            return Markup()
        lead = curves.lead
        if drawing.comparison.measure.cutoff is None:
            lead = muted_span(
                f"{drawing.name} counts the whole list; the curves show {family} by k."
            )
        note = curves_blocks.bands_note(drawing, is_tested=curves.queries >= FEWEST_QUERIES)
        legend = curves_blocks.draw_legend(
            drawing, curves.coloured_runs(drawing.comparison), {}, note
        )
        charts = self._parts.chart(family, WIDE), self._parts.chart(family)
        picture = legend + blocks.draw_by_width(*charts)
        return self._slide("curves", PARTS["curves"], curves.title, picture, note=lead)

    def _slide_case(self, kind: str) -> Markup:
        cases = getattr(self._parts.report, kind)
        if not cases:
            return Markup()
        case = cases[0]
        question = (
            f"What does {'the largest loss' if kind == 'losses' else 'the largest win'} look like?"
        )
        return self._slide(kind, question, f"“{case.page.text}”", self._parts.draw_case(case, ""))


def _first_runs(rows: pd.DataFrame, drawing: Drawing) -> pd.DataFrame:
    """Return the runs that fit on a screen: the compared pair, and the best of the other runs by
    mean."""
    if len(rows) <= _RUNS + 1:
        return rows
    others = rows[~rows["run"].isin([drawing.baseline, drawing.focus])]
    nearest = others.sort_values("mean", ascending=False).head(_RUNS - 1)["run"]
    return rows[rows["run"].isin([drawing.baseline, drawing.focus, *nearest])]
