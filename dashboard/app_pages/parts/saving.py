"""Save report: what it includes, under which title, which parts; and the file."""

from __future__ import annotations

from functools import partial
from typing import get_args

import streamlit as st

from dashboard.answers.query_notes import NOTHING_NOTED
from dashboard.app_pages.parts import section
from dashboard.drawing.report.parts import PARTS
from dashboard.session import Opened
from dashboard.session.actions.notes import remarks
from dashboard.session.actions.reports import collection_title, saved, used_files
from dashboard.session.open_collection import collection
from dashboard.study.sharing import Include

_LEAVES_OUT: dict[Include, str] = {
    "scores only": "Leaves out names, ids, texts and notes. Runs are A, B, C; groups, queries and"
    " documents are numbered.",
    "run names": "Leaves out ids, texts and notes. Queries and documents are numbered; runs, groups"
    " and files keep their names.",
    "full texts": "Includes everything: queries and documents with their ids and texts, and notes.",
}
_USUAL: Include = "run names"


def save_button(here: Opened) -> None:
    """The button that asks what the report includes."""
    if st.button("Save report", key="save_report", type="tertiary"):
        _ask(here)


@st.dialog("Save report")
def _ask(here: Opened) -> None:
    choices = get_args(Include)
    include: Include = st.radio(
        "Include",
        choices,
        index=choices.index(_USUAL),
        format_func=str.capitalize,
        captions=[_LEAVES_OUT[choice] for choice in choices],
        key="report_include",
    )
    nameless, everything = include == "scores only", include == "full texts"
    usual = "Comparison" if nameless else collection_title()
    title = st.text_input("Title", value=usual, key=f"report_title_{nameless}")
    text = st.text_area("Introduction (optional)", key="report_text", height=68)
    there = remarks() if everything else NOTHING_NOTED
    offered = [part for part in PARTS if part != "noted" or there.given]
    parts = st.pills(
        "Parts",
        offered,
        default=[part for part in PARTS if part != "noted"],
        format_func=PARTS.__getitem__,
        selection_mode="multi",
        key=f"report_parts_{len(offered)}",
    )
    with_data = everything and st.checkbox(
        "Include the data",
        key="report_data",
        help="Adds the collection to the file, with notes and grades. It can be downloaded"
        " from the report, and Ranklens can open the report directly.",
    )
    carried = collection() if with_data else ""
    kept = [part for part in PARTS if part in parts]
    st.download_button(
        "Save as HTML",
        data=partial(
            saved, here, include, title, text, kept, used_files(), noted=there, carried=carried
        ),
        file_name="ranklens-report.html" if nameless else section.file_name("report", ".html"),
        mime="text/html",
        key="report_file",
        type="primary",
        on_click="ignore",
    )
    queries = section.counted(int(here.study.in_view(here.comparison).sum()), "query", "queries")
    st.caption(
        f"The current view: {queries} on {here.comparison.name}. One file that opens anywhere,"
        " without a network. Its *Present* button shows one finding per screen."
    )
