"""Computation of the first page's data while the server starts, because the first page would
otherwise be slow."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

import streamlit as st

from dashboard.address.address import Address
from dashboard.answers.list_changes import changes_overview
from dashboard.answers.overview import compare_all_runs, overview
from dashboard.answers.robustness_summary import robustness_summary
from dashboard.session.open_collection import all_collections, load_library


def warm_up(pages: Sequence[str]) -> None:
    """Load the default collection and compute its Overview. Then import the modules of the other
    `pages`.

    Errors are ignored, because the page computes the same again and reports them."""
    collections = all_collections()
    identity = collections.choose_collection("")
    if collections.has_collection(identity):
        with suppress(Exception):
            _prepare_overview(identity)
    for page in pages:
        import_module(page)
    import_module("dashboard.drawing.figures.plotly_figure")


@st.cache_resource(show_spinner=False, max_entries=1)
def _prepare_overview(collection_id: str) -> None:
    """Compute the results that a collection's Overview needs. This function is cached, so that the
    functions that it calls show no spinner."""
    study = load_library(collection_id).study
    if study is None or not study.names:
        return
    comparison = study.view(Address.create()).comparison
    if study.is_unjudged:
        if not comparison.is_single_run:
            changes_overview(study, comparison)
        return
    overview(study, comparison)
    if not comparison.is_single_run:
        robustness_summary(study, comparison)
    compare_all_runs(study, comparison)
