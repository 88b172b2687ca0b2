"""The navigation rail: the open collection, the names of the pages, and counts beside these
names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Literal

import streamlit as st

from dashboard import session
from dashboard.address.page import Page
from dashboard.answers.collections import MAX_WITHOUT_SEARCH, describe_contents, format_opening_time
from dashboard.answers.navigation_counts import describe_files, page_counts
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import navigation
from dashboard.drawing.blocks.navigation import PageLink, ShelfEntry
from dashboard.files.collections import SAMPLE, ListedCollection
from dashboard.session import PageContext
from dashboard.session.actions.collections import (
    collection_href,
    create_and_open_collection,
    open_own_files,
)
from dashboard.session.actions.saved_views import delete_view, rename_view, save_view, saved_views
from dashboard.session.open_collection import (
    all_collections,
    current_collection_id,
    current_library,
    is_collection_missing,
)
from metrics_core.base import wording as w


def draw_navigation(
    pages: Sequence[Page], current: Page, context: PageContext | None
) -> Callable[[], None]:
    """Draw the open collection and the names of the pages with the counts that are known so far.
    The returned function updates the counts; call it after the page is drawn."""
    _collection_menu(context)
    own_files_button("rail")
    if context is not None and context.study.judged and context.study.settings.complete:
        st.html(navigation.draw_control_text("Judgments treated as complete"))
    views = saved_views()
    if context is not None:
        _view_menu(current, views)
    placeholder = st.empty()
    offered_pages = [
        p for p in pages if p.group != "none" and _is_page_offered(p, pages[0], context)
    ]

    def draw_page_names(text_by_page: Mapping[str, str]) -> None:
        current_name = current.within or current.name
        places = [
            PageLink(
                p.group,
                p.title,
                session.menu_href(p.name),
                p.key,
                text_by_page.get(p.name, ""),
                p.name == current_name,
            )
            for p in offered_pages
        ]
        saved = [
            PageLink("Saved views", name, link, "", "", link == session.href(current.name))
            for name, link in views.items()
        ]
        # Before the general pages at the foot.
        ordered = sorted((*places, *saved), key=lambda page_link: not page_link.group)
        placeholder.html(navigation.draw_page_links(ordered))

    def update_counts() -> None:
        files = len(current_library().files)
        file_count = {"data": w.format_count(files)} if files else {}
        draw_page_names(
            file_count
            if context is None
            else {**page_counts(context.study, context.comparison), **file_count}
        )

    update_counts()
    return update_counts


def _view_menu(page: Page, views: Mapping[str, str]) -> None:
    """Show the menu in which the user saves the current view under a name, and renames or deletes
    saved views."""
    with st.popover("Save this view", key="views", type="tertiary", on_change="rerun") as menu:
        if not menu.open:
            return
        with st.form("new_view", border=False, clear_on_submit=True):
            st.text_input("Name of this view", key="view_name")
            st.form_submit_button("Save", on_click=save_view, args=("view_name", page.name))
        for name in views:
            field = f"view_{name}"
            with st.container(horizontal=True, vertical_alignment="bottom"):
                st.text_input(
                    "Saved view", name, key=field, on_change=rename_view, args=(name, field)
                )
                st.button("Delete", key=f"delete_{field}", on_click=delete_view, args=(name,))


def own_files_button(location: Literal["rail", "page"]) -> None:
    """If the example is open, show a button that opens the user's own files. `location` says
    whether the button is in the rail or on a page."""
    if current_collection_id() != SAMPLE:
        return
    with st.container(key=f"own_files_{location}"):
        width: Literal["stretch", "content"] = "stretch" if location == "rail" else "content"
        if st.button("Open your files", key=f"open_own_files_{location}", width=width):
            open_own_files()


def _is_page_offered(page: Page, first_page: Page, context: PageContext | None) -> bool:
    """Return whether the rail shows a page. Before anything is loaded, it shows only the first page
    and the pages that need no study. Later, it shows the pages whose requirements are met."""
    if context is None:
        return page is first_page or not page.needs_study
    study = context.study
    if (page.needs_lists and not study.runs) or (page.needs_judgments and study.is_unjudged):
        return False
    return len(study.names) >= page.fewest_runs


def _collection_menu(context: PageContext | None) -> None:
    """Show the open collection and, in a menu, the list of collections. The list is read only when
    the menu is opened."""
    collections = all_collections()
    name, summary = "Collections", "none open"
    if not is_collection_missing():
        name = collections.name_of(current_collection_id())
        summary = describe_files(current_library())
    if context is not None:
        queries = w.format_query_count(len(context.study.query_ids))
        summary = f"{queries} · {w.format_with_noun(len(context.study.names), 'run', 'runs')}"
    label = f"**{escape_markdown(name)}** :small[{summary}]"
    with st.popover(label, key="collections", width="stretch", on_change="rerun") as menu:
        if not menu.open:
            return
        _show_collection_choices(collections.list_collections())
        st.html(navigation.draw_collections_link(session.href("collections")))
        with st.expander("New collection", icon=":material/add:", key="new_in_menu"):
            new_collection_form("menu")


def _show_collection_choices(entries: Sequence[ListedCollection]) -> None:
    """Show all collections, the most recently opened ones first."""
    now = datetime.now().astimezone()
    rows = [
        ShelfEntry(
            row.name,
            describe_contents(row),
            collection_href(row.id),
            row.id == current_collection_id(),
            row.preview.best_run if row.preview and not row.outdated else "",
            format_opening_time(row, now),
        )
        for row in filter_by_name(entries, "find_in_menu", "Find")
    ]
    st.html(navigation.draw_collection_choices(rows))


def filter_by_name(
    collections: Sequence[ListedCollection], key: str, placeholder: str
) -> Sequence[ListedCollection]:
    """Return the collections whose names match the search. The search field is shown only if there
    are many collections; otherwise, all collections are returned."""
    if len(collections) <= MAX_WITHOUT_SEARCH:
        return collections
    words = st.text_input(
        "Find a collection",
        key=key,
        placeholder=placeholder,
        type="search",
        label_visibility="collapsed",
        live=True,
    )
    return [row for row in collections if (words or "").casefold() in row.name.casefold()]


def new_collection_form(suffix: str) -> None:
    """Show the form that creates a collection and then opens its Files page."""
    field = f"new_name_{suffix}"
    with st.form(f"new_collection_{suffix}", border=False, clear_on_submit=True):
        st.text_input("Collection name", key=field, placeholder="My files", max_chars=80)
        form_generation = session.widget_generation("new_collection")
        if st.form_submit_button(
            "Create and open", on_click=create_and_open_collection, args=(field, form_generation)
        ):
            session.goto("data")
