"""What surrounds every page: styles, page names, and what is said in its place."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from copy import copy
from functools import cache, partial
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address import method_key
from dashboard.address.address import CONTROLS, NO_PAGE, SHARED
from dashboard.address.page import Page
from dashboard.address.view import NOBODY
from dashboard.answers.collections import holds
from dashboard.answers.id_offers import maps_said
from dashboard.answers.own_documents import own_left_out
from dashboard.app_pages.parts import add_files, controls, rail
from dashboard.app_pages.parts.literal import literal
from dashboard.app_pages.parts.saving import save_button
from dashboard.app_pages.parts.style_sheet import style_sheet
from dashboard.components.connection import watch_connection
from dashboard.components.links import clicked_link
from dashboard.components.meeting import present
from dashboard.components.place import keep_place
from dashboard.drawing.blocks import data, layers, markup, navigation
from dashboard.drawing.blocks.navigation import Shelved
from dashboard.drawing.theme import COLORS, RunStyle
from dashboard.session import Opened
from dashboard.session.actions.arrival import land
from dashboard.session.actions.collections import collection_href, remove_collection
from dashboard.session.actions.reports import presented
from dashboard.session.actions.runs import call_run
from dashboard.session.open_collection import all_collections, collection, library_here, workspace
from dashboard.session.reconnection import came_back, largest_upload
from dashboard.session.view import theme
from dashboard.streamlit_internals import served_by_streamlit, static_folder
from dashboard.workspace.disk.errors import cannot_be_shown
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError

_NAME = "run_name"


def run_card(here: Opened) -> None:
    """The card of the run that the address asks for, where that is here."""
    run = session.address()["naming"]
    if run not in here.study.names:
        return

    @st.dialog("Name and colour", on_dismiss=lambda: session.change(naming=""))
    def opened() -> None:
        _card(run)

    opened()


def _card(run: str) -> None:
    library = library_here()
    own, slot = library.own_names.get(run, run), library.slots[run]
    file = library.run_files.get(run)
    name = st.text_input(
        "Name", run, key=f"{_NAME}_{run}", help=f"If empty: {literal(own)}, as in its file."
    )
    offered = [RunStyle(name, at) for at in sorted({*range(COLORS), slot})]
    glyphs = {style.slot: f":gray[&#{ord(style.glyph)};]" for style in offered}
    chosen = st.pills(
        "Colour and shape",
        list(glyphs),
        default=slot,
        format_func=glyphs.__getitem__,
        key="run_slot",
        help="Saved permanently. While a run is the baseline, it is drawn in the text colour.",
    )
    st.html(navigation.pill_colors("run_slot", offered))
    holder = next((n for n, at in library.slots.items() if at == chosen and n != run), None)
    if holder is not None:
        st.caption(f"{literal(holder)} already uses this one; the two runs will swap.")
    if file is not None and file.file != run:
        st.caption(
            f"From the file {literal(file.file)}. Saved with the collection, not in the file."
        )
    if st.button("Save", type="primary"):
        try:
            call_run(run, name, slot if chosen is None else chosen)
        except RanklensError as error:
            st.html(data.error_card(error))
        else:
            st.rerun()


_BEGINS = {"firm": "checks", "judge": "checks", "breakdown": "groups", "curves": "curves"}
_BEGINS |= {"queries": "losses", "query": "losses"}
"""The screen that a page begins with; further pages begin with the verdict."""


def present_link(here: Opened, page: Page) -> None:
    """The way into the meeting."""
    screen = _BEGINS.get(page.name, "verdict")
    st.html(navigation.present_link(session.href(page.name, screen=screen)), width="content")


def meeting(here: Opened) -> None:
    """The screens, where the address asks for one."""
    screen = here.view.address["screen"]
    if screen:
        present(presented(here), screen, lambda: session.change(screen=""))


_STATIC = Path(__file__).parents[1] / "static"
ICON = str(_STATIC / "icon.svg")


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


def draw(pages: Sequence[Page], current: Page) -> Callable[[], None]:
    """Rail and controls; follows a clicked link. What is given back is to be called once the page
    is drawn."""
    if served_by_streamlit():
        # Our own server sends it with the page that loads the app.
        st.html(f"<style>{style_sheet()}</style>")
    st.logo(str(_STATIC / f"logo-{theme()}.svg"), size="large")
    here = session.opened()
    land(is_ready=here is not None)
    query = session.address().query
    heard = session.generation("theme")
    link = clicked_link(theme(), heard, query, partial(session.forget, "theme"))
    keep_place()
    uploads, largest = session.generation("upload"), largest_upload()
    came_back(watch_connection(query, uploads, largest, _charts()))
    if link:
        session.follow(link)
    controls.watched(here, current.name)
    with st.sidebar:
        tell = rail.draw(pages, current, here)
    with st.container(
        key="top", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        st.html(navigation.page_title(current.title, current.name))
        if here is not None and current.controls:
            controls.sentence(here, current)
        if current.bar == "files":
            add_files.bar()
        else:
            st.html(navigation.copy_link(), width="content")
            if here is not None and current.controls:
                save_button(here)
                present_link(here, current)
    if here is not None:
        run_card(here)
        if current.controls:
            meeting(here)
    return tell


@cache
def _charts() -> str:
    """Where a page finds the script that draws charts; "" where Streamlit calls it otherwise."""
    found = list((static_folder() / "static" / "js").glob("PlotlyChart.*.js"))
    return f"./static/js/{found[0].name}" if len(found) == 1 else ""


def stands_in(page: Page) -> bool:
    """Whether something is said where the page would be: that there is no such page, that nothing
    is open, that its link asks for what is not there, that no query is left, or that the files lack
    what the measure needs."""
    if no_page := session.address()[NO_PAGE.name]:
        st.html(markup.nothing(f"There is no page “{no_page}”.", "The menu lists all pages."))
        st.button("Open the Overview", on_click=session.change, kwargs={NO_PAGE.name: ""})
        return True
    if not page.needs_study:
        return False
    here = session.opened()
    if here is None:
        add_files.first_run()
        return True
    if _no_longer_fits(here, page) or _nothing_in_view(here) or _lacking_data(here):
        return True
    # Above all that shows a score: a layer is never mixed in silence.
    # Its room is always there, so that the first grade does not move what listens to the keys.
    room = st.empty()
    told = layers.notice(here.layers, session.href(page.name, layers=(NOBODY,)))
    said = list[Markup]()
    mapped = maps_said(here.study)
    if mapped:
        sentence = "Ids are mapped. Undo under Files."
        said.append(data.receipt(sentence, f"{w.sentence_case(mapped)}."))
    left_out = own_left_out(here.study)
    if left_out:
        said.append(data.receipt(f"{left_out} Undo under Files."))
    told = Markup().join([told, *said, *map(data.error_card, here.refused)])
    if told:
        room.html(told)
    return False


def _no_longer_fits(here: Opened, page: Page) -> bool:
    asked = {field.name for field in (*SHARED, *page.fields)}
    lacking = {name: said for name, said in here.view.lacking.items() if name in asked}
    if not lacking:
        return False
    st.html(
        markup.nothing(
            "This link refers to something that is no longer here:", " ".join(lacking.values())
        )
    )
    # The sentence on the runs speaks of all fields that name runs.
    runs = {"run": "", "base": "", "also": ()} if "run" in lacking else {}
    how = dict.fromkeys(method_key.FIELDS, "") if "test" in lacking else {}
    empty = {field.name: field.empty for field in (*SHARED, *page.fields) if field.name in lacking}
    st.button("Continue without it", on_click=session.change, kwargs=runs | how | empty)
    return True


def _nothing_in_view(here: Opened) -> bool:
    if here.study.in_view(here.comparison).any():
        return False
    st.html(markup.nothing("No queries in view.", "No query matches the filters."))
    narrowing = {control.name: "" for control in CONTROLS if control.narrows}
    back = {"where": (), **narrowing}
    st.button("Clear filters", on_click=session.change, kwargs=back)
    return True


def _lacking_data(here: Opened) -> bool:
    measure = here.comparison.measure
    lacking = measure.lacks(here.study.judged[here.study.names[0]])
    if lacking is None:
        return False
    refuse(lacking)
    st.button("Show the default measure", on_click=session.change, kwargs={"m": ""})
    return True


def refuse(error: RanklensError) -> None:
    """Show a user's mistake where the page would be."""
    st.html(data.error_card(error))


def failed(error: Exception) -> None:
    """Say, where the page would be, that something of the open collection ended it, and offer the
    other collections. The stack trace goes to stderr."""
    logging.getLogger("ranklens").error("A page could not be drawn.", exc_info=error)
    collections, current = all_collections(), collection()
    listed = collections.listed()
    is_own = any(row.id == current and row.origin == "own" for row in listed)
    folder = workspace().folder_of(current) if is_own else collections.folder_of(current)
    refuse(cannot_be_shown(collections.name_of(current), folder or workspace().folder, error))
    if is_own:
        st.button("Remove this collection", on_click=remove_collection, args=(current,))
    others = [row for row in listed if row.id != current]
    st.html(
        navigation.shelf(
            [
                Shelved(row.name, holds(row), collection_href(row.id), False, "", "")
                for row in others
            ]
        )
    )
