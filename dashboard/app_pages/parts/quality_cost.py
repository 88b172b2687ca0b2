"""The chart of quality against cost, on the Overview."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.answers.quality_cost import quality_cost, quality_cost_in_words
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import markup
from dashboard.drawing.drawing_cache import draw_figure_cached
from dashboard.drawing.figures.quality_cost import quality_against_cost
from dashboard.session import PageContext
from dashboard.session.deferred_drawing import defer_drawing
from metrics_core.base import wording as w

_CHART, _WORDS = 62, 38
"""Relative widths of the chart and the sentences."""


def _store_choice(field: str, name: str) -> dict[str, Any]:
    return {field: name}


def show_quality_cost(context: PageContext) -> None:
    """If there is a measure of cost, show a chart of the runs in view by quality and by cost, and
    sentences about it. The user can change both measures."""
    comparison, address = context.comparison, context.view.address
    answer = quality_cost(context.study, comparison, address["quality"], address["cost"])
    if answer is None:
        return
    level = w.format_share(comparison.method.level)
    names = {"quality": str(answer.quality), "cost": str(answer.cost)}
    section.show_heading(
        "Quality against cost",
        f"Crosses: {level} intervals of the means. The line joins the best mean at each cost. For"
        " each run off the line, another run is at least as good on both measures. The text beside"
        " the chart compares means, corrected for all pairs of runs.",
        frame=answer.frame,
        key="quality_cost",
    )
    with st.container(key="quality_cost_axes", horizontal=True, vertical_alignment="center"):
        for field, name in names.items():
            session.draw_widget(
                st.selectbox,
                field.capitalize(),
                field,
                value=name,
                store=partial(_store_choice, field),
                options=answer.choices,
                label_visibility="collapsed",
                width=150,
            )
            if field == "quality":
                st.markdown("against", width="content")
    chart, words = st.columns([_CHART, _WORDS], gap="medium")
    best = w.join_words(answer.frame.loc[answer.frame["best"], "run"].tolist())
    title = f"{answer.quality} against {answer.cost}"
    with chart:
        clicked = section.show_chart(
            draw_figure_cached(
                quality_against_cost, answer.frame, context.drawing, answer.quality, answer.cost
            ),
            "quality_cost",
            alt=f"{title}. On the line: {best}.",
            caption=section.make_caption(title, section.INTERVALS, runs=comparison.runs),
        )
    with words, st.container(key="quality_cost_words"):
        placeholder = st.empty()

    def show_sentences() -> None:
        sentences = quality_cost_in_words(context.study, comparison, answer)
        blocks = (markup.draw_subtitle(s, context.drawing.styles) for s in sentences)
        placeholder.html(Markup().join(blocks) or Markup("<span></span>"))

    defer_drawing(show_sentences, placeholder)
    if clicked:
        run = clicked[0] if isinstance(clicked, list) else clicked
        session.goto("overview", **context.view.address_changes_to_compare(str(run)))
