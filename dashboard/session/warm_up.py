"""What the first visitor will ask for, worked out before anybody came: a start is waited for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

import streamlit as st

from dashboard.address.address import Address
from dashboard.answers.firmness import firmness
from dashboard.answers.overview import overview, places
from dashboard.session.open_collection import all_collections, library_of


def warm_up(pages: Sequence[str]) -> None:
    """Open the collection that an address without one leads to, and work out its Overview, then
    load the modules of the other `pages`. What goes wrong is said by the page, which then tries
    again."""
    here = all_collections()
    identity = here.chosen("")
    if here.has(identity):
        with suppress(Exception):
            _overview_of(identity)
    for page in pages:
        import_module(page)
    import_module("dashboard.drawing.figures.plotly_figure")


@st.cache_resource(show_spinner=False, max_entries=1)
def _overview_of(identity: str) -> None:
    """A cached function, for none that it calls then tries to show a spinner."""
    study = library_of(identity).study
    if study is None or not study.names:
        return
    shown = study.view(Address.of()).comparison
    overview(study, shown)
    if not shown.alone:
        firmness(study, shown)
    places(study, shown)
