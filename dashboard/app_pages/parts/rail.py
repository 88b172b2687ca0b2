"""The rail at the left: which collection is open, the pages, and what waits on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Literal

import streamlit as st

from dashboard import session
from dashboard.address.page import Page
from dashboard.answers.collections import MANY, holds, opened
from dashboard.answers.navigation_counts import counts, held_so_far
from dashboard.app_pages.parts.literal import literal
from dashboard.app_pages.parts.section import counted
from dashboard.drawing.blocks import navigation
from dashboard.drawing.blocks.navigation import PageLink, Shelved
from dashboard.files.collections import SAMPLE, ListedCollection
from dashboard.session import Opened
from dashboard.session.actions.collections import (
    collection_href,
    make_collection,
    open_own_files,
)
from dashboard.session.open_collection import (
    all_collections,
    collection,
    library_here,
    no_collection_open,
)
from metrics_core.base import wording as w


def draw(pages: Sequence[Page], current: Page, here: Opened | None) -> Callable[[], None]:
    """The collection and the page names, with what is known to wait on the pages; what is given
    back tells it anew, once the page has worked out more."""
    _collections(here)
    own_files("rail")
    if here is not None and here.study.settings.complete:
        st.html(navigation.word("Judgments taken as complete"))
    room = st.empty()
    offered = [p for p in pages if p.group != "none" and _is_offered(p, pages[0], here)]

    def names(waiting: Mapping[str, str]) -> None:
        marked = current.within or current.name
        places = [
            PageLink(
                p.group,
                p.title,
                session.menu_href(p.name),
                p.key,
                waiting.get(p.name, ""),
                p.name == marked,
            )
            for p in offered
        ]
        room.html(navigation.rail(places))

    def tell() -> None:
        files = len(library_here().files)
        known = {"data": w.count(files)} if files else {}
        names(known if here is None else {**counts(here.study, here.comparison), **known})

    tell()
    return tell


def own_files(place: Literal["rail", "page"]) -> None:
    """The way to the reader's own files, in the rail or on a page; only on the example."""
    if collection() != SAMPLE:
        return
    with st.container(key=f"own_files_{place}"):
        width: Literal["stretch", "content"] = "stretch" if place == "rail" else "content"
        if st.button("Open your files", key=f"open_own_files_{place}", width=width):
            open_own_files()


def _is_offered(page: Page, first: Page, here: Opened | None) -> bool:
    """Before anything is loaded there are only the way in, the files and what explains."""
    if here is None:
        return page is first or not page.needs_study
    return len(here.study.names) >= page.fewest_runs


def _collections(here: Opened | None) -> None:
    """The open collection, which opens the list of all; it is looked for then."""
    known = all_collections()
    name, told = "Collections", "none open"
    if not no_collection_open():
        name, told = known.name_of(collection()), held_so_far(library_here())
    if here is not None:
        queries = counted(len(here.study.query_ids), "query", "queries")
        told = f"{queries} · {counted(len(here.study.names), 'run', 'runs')}"
    label = f"**{literal(name)}** :small[{told}]"
    with st.popover(label, key="collections", width="stretch", on_change="rerun") as menu:
        if not menu.open:
            return
        _shelf(known.listed())
        st.html(navigation.all_collections(session.href("collections")))
        with st.expander("New collection", icon=":material/add:", key="new_in_menu"):
            new_collection("menu")


def _shelf(listed: Sequence[ListedCollection]) -> None:
    """All collections, last opened first."""
    now = datetime.now().astimezone()
    rows = [
        Shelved(
            row.name,
            holds(row),
            collection_href(row.id),
            row.id == collection(),
            row.preview.best if row.preview and not row.outdated else "",
            opened(row, now),
        )
        for row in found(listed, "find_in_menu", "Find")
    ]
    st.html(navigation.shelf(rows))


def found(
    listed: Sequence[ListedCollection], key: str, placeholder: str
) -> Sequence[ListedCollection]:
    """Those that are looked for by their names, once there are many."""
    if len(listed) <= MANY:
        return listed
    words = st.text_input(
        "Find a collection",
        key=key,
        placeholder=placeholder,
        type="search",
        label_visibility="collapsed",
        live=True,
    )
    return [row for row in listed if (words or "").casefold() in row.name.casefold()]


def new_collection(where: str) -> None:
    """The name of a new collection, which is made, opened, and then takes files."""
    field = f"new_name_{where}"
    with st.form(f"new_collection_{where}", border=False, clear_on_submit=True):
        st.text_input("Collection name", key=field, placeholder="My files", max_chars=80)
        drawn = session.generation("new_collection")
        if st.form_submit_button("Create and open", on_click=make_collection, args=(field, drawn)):
            session.goto("data")
