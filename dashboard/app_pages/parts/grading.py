"""What users add to a collection: notes, and layers of judgments, which can be exported and
imported as files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from dashboard import session
from dashboard.answers.query_notes import STAR
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import card_head, data, layers
from dashboard.session.actions.grading import (
    active_layers,
    current_layers,
    export_layer,
    import_layer,
    remove_layer,
    switch_layer,
)
from dashboard.session.actions.notes import (
    current_notes,
    damaged_row_texts,
    drop_damaged,
    remove_note,
    remove_tag,
    save_note_and_tag,
)
from dashboard.session.actions.uploaded_files import (
    accept_long_files,
    read_uploader_file,
    release_files,
)
from dashboard.workspace import Layer, QueryNotes
from metrics_core.base import wording as w

_LONGEST_TEXT = 3_000
_MOST_DAMAGED = 20


# Layers as files


def show_layers() -> None:
    """Show the layers of the open collection, with controls to activate, download, remove and
    import layers."""
    all_layers, active = current_layers(), active_layers()
    for layer in all_layers:
        _layer_row(layer, is_active=layer in active)
    damaged = damaged_row_texts()
    if damaged:
        count_text = w.format_with_noun(len(damaged), "row is damaged", "rows are damaged")
        with st.container(horizontal=True, vertical_alignment="center", key="damaged_notes"):
            st.html(
                data.draw_action_message(
                    f"Layers, notes and tags: {count_text}; all other rows are intact."
                )
            )
            _show_damaged_rows("layers, notes and tags", damaged)
    accept_long_files()
    with st.popover("Import judgments"):
        upload = st.file_uploader(
            "A file of judgments; it becomes a separate layer",
            key=f"layer_{session.widget_generation('layer')}",
        )
    if upload is not None:
        file = read_uploader_file(upload)
        import_layer(file, upload.file_id)
        session.reset_widget("layer")
        release_files([file])
        st.rerun()


def _layer_row(layer: Layer, *, is_active: bool) -> None:
    st.html(layers.draw_layer_row(layer, is_active=is_active))
    with st.container(horizontal=True, vertical_alignment="center", key=f"layer_row_{layer.id}"):
        st.button(
            "Deactivate" if is_active else "Activate",
            key=f"switch_{layer.id}",
            on_click=switch_layer,
            args=(layer, not is_active),
        )
        st.download_button(
            f"Download :gray[{escape_markdown(layer.name)}]",
            data=partial(export_layer, layer),
            file_name=f"{section.make_safe_name(f'layer-{layer.name}')}.qrels",
            mime="text/plain",
            key=f"layer_file_{layer.id}",
            on_click="ignore",
            disabled=not len(layer),
        )
        if layer.lost:
            _show_damaged_rows(f"the layer “{layer.name}”", layer.lost)
        st.button(
            "Remove",
            key=f"remove_layer_{layer.id}",
            on_click=remove_layer,
            args=(layer,),
            type="tertiary",
        )


def _show_damaged_rows(name: str, rows: Sequence[str]) -> None:
    """Show the legible parts of damaged rows, with buttons that copy and download them, and one
    that deletes the rows."""
    with st.popover(f"Damaged {w.plural(len(rows), 'row')}"):
        st.markdown(
            f"{w.format_with_noun(len(rows), 'row', 'rows')} of {escape_markdown(name)}"
            f" {w.plural(len(rows), 'is', 'are')} damaged and not in use. You can copy the legible"
            " parts below. Deleting damaged rows cannot be undone; all other rows stay unchanged."
        )
        for row in rows[:_MOST_DAMAGED]:
            st.code(row[:_LONGEST_TEXT], None, wrap_lines=True)
        st.download_button(
            f"Download :gray[{w.format_with_noun(len(rows), 'row', 'rows')}]",
            data="\n".join(rows),
            file_name=f"{section.make_safe_name(f'damaged-{name}')}.txt",
            mime="text/plain",
            key=f"damaged_file_{name}",
            on_click="ignore",
        )
        st.button(
            f"Delete :gray[{w.format_with_noun(len(rows), 'damaged row', 'damaged rows')} for"
            " good]",
            key=f"drop_{name}",
            on_click=drop_damaged,
            args=(name, rows),
        )


# Notes


def show_notes_and_tags(query_id: str) -> None:
    """Show the notes and tags of a query, and a form to add more."""
    query_notes = current_notes().get(query_id, QueryNotes())
    with st.container(key="side_note"):
        st.html(card_head.draw_card_heading("Note"))
        st.html(card_head.draw_shortcut_key("N"))
        _show_notes(query_id, query_notes)
        # The fields are cleared after saving, not by the browser: it would clear them on the first
        # of two clicks, and a busy server then receives only what the second click sent.
        with st.form(f"note_{query_id}", border=False):
            fields = (f"note_text_{query_id}", f"note_tag_{query_id}")
            st.text_area(
                "Note",
                key=fields[0],
                height=68,
                placeholder="What do you see?"
                if session.study_context().study.is_unjudged
                else "Why does this query fail?",
                label_visibility="collapsed",
            )
            with st.container(horizontal=True, key="note_foot", vertical_alignment="bottom"):
                st.text_input(
                    "Tag",
                    key=fields[1],
                    placeholder="Add a tag",
                    label_visibility="collapsed",
                )
                st.form_submit_button("Save", on_click=save_note_and_tag, args=(query_id, *fields))


def _show_notes(query_id: str, query_notes: QueryNotes) -> None:
    """Show the notes and tags of a query. Each has a button that removes it."""
    if query_notes.notes:
        st.html(layers.draw_query_notes(query_notes))
    for note in query_notes.notes:
        st.button(
            f"Undo :gray[the note of {escape_markdown(note.author)},"
            f" {escape_markdown(note.time[11:16])}]",
            key=f"unnote_{note.id}",
            on_click=remove_note,
            args=(query_id, note.id),
            type="tertiary",
        )
    tags = [tag for tag in query_notes.tags if tag != STAR]  # the heading has the star
    if not tags:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="tags"):
        for tag in tags:
            st.button(
                f"{escape_markdown(tag)} ✕",
                key=f"tag_{query_id}_{tag}",
                on_click=remove_tag,
                args=(query_id, tag),
                help="Remove this tag.",
            )
