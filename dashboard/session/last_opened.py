"""What is stored about a collection when it is opened: the time, and the result that its Overview
showed."""

from __future__ import annotations

import streamlit as st

from dashboard.answers.collections import collection_preview
from dashboard.session.address import address
from dashboard.session.context import page_context
from dashboard.session.open_collection import (
    all_collections,
    current_collection_id,
    current_library,
    load_library,
    previewed_studies,
)
from dashboard.study.library import Library, choose_judgments
from metrics_core.tables import Run


def remember_opened_collection() -> None:
    """Store which collection was opened. If its Overview has been computed, also store the preview
    for the list of collections. This is called after the page is drawn, so that it does not delay
    the page."""
    identity = current_collection_id()
    if st.session_state.get("_remembered") != identity:
        st.session_state["_remembered"] = identity
        all_collections().record_opening(identity)
    context = page_context()
    # With layers or other judgments it is not the default view of the collection.
    if context is None or context.layers or previewed_studies().get(identity) is context.study:
        return
    library = current_library()
    answer = collection_preview(context.study, library.slots)
    if answer is None:
        return
    if not _uses_default_judgments(library, identity):
        previewed_studies()[identity] = context.study  # so that it is not checked again
        return
    version = all_collections().version(identity)
    # If files changed while the page was drawn, this study does not belong to the new version.
    if load_library(identity, address()["qrels"]).study is context.study:
        previewed_studies()[identity] = context.study
        all_collections().store_preview(identity, version, answer)


def _uses_default_judgments(library: Library, collection_id: str) -> bool:
    files = library.files_of_kind("qrels")
    runs = [file.table for file in library.files if isinstance(file.table, Run) and file.used]
    default = choose_judgments(files, runs, all_collections().record(collection_id).judgments)
    current = library.judgments
    return len(files) < 2 or (
        default is not None and current is not None and default.key == current.key
    )
