"""The dialog that saves a report. The user chooses the sections, the title and the type of file."""

from __future__ import annotations

from functools import partial
from typing import get_args

import streamlit as st

from dashboard.answers.query_notes import NOTHING_NOTED
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.drawn_judging import find_random_query_judgments
from dashboard.drawing.report.list_changes import CHANGE_PARTS
from dashboard.drawing.report.parts import PARTS
from dashboard.session import PageContext
from dashboard.session.actions.notes import current_remarks
from dashboard.session.actions.reports import collection_title, make_report_file, used_files
from dashboard.session.open_collection import current_collection_id
from dashboard.study.sharing import Include
from metrics_core.base import wording as w

_EXPLANATIONS: dict[Include, str] = {
    "scores only": "Leaves out names, ids, texts and notes. Runs are named A, B, C; groups, queries"
    " and documents are numbered.",
    "run names": "Leaves out ids, texts and notes. Queries and documents are numbered; runs, groups"
    " and files keep their names.",
    "full texts": "Includes everything: queries and documents with their ids and texts, and notes.",
}
_DEFAULT: Include = "run names"


def save_button(context: PageContext) -> None:
    """Show the button that opens the dialog for saving a report."""
    if st.button("Save report", key="save_report", type="tertiary"):
        _report_dialog(context)


@st.dialog("Save report")
def _report_dialog(context: PageContext) -> None:
    choices = get_args(Include)
    include: Include = st.radio(
        "Include",
        choices,
        index=choices.index(_DEFAULT),
        format_func=str.capitalize,
        captions=[_EXPLANATIONS[choice] for choice in choices],
        key="report_include",
    )
    nameless, everything = include == "scores only", include == "full texts"
    default_title = "Comparison" if nameless else collection_title()
    title = st.text_input("Title", value=default_title, key=f"report_title_{nameless}")
    text = st.text_area("Introduction (optional)", key="report_text", height=68)
    notes = current_remarks() if everything else NOTHING_NOTED
    is_unjudged = context.study.is_unjudged
    offered_parts = [part for part in PARTS if part != "noted" or notes.rows]
    if is_unjudged:
        offered_parts = list(CHANGE_PARTS)
    parts = st.pills(
        "Parts",
        offered_parts,
        default=[part for part in offered_parts if part != "noted"],
        format_func=PARTS.__getitem__,
        selection_mode="multi",
        key=f"report_parts_{len(offered_parts)}",
    )
    with_data = everything and st.checkbox(
        "Include the data",
        key="report_data",
        help="Adds the collection to the report, with notes and grades. Readers can download the"
        " collection from the report or open the report in Ranklens.",
    )
    carried = current_collection_id() if with_data else ""
    chosen_parts = [part for part in PARTS if part in parts]
    st.download_button(
        "Save as HTML",
        data=partial(
            make_report_file,
            context,
            include,
            title,
            text,
            chosen_parts,
            used_files(),
            query_remarks=notes,
            embedded_collection_id=carried,
            random_judgments=find_random_query_judgments(context) if is_unjudged else None,
        ),
        file_name="ranklens-report.html"
        if nameless
        else section.make_download_name("report", ".html"),
        mime="text/html",
        key="report_file",
        type="primary",
        on_click="ignore",
    )
    queries = w.format_query_count(context.study.n_in_view(context.comparison))
    one_file = "One file that opens anywhere, without a network."
    if is_unjudged:
        st.caption(f"What changed in {queries}. {one_file}")
        return
    st.caption(
        f"The current view: {queries} on {context.comparison.name}. {one_file} Its *Present* button"
        " shows one finding per screen."
    )
