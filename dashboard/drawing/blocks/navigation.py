"""Blocks around the pages: the navigation rail, and the short texts between the controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.figures.picture import Caption
from dashboard.drawing.figures.text import shorten, text_width
from dashboard.drawing.theme import RunStyle
from metrics_core.base.errors import RanklensError, UnknownMeasureError


@dataclass(frozen=True)
class PageLink:
    """A link to a page in the rail. `group` is the heading above it ("" at the foot of the rail),
    `key` is the key to press after G to open the page, and `waiting` is the text beside the
    title."""

    group: str
    title: str
    link: str
    key: str
    waiting: str
    is_current: bool


@dataclass(frozen=True)
class ShelfEntry:
    """A collection in the list of collections. `best` is the run with the highest score, "" if it
    is unknown."""

    name: str
    contents: str
    link: str
    is_open: bool
    best: str
    opened_text: str


_BEST = 18
"""Maximum number of characters of a run's name beside the name of a collection."""

_FIELD, _BUTTON = 62, 39
"""Widths in px of the field for a run and of a button, each without its text."""
_GAP, _WIDE_GAP = 6, 8
_BESIDE = 366
"""Width in px of everything beside the sentence of controls: buttons and margins."""

_render = Template("navigation")


def draw_page_links(page_links: Sequence[PageLink]) -> Markup:
    """Draw the links to the pages, under the headings of their groups."""
    groups = [(name, list(pages)) for name, pages in groupby(page_links, key=attrgetter("group"))]
    return _render("rail", groups=groups)


def draw_collection_choices(collections: Sequence[ShelfEntry]) -> Markup:
    """Draw the collections that can be opened."""
    return _render("shelf", collections=collections, shorten=shorten, most=_BEST)


def draw_collections_link(link: str) -> Markup:
    """Draw the link to the Collections page."""
    return _render("all_collections", link=link)


def draw_page_title(title: str, name: str) -> Markup:
    """Draw the title of a page that shows no controls above it. `name` is the name of the page's
    file."""
    return _render("page_title", title=title, name=name)


def draw_control_text(text: str) -> Markup:
    """Draw text between two controls."""
    return _render("word", text=text)


def draw_folded_controls(
    pair: Sequence[RunStyle], shortened_names: Mapping[str, str], other_controls: str
) -> Markup:
    """Draw the controls as one line for narrow screens; a click on the line opens them.
    `shortened_names` maps each run to its shortened name."""
    return _render(
        "folded", pair=pair, short=shortened_names, rest=other_controls.removesuffix(" queries")
    )


def field_width(name: str) -> int:
    """Return the width in px of the field that shows this run name, including the run's mark and an
    arrow."""
    return round(_FIELD + _bold_width(name))


def folding_style(
    fields: Sequence[str],
    buttons: Sequence[str],
    words: Sequence[str],
    dropped_words: Sequence[str] = (),
) -> Markup:
    """Return the style sheet that folds the sentence of controls if the sentence does not fit in
    one line.

    The sentence consists of `fields` for runs, `buttons` that open controls, and `words`. If it is
    only slightly too long, it is not folded; instead, the texts in `dropped_words` are omitted."""
    parts = [*map(field_width, fields), *(_BUTTON + _bold_width(text) for text in buttons)]
    parts += [text_width(word, size=15) for word in words]
    least = _BESIDE + sum(parts) + _GAP * len(parts)
    more = sum(text_width(word, size=15) for word in dropped_words)
    full = least + more + (_WIDE_GAP - _GAP) * len(parts)
    return _render("folding", least=round(least), full=round(full))


def _bold_width(text: str) -> float:
    return text_width(text, size=14, bold=True)


def draw_copy_link() -> Markup:
    """Draw the link that copies the URL of the page."""
    return _render("copy_link")


def draw_presentation_link(link: str) -> Markup:
    """Draw the link that starts a presentation with one finding per screen."""
    return _render("present_link", link=link)


def draw_filter_list(filters: Sequence[tuple[str, str]], link: str) -> Markup:
    """Draw the active filters, each with a link that clears it. `link` clears all filters."""
    return _render("narrowed", filters=filters, link=link)


def draw_measure_note(name: str, text: str, link: str, hidden_text: str = "") -> Markup:
    """Draw an explanation of the chosen measure in one or two sentences, with a link to the
    measure's page. The text `hidden_text` is hidden until the user opens it."""
    return _render("explained", name=name, text=text, link=link, more=hidden_text)


def draw_measure_error(
    error: RanklensError, current_measure: str = "", link: Callable[[str], str] = lambda name: ""
) -> Markup:
    """Draw the reason why a typed name or value was rejected. If the name is unknown, measures with
    similar names are drawn as links. `current_measure` is the measure that is used instead."""
    near: list[tuple[str, str]] = []
    hint = error.hint
    if isinstance(error, UnknownMeasureError):
        near = [(name, link(name)) for name in error.nearest if link(name)]
        hint = ""
    return _render("refused", message=error.message, hint=hint, near=near, kept=current_measure)


def draw_interpretation_note(text: str) -> Markup:
    """Draw a note that says how a typed name was interpreted."""
    return _render("read_as", text=text)


def draw_run_marks(marks: Mapping[str, RunStyle]) -> Markup:
    """Return the style sheet that shows the mark of a run in front of its name in each select box.
    `marks` maps the key of each widget to the style of its run."""
    return _render("run_marks", marks=marks)


def pill_colors(key: str, styles: Sequence[RunStyle]) -> Markup:
    """Return the style sheet that colours the marks in a widget's pills. `styles` has one style per
    pill, in order."""
    return _render("pill_colors", key=key, styles=styles)


def draw_query_navigation(
    previous_link: str | None,
    next_link: str | None,
    position: str,
    back_link: str,
    *,
    closes_query: bool = False,
) -> Markup:
    """Draw the line "← All queries · 1 of 17 that got worse · ← Previous · Next →". A link that is
    None is inactive. `back_link` leads back to the list; if `closes_query` is true, it closes the
    query that is open beside the list."""
    return _render(
        "steps",
        previous=previous_link,
        following=next_link,
        position=position,
        back=back_link,
        closes=closes_query,
    )


def draw_image_menu(caption: Caption) -> Markup:
    """Draw a chart's menu, in which the user can enlarge the chart with its caption, save it as a
    file, or print it."""
    return _render("image_menu", caption=caption)
