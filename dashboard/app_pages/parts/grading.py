"""What readers add to a collection: layers of grades as files, and notes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from dashboard import session
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import card_head, data, layers
from dashboard.session.actions.grading import (
    layer_file,
    layers_here,
    layers_on,
    remove_layer,
    switch_layer,
    take_in_layer,
)
from dashboard.session.actions.notes import (
    damaged_rows,
    drop_rows,
    keep_remark,
    notes_here,
    take_note_back,
    take_tag_off,
)
from dashboard.session.actions.uploaded_files import expect_files, release, uploaded
from dashboard.workspace import Layer, Noted
from metrics_core.base import wording as w

_LONGEST_TEXT = 3_000
_MOST_DAMAGED = 20


# Layers as files


def layers_part() -> None:
    """The layers of the open collection: on or off, as files, removed; and one taken in."""
    every, on = layers_here(), layers_on()
    for layer in every:
        _layer(layer, is_on=layer in on)
    lost = damaged_rows()
    if lost:
        counted = section.counted(len(lost), "row is damaged", "rows are damaged")
        with st.container(horizontal=True, vertical_alignment="center", key="damaged_notes"):
            st.html(data.receipt(f"Layers, notes and tags: {counted}; all other rows are intact."))
            _damaged("layers, notes and tags", lost)
    expect_files()
    with st.popover("Import judgments"):
        given = st.file_uploader(
            "A file of judgments, kept as a layer of its own",
            key=f"layer_{session.generation('layer')}",
        )
    if given is not None:
        file = uploaded(given)
        take_in_layer(file, given.file_id)
        session.forget("layer")
        release([file])
        st.rerun()


def _layer(layer: Layer, *, is_on: bool) -> None:
    st.html(layers.row(layer, is_on=is_on))
    with st.container(horizontal=True, vertical_alignment="center", key=f"layer_row_{layer.id}"):
        st.button(
            "Deactivate" if is_on else "Activate",
            key=f"switch_{layer.id}",
            on_click=switch_layer,
            args=(layer, not is_on),
        )
        st.download_button(
            f"Download :gray[{literal(layer.name)}]",
            data=partial(layer_file, layer),
            file_name=f"{section.safe_name(f'layer-{layer.name}')}.qrels",
            mime="text/plain",
            key=f"layer_file_{layer.id}",
            on_click="ignore",
            disabled=not len(layer),
        )
        if layer.lost:
            _damaged(f"the layer “{layer.name}”", layer.lost)
        st.button(
            "Remove",
            key=f"remove_layer_{layer.id}",
            on_click=remove_layer,
            args=(layer,),
            type="tertiary",
        )


def _damaged(called: str, rows: Sequence[str]) -> None:
    """Damaged rows, as far as they are legible, to keep elsewhere and to drop."""
    with st.popover(f"Damaged {w.plural(len(rows), 'row')}"):
        st.markdown(
            f"{section.counted(len(rows), 'row', 'rows')} of {literal(called)}"
            f" {w.plural(len(rows), 'is', 'are')} damaged and not read. You can copy the legible"
            " parts below. Deleting leaves all other rows unchanged and cannot be undone."
        )
        for row in rows[:_MOST_DAMAGED]:
            st.code(row[:_LONGEST_TEXT], None, wrap_lines=True)
        st.download_button(
            f"Download :gray[{section.counted(len(rows), 'row', 'rows')}]",
            data="\n".join(rows),
            file_name=f"{section.safe_name(f'damaged-{called}')}.txt",
            mime="text/plain",
            key=f"damaged_file_{called}",
            on_click="ignore",
        )
        st.button(
            f"Delete :gray[{section.counted(len(rows), 'damaged row', 'damaged rows')} for good]",
            key=f"drop_{called}",
            on_click=drop_rows,
            args=(called, rows),
        )


# Notes


def notes_part(query_id: str) -> None:
    """Notes and tags of a query, and the ways to add some."""
    found = notes_here().get(query_id, Noted())
    with st.container(key="side_note"):
        st.html(card_head.head("Note"))
        st.html(card_head.key("N"))
        _noted(query_id, found)
        # The browser would empty the fields at the first of two clicks, and a server that is busy
        # gets both at once, with what the second sent: they are emptied once they are kept.
        with st.form(f"note_{query_id}", border=False):
            fields = (f"note_text_{query_id}", f"note_tag_{query_id}")
            st.text_area(
                "Note",
                key=fields[0],
                height=68,
                placeholder="Why does it fail?",
                label_visibility="collapsed",
            )
            with st.container(horizontal=True, key="note_foot", vertical_alignment="bottom"):
                st.text_input(
                    "Tag",
                    key=fields[1],
                    placeholder="Tag, e.g. cause: stemming",
                    label_visibility="collapsed",
                )
                st.form_submit_button("Save", on_click=keep_remark, args=(query_id, *fields))


def _noted(query_id: str, found: Noted) -> None:
    """What is noted of a query, each with its way back."""
    if found.notes:
        st.html(layers.noted(found))
    for note in found.notes:
        st.button(
            f"Undo :gray[the note of {literal(note.by)}, {literal(note.at[11:16])}]",
            key=f"unnote_{note.id}",
            on_click=take_note_back,
            args=(query_id, note.id),
            type="tertiary",
        )
    if not found.tags:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="tags"):
        for tag in found.tags:
            st.button(
                f"{literal(tag)} ✕",
                key=f"tag_{query_id}_{tag}",
                on_click=take_tag_off,
                args=(query_id, tag),
                help="Remove this tag.",
            )
