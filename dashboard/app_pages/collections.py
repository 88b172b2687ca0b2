"""Collections: which ones there are and what each shows; made, renamed, copied, removed, out and
in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from dashboard import session
from dashboard.answers import collections as answers
from dashboard.app_pages.parts import add_files, rail, section
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import collections, markup
from dashboard.files.collections import ListedCollection
from dashboard.session.actions.collections import (
    collection_href,
    duplicate_collection,
    packed_collection,
    remove_collection,
    rename_collection,
    restore_collection,
    restore_good,
)
from dashboard.session.open_collection import (
    all_collections,
    collection,
    no_collection_open,
    workspace,
)
from metrics_core.base import wording as w

_IMPORT = 104
"""Width of the button, in px."""


def render() -> None:
    """The list of collections, and the ways to add one."""
    asked = collection()
    missing = asked if no_collection_open() else ""
    listed = all_collections().listed()
    title, lead = answers.finding(listed, missing).parted
    st.html(markup.answer(title, lead, {}))
    told = add_files.above_the_uploader()
    with told:
        add_files.told()
    with st.container(horizontal=True, vertical_alignment="bottom", key="find_new_import"):
        found = rail.found(listed, "find_a_collection", "Find a collection")
        with st.container(key="import", width="content"):
            add_files.uploader("Import", told, width=_IMPORT)
        with st.popover("New collection", type="primary", key="new_collection_here"):
            rail.new_collection("here")
    _rows(found, asked)
    for gone in workspace().collections(removed=True):
        said = f"“{literal(gone.name)}” was removed. The next start deletes it permanently."
        section.removed(said, f"restore_{gone.id}", restore_collection, gone.id)
    st.html(collections.kept(str(workspace().folder), workspace().put_aside()))


def _rows(listed: Sequence[ListedCollection], asked: str) -> None:
    if not listed:
        st.html(markup.nothing("No collection name contains these words."))
        return
    now = datetime.now().astimezone()
    with st.container(key="collections_here"):
        with st.container(key="heads_of_collections"):
            st.html(collections.heads())
        for row in listed:
            _row(row, now, is_open=row.id == asked)


def _row(row: ListedCollection, now: datetime, *, is_open: bool) -> None:
    found = row.preview
    told = collections.Told(
        row.name,
        collection_href(row.id),
        answers.holds(row),
        is_open,
        answers.opened(row, now),
        answers.lacking(row),
        found,
        answers.tested(found) if found else "",
    )
    with st.container(horizontal=True, vertical_alignment="center", key=f"collection_{row.id}"):
        st.html(collections.row(told))
        # Its key changes with what was done, which closes it.
        done = f"{row.changed}_{session.generation('collections')}"
        with st.popover(
            f"⋯ :gray[Actions for {literal(row.name)}]",
            type="tertiary",
            key=f"acts_{row.id}_{done}",
            width="content",
        ):
            _acts(row)


def _acts(row: ListedCollection) -> None:
    """What can be done with a collection; only a copy can be made of what is read-only, and one
    that cannot be read can be removed."""
    if row.folder:
        if row.good:
            st.button(
                f"Restore the state of {answers.moment(row.good)}",
                key=f"good_{row.id}",
                on_click=restore_good,
                args=(row.id,),
                width="stretch",
                help="The damaged database is moved aside within the same folder.",
            )
        _remove(row, "Remove it")
        return
    if row.origin == "own":
        _rename(row)
    st.button(
        "Duplicate",
        key=f"duplicate_{row.id}",
        on_click=duplicate_collection,
        args=(row.id,),
        width="stretch",
        help="Makes a copy with its own files and links.",
    )
    if row.origin != "own":
        return
    st.download_button(
        "Download as Zip",
        data=lambda: packed_collection(row.id),
        file_name=f"{answers.file_name(row.name)}.zip",
        mime="application/zip",
        key=f"download_{row.id}",
        on_click="ignore",
        width="stretch",
        help="Downloads the whole collection as one file, to keep or to import elsewhere.",
    )
    files = f"{w.count(row.files)} {w.plural(row.files or 0, 'file')}"
    _remove(row, f"Remove it and its {files}")


def _remove(row: ListedCollection, label: str) -> None:
    st.button(
        label,
        key=f"remove_{row.id}",
        on_click=remove_collection,
        args=(row.id,),
        width="stretch",
        help="You can restore it until Ranklens is restarted.",
    )


def _rename(row: ListedCollection) -> None:
    # A form, for the name is to come with the click, not a moment before it.
    with st.form(f"new_name_{row.id}", border=False):
        name = st.text_input("New name", row.name, key=f"name_{row.id}", max_chars=80)
        if st.form_submit_button("Rename", key=f"rename_{row.id}", width="stretch"):
            rename_collection(row.id, name)
            st.rerun()


if __name__ == "__main__":
    render()
