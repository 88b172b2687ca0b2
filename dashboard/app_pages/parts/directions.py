"""The question whether higher or lower values of a given measure are better. The answer is stored
with the collection."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import card_head
from dashboard.session.actions.judgments import declare_direction
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.measures.declaring.given_measures import PREFIX

_HIGHER, _LOWER = "Higher", "Lower"
_CHOICES = {1: _HIGHER, -1: _LOWER, 0: None}


def ask_directions(study: Study) -> None:
    """Ask for the direction of each given measure that has none. If all have one, show nothing."""
    names = [str(m) for m in study.given_measures if m.declaration.direction == 0]
    if not names:
        return
    listing = w.join_words(names) if len(names) < 3 else f"{w.number_word(len(names))} measures"
    with st.container(key="directions", horizontal=True, border=True, vertical_alignment="center"):
        st.html(
            card_head.draw_card_heading(f"Which way is better for {listing}?")
            + card_head.draw_card_remark("Until you choose, there are no colours and no verdict.")
        )
        _show_choices(study, names)


def show_directions(study: Study) -> None:
    """Show the direction of every given measure, with controls to change it."""
    with st.container(key="all_directions", horizontal=True):
        _show_choices(study, [str(measure) for measure in study.given_measures])


def _show_choices(study: Study, names: list[str]) -> None:
    directions = {str(m): m.declaration.direction for m in study.given_measures}

    def store(name: str, choice: str | None) -> dict[str, Any]:
        if choice is not None:
            declare_direction(name.removeprefix(PREFIX), choice == _HIGHER)
        return {}

    for name in names:
        session.draw_widget(
            st.segmented_control,
            escape_markdown(name),
            f"better_{name}",
            value=_CHOICES[directions[name]],
            store=partial(store, name),
            options=[_HIGHER, _LOWER],
            width="content",
        )
