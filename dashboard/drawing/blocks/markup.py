"""Blocks that all pages share: sentences, headings, messages in place of an empty result.

Each block is one piece of markup whose root has the class `lens`, styled by drawing/style.css.
Blocks pass through the sanitiser of `st.html`, so they contain no scripts, inline SVG or event
handlers. Colours are always CSS variables, which follow the light or dark theme."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import SLOTS, RunStyle
from metrics_core.findings.sentence import Sentence
from metrics_core.findings.verdicts import VerdictFinding

Styles = Mapping[str, RunStyle]
Href = Callable[..., str]
"""A function that takes a page's name and address fields and returns the link."""
LinkMaker = Callable[[str], str]
"""A function that takes the name of a run or of a group of queries and returns its link."""

IN_A_SENTENCE = 24
"""Maximum number of characters of a run's name in a sentence. Longer names are shortened."""

_render = Template("markup")


class SentencePiece(NamedTuple):
    """A piece of a sentence. If the piece is a run's name, `style` is the style of the run, and
    `short` is the name shortened for a sentence."""

    text: str
    kind: str = ""
    style: RunStyle | None = None
    short: str = ""


class Badge(NamedTuple):
    """A badge with the result of the test in a few words. `tone` is "better", "worse", "unclear" or
    "few"."""

    text: str
    tone: str


def make_badge(finding: VerdictFinding) -> Badge | None:
    """Return the badge of a finding. Returns None if the finding has no badge."""
    return Badge(finding.badge, finding.tone) if finding.badge else None


def run_style(styles: Styles, run: str) -> RunStyle:
    """Return the style of a run. A run that has no style is drawn in grey."""
    return styles.get(run) or RunStyle(run, SLOTS)


def sentence_pieces(text: str | Sentence, styles: Styles) -> list[SentencePiece]:
    """Return the pieces of a sentence, with short run names in their colours and qualifications in
    grey. A plain string becomes a single piece."""
    if not isinstance(text, Sentence):
        return [SentencePiece(shorten_run_names(text, styles))] if text else []
    pieces, short = [], short_names(styles, IN_A_SENTENCE)
    before = "strong"
    for span in text.spans:
        if span.role == "run" and span.text in styles:
            style = styles[span.text]
            # In a muted clause the baseline is muted, too, because it is nothing new.
            quiet = style.role == "baseline" and before == "muted"
            kind = "quiet" if quiet else "loud"
            pieces.append(SentencePiece(span.text, kind, style, short[span.text]))
            continue
        before = span.role
        pieces.append(SentencePiece(shorten_run_names(span.text, styles), span.role))
    return pieces


def shorten_run_names(text: str, styles: Styles) -> str:
    """Return the text with long run names shortened."""
    for name, short in sorted(short_names(styles, IN_A_SENTENCE).items(), reverse=True):
        text = text.replace(name, short) if len(name) > IN_A_SENTENCE else text
    return text


def draw_subtitle(sentence: Sentence, styles: Styles) -> Markup:
    """Draw the smaller line below the headline. The result is empty if the sentence is empty."""
    return _render("second", pieces=sentence_pieces(sentence, styles)) if sentence else Markup()


def draw_heading(
    title: str | Sentence, lead: str | Sentence, styles: Styles, *, badge: Badge | None = None
) -> Markup:
    """Draw the top of a page. The first line is the finding, in at most 60 characters, with the
    result of the test as a badge. Below it are the numbers, the test and its limits, in at most two
    lines."""
    pieces = sentence_pieces(title, styles)
    return _render("answer", pieces=pieces, lead=sentence_pieces(lead, styles), badge=badge)


def draw_finding(finding: VerdictFinding, styles: Styles) -> Markup:
    """Draw a finding at the top of a page."""
    return draw_heading(finding.title, finding.lead, styles, badge=make_badge(finding))


def draw_section_heading(
    title: str, explanation: str | Sentence = "", styles: Styles | None = None
) -> Markup:
    """Draw the heading of a section, with one line in grey that says how to read the section."""
    return _render("section", title=title, pieces=sentence_pieces(explanation, styles or {}))


def draw_empty_state(title: str, text: str = "") -> Markup:
    """Draw a message in place of an empty result. It says what is missing and how to get it."""
    return _render("nothing", title=title, text=text)
