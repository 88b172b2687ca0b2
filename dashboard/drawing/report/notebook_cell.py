"""The output of a comparison in a notebook: verdict, intervals, runs and measures, and facts about
the data. It consists of HTML and CSS, without scripts or fonts, and follows the notebook's light or
dark theme."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from dashboard.answers.list_changes import ChangesOverview
from dashboard.answers.overview import Overview
from dashboard.drawing.blocks import differences, markup, overview, untested
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.report.document import remove_dead_links
from dashboard.drawing.report.list_changes import draw_changes
from dashboard.drawing.report.sheet import make_sheet_for_markup, read_report_sheet
from dashboard.drawing.theme import BY_THEME, css_variables
from metrics_core.findings.sentence import Sentence

_MOST_ROWS = 8
"""Maximum number of runs in the output. The attribute `frame` of a comparison has all runs."""


def notebook_cell(answer: Overview, drawing: Drawing, footer: str) -> str:
    """Return the HTML of a notebook cell's output. `footer` names other methods that the user can
    call."""
    drawing = replace(drawing, palette=BY_THEME)
    parts = [markup.draw_finding(answer.verdict, drawing.styles)]
    if drawing.focus in answer.too_few:
        parts.append(untested.draw_examples(answer.examples, drawing, _empty_link))
    elif not drawing.is_single_run and drawing.comparison.compares_means:
        first = answer.shown_rows.sort_values("mean", ascending=False, kind="stable")
        run_names = {*first["run"].head(_MOST_ROWS), drawing.focus, drawing.baseline}
        parts.append(
            differences.draw_difference_rows(
                answer.shown_rows[answer.shown_rows["run"].isin(run_names)],
                drawing,
                make_link=lambda run: "",
                list_link=lambda run, outcome: "",
                level=drawing.comparison.method.level,
            )
        )
    measures = [(name, gloss, "") for name, gloss, _ in answer.measures]
    runs = list(dict.fromkeys(overview.runs_by_mean(answer.table, drawing)))
    rows = answer.table[answer.table["run"].isin(runs[:_MOST_ROWS])]
    parts.append(
        overview.draw_runs_and_measures(
            rows, drawing, measures, answer.judged_shares, lambda run: ""
        )
    )
    more = f"{len(runs) - _MOST_ROWS} more runs in .frame. " if len(runs) > _MOST_ROWS else ""
    parts += [
        overview.draw_facts_line(answer.facts, _empty_link, drawing.styles),
        overview.draw_table_note(
            f"{answer.rounding_note} {more}{footer}".strip(), Sentence(), drawing
        ),
    ]
    return _wrap_cell(Markup("").join(parts))


def changes_cell(answer: ChangesOverview, drawing: Drawing) -> str:
    """Return the HTML of the cell for runs without judgments."""
    return _wrap_cell(draw_changes(answer, replace(drawing, palette=BY_THEME)))


def _wrap_cell(content: Markup) -> str:
    html = remove_dead_links(content)
    return f'<div class="ranklens">{html}<style>{_scoped_sheet(html)}</style></div>'


def _empty_link(page: str, **changes: Any) -> str:
    return ""


def _scoped_sheet(markup: str) -> str:
    """Return a style sheet that applies only to the output. Its rules are nested, so that they
    override the notebook's styles for tables."""
    full_sheet = make_sheet_for_markup(markup, read_report_sheet("cell.css"))
    variables = css_variables()
    rules = full_sheet.replace(variables, "", 1)
    names = re.sub(r"^:root\{|\}$", "", variables)
    return f".ranklens{{{names};{rules}}}{read_report_sheet('cell_theme.css')}"
