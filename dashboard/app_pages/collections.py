"""Collections: which ones there are; made, renamed, copied, removed, out and in."""

from datetime import datetime

import streamlit as st

from dashboard import session
from dashboard.answers import collections as answers
from dashboard.app_pages.parts import add_files, section
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import collections, markup
from dashboard.files.collections import Listed
from dashboard.session.actions.collections import (
    collection_href,
    duplicate_collection,
    make_collection,
    packed_collection,
    remove_collection,
    rename_collection,
    restore_collection,
)
from dashboard.session.open_collection import (
    all_collections,
    collection,
    no_collection_open,
    workspace,
)
from metrics_core.base import wording as w
from metrics_core.findings.sentence import joined


def render() -> None:
    """The list of collections, and the ways to add one."""
    here = all_collections()
    asked = collection()
    missing = asked if asked and no_collection_open() else ""
    name = "" if no_collection_open() else here.name_of(asked)
    listed = here.listed()
    title, holds = answers.finding(listed, missing, name).parted
    kept = answers.place(str(workspace().folder))
    st.html(markup.answer(title, joined([holds, kept], " "), {}))
    with add_files.above_the_uploader():
        add_files.told()
        for row in listed:
            _row(row, is_open=row.id == asked)
        for gone in workspace().collections(removed=True):
            told = f"“{literal(gone.name)}” was removed; the next start removes it for good."
            section.removed(told, f"restore_{gone.id}", restore_collection, gone.id)
    left, right = st.columns(2, gap="large")
    with left:
        section.heading("New collection", "Its own files, judgments and links.")
        _new()
    with right:
        section.heading(
            "Import", "The .zip that “Download” makes, or judgments and runs themselves."
        )
        add_files.uploader()


def _row(row: Listed, *, is_open: bool) -> None:
    changed = datetime.fromisoformat(row.changed).astimezone() if row.changed else None
    with st.container(horizontal=True, vertical_alignment="center", key=f"collection_{row.id}"):
        link = collection_href(row.id)
        st.html(collections.row(row.name, link, answers.told(row, changed), is_open=is_open))
        if row.origin == "own":
            _rename(row)
        st.button(
            "Duplicate",
            key=f"duplicate_{row.id}",
            on_click=duplicate_collection,
            args=(row.id,),
            type="tertiary",
            help=f"Make a copy of “{literal(row.name)}”.",
        )
        if row.origin == "own":
            _download(row)
            _remove(row)


def _rename(row: Listed) -> None:
    # Its key changes with the name, which closes it.
    # A form, for the name is to come with the click, not a moment before it.
    popover = st.popover("Rename", type="tertiary", key=f"renaming_{row.id}_{row.changed}")
    with popover.form(f"new_name_{row.id}", border=False):
        name = st.text_input("Its new name", row.name, key=f"name_{row.id}", max_chars=80)
        if st.form_submit_button("Rename", key=f"rename_{row.id}"):
            rename_collection(row.id, name)
            st.rerun()


def _download(row: Listed) -> None:
    st.download_button(
        "Download",
        data=lambda: packed_collection(row.id),
        file_name=f"{answers.file_name(row.name)}.zip",
        mime="application/zip",
        key=f"download_{row.id}",
        type="tertiary",
        on_click="ignore",
        help="The whole collection as one file, to be kept or imported elsewhere.",
    )


def _remove(row: Listed) -> None:
    with st.popover("Remove", type="tertiary", key=f"removing_{row.id}"):
        files = f"{w.count(row.files)} {w.plural(row.files or 0, 'file')}"
        st.markdown(
            f"Remove “{literal(row.name)}” with its {files}? It can be brought back until Ranklens"
            " is started again."
        )
        st.button(
            "Remove",
            key=f"remove_{row.id}",
            on_click=remove_collection,
            args=(row.id,),
            type="primary",
        )


def _new() -> None:
    with st.form("new_collection", border=False, clear_on_submit=True):
        st.text_input(
            "Name", key="new_name", placeholder="Name", label_visibility="collapsed", max_chars=80
        )
        drawn = session.generation("new_collection")
        if st.form_submit_button(
            "New collection", on_click=make_collection, args=("new_name", drawn)
        ):
            session.goto("data")


if __name__ == "__main__":
    render()
