"""The card of a run, over the page: what it is called in this collection, and its colour."""

from __future__ import annotations

import streamlit as st

from dashboard import session
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import data, navigation
from dashboard.drawing.theme import COLORS, RunStyle
from dashboard.session import Opened
from dashboard.session.actions.runs import call_run
from dashboard.session.open_collection import library_here
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
        "Name", run, key=f"{_NAME}_{run}", help=f"Empty: {literal(own)}, as in its file."
    )
    offered = [RunStyle(name, at) for at in sorted({*range(COLORS), slot})]
    glyphs = {style.slot: f":gray[&#{ord(style.glyph)};]" for style in offered}
    chosen = st.pills(
        "Colour and shape",
        list(glyphs),
        default=slot,
        format_func=glyphs.__getitem__,
        key="run_slot",
        help="Kept for good. While a run is the baseline it is drawn in ink.",
    )
    st.html(navigation.pill_colors("run_slot", offered))
    holder = next((n for n, at in library.slots.items() if at == chosen and n != run), None)
    if holder is not None:
        st.caption(f"{literal(holder)} has this one: the two change places.")
    if file is not None and file.file != run:
        st.caption(
            f"From the file {literal(file.file)}. Kept with the collection, not in the file."
        )
    if st.button("Save", type="primary"):
        try:
            call_run(run, name, slot if chosen is None else chosen)
        except RanklensError as error:
            st.html(data.error_card(error))
        else:
            st.rerun()
