"""The answers of runs to a query, beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from dashboard.drawing.blocks.markup import run_style
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing

_MOST_CHARACTERS = 420
"""About six lines; the rest of an answer is folded away."""

_render = Template("answers")


def draw_answers(answers: Mapping[str, Sequence[str]], drawing: Drawing) -> Markup:
    """Draw the first answer of the run in focus and of the baseline. `answers` maps runs to their
    answers, one for each repeat; a run without an answer has a dash."""
    pair = dict.fromkeys((drawing.focus, drawing.baseline))
    columns = []
    for run in pair:
        text, *repeats = answers.get(run, []) or [""]
        start, rest = text[:_MOST_CHARACTERS], text[_MOST_CHARACTERS:]
        columns.append((run_style(drawing.styles, run), start, rest, len(repeats)))
    return _render("answers", columns=columns)
