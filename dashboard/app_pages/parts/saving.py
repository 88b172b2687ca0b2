"""Save report: for whom, under which title, which parts; and the file."""

from __future__ import annotations

from functools import partial
from typing import get_args

import streamlit as st

from dashboard.answers.remarks import NOTHING_NOTED
from dashboard.app_pages.parts import section
from dashboard.drawing.report.parts import PARTS
from dashboard.session import Opened
from dashboard.session.actions.notes import remarks
from dashboard.session.actions.reports import Readers, collection_title, saved, used_files
from dashboard.session.open_collection import collection

_READERS = {
    "public": (
        "Anyone",
        "Ids and numbers only: runs are A, B, C, groups are numbered; no texts, no names of files.",
    ),
    "no texts": ("People who know the runs", "Names stay; queries and documents stand by id."),
    "all": ("People who may read everything", "With the texts of queries and documents."),
}


def save_button(here: Opened) -> None:
    """The button that asks for whom the report is."""
    if st.button("Save report", key="save_report", type="tertiary"):
        _ask(here)


@st.dialog("Save report")
def _ask(here: Opened) -> None:
    readers: Readers = st.radio(
        "For whom?",
        get_args(Readers),
        format_func=lambda key: _READERS[key][0],
        captions=[_READERS[key][1] for key in get_args(Readers)],
        key="report_readers",
    )
    usual = "Comparison" if readers == "public" else collection_title()
    title = st.text_input("Title", value=usual, key=f"report_title_{readers == 'public'}")
    text = st.text_area("A paragraph of your own, above all", key="report_text", height=68)
    there = remarks() if readers == "all" else NOTHING_NOTED
    offered = [part for part in PARTS if part != "noted" or there.given]
    parts = st.pills(
        "Parts",
        offered,
        default=[part for part in PARTS if part != "noted"],
        format_func=PARTS.__getitem__,
        selection_mode="multi",
        key=f"report_parts_{len(offered)}",
    )
    with_data = readers == "all" and st.checkbox(
        "With the data",
        key="report_data",
        help="The collection goes along in the file, with notes and grades: it can be downloaded"
        " from the report, and Ranklens opens the report itself.",
    )
    carried = collection() if with_data else ""
    kept = [part for part in PARTS if part in parts]
    st.download_button(
        "Save as HTML",
        data=partial(
            saved, here, readers, title, text, kept, used_files(), noted=there, carried=carried
        ),
        file_name="ranklens-report.html"
        if readers == "public"
        else section.file_name("report", ".html"),
        mime="text/html",
        key="report_file",
        type="primary",
        on_click="ignore",
    )
    queries = section.counted(int(here.study.in_view(here.comparison).sum()), "query", "queries")
    st.caption(
        f"Of the view as it is: {queries} on {here.comparison.name}. One file that"
        " opens anywhere, without a network; *Present* in it shows the findings one a screen."
    )
