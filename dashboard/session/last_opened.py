"""What is remembered of a collection that was opened: when, and what its Overview said."""

from __future__ import annotations

import streamlit as st

from dashboard.answers.collections import preview
from dashboard.session.address import address
from dashboard.session.open_collection import (
    all_collections,
    collection,
    library_here,
    library_of,
    previewed,
)
from dashboard.session.view import opened
from dashboard.study.library import Library, choose_judgments
from metrics_core.tables import Run


def remember_opened() -> None:
    """Remember which collection a visit has opened, and, once its Overview was shown, what the list
    of collections says of it. Called when the page is drawn: nobody waits for it."""
    identity = collection()
    if st.session_state.get("_remembered") != identity:
        st.session_state["_remembered"] = identity
        all_collections().mark_opened(identity)
    here = opened()
    # With layers or other judgments it is not what the collection shows by itself.
    if here is None or here.layers or previewed().get(identity) is here.study:
        return
    library = library_here()
    found = preview(here.study, library.slots)
    if found is None:
        return
    if not _by_usual_judgments(library, identity):
        previewed()[identity] = here.study  # it is not asked again
        return
    version = all_collections().version(identity)
    # Files that changed while the page was drawn have another study, and are not its version.
    if library_of(identity, address()["qrels"]).study is here.study:
        previewed()[identity] = here.study
        all_collections().keep_preview(identity, version, found)


def _by_usual_judgments(library: Library, identity: str) -> bool:
    several = library.of_kind("qrels")
    runs = [file.table for file in library.files if isinstance(file.table, Run) and file.used]
    usual = choose_judgments(several, runs, all_collections().judgments_of(identity))
    used = library.judgments
    return len(several) < 2 or (usual is not None and used is not None and usual.key == used.key)
