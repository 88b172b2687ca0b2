"""The controls, the same on every page, read as a sentence: compare … with …"""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import picker, session
from dashboard.address.view import NOBODY, Comparison
from dashboard.blocks import navigation
from dashboard.literal import literal
from dashboard.opened.study import Study
from dashboard.session import Opened
from dashboard.theme import RunStyle
from metrics_core import wording as w

_FEW_VALUES = 4
_CONTROLS = 3
_MARKDOWN_COLORS = {"run_1": "blue", "run_2": "red", "run_3": "yellow", "run_4": "violet"}


def controls(here: Opened, page: str) -> None:
    """The controls, read as a sentence: compare … with …"""
    view, names, styles = here.comparison, here.study.names, here.look.styles
    session.widget(
        st.selectbox,
        "Compare",
        "run",
        value=view.focus,
        store=here.view.comparing,
        options=names,
        help="The run in focus: every sentence speaks about it.",
    )
    session.widget(
        st.selectbox,
        "with the baseline",
        "base",
        value=view.baseline,
        store=lambda name: _with_baseline(here, name),
        options=names,
        help="Differences are always: run minus baseline.",
    )
    others = [n for n in names if n not in (view.focus, view.baseline)]
    if others:
        session.widget(
            st.pills,
            "Also shown",
            "also",
            value=list(view.also),
            store=lambda chosen: {"also": tuple(chosen) or (NOBODY,)},
            options=others,
            selection_mode="multi",
            format_func=lambda name: _run_label(styles[name]),
        )
    picker.measure_controls(here.study, view, page)
    _query_controls(here.study, view)


def _with_baseline(here: Opened, name: str) -> dict[str, Any]:
    """The new baseline; a run in focus that becomes it changes places with the old one."""
    view = here.comparison
    return here.view.comparing(view.baseline if name == view.focus else view.focus, name)


def _run_label(style: RunStyle) -> str:
    color = _MARKDOWN_COLORS.get(style.color_name, "gray")
    return f":{color}[{style.glyph}] {literal(style.name)}"


def _query_controls(study: Study, view: Comparison) -> None:
    groups = study.groups
    # Every column that narrows the view has its control, so that it can be taken back.
    narrowing = {column for column, _ in view.where}
    controlled = [c for i, c in enumerate(study.groupings) if i < _CONTROLS or c in narrowing]
    for number, column in enumerate(controlled):
        values = groups[column]
        chosen = list(view.narrowed_to(column))
        few = number > 0 and len(values) <= _FEW_VALUES
        session.widget(
            st.pills if few else st.multiselect,
            "Queries" if number == 0 else column,
            f"where_{number}",
            value=chosen,
            store=lambda picked, column=column: {"where": view.narrowed({column: picked})},
            options=values,
            **(
                {
                    "selection_mode": "multi",
                    "format_func": literal,
                    "label_visibility": "collapsed" if number else "visible",
                }
                if few
                else {
                    "placeholder": f"All {_plural_of(column)}",
                    "label_visibility": "collapsed" if number else "visible",
                }
            ),
        )
    in_view, total = int(study.in_view(view).sum()), len(study.query_ids)
    st.html(
        navigation.in_view(f"{w.count(in_view)} of {w.count(total)} queries in view", in_view == 0)
    )


def _plural_of(column: str) -> str:
    word = column.replace("_", " ")
    if word.endswith("y") and not word.endswith(("ay", "ey", "oy")):
        return f"{word[:-1]}ies"
    return word if word.endswith("s") else f"{word}s"
