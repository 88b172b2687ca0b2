"""What surrounds every page: styles, page names, and what is said in its place."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cache, partial
from pathlib import Path

import streamlit as st
from markupsafe import Markup
from streamlit import file_util

from dashboard import intake, session, sidebar
from dashboard.address import method_key
from dashboard.address.address import SHARED
from dashboard.address.view import NOBODY
from dashboard.blocks import data, layers, markup, navigation
from dashboard.page import Page
from dashboard.session import Opened
from dashboard.workspace.journal import NOTES
from metrics_core.errors import RanklensError

_HERE = Path(__file__).parent
ICON = str(_HERE / "static" / "icon.svg")

# A click on a link of ours changes the page in place; the browser itself would load it anew.
# Another theme draws the page again, for charts are drawn here. And Plotly's own download button
# knows one image format at a time: a chart's menu sets it.
_LINKS = st.components.v2.component(
    "ranklens_links",
    html='<i class="scheme"></i>',
    css=".scheme{position:absolute;color:light-dark(#000,#fff);transition:color 1ms}",
    js=(_HERE / "links.js").read_text("utf-8"),
)

# Back returns to where a page was left; a table that is sorted stays where it is seen.
_PLACE = st.components.v2.component(
    "ranklens_place",
    html="<span></span>",
    js=(_HERE / "place.js").read_text("utf-8"),
)

# A server that does not answer, a page that comes back to one, uploads that were cut off; charts’
# script while there is time.
_CONNECTION = st.components.v2.component(
    "ranklens_connection",
    html="<span></span>",
    js=(_HERE / "connection.js").read_text("utf-8"),
)


def pages_of(pages: tuple[Page, ...]) -> dict[str, st.Page]:
    """Streamlit's pages by name, for one run: it marks the one that it draws."""
    return {name: copy(page) for name, page in _found(pages).items()}


@cache
def _found(pages: tuple[Page, ...]) -> dict[str, st.Page]:
    """Streamlit's pages, whose files are looked for once."""
    return {
        page.name: st.Page(
            f"app_pages/{page.name}.py",
            title=page.title,
            url_path=page.name,
            default=page is pages[0],
        )
        for page in pages
    }


def draw(pages: Sequence[Page], current: str) -> None:
    """Page names and sidebar; follows a clicked link."""
    st.logo(str(_HERE / "static" / f"logo-{session.theme()}.svg"), size="large")
    here = session.opened()
    clicked = _LINKS(
        key="links",
        data={
            "theme": session.theme(),
            "heard": session.generation("theme"),
            "address": session.address().query,
        },
        on_go_change=lambda: None,
        on_theme_change=partial(session.forget, "theme"),
    )
    _PLACE(key="place")
    way_back = _CONNECTION(
        key="connection",
        data={
            "address": session.address().query,
            "uploads": session.generation("upload"),
            "largest": session.largest_upload(),
            "charts": _charts(),
        },
        on_back_change=lambda: None,
    )
    session.came_back(way_back.back)
    if clicked.go:
        session.follow(clicked.go)
    # Before anything is loaded there are only the way in and the files.
    offered = [p for p in pages if p.in_menu and (here or not p.needs_study or p is pages[0])]
    if here:
        offered = [p for p in offered if len(here.study.names) >= p.fewest_runs]
    names = [(p.title, session.menu_href(p.name), p.name == current) for p in offered]
    st.html(navigation.page_names(names))
    if here is None:
        st.html(
            "<style>section[data-testid=stSidebar],[data-testid=stExpandSidebarButton]"
            "{display:none}.stApp .lens.pages{margin-left:110px}</style>"
        )
        return
    sidebar.watched(here, current)
    with st.sidebar:
        st.html(navigation.drawer(names))
        sidebar.controls(here, current)


@cache
def _charts() -> str:
    """Where a page finds the script that draws charts; "" where Streamlit calls it otherwise."""
    found = list(Path(file_util.get_static_dir(), "static", "js").glob("PlotlyChart.*.js"))
    return f"./static/js/{found[0].name}" if len(found) == 1 else ""


def stands_in(page: Page) -> bool:
    """Whether something is said where the page would be: that nothing is open, that its link asks
    for what is not there, that no query is left, or that the files lack what the measure needs."""
    if not page.needs_study:
        return False
    here = session.opened()
    if here is None:
        intake.first_run()
        return True
    if _no_longer_fits(here, page) or _nothing_in_view(here) or _lacking_data(here):
        return True
    # Above all that shows a score: a layer is never mixed in silence.
    # Its room is always there, so that the first grade does not move what listens to the keys.
    room = st.empty()
    told = layers.notice(here.layers, session.href(page.name, layers=(NOBODY,)))
    gone = [s for name, s in session.missing_of_journals().items() if name != NOTES]
    said = [data.receipt(f"{sentence} Data says what to do.") for sentence in gone]
    told = Markup().join([told, *said, *map(data.error_card, here.refused)])
    if told:
        room.html(told)
    return False


def _no_longer_fits(here: Opened, page: Page) -> bool:
    asked = {field.name for field in (*SHARED, *page.fields)}
    lacking = {name: said for name, said in here.view.lacking.items() if name in asked}
    if not lacking:
        return False
    st.html(markup.nothing("This link asks for what is not here.", " ".join(lacking.values())))
    # The sentence on the runs speaks of all fields that name runs.
    runs = {"run": "", "base": "", "also": ()} if "run" in lacking else {}
    how = dict.fromkeys(method_key.FIELDS, "") if "test" in lacking else {}
    empty = {field.name: field.empty for field in (*SHARED, *page.fields) if field.name in lacking}
    st.button("Show what is here", on_click=session.change, kwargs=runs | how | empty)
    return True


def _nothing_in_view(here: Opened) -> bool:
    if here.study.in_view(here.comparison).any():
        return False
    st.html(markup.nothing("No query is in view.", "The filters at the left leave none."))
    st.button("Take back all filters", on_click=session.change, kwargs={"where": (), "missing": ""})
    return True


def _lacking_data(here: Opened) -> bool:
    measure = here.comparison.measure
    lacking = measure.lacks(here.study.judged[here.study.names[0]])
    if lacking is None:
        return False
    refuse(lacking)
    st.button("Show the usual measure", on_click=session.change, kwargs={"m": ""})
    return True


def refuse(error: RanklensError) -> None:
    """Show a user's mistake where the page would be."""
    st.html(data.error_card(error))
