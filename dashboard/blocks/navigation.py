"""Page names, and the small texts of the sidebar."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.blocks import markup as m

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


def explained(text: str) -> str:
    """The sentence that explains the chosen measure."""
    return f'<p class="lens explained">{m.escaped(text)}</p>'


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
