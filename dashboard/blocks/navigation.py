"""Page names, and the small texts of the sidebar."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dashboard.blocks import markup as m
from metrics_core import wording as w
from metrics_core.errors import RanklensError, UnknownMeasureError

PageName = tuple[str, str, bool]
"""Title, link, whether it is the page shown."""


def page_names(pages: Sequence[PageName]) -> str:
    """The menu on top of every page."""
    return f'<nav class="lens pages" aria-label="Pages">{_links(pages)}</nav>'


def drawer(pages: Sequence[PageName]) -> str:
    """The same menu inside the sidebar, shown on narrow screens only."""
    return f'<nav class="lens drawer" aria-label="Pages">{_links(pages)}</nav>'


def _links(pages: Sequence[PageName]) -> str:
    return "".join(
        f'<a href="{m.escaped(link)}" target="_self"{_current(shown)}>{m.escaped(title)}</a>'
        for title, link, shown in pages
    )


def _current(shown: bool) -> str:
    return ' aria-current="page"' if shown else ""


def explained(name: str, text: str, link: str) -> str:
    """The chosen measure in a sentence or two, and the way to all about it."""
    more = f'<a href="{m.escaped(link)}" target="_self">What is this?</a>'
    return f'<p class="lens explained"><b>{m.escaped(name)}</b> {m.with_code(text)} {more}</p>'


def refused(
    error: RanklensError, kept: str = "", link: Callable[[str], str] = lambda name: ""
) -> str:
    """Why a typed name or value was not taken; the nearest measures are links, `kept` is shown
    instead."""
    mend = m.with_code(error.hint)
    if isinstance(error, UnknownMeasureError):
        near = [(name, link(name)) for name in error.nearest]
        named = [
            f'<a href="{m.escaped(to)}" target="_self">{m.escaped(n)}</a>' for n, to in near if to
        ]
        mend = f"Did you mean {w.listing(named, 'or')}?" if named else ""
    shown = f"{m.escaped(kept)} is shown." if kept else ""
    said = " ".join(part for part in (m.with_code(error.message), mend, shown) if part)
    return f'<p class="lens explained warning" role="alert">{said}</p>'


def in_view(text: str, empty: bool) -> str:
    """How many queries the filters leave."""
    return f'<p class="lens explained{" warning" if empty else ""}">{m.escaped(text)}</p>'


def steps(previous: str | None, following: str | None, place: str) -> str:
    """← Previous · 1 of 17 that got worse · Next →; a link that is None leads nowhere."""
    return (
        '<nav class="lens steps-through" aria-label="Queries">'
        f"{_step(previous, '← Previous')}<span>{m.escaped(place)}</span>"
        f"{_step(following, 'Next →')}</nav>"
    )


def _step(link: str | None, text: str) -> str:
    if link is None:
        return f'<span class="faint">{text}</span>'
    return f'<a href="{m.escaped(link)}" target="_self">{text}</a>'


def image_menu() -> str:
    """A chart's own menu: the picture in two formats."""
    return (
        '<div class="lens image-menu">'
        '<a href="#" data-image="png" aria-label="Download the chart as PNG">PNG</a>'
        '<a href="#" data-image="svg" aria-label="Download the chart as SVG">SVG</a></div>'
    )
