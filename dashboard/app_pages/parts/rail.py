"""The rail at the left: which collection is open, the pages, and what waits on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dashboard import session
from dashboard.address.page import Page
from dashboard.answers.collections import told
from dashboard.answers.rail import counts
from dashboard.app_pages.parts.literal import literal
from dashboard.app_pages.parts.section import counted
from dashboard.drawing.blocks import navigation
from dashboard.drawing.blocks.navigation import Place, Shelved
from dashboard.session import Opened
from dashboard.session.actions.collections import collection_href
from dashboard.session.open_collection import all_collections, collection, no_collection_open


def draw(pages: Sequence[Page], current: Page, here: Opened | None) -> Callable[[], None]:
    """The collection and the page names, with what is known to wait on the pages; what is given
    back tells it anew, once the page has worked out more."""
    _collections(here)
    if here is not None and here.study.settings.complete:
        st.html(navigation.word("Judgments taken as complete"))
    room = st.empty()
    offered = [p for p in pages if p.group != "none" and _is_offered(p, pages[0], here)]

    def names(waiting: Mapping[str, str]) -> None:
        marked = current.within or current.name
        places = [
            Place(
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
        names({} if here is None else counts(here.study, here.comparison))

    tell()
    return tell


def _is_offered(page: Page, first: Page, here: Opened | None) -> bool:
    """Before anything is loaded there are only the way in, the files and what explains."""
    if here is None:
        return page is first or not page.needs_study
    return len(here.study.names) >= page.fewest_runs


def _collections(here: Opened | None) -> None:
    """The open collection, which opens the list of all; it is looked for then."""
    known = all_collections()
    name, holds = "Collections", "none is open"
    if not no_collection_open():
        name, holds = known.name_of(collection()), "no files yet"
    if here is not None:
        queries = counted(len(here.study.query_ids), "query", "queries")
        holds = f"{queries} · {counted(len(here.study.names), 'run', 'runs')}"
    label = f"**{literal(name)}** :small[{holds}]"
    with st.popover(label, key="collections", width="stretch", on_change="rerun") as menu:
        if not menu.open:
            return
        rows = [
            Shelved(row.name, told(row, None), collection_href(row.id), row.id == collection())
            for row in known.listed()
        ]
        st.html(navigation.shelf(rows, session.href("collections")))
