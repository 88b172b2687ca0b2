"""What is open, as one value a run of the page: study, view, and how the runs are drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from dashboard.address.view import Comparison, View
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.theme import PALETTES, Look, run_styles
from dashboard.session.actions.grading import layers_asked, layers_lacking, layers_on
from dashboard.session.actions.judgments import judgments_asked, judgments_lacking
from dashboard.session.address import address, pin
from dashboard.session.open_collection import collection, library_here
from dashboard.study.layered import with_layers
from dashboard.study.study import Study
from dashboard.workspace import Layer
from metrics_core.base.errors import RanklensError


@dataclass(frozen=True)
class Opened:
    """The study, what the reader has chosen of it, and how it looks; `layers` are the judgment
    layers that are on, whose grades its scores hold, `refused` the runs that these leave out;
    `guessed` says that nobody chose the baseline: the page took it for its name."""

    study: Study
    view: View
    look: Look
    layers: tuple[Layer, ...] = ()
    refused: tuple[RanklensError, ...] = ()
    guessed: bool = False

    @property
    def comparison(self) -> Comparison:
        """What is compared."""
        return self.view.comparison

    @cached_property
    def drawing(self) -> Drawing:
        """What is compared and how it is drawn: what figures and blocks take."""
        shown = self.look.of(self.comparison.runs)
        return Drawing(self.comparison, self.look.palette, shown)


def opened() -> Opened | None:
    """What is open; None while judgments or runs that fit them are missing. Worked out once a run
    of the page."""
    if "_opened" not in st.session_state:
        st.session_state["_opened"] = _opened()
    known: Opened | None = st.session_state["_opened"]
    return known


def opened_study() -> Opened:
    """What is open, on a page that is shown only where something is."""
    here = opened()
    if here is None:
        raise RuntimeError("there is no study to view")
    return here


def _opened() -> Opened | None:
    here = library_here()
    study = here.study
    if study is None or not study.names:
        pin(address().changed(set=collection()))
        return None
    on = layers_on()
    over = with_layers(study, on)
    if over.names:
        study = over
    else:
        on = ()  # no run could be scored
    view = study.view(address())
    view = replace(view, lacking={**view.lacking, **layers_lacking(), **judgments_lacking()})
    pinned = view.pinned.changed(set=collection(), qrels=judgments_asked())
    pin(pinned.changed(layers=layers_asked()))
    shown = view.comparison
    if view.guessed:
        # From now on the address names it.
        st.session_state["_guessed"] = shown.baseline
    styles = run_styles(study.names, here.slots, focus=shown.focus, baseline=shown.baseline)
    return Opened(
        study,
        view,
        Look(PALETTES[theme()], styles),
        on,
        tuple(over.refused_now.values()),
        guessed=st.session_state.get("_guessed") == shown.baseline != study.names[0],
    )


def theme() -> str:
    """The reader's theme: "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"
