"""Collections page: list, create, rename, copy, remove, export and import collections."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from dashboard import session
from dashboard.answers import collections as answers
from dashboard.app_pages.parts import add_files, rail, section
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import collections, markup
from dashboard.files.collections import ListedCollection
from dashboard.session.actions.collections import (
    collection_href,
    duplicate_collection,
    pack_collection,
    remove_collection,
    rename_collection,
    restore_collection,
    restore_last_good_state,
)
from dashboard.session.open_collection import (
    all_collections,
    current_collection_id,
    is_collection_missing,
    workspace,
)
from metrics_core.base import wording as w


def render() -> None:
    """Show the list of collections and the controls that add a collection."""
    identity = current_collection_id()
    missing = identity if is_collection_missing() else ""
    entries = all_collections().list_collections()
    title, lead = answers.collections_finding(entries, missing).statement_and_rest
    st.html(markup.draw_heading(title, lead, {}))
    receipts_area = add_files.make_message_area()
    with receipts_area:
        add_files.show_messages()
    with st.container(horizontal=True, vertical_alignment="bottom", key="find_new_import"):
        matching = rail.filter_by_name(entries, "find_a_collection", "Find a collection")
        with st.popover("New collection", type="primary", key="new_collection_here"):
            rail.new_collection_form("here")
        with st.container(key="import", width="content"):
            add_files.show_uploader("Import", receipts_area, width=104)  # px
    _show_rows(matching, identity)
    for removed in workspace().read_collections(only_removed=True):
        message = (
            f"“{escape_markdown(removed.name)}” was removed. It will be deleted permanently"
            " the next time Ranklens starts."
        )
        section.show_restore_row(message, f"restore_{removed.id}", restore_collection, removed.id)
    st.html(collections.draw_storage_note(str(workspace().folder), workspace().paths_moved_aside()))


def _show_rows(entries: Sequence[ListedCollection], open_id: str) -> None:
    if not entries:
        st.html(markup.draw_empty_state("No collection name contains these words."))
        return
    now = datetime.now().astimezone()
    with st.container(key="collections_here"):
        with st.container(key="heads_of_collections"):
            st.html(collections.draw_column_headings())
        for row in entries:
            _show_row(row, now, is_open=row.id == open_id)


def _show_row(row: ListedCollection, now: datetime, *, is_open: bool) -> None:
    preview = row.preview
    collection_row = collections.CollectionRow(
        row.name,
        collection_href(row.id),
        answers.describe_contents(row),
        is_open,
        answers.format_opening_time(row, now),
        answers.missing_result_reason(row),
        preview,
        answers.describe_test_result(preview) if preview else "",
    )
    with st.container(horizontal=True, vertical_alignment="center", key=f"collection_{row.id}"):
        st.html(collections.draw_collection_row(collection_row))
        # The key changes with every action, which closes the popover.
        state_key = f"{row.changed}_{session.widget_generation('collections')}"
        with st.popover(
            f"Actions :gray[for {escape_markdown(row.name)}]",
            type="tertiary",
            key=f"acts_{row.id}_{state_key}",
            width="content",
        ):
            _show_actions(row)


def _show_actions(row: ListedCollection) -> None:
    """Show the actions on a collection. If it is read-only, it can only be copied. If it cannot be
    read, it can only be restored or removed."""
    if row.folder:
        if row.good:
            st.button(
                f"Restore the state of {answers.format_timestamp(row.good)}",
                key=f"good_{row.id}",
                on_click=restore_last_good_state,
                args=(row.id,),
                width="stretch",
                help="The damaged database is kept in the same folder under another name.",
            )
        _remove_button(row, "Remove it")
        return
    if row.origin == "own":
        _rename_form(row)
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
        "Download as ZIP",
        data=lambda: pack_collection(row.id),
        file_name=f"{answers.file_name(row.name)}.zip",
        mime="application/zip",
        key=f"download_{row.id}",
        on_click="ignore",
        width="stretch",
        help="Downloads the whole collection as one file, to keep or to import elsewhere.",
    )
    files = f"{w.format_count(row.files)} {w.plural(row.files or 0, 'file')}"
    _remove_button(row, f"Remove the collection and its {files}")


def _remove_button(row: ListedCollection, label: str) -> None:
    st.button(
        label,
        key=f"remove_{row.id}",
        on_click=remove_collection,
        args=(row.id,),
        width="stretch",
        help="You can restore it until Ranklens is restarted.",
    )


def _rename_form(row: ListedCollection) -> None:
    # A form, so that the name is sent with the click and not before it.
    with st.form(f"new_name_{row.id}", border=False):
        name = st.text_input("New name", row.name, key=f"name_{row.id}", max_chars=80)
        if st.form_submit_button("Rename", key=f"rename_{row.id}", width="stretch"):
            rename_collection(row.id, name)
            st.rerun()


if __name__ == "__main__":
    render()
