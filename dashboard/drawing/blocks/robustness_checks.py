"""Blocks about robustness: all checks of a verdict in one row, a single check, and tables of
evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.answers.unjudged import UnjudgedEffects
from dashboard.drawing.blocks.markup import Href, Styles, run_style, shorten_run_names
from dashboard.drawing.blocks.table import Column
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.ticks import difference_ticks
from metrics_core.base import wording as w
from metrics_core.findings.robustness import Robustness, RobustnessCheck
from metrics_core.scoring.intervals import LEVEL

_render = Template("robustness_checks")

TITLE = "Can you rely on this result?"
TITLE_UNCLEAR = "What would make it conclusive?"
_TICKS, _AT_A_TICK, _FEW_SPANS = 6, 16, 4
"""Maximum numbers for the chart of differences: steps of the axis, characters of the baseline's
name below the axis, and ranges that are drawn with two lines each."""


@dataclass(frozen=True)
class Cell:
    """The content of a table cell: text, an optional link, and smaller text below."""

    text: str
    link: str = ""
    small: str = ""


@dataclass(frozen=True)
class DifferenceRange:
    """A range of a difference, from `low` to `high` (both NaN if unknown), with its name and a
    note.

    If `value` is set, it is drawn as a point in the range. If `grey` is true, the range is drawn in
    grey, because it is not a finding: it is a mere bound, or an interval that is not
    significant."""

    name: str
    note: str
    low: float
    high: float
    value: float = math.nan
    grey: bool = False
    link: str = ""

    @property
    def text(self) -> str:
        """The range as text. If `value` is set, the text is the value followed by the range. The
        text is "–" if the range is unknown. The bounds have enough decimals to differ from zero and
        from each other."""
        if not math.isnan(self.value):
            return w.format_with_interval(self.value, self.low, self.high)
        if self.low == self.high or math.isnan(self.low):
            return w.format_difference(self.low)
        return (
            f"[{w.format_distinct_score(self.low, 0)},"
            f" {w.format_distinct_score(self.high, self.low)}]"
        )


def unjudged_ranges(effects: UnjudgedEffects) -> list[DifferenceRange]:
    """Return the difference now, and its likely and its possible range after judging."""
    bounds, interval = effects.bounds, effects.likely.interval
    bounds_note = f"for all possible grades{'' if bounds.exact else ' (bounds)'}"
    return [
        DifferenceRange(
            "Now", "unjudged count as not relevant", bounds.difference, bounds.difference
        ),
        DifferenceRange(
            "Likely",
            # The check's own line says why it is unknown.
            f"{w.format_share(LEVEL)} of simulated judgments" if interval else "unknown",
            float(interval.low) if interval else math.nan,
            float(interval.high) if interval else math.nan,
            float(interval.mean) if interval else math.nan,
        ),
        DifferenceRange(
            "Worst and best case",
            bounds.reason or bounds_note,
            bounds.lowest,
            bounds.highest,
            grey=True,
        ),
    ]


_MARKS = {"firm": ("✓", "holds"), "not firm": ("!", "does not hold"), "": ("!", "open")}
_OPEN = ("–", "")


def draw_checks(robustness: Robustness, href: Href) -> Markup:
    """Draw all checks in one row, each with a mark, a name and a short answer. If the verdict is
    inconclusive, the possible ways to make it conclusive are drawn instead of the checks. The
    result is empty if there is nothing to draw."""
    if not robustness.checks:
        return Markup()
    unclear = bool(robustness.settling_checks)
    entry_parts = {entry.part for entry in robustness.all_checks}
    rows = []
    for check in robustness.checks:
        link = href("firm", part=check.part if check.part in entry_parts else "")
        rows.append((check, mark_of_check(check, is_inconclusive=unclear), link))
    n = len(rows)
    summary = f"{robustness.n_passed_checks} of {n} {w.plural(n, 'check holds', 'checks hold')}"
    return _render(
        "checks",
        title=TITLE_UNCLEAR if unclear else TITLE,
        summary="not significant yet" if unclear else summary,
        checks=rows,
    )


def draw_checks_placeholder(*, is_inconclusive: bool) -> Markup:
    """Draw the title of the checks and the space for them while they are computed, so that the
    blocks below do not move later."""
    title = TITLE_UNCLEAR if is_inconclusive else TITLE
    return _render("checks", title=title, summary="being computed", checks=[])


def mark_of_check(check: RobustnessCheck, *, is_inconclusive: bool) -> tuple[str, str, str]:
    """Return the mark of a check, the colouring of this mark, and its text for screen readers."""
    if check.word == w.DASH or not check.brief or (is_inconclusive and not check.tone):
        return _OPEN[0], "", _OPEN[1]
    mark, spoken = _MARKS[check.tone]
    return mark, "firm" if check.tone == "firm" else "doubt", spoken


def draw_check(
    entry: RobustnessCheck, link: str, styles: Styles, *, is_inconclusive: bool, is_open: bool
) -> Markup:
    """Draw a check as a row with its mark, its name, its short answer and its reason. The row links
    to the evidence."""
    mark, tone, spoken = mark_of_check(entry, is_inconclusive=is_inconclusive)
    return _render(
        "check",
        entry=entry,
        reason=shorten_run_names(entry.reason, styles),
        mark=mark,
        tone=tone,
        spoken=spoken,
        link=link,
        is_open=is_open,
    )


def draw_difference_ranges(rows: Sequence[DifferenceRange], drawing: Drawing, label: str) -> Markup:
    """Draw differences and their possible ranges on one axis with ticks and a zero line. If there
    are many, each takes only one line."""
    ends = [end for row in rows for end in (row.low, row.high, row.value) if not math.isnan(end)]
    axis = difference_ticks(ends, max_ticks=_TICKS)

    baseline = short_names(drawing.styles, _AT_A_TICK)[drawing.baseline]
    style = run_style(drawing.styles, drawing.focus)
    many = len(rows) > _FEW_SPANS
    return _render(
        "spans", rows=rows, axis=axis, baseline=baseline, style=style, label=label, many=many
    )


def draw_table(
    header_cells: Sequence[Column], rows: Sequence[Sequence[Cell]], label: str
) -> Markup:
    """Draw a table of evidence. `label` describes the table for screen readers."""
    return _render("table", heads=header_cells, rows=rows, label=label)
