"""The measure picker of the sidebar: a measure by any of its names, its options, what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.address import measure_key
from dashboard.address.view import CUTOFFS, Comparison
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import navigation
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.measures.declaring.description import described
from metrics_core.measures.declaring.parameters import Parameter, written

_EXAMPLES: dict[type, str] = {dict: "{1:1,2:3,3:7}", tuple: "[0.2,0.5,0.8]"}

_MOST = 1e15
"""Streamlit's number fields take no bound beyond what JavaScript counts exactly."""


def measure_controls(study: Study, view: Comparison, page: str) -> None:
    """Picker, cutoff, options and explanation of the measure."""
    labels = {choice.name: choice.label for choice in measure_key.measure_choices()}
    session.widget(
        st.selectbox,
        "Measure",
        "m",
        value=view.measure.declaration.name,
        store=lambda text: measure_key.picked(text or "", view.cutoff),
        options=list(labels),
        format_func=lambda name: labels.get(name, name),
        accept_new_options=True,
        # Fuzzy search puts long names above the one that was typed.
        filter_mode="contains",
        help="Search by any name, or type one with parameters: `P(rel=2)@5`, `ndcg_cut_10`.",
    )
    objection = session.objection("m")
    refused = objection or view.chosen.refused
    if refused is not None:
        kept = str(view.measure) if objection else ""
        st.html(navigation.refused(refused, kept, lambda name: _link(name, page)))
    read_as = measure_key.understood(str(session.told("m") or ""), view.measure)
    if read_as:
        st.html(navigation.read_as(read_as))
    _cutoff(study, view)
    text, more = _explanation(view)
    st.html(navigation.explained(str(view.measure), text, _about(view), more))
    _options(study, view)


def _cutoff(study: Study, view: Comparison) -> None:
    """The usual cutoffs as buttons, and a field for any other."""
    with st.container(horizontal=True, key="cutoff", vertical_alignment="bottom"):
        session.widget(
            st.segmented_control,
            "Top results counted (k)",
            "k",
            value=view.cutoff if view.cutoff in CUTOFFS else None,
            store=lambda k: {"k": str(k or view.cutoff)},
            options=list(CUTOFFS),
            width="content",
        )
        session.widget(
            st.number_input,
            "Any other k",
            "k_typed",
            value=view.cutoff,
            store=lambda k: {"k": str(k or view.cutoff)},
            min_value=1,
            max_value=max(study.deepest, view.cutoff),
            step=1,
            label_visibility="collapsed",
            help=f"Any k up to {w.count(study.deepest)}, the length of the longest list.",
        )


def _link(name: str, page: str) -> str:
    """A link to the present page with another measure."""
    choice = next((c for c in measure_key.measure_choices() if c.name == name), None)
    return session.href(page, m=choice.key) if choice else ""


def _about(view: Comparison) -> str:
    return session.href("measures", measure=view.measure.declaration.name)


def _explanation(view: Comparison) -> tuple[str, str]:
    """What the measure says, and what only matters to few."""
    told = described(view.measure.declaration)
    first, _, rest = told.more.partition(". ")
    text = f"{told.answer} {first}{'.' if rest else ''}".strip()
    if view.measure.cutoff is None:
        return f"{text} It counts the whole list; k = {view.cutoff} is for the lists shown.", rest
    at_k = f"first {view.measure.cutoff}"
    return text.replace("first k", at_k), rest.replace("first k", at_k)


def _options(study: Study, view: Comparison) -> None:
    """One widget for each parameter beside the cutoff's."""
    declaration = view.measure.declaration
    cutoff = declaration.cutoff
    optional = cutoff is not None and cutoff.optional and declaration.at == "cutoff"
    parameters = measure_key.options_of(view.chosen)
    if not (parameters or optional):
        return
    with st.popover("Options", key=f"options_{declaration.name}", type="tertiary"):
        if optional:
            session.widget(
                st.toggle,
                "Count the whole list, not only the top k",
                f"whole_{declaration.name}",
                value=not view.chosen.takes_k,
                store=lambda whole: {
                    "m": measure_key.whole_list(view.chosen, view.cutoff, whole=whole)
                },
            )
        for parameter in parameters:
            _option(study, view, parameter)


def _option(study: Study, view: Comparison, p: Parameter) -> None:
    """The widget of one parameter; a change of it rewrites the measure in the address."""
    name = f"p_{view.measure.declaration.name}_{p.name}"
    value = view.measure.value(p.name)

    def stored(new: Any) -> dict[str, str]:
        return {"m": measure_key.with_value(view.chosen, p.name, new)}

    def typed(text: str | None) -> dict[str, str]:
        return {"m": measure_key.with_text(view.chosen, p.name, text or "")}

    draw: Callable[..., Any]
    more: dict[str, Any] = {}
    store: Callable[[Any], dict[str, str]] = stored
    columns = study.document_columns
    if p.kind is bool:
        draw = st.toggle
    elif p.choices or (p.kind is str and columns):
        draw = st.selectbox
        offered = list(p.choices or columns)
        more["options"] = offered if value is None or value in offered else [value, *offered]
    elif p.kind in (int, float):
        draw, more = st.number_input, _number(p, value)
    else:
        draw, store = st.text_input, typed
        value = "" if value is None else written(value) if p.kind in (dict, tuple) else value
        more["placeholder"] = _EXAMPLES.get(p.kind, "")
    default = "" if p.default is None else f"; default {written(p.default)}"
    session.widget(
        draw,
        literal(w.sentence_case(p.meaning)),
        name,
        value=value,
        store=store,
        help=f"`{p.name}`: {literal(p.allowed())}{literal(default)}.",
        **more,
    )
    refused = session.objection(name)
    if refused is not None:
        st.html(navigation.refused(refused))


def _number(p: Parameter, value: float | None) -> dict[str, Any]:
    """Bounds and step of a number field; open ends are refused by the parameter itself. One of
    whole numbers takes fractions where it has one."""
    low, high = p.bounds.low, p.bounds.high
    whole = p.kind is int and not isinstance(value, float)
    if p.fractions and not whole:
        low = 0
    kind: Callable[[float], float] = int if whole else float
    options: dict[str, Any] = {
        "min_value": kind(low) if abs(low) < _MOST else None,
        "max_value": kind(high) if abs(high) < _MOST else None,
        "step": 1 if whole else (0.05 if high <= 1 or p.fractions else 0.5),
    }
    if not whole:
        options["format"] = "%g"
    if p.optional:
        options["placeholder"] = "not set"
    return options
