"""The findings of a report as slides for a presentation, one finding per screen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.answers.group_table import GroupTableRequest, select_groups
from dashboard.answers.report import CASE_ROWS
from dashboard.drawing.blocks import curves as curves_blocks
from dashboard.drawing.blocks import differences, groups, overview, two_lists, untested
from dashboard.drawing.blocks import report as blocks
from dashboard.drawing.blocks.markup import make_badge
from dashboard.drawing.blocks.robustness_checks import (
    DifferenceRange,
    draw_difference_ranges,
    unjudged_ranges,
)
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.curves import Panels
from dashboard.drawing.figures.text import short_names, shorten
from dashboard.drawing.report.parts import PARTS, ReportParts
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.phrases import describe_tie_rule
from metrics_core.findings.robustness import robustness_finding
from metrics_core.findings.sentence import Sentence, muted_span
from metrics_core.findings.significance import rounding_note

_ROWS = 8
"""Maximum number of rows of a picture, including the row for all remaining groups or runs."""
_QUERY = 80
"""Maximum number of characters of a query in a headline."""
_NAME = 24
"""Maximum number of characters of a run's name above a chart."""
_CHART = 330.0
"""Width in px at which a chart is drawn. A screen shows two charts, enlarged."""
_GRADES = "Number in a square: relevance grade; ? = unjudged"
_BANDS = (
    "Bands: 95% intervals, simultaneous over all k for the difference"
    " · Thin line: at least half of the lists have ended"
)


def make_slides(parts: ReportParts) -> list[Markup]:
    """Return the findings as slides, one per screen. Empty slides are omitted."""
    return _Slides(parts).draw_all()


