"""The details of a document for a query: its grade, its ranks, its text with the words of the query
marked, and its fields."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.answers.document import DocumentCard
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import run_style
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.blocks.word_marks import mark_words
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.theme import RunStyle

_OPEN = 6_000
"""Number of characters of a text that are shown. The user can unfold the rest."""
_MOST = 60_000
"""Maximum number of characters of a text that are sent to the browser. If the text is longer, only
the number of its further characters is shown."""

_PLACE_FIELDS = ("rank", "score", "listed", "known")

_render = Template("document_card")


@dataclass(frozen=True)
class _RunPlace:
    style: RunStyle
    rank: float
    score: float
    listed_count: int
    is_known: bool


def draw_document_card(
    card: DocumentCard, drawing: Drawing, grades: Grades, query_words: Collection[str]
) -> Markup:
    """Draw the document's grade, its rank in every run, its text and its fields. `drawing` contains
    the styles of all loaded runs."""
    places = [
        _RunPlace(run_style(drawing.styles, row["run"]), *(row[c] for c in _PLACE_FIELDS))
        for row in card.standings.to_dict("records")
    ]
    return _render(
        "document_card",
        card=card,
        chip=grades.chip(card.grade),
        judged=grades.screen_reader_text(card.grade),
        places=places,
        cutoff=drawing.cutoff,
        paragraphs=_mark_paragraphs(card.text[:_OPEN], query_words),
        folded=_mark_paragraphs(card.text[_OPEN:_MOST], query_words),
        left=max(len(card.text) - _MOST, 0),
        length=len(card.text),
        fields=[(name, value, _is_link(value)) for name, value in card.fields.items()],
    )


def _mark_paragraphs(text: str, query_words: Collection[str]) -> list[Markup]:
    return [mark_words(line.strip(), query_words) for line in text.splitlines() if line.strip()]


def _is_link(value: str) -> bool:
    """Return whether the value of a field is a URL and is therefore drawn as a link."""
    return value.startswith(("https://", "http://")) and not any(c.isspace() for c in value)
