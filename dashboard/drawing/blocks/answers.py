"""The answers of several runs to a query, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from dashboard.drawing.blocks.markup import run_style
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing

_MOST_CHARACTERS = 420
"""Number of characters of an answer that are shown, which is about six lines. The user can unfold
the rest."""

_render = Template("answers")


def draw_answers(answers: Mapping[str, Sequence[str]], drawing: Drawing) -> Markup:
    """Draw the first answer of the run in focus and of the baseline. `answers` maps each run to its
    answers, one per repetition. A dash is drawn for a run without an answer."""
    pair = dict.fromkeys((drawing.focus, drawing.baseline))
    columns = []
    for run in pair:
        text, *repeats = answers.get(run, []) or [""]
        start, rest = text[:_MOST_CHARACTERS], text[_MOST_CHARACTERS:]
        columns.append((run_style(drawing.styles, run), start, rest, len(repeats)))
    return _render("answers", columns=columns)
