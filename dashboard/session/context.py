"""The open study, view and style as one value per run of the page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from dashboard.address.view import Comparison, View
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.theme import PALETTES, Look, run_styles
from dashboard.session.actions.grading import (
    active_layers,
    layers_field_value,
    missing_layers_message,
)
from dashboard.session.actions.judgments import judgments_field, missing_judgments
from dashboard.session.address import address, write_explicit_address
from dashboard.session.open_collection import collection_id, current_library
from dashboard.study.layered_study import with_layers
from dashboard.study.study import Study
from dashboard.workspace import Layer
from metrics_core.base.errors import RanklensError


@dataclass(frozen=True)
class PageContext:
    """The study, the user's view of it, and the appearance of runs.

    `layers` are the active judgment layers, whose grades are part of the scores; `refused` are the
    errors of runs that these layers exclude. `is_guessed` says that the baseline was chosen by its
    name, not by the user.
    """

    study: Study
    view: View
    look: Look
    layers: tuple[Layer, ...] = ()
    refused: tuple[RanklensError, ...] = ()
    is_guessed: bool = False

    @property
    def comparison(self) -> Comparison:
        """The current comparison."""
        return self.view.comparison

    @cached_property
    def drawing(self) -> Drawing:
        """The comparison and its styles, for figures and blocks."""
        styles = self.look.styles_of(self.comparison.runs)
        return Drawing(self.comparison, self.look.palette, styles)


def page_context() -> PageContext | None:
    """The open context; None if judgments, or runs that fit them, are missing. The context is
    computed once per run of the page."""
    if "_opened" not in st.session_state:
        st.session_state["_opened"] = _make_context()
    context: PageContext | None = st.session_state["_opened"]
    return context


def study_context() -> PageContext:
    """The open context, for pages that are shown only with a study. Raises RuntimeError without a
    study."""
    context = page_context()
    if context is None:
        raise RuntimeError("there is no study to view")
    return context


def _make_context() -> PageContext | None:
    library = current_library()
    study = library.study
    if study is None or not study.names:
        write_explicit_address(address().with_values(set=collection_id()))
        return None
    active = active_layers()
    layered = with_layers(study, active)
    if layered.names:
        study = layered
    else:
        active = ()  # with these layers no run can be scored
    view = study.view(address())
    view = replace(
        view, lacking={**view.lacking, **missing_layers_message(), **missing_judgments()}
    )
    pinned = view.pinned_address.with_values(set=collection_id(), qrels=judgments_field())
    write_explicit_address(pinned.with_values(layers=layers_field_value()))
    comparison = view.comparison
    if view.guessed:
        # From now on the address names the baseline.
        st.session_state["_guessed"] = comparison.baseline
    styles = run_styles(
        study.names, library.slots, focus=comparison.focus, baseline=comparison.baseline
    )
    return PageContext(
        study,
        view,
        Look(PALETTES[current_theme()], styles),
        active,
        tuple(layered.refused_now.values()),
        is_guessed=st.session_state.get("_guessed") == comparison.baseline != study.names[0],
    )


def current_theme() -> str:
    """The user's theme: "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"
