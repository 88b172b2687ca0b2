"""What pages put together themselves: sentences, headings, empty states.

Each part is one piece of markup whose root has the class `lens`; drawing/style.css draws it. The
parts pass through the sanitiser of `st.html`, so they hold no script, no inline svg and no event
handlers, and colours are CSS variables only, which follow light and dark by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import SLOTS, RunStyle
from metrics_core.findings.sentence import Sentence

Styles = Mapping[str, RunStyle]
Href = Callable[..., str]
"""Gives the address of a page with these parameters."""
Lead = Callable[[str], str]
"""Gives the address that a run, or a group of queries, leads to."""

_IN_A_TITLE = 24
"""Characters of a run's name in the answer of a page; of a longer one the middle is left out."""

_render = Template("markup")


class SentencePiece(NamedTuple):
    """A piece of a sentence as it is drawn; `style` is that of a run's name, and `short` that name
    where the whole has no room."""

    text: str
    kind: str = ""
    style: RunStyle | None = None
    short: str = ""


class Badge(NamedTuple):
    """What the test says in a word or two; `tone` is "better", "worse", "unclear" or "few"."""

    text: str
    tone: str


def run_style(styles: Styles, run: str) -> RunStyle:
    """The run's style; a run without one is grey."""
    return styles.get(run) or RunStyle(run, SLOTS)


def sentence_pieces(text: str | Sentence, styles: Styles) -> list[SentencePiece]:
    """Run names in their colours, what qualifies in muted text; a plain text is one piece."""
    if not isinstance(text, Sentence):
        return [SentencePiece(text)] if text else []
    pieces = []
    before = "strong"
    for span in text.spans:
        if span.role == "run" and span.text in styles:
            style = styles[span.text]
            # Within a muted clause the baseline is no news: it stays as quiet as the clause.
            quiet = style.role == "baseline" and before == "muted"
            pieces.append(SentencePiece(span.text, "quiet" if quiet else "loud", style))
            continue
        before = span.role
        pieces.append(SentencePiece(span.text, span.role))
    return pieces


def second_line(sentence: Sentence, styles: Styles) -> Markup:
    """The smaller line below the headline; nothing for an empty sentence."""
    return _render("second", pieces=sentence_pieces(sentence, styles)) if sentence else Markup()


def answer(
    title: str | Sentence, lead: str | Sentence, styles: Styles, *, badge: Badge | None = None
) -> Markup:
    """The top of a page: what was found, in at most 60 characters; the test's answer in a word
    beside it; below both, number, test and limits in at most two lines."""
    short = short_names(styles, _IN_A_TITLE)
    pieces = [
        piece._replace(short=short[piece.text]) if piece.style else piece
        for piece in sentence_pieces(title, styles)
    ]
    return _render("answer", pieces=pieces, lead=sentence_pieces(lead, styles), badge=badge)


def section(title: str, explanation: str | Sentence = "", styles: Styles | None = None) -> Markup:
    """The heading of a part, and one muted line that says how to read it."""
    return _render("section", title=title, pieces=sentence_pieces(explanation, styles or {}))


def empty_state(title: str, text: str = "") -> Markup:
    """What stands where there is nothing to show: what was asked, and what to do."""
    return _render("nothing", title=title, text=text)
