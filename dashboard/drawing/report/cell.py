"""What a notebook shows of a comparison: verdict, intervals, runs and measures, facts. HTML and CSS
alone, without a script or a font, in the notebook's own light or dark."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from dashboard.answers.overview import Overview
from dashboard.drawing.blocks import differences, markup, overview, untested
from dashboard.drawing.blocks.markup import Badge
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import without_links
from dashboard.drawing.report.sheet import own_sheet, sheet_for
from dashboard.drawing.theme import BY_THEME, css_variables
from metrics_core.findings.sentence import Sentence

_MOST_ROWS = 8
"""Runs of a cell; more stand in `.frame`."""


def cell(shown: Overview, drawing: Drawing, ways_on: str) -> str:
    """The cell; `ways_on` says what else there is to ask for."""
    drawing = replace(drawing, palette=BY_THEME)
    found, styles = shown.verdict, drawing.styles
    badge = Badge(found.badge, found.tone) if found.badge else None
    parts = [markup.answer(found.title, found.lead, styles, badge=badge)]
    if drawing.focus in shown.too_few:
        parts.append(untested.examples(shown.examples, drawing, _nowhere))
    elif not drawing.alone:
        first = shown.comparison.sort_values("mean", ascending=False, kind="stable")
        kept = {*first["run"].head(_MOST_ROWS), drawing.focus, drawing.baseline}
        parts.append(
            differences.difference_rows(
                shown.comparison[shown.comparison["run"].isin(kept)],
                drawing,
                lead=lambda run: "",
                listed=lambda run, outcome: "",
                level=drawing.comparison.method.level,
            )
        )
    measures = [(name, gloss, "") for name, gloss, _ in shown.measures]
    runs = list(dict.fromkeys(overview.best_first(shown.table, drawing)))
    rows = shown.table[shown.table["run"].isin(runs[:_MOST_ROWS])]
    parts.append(
        overview.runs_and_measures(rows, drawing, measures, shown.judged_shares, lambda run: "")
    )
    more = f"{len(runs) - _MOST_ROWS} more runs in .frame. " if len(runs) > _MOST_ROWS else ""
    parts += [
        overview.facts_line(shown.facts, _nowhere),
        overview.table_note(more + ways_on, Sentence(), drawing),
    ]
    inside = without_links(Markup("").join(parts))
    return f'<div class="ranklens">{inside}<style>{_scoped(inside)}</style></div>'


def _nowhere(page: str, **changes: Any) -> str:
    return ""


def _scoped(inside: str) -> str:
    """The sheet for the cell alone: nested, so that it outweighs the notebook's own for tables."""
    whole = sheet_for(inside, own_sheet("cell.css"))
    variables = css_variables()
    rules = whole.replace(variables, "", 1)
    names = re.sub(r"^:root\{|\}$", "", variables)
    return f".ranklens{{{names};{rules}}}{own_sheet('cell_theme.css')}"
