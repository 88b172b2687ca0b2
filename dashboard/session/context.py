"""The open study, the view and the appearance of runs, as one value per run of the app."""

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
from dashboard.session.actions.judgments import judgments_field_value, missing_judgments_message
from dashboard.session.address import address, write_explicit_address
from dashboard.session.open_collection import current_collection_id, current_library
from dashboard.study.layered_study import with_layers
from dashboard.study.study import Study
from dashboard.workspace import Layer
from metrics_core.base.errors import RanklensError


@dataclass(frozen=True)
class PageContext:
    """The study, the user's view of it, and the appearance of runs.

    `layers` are the active judgment layers, whose grades are included in the scores. `refused` are
    the errors of runs that cannot be scored because of these layers. `is_guessed` is true if the
    baseline was guessed from the names of the runs, and not chosen by the user."""

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
        """The comparison and the styles of its runs, for charts and blocks."""
        styles = self.look.select_styles(self.comparison.runs)
        return Drawing(self.comparison, self.look.palette, styles)


def page_context() -> PageContext | None:
    """Return the context of the page. Returns None if there are no judgments, or no runs that fit
    them. The context is computed once per run of the app."""
    if "_opened" not in st.session_state:
        st.session_state["_opened"] = _make_context()
    context: PageContext | None = st.session_state["_opened"]
    return context


def study_context() -> PageContext:
    """Return the context of a page that is shown only if there is a study. Raises RuntimeError if
    there is no study."""
    context = page_context()
    if context is None:
        raise RuntimeError("there is no study to view")
    return context


def _make_context() -> PageContext | None:
    library = current_library()
    study = library.study
    if study is None or not study.names:
        write_explicit_address(address().with_values(set=current_collection_id()))
        return None
    # Without judgments in files there are no scores for grades to change.
    active = active_layers() if study.judged else ()
    layered = with_layers(study, active)
    if layered.names:
        study = layered
    else:
        active = ()  # with these layers no run can be scored
    view = study.view(address())
    view = replace(
        view, lacking={**view.lacking, **missing_layers_message(), **missing_judgments_message()}
    )
    pinned = view.pinned_address.with_values(
        set=current_collection_id(), qrels=judgments_field_value()
    )
    write_explicit_address(pinned.with_values(layers=layers_field_value()))
    comparison = view.comparison
    if view.guessed:
        # From now on the address names the baseline.
        st.session_state["_guessed"] = comparison.baseline
    styles = run_styles(
        study.names, library.slots, focus=comparison.focus, baseline=comparison.baseline
    )
    palette = PALETTES[current_theme()]
    if not comparison.has_direction:
        palette = palette.without_outcome_colours
    return PageContext(
        study,
        view,
        Look(palette, styles),
        active,
        tuple(layered.refused_now.values()),
        is_guessed=st.session_state.get("_guessed") == comparison.baseline != study.names[0],
    )


def current_theme() -> str:
    """Return the user's theme: "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"