class _Slides:
    def __init__(self, parts: ReportParts) -> None:
        self._parts = parts

    def draw_all(self) -> list[Markup]:
        slides = [
            self._draw_verdict_slide(),
            self._draw_checks_slide(),
            self._draw_groups_slide(),
            self._draw_cutoff_slide(),
            self._draw_query_slide("losses", "loss"),
            self._draw_query_slide("wins", "win"),
            self._draw_closing_slide(),
        ]
        return [slide for slide in slides if slide]

    @property
    def _is_untested(self) -> bool:
        return self._parts.drawing.focus in self._parts.report.overview.too_few

    def _draw_slide(
        self, key: str, question: str, answer: str | Sentence, picture: Markup, **more: Any
    ) -> Markup:
        return blocks.draw_slide(key, question, answer, picture, self._parts.styles, **more)

    def _draw_verdict_slide(self) -> Markup:
        answer, drawing = self._parts.report.overview, self._parts.drawing
        verdict, name = answer.verdict, self._parts.drawing.name
        if drawing.is_single_run:
            picture = untested.draw_histogram(answer.histogram, drawing, lambda low, high: "")
            if not answer.histogram:
                return Markup()
            return self._draw_slide("verdict", f"How good is it on {name}?", verdict.title, picture)
        question = f"Which is better on {name}?"
        if self._is_untested:
            picture = untested.draw_examples(answer.examples, drawing, self._empty_link)
            return self._draw_slide("verdict", question, verdict.title, picture)
        rows = _rows_that_fit(answer.shown_rows, drawing)
        left_out = len(answer.all_rows) - len(rows)
        caption = describe_tie_rule(drawing.comparison.measure).removesuffix(".")
        if left_out:
            caption += f" · {w.format_count(left_out)} more {w.plural(left_out, 'run')} not shown"
        if len(rows) > 2 and drawing.comparison.compares_means:
            picture = differences.draw_difference_rows(
                rows,
                drawing,
                make_link=self._empty_link,
                list_link=self._empty_link,
                level=drawing.comparison.method.level,
            )
        else:
            picture = self._draw_pair(rows)
        return self._draw_slide(
            "verdict",
            question,
            verdict.title,
            picture,
            badge=make_badge(verdict),
            note=verdict.lead,
            caption=" · ".join(filter(None, (caption, rounding_note(rows)))),
            rows=len(rows) - 1,
        )

    def _draw_pair(self, rows: pd.DataFrame) -> Markup:
        """Draw the difference of the run in focus with its interval, and the queries by outcome."""
        interval, drawing = self._parts.report.overview.interval, self._parts.drawing
        row = rows.set_index("run").loc[drawing.focus].to_dict()
        picture = differences.draw_difference_interval(row, interval, rows, drawing)
        return picture + overview.draw_outcomes(row, self._empty_link)

    def _empty_link(self, *_: str, **__: Any) -> str:
        return ""

    def _draw_checks_slide(self) -> Markup:
        robustness = self._parts.report.robustness
        if not robustness.checks:
            return Markup()
        return self._draw_slide(
            "checks",
            self._parts.part_title("checks"),
            robustness_finding(robustness).statement_and_rest[0],
            blocks.draw_check_reasons(robustness, self._parts.styles, is_brief=True),
            note="No clear difference does not mean that the runs are equally good."
            * bool(robustness.settling_checks),
            rows=len(robustness.checks),
        )

    def _draw_groups_slide(self) -> Markup:
        if (
            self._parts.report.groups is None
            or self._parts.drawing.is_single_run
            or self._is_untested
        ):
            return Markup()
        (breakdown, _), drawing = self._parts.report.groups, self._parts.drawing
        is_long = len(breakdown.groups) > _ROWS
        # If groups are left out, it is the smallest contributions, also of ranges of a number.
        rows = select_groups(
            breakdown,
            GroupTableRequest(ranked="-adds" if is_long else ""),
            is_single_run=False,
            max_rows=_ROWS - is_long,
        )
        return self._draw_slide(
            "groups",
            f"Where does the difference come from, by {self._parts.report.overview.grouping_name}?",
            breakdown.title,
            groups.draw_waterfall(rows, breakdown, drawing),
            note=breakdown.lead_text,
            caption=groups.waterfall_caption(rows),
            rows=len(rows.rows) + is_long + 1,
        )

    def _draw_cutoff_slide(self) -> Markup:
        curves, drawing = self._parts.report.curves, self._parts.drawing
        pair = dict.fromkeys([drawing.focus, drawing.baseline])
        drawing = replace(drawing, styles={run: drawing.styles[run] for run in pair})
        family = "" if curves is None else next(iter(curves.frames), "")
        if curves is None or not family or self._is_untested:
            return Markup()
        lead = curves.lead
        if drawing.comparison.measure.cutoff is None:
            lead = muted_span(
                f"{drawing.name} counts the whole list, but the curves show {family} by k."
            )
        note = f"{_BANDS} · Vertical line: k = {w.format_count(drawing.cutoff)}"
        if drawing.is_single_run:
            note = curves_blocks.bands_note(drawing, is_tested=curves.queries >= FEWEST_QUERIES)
        legend = curves_blocks.draw_legend(drawing, list(pair), {})
        baseline = short_names(drawing.styles, _NAME)[drawing.baseline]
        heads: dict[Panels, str] = {"scores": f"{family}@k"}
        heads |= {} if drawing.is_single_run else {"differences": f"Difference from {baseline}"}
        charts = [
            (
                curves_blocks.draw_panel_heading(head, ""),
                self._parts.draw_chart(family, drawing, panels, _CHART),
            )
            for panels, head in heads.items()
        ]
        picture = blocks.draw_panels(charts, legend, Markup())
        return self._draw_slide(
            "curves", PARTS["curves"], curves.title, picture, note=lead, caption=note
        )

    def _draw_query_slide(self, kind: str, noun: str) -> Markup:
        """Draw an example of a loss or a win: the lists of both runs, and the movements of
        documents between them."""
        report = self._parts.report
        if kind not in report.examples:
            return Markup()
        page, row = report.examples[kind].page, report.examples[kind].row
        largest = self._parts.cases(kind)[:1]
        is_largest = any(case.row["query_id"] == row["query_id"] for case in largest)
        lists = two_lists.draw_two_lists(
            page.diagnosis,
            self._parts.drawing,
            page.documents,
            (),
            dict.fromkeys(report.grades, ""),
            n_rows=CASE_ROWS,
            one_line=True,
        )
        return self._draw_slide(
            kind,
            f"The largest {noun}{' with results from both runs' * (not is_largest)}",
            f"“{shorten(page.text, _QUERY, between_words=True)}”",
            lists,
            note=page.explanation,
            caption=" · ".join(filter(None, (_GRADES, rounding_note(pd.DataFrame([row]))))),
        )

    def _draw_closing_slide(self) -> Markup:
        """Draw how many documents to judge, and what that could change. If unjudged documents do
        not matter, there is no such slide."""
        judging = self._parts.report.open_judgments
        if judging is None:
            return Markup()
        ranges, settled = unjudged_ranges(judging.effects), judging.judgments.settled
        if settled:
            name = f"After judging {w.format_count(judging.judgments.n_to_settle or 0)}"
            ends = settled.lowest, settled.highest
            ranges.append(DifferenceRange(name, "if none is relevant", *ends, grey=True))
        return self._draw_slide(
            "next",
            "What next?",
            judging.title,
            draw_difference_ranges(ranges, self._parts.drawing, "Effect of judging"),
            note=judging.sentence,
            caption="Difference now, and its likely and possible values after judging",
        )


def _rows_that_fit(rows: pd.DataFrame, drawing: Drawing) -> pd.DataFrame:
    """Return the rows of the runs that fit on a screen: the compared pair, and the best other runs
    by mean."""
    if len(rows) <= _ROWS + 1:
        return rows
    others = rows[~rows["run"].isin([drawing.baseline, drawing.focus])]
    higher = drawing.comparison.measure.declaration.higher_is_better
    nearest = others.sort_values("mean", ascending=not higher).head(_ROWS - 1)["run"]
    return rows[rows["run"].isin([drawing.baseline, drawing.focus, *nearest])]
