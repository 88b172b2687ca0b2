"""The measure picker: choose a measure by any of its names, see its explanation and set its
options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.address import measure_key
from dashboard.address.view import CUTOFFS, Comparison
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import navigation
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.measures.declaring.description import describe_measure
from metrics_core.measures.declaring.parameters import Parameter, format_parameter

_EXAMPLES: dict[type, str] = {dict: "{1:1,2:3,3:7}", tuple: "[0.2,0.5,0.8]"}

_MOST = 1e15
"""Largest bound that is passed to Streamlit's number fields. JavaScript represents all integers up
to this number exactly."""


def measure_controls(study: Study, comparison: Comparison, page: str) -> None:
    """Show the picker, the cutoff, the options and the explanation of the measure. Without
    judgments, show only the cutoff."""
    if study.is_unjudged:
        _cutoff_controls(study, comparison)
        return
    labels = {str(measure): f"{measure} · given" for measure in study.given_measures}
    if study.judged:
        labels |= {choice.name: choice.label for choice in measure_key.measure_choices()}
    session.draw_widget(
        st.selectbox,
        "Measure",
        "m",
        value=comparison.measure.declaration.name,
        store=lambda text: measure_key.pick_measure(
            text or "", comparison.cutoff, study.given_measures
        ),
        options=list(labels),
        format_func=lambda name: labels.get(name, name),
        accept_new_options=True,
        # Fuzzy search would list long names above an exact match.
        filter_mode="contains",
        help="Search by any name, or type a name with parameters: `P(rel=2)@5`, `ndcg_cut_10`.",
    )
    objection = session.widget_error("m")
    error = objection or comparison.chosen_measure.refused
    if error is not None:
        current = str(comparison.measure) if objection else ""
        st.html(
            navigation.draw_measure_error(error, current, lambda name: _measure_link(name, page))
        )
    if study.is_given(comparison.measure):
        _show_given_measure(study, comparison)
        return
    read_as = measure_key.explain_typed_name(
        str(session.last_widget_value("m") or ""), comparison.measure
    )
    if read_as:
        st.html(navigation.draw_interpretation_note(read_as))
    _cutoff_controls(study, comparison)
    text, more = _measure_explanation(comparison)
    st.html(
        navigation.draw_measure_note(
            str(comparison.measure),
            text,
            session.href("measures", measure=comparison.measure.declaration.name),
            more,
        )
    )
    _option_controls(study, comparison)


def _show_given_measure(study: Study, comparison: Comparison) -> None:
    """Explain that the scores of a given measure come from a file and are not computed. If result
    lists are loaded, also show the choice of the cutoff."""
    if study.judged:
        _cutoff_controls(study, comparison)
    direction = comparison.measure.declaration.direction
    text = f"Read from a file, not computed. {_DIRECTIONS[direction]}"
    note = navigation.draw_measure_note(str(comparison.measure), text, session.href("data"), "")
    st.html(note)


_DIRECTIONS = {
    1: "Higher is better.",
    -1: "Lower is better.",
    0: "It is not declared yet whether higher or lower is better.",
}


def _cutoff_controls(study: Study, comparison: Comparison) -> None:
    """Show the default cutoffs as buttons, and a field for any other cutoff."""
    with st.container(horizontal=True, key="cutoff", vertical_alignment="bottom"):
        session.draw_widget(
            st.segmented_control,
            "Top results counted (k)",
            "k",
            value=comparison.cutoff if comparison.cutoff in CUTOFFS else None,
            store=lambda k: {"k": str(k or comparison.cutoff)},
            options=list(CUTOFFS),
            width="content",
        )
        session.draw_widget(
            st.number_input,
            "Any other k",
            "k_typed",
            value=comparison.cutoff,
            store=lambda k: {"k": str(k or comparison.cutoff)},
            min_value=1,
            max_value=max(study.max_depth, comparison.cutoff),
            step=1,
            help=f"Any k up to {w.format_count(study.max_depth)}, the length of the longest list.",
        )


def _measure_link(name: str, page: str) -> str:
    """Return a link that opens the page with the measure `name`."""
    choice = next((c for c in measure_key.measure_choices() if c.name == name), None)
    return session.href(page, m=choice.key) if choice else ""


def _measure_explanation(comparison: Comparison) -> tuple[str, str]:
    """Return the meaning of the measure, followed by details that few users need."""
    description = describe_measure(comparison.measure.declaration)
    first, _, rest = description.more.partition(". ")
    text = f"{description.answer} {first}{'.' if rest else ''}".strip()
    if comparison.measure.cutoff is None:
        return (
            f"{text} This measure counts the whole list, so k = {comparison.cutoff} applies only to"
            " the lists shown.",
            rest,
        )
    at_k = f"first {comparison.measure.cutoff}"
    return text.replace("first k", at_k), rest.replace("first k", at_k)


def _option_controls(study: Study, comparison: Comparison) -> None:
    """Show the options of the measure: one widget for each parameter, except the cutoff."""
    declaration = comparison.measure.declaration
    cutoff = declaration.cutoff
    optional = cutoff is not None and cutoff.optional and declaration.at == "cutoff"
    parameters = measure_key.picker_parameters(comparison.chosen_measure)
    if not (parameters or optional):
        return
    with st.popover("Options", key=f"options_{declaration.name}", type="tertiary"):
        if optional:
            session.draw_widget(
                st.toggle,
                "Count the whole list, not only the top k",
                f"whole_{declaration.name}",
                value=not comparison.chosen_measure.takes_k,
                store=lambda whole: {
                    "m": measure_key.key_for_whole_list(
                        comparison.chosen_measure, comparison.cutoff, is_whole=whole
                    )
                },
            )
        for parameter in parameters:
            _option_control(study, comparison, parameter)


def _option_control(study: Study, comparison: Comparison, parameter: Parameter) -> None:
    """Show the widget of one parameter. A change of its value changes the measure in the
    address."""
    name = f"p_{comparison.measure.declaration.name}_{parameter.name}"
    value = comparison.measure.value(parameter.name)

    def store_value(new_value: Any) -> dict[str, str]:
        return {
            "m": measure_key.key_with_value(comparison.chosen_measure, parameter.name, new_value)
        }

    def store_text(text: str | None) -> dict[str, str]:
        return {
            "m": measure_key.key_with_typed_value(
                comparison.chosen_measure, parameter.name, text or ""
            )
        }

    draw: Callable[..., Any]
    more: dict[str, Any] = {}
    store: Callable[[Any], dict[str, str]] = store_value
    columns = study.document_columns
    if parameter.kind is bool:
        draw = st.toggle
    elif parameter.choices or (parameter.kind is str and columns):
        draw = st.selectbox
        choices = list(parameter.choices or columns)
        more["options"] = choices if value is None or value in choices else [value, *choices]
    elif parameter.kind in (int, float):
        draw, more = st.number_input, _number_field_options(parameter, value)
    else:
        draw, store = st.text_input, store_text
        value = (
            ""
            if value is None
            else format_parameter(value)
            if parameter.kind in (dict, tuple)
            else value
        )
        more["placeholder"] = _EXAMPLES.get(parameter.kind, "")
    default = (
        "" if parameter.default is None else f"; default {format_parameter(parameter.default)}"
    )
    session.draw_widget(
        draw,
        escape_markdown(w.sentence_case(parameter.meaning)),
        name,
        value=value,
        store=store,
        help=f"`{parameter.name}`: {escape_markdown(parameter.describe_allowed_values())}"
        f"{escape_markdown(default)}.",
        **more,
    )
    error = session.widget_error(name)
    if error is not None:
        st.html(navigation.draw_measure_error(error))


def _number_field_options(parameter: Parameter, value: float | None) -> dict[str, Any]:
    """Return the bounds and the step of a number field. If the parameter excludes a bound, the user
    can still enter this bound in the field, and the parameter then rejects it. The field of a
    whole-number parameter accepts fractions if its current value is a fraction."""
    low, high = parameter.bounds.low, parameter.bounds.high
    is_whole = parameter.kind is int and not isinstance(value, float)
    if parameter.fractions and not is_whole:
        low = 0
    kind: Callable[[float], float] = int if is_whole else float
    options: dict[str, Any] = {
        "min_value": kind(low) if abs(low) < _MOST else None,
        "max_value": kind(high) if abs(high) < _MOST else None,
        "step": 1 if is_whole else (0.05 if high <= 1 or parameter.fractions else 0.5),
    }
    if not is_whole:
        options["format"] = "%g"
    if parameter.optional:
        options["placeholder"] = "not set"
    return options
