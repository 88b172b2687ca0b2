"""The given scores and the answers of one query, on the Query page."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from dashboard.answers.given_query import GivenQuery, given_query
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import answers, card_head, robustness_checks
from dashboard.drawing.blocks.robustness_checks import Cell
from dashboard.drawing.blocks.table import Column
from dashboard.session import PageContext
from metrics_core.base import wording as w


def show_answers(context: PageContext, query_id: str) -> None:
    """Show the answers of the compared runs, if a file contains answers."""
    query = given_query(context.study, context.comparison, query_id)
    if query.answers:
        st.html(answers.draw_answers(query.answers, context.drawing))


def show_scores(context: PageContext, query_id: str) -> None:
    """Show the score of every shown run on every measure, and the reason why there are no
    contributions of documents."""
    query = given_query(context.study, context.comparison, query_id)
    section.show_heading("Scores", "", frame=query.scores, key="given_scores")
    st.html(_draw_scores(query))
    if not context.study.is_computed(context.comparison.measure):
        text = "Scores from a file have no ranks, so contributions and what-if are not available."
        if context.study.judged:
            text += " To see them, choose a computed measure."
        st.html(card_head.draw_card_remark(text))


def _draw_scores(query: GivenQuery) -> Markup:
    heads = [Column("Measure"), *(Column(run, "number") for run in query.scores.columns)]
    rows = [
        [Cell(str(name)), *map(Cell, w.format_column(row, are_counts=False))]
        for name, row in zip(query.scores.index, query.scores.to_numpy(), strict=True)
    ]
    return robustness_checks.draw_table(heads, rows, "Scores of this query")
