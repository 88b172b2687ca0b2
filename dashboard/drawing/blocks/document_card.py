"""A document of a query as a card: grade, ranks, text with the query's words, and its fields."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.answers.document import DocumentCard
from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import style_of
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.blocks.word_marks import marked
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.theme import RunStyle

_OPEN = 6_000
"""Characters of a text that stand open."""
_MOST = 60_000
"""Characters that a page is sent at all; of more the rest is counted."""

_TOLD = ("rank", "score", "listed", "known")

_drawn = Template("document_card")


@dataclass(frozen=True)
class _Place:
    style: RunStyle
    rank: float
    score: float
    listed: int
    known: bool


def document_card(
    found: DocumentCard, drawing: Drawing, grades: Grades, words: Collection[str]
) -> Markup:
    """The document's grade, its place in every run, its text and its fields. `drawing` holds the
    styles of all of them."""
    places = [
        _Place(style_of(drawing.styles, row["run"]), *(row[c] for c in _TOLD))
        for row in found.standings.to_dict("records")
    ]
    return _drawn(
        "document_card",
        card=found,
        chip=grades.chip(found.grade),
        judged=grades.spoken(found.grade),
        places=places,
        cutoff=drawing.cutoff,
        paragraphs=_paragraphs(found.text[:_OPEN], words),
        folded=_paragraphs(found.text[_OPEN:_MOST], words),
        left=max(len(found.text) - _MOST, 0),
        length=len(found.text),
        fields=[(name, value, _is_link(value)) for name, value in found.fields.items()],
    )


def _paragraphs(text: str, words: Collection[str]) -> list[Markup]:
    return [marked(line.strip(), words) for line in text.splitlines() if line.strip()]


def _is_link(value: str) -> bool:
    """Whether a field is the address of a page, which a click may open."""
    return value.startswith(("https://", "http://")) and not any(c.isspace() for c in value)
