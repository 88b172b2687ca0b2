"""What surrounds the pages: the rail, and the small texts of the controls."""

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
    """A page in the rail: the heading it stands below, "" at the foot, the key that opens it, what
    waits there, and whether it is shown."""

    group: str
    title: str
    link: str
    key: str
    waiting: str
    is_current: bool


@dataclass(frozen=True)
class ShelfEntry:
    """A collection in the list of all; `best` is the run that scores highest, "" where that is not
    known."""

    name: str
    contents: str
    link: str
    is_open: bool
    best: str
    opened_text: str


_BEST = 18
"""Characters of a run's name beside that of its collection."""

_FIELD, _BUTTON = 72, 39
"""What a field for a run, and a button that opens controls, take in px beside their text."""
_GAP, _WIDE_GAP = 6, 8
_BESIDE = 352
"""What the buttons and edges beside the sentence take in px, with a closed rail as well."""

_render = Template("navigation")


def rail(places: Sequence[PageLink]) -> Markup:
    """The names of the pages, in groups."""
    groups = [(name, list(pages)) for name, pages in groupby(places, key=attrgetter("group"))]
    return _render("rail", groups=groups)


def shelf(collections: Sequence[ShelfEntry]) -> Markup:
    """The collections that can be opened."""
    return _render("shelf", collections=collections, shorten=shorten, most=_BEST)


def all_collections(link: str) -> Markup:
    """The way to all that can be done with collections."""
    return _render("all_collections", link=link)


def page_title(title: str, name: str) -> Markup:
    """The page on top, where no sentence of controls stands in its place; `name` is its file's."""
    return _render("page_title", title=title, name=name)


def word(text: str) -> Markup:
    """A word between two controls."""
    return _render("word", text=text)


def folded_controls(pair: Sequence[RunStyle], short: Mapping[str, str], rest: str) -> Markup:
    """The controls in a line of a narrow bar, which opens them; `short` holds the runs' names as
    the controls show them."""
    return _render("folded", pair=pair, short=short, rest=rest.removesuffix(" queries"))


def field_width(name: str) -> int:
    """The width in px of the field for a run that shows this name, with mark and arrow."""
    return round(_FIELD + _bold_width(name))


def folding_style(
    fields: Sequence[str],
    buttons: Sequence[str],
    words: Sequence[str],
    dropped: Sequence[str] = (),
) -> Markup:
    """The style that folds the bar where the sentence would not fit in one line: of `fields` for
    runs, of `buttons` that open controls, and of `words`. `dropped` are the words and ends of
    buttons that the sentence leaves out before that."""
    parts = [*map(field_width, fields), *(_BUTTON + _bold_width(text) for text in buttons)]
    parts += [text_width(word, size=15) for word in words]
    least = _BESIDE + sum(parts) + _GAP * len(parts)
    more = sum(text_width(word, size=15) + _WIDE_GAP for word in dropped)
    full = least + more + (_WIDE_GAP - _GAP) * len(parts)
    return _render("folding", least=round(least), full=round(full))


def _bold_width(text: str) -> float:
    return text_width(text, size=14, bold=True)


def copy_link() -> Markup:
    """The way to the address of what is shown."""
    return _render("copy_link")


def present_link(link: str) -> Markup:
    """The way to the findings one a screen."""
    return _render("present_link", link=link)


def add_files() -> Markup:
    """The way to the uploader of the page."""
    return _render("add_files")


def filter_list(filters: Sequence[tuple[str, str]], link: str) -> Markup:
    """What narrows the queries in view, each with the link that takes it back; `link` takes back
    all of it."""
    return _render("narrowed", filters=filters, link=link)


def measure_note(name: str, text: str, link: str, more: str = "") -> Markup:
    """The chosen measure in a sentence or two, and the way to all about it; `more` is what matters
    to few, and is folded."""
    return _render("explained", name=name, text=text, link=link, more=more)


def measure_error(
    error: RanklensError, current: str = "", link: Callable[[str], str] = lambda name: ""
) -> Markup:
    """Why a typed name or value was not taken; the nearest measures are links, `current` is shown
    instead."""
    near: list[tuple[str, str]] = []
    hint = error.hint
    if isinstance(error, UnknownMeasureError):
        near = [(name, link(name)) for name in error.nearest if link(name)]
        hint = ""
    return _render("refused", message=error.message, hint=hint, near=near, kept=current)


def read_as_note(text: str) -> Markup:
    """What a typed name was read as."""
    return _render("read_as", text=text)


def run_marks(marks: Mapping[str, RunStyle]) -> Markup:
    """Widget key -> the run that is chosen there: its mark stands before its name."""
    return _render("run_marks", marks=marks)


def pill_colors(key: str, styles: Sequence[RunStyle]) -> Markup:
    """The runs' own colours for the marks in a widget's pills, one for each in their order."""
    return _render("pill_colors", key=key, styles=styles)


def steps(previous: str | None, following: str | None, position: str, back: str) -> Markup:
    """← All queries · 1 of 17 that got worse · ← Previous · Next →; a link that is None leads
    nowhere, `back` leads to the list."""
    return _render("steps", previous=previous, following=following, place=position, back=back)


def image_menu(caption: Caption) -> Markup:
    """A chart's own menu: enlarged, with what its picture says above it; as a file, or printed."""
    return _render("image_menu", caption=caption)
