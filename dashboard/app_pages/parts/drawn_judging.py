"""Judging of randomly drawn queries: the documents in the order to judge them, and the comparison,
which is hidden until enough queries are judged."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import session
from dashboard.answers import drawn_judging as answers
from dashboard.answers.grading import next_documents_in_queue
from dashboard.answers.judging_order import DRAWN
from dashboard.app_pages.parts import add_files, judging, section
from dashboard.drawing.blocks import layers, markup
from dashboard.drawing.figures.text import short_names
from dashboard.session import PageContext
from dashboard.session.actions.draws import (
    draw_random_queries,
    find_random_queries,
    leave_out_queries,
)
from dashboard.session.actions.grading import find_own_layer, skipped_pairs
from metrics_core.base import wording as w
from metrics_core.explaining.drawn_judging import DrawnJudgments
from metrics_core.findings.drawn_queries import (
    drawn_queries_finding,
    judged_percent_needed,
    result_note,
    result_rows,
)

_ADD_FILE = "Add judgments from a file"


def find_random_query_judgments(context: PageContext) -> DrawnJudgments | None:
    """Return the judge's progress on the queries drawn at random for the compared runs. Returns
    None if no queries are drawn."""
    draw = can_draw_random_queries(context) and find_random_queries(
        judging.random_draw_key(context)
    )
    if not draw:
        return None
    return answers.random_query_judgments(context.study, context.comparison, draw, find_own_layer())


def show_random_judging(context: PageContext) -> bool:
    """Show the documents of the randomly drawn queries, one at a time. If no queries are drawn yet,
    offer to draw some. Return whether anything was shown. Nothing is shown if the user judges in
    another order, or if queries cannot be drawn."""
    study, state = context.study, find_random_query_judgments(context)
    if study.judged and context.view.address["order"] != DRAWN:
        return False
    if state is None:
        return _offer_random_draw(context)
    queue, skipped = answers.queue_of_random_queries(state), skipped_pairs()
    st.html(markup.draw_finding(drawn_queries_finding(state), context.drawing.styles))
    with add_files.make_message_area():
        add_files.show_messages()
    n_undrawn = state.n_available - len(state.query_ids) - len(state.draw.left_out)
    key, n_more = judging.random_draw_key(context), min(answers.DRAW_SIZE, n_undrawn)
    left = answers.find_skipped_queries(queue, skipped)
    with st.container(horizontal=True, key="draw_actions"):
        if state.is_finished:
            link = session.href("overview")
            st.html(layers.draw_judging_link(link, "See Overview", "primary"), width="content")
            if n_more > 0:
                label = f"Draw {w.format_with_noun(n_more, 'more query', 'more queries')}"
                st.button(label, on_click=draw_random_queries, args=(key, n_more))
        elif left:
            label = f"Leave out {w.format_with_noun(len(left), 'skipped query', 'skipped queries')}"
            st.button(label, on_click=leave_out_queries, args=(key, left))
    graded = set(judging.query_doc_pairs(queue[queue["graded"]]))
    done = graded if left else graded | skipped  # skipped documents come again at the end
    waiting = next_documents_in_queue(study, queue, done, judging.WINDOW)
    n_behind = len(queue) - len(graded) - len(waiting)
    about = {**_describe_queue(context, state), "behind": n_behind}
    judging.show_judging_component(
        context, waiting, n_judged=len(graded), total=len(queue), queue=about
    )
    if study.judged:
        judging.show_own_layer(context, "judge", "")
    return True


def show_random_queries_card(context: PageContext) -> None:
    """Show a card that links to the page on which the user draws queries at random and judges their
    documents."""
    link, drawn = session.href("judge"), find_random_query_judgments(context)
    texts = {session.href("data"): _ADD_FILE}
    if drawn:
        text = "Draw more queries" if drawn.is_finished else "Continue with the random queries"
        texts = {link: text, **texts}
    elif can_draw_random_queries(context):
        n, steps, _ = answers.describe_random_judging(context.study, context.comparison)
        if steps:
            st.html(layers.draw_random_queries_card(n, steps, link))
    with st.container(horizontal=True):
        for to, text in texts.items():
            st.html(layers.draw_judging_link(to, text), width="content")


def can_draw_random_queries(context: PageContext) -> bool:
    """Return whether queries can be drawn at random for judging. This requires two different runs
    whose document ids are all known, and judgments that were not declared complete."""
    comparison, study = context.comparison, context.study
    pair = comparison.pair
    is_alone = comparison.is_single_run or study.runs_without_doc_ids(pair)
    return not (is_alone or study.settings.complete)


def _offer_random_draw(context: PageContext) -> bool:
    """Describe how queries are drawn at random and judged, and show the button that draws them. If
    queries cannot be drawn, show nothing. Return whether anything was shown."""
    if not can_draw_random_queries(context):
        return False
    n, steps, reasons = answers.describe_random_judging(context.study, context.comparison)
    if context.study.judged:
        st.html(
            layers.draw_judging_link(
                session.href("judge", order=""), "← Judge in another order", "back"
            )
        )
    if not steps:
        st.html(
            markup.draw_heading("There is nothing to judge", "No grade can make a difference.", {})
        )
        return True
    queries = w.format_query_count(n)
    title = f"Judge {queries} drawn at random to reach a verdict"
    st.html(markup.draw_heading(title, "Only these queries need grades.", {}))
    st.html(layers.draw_steps(steps))
    arguments = (judging.random_draw_key(context), n)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(f"Draw {queries}", on_click=draw_random_queries, args=arguments, type="primary")
        st.html(layers.draw_judging_link(session.href("data"), _ADD_FILE), width="content")
    for question, answer in reasons.items():
        section.show_heading(question, answer)
    return True


def _describe_queue(context: PageContext, state: DrawnJudgments) -> dict[str, Any]:
    """Return the labels around the document that is being judged: how many of the randomly drawn
    queries are judged, and the result on these queries so far."""
    short = short_names(context.drawing.styles, judging.LONGEST_NAME)
    counted = f"{w.format_count(state.n_counted)} of {w.format_count(len(state.query_ids))}"
    n_left = int((~state.documents["graded"]).sum())
    return {
        "progress": f"{counted} queries judged",
        "share": 100 * state.n_counted / (len(state.query_ids) or 1),
        "tick": judged_percent_needed(state),
        "counted": f"{w.format_with_noun(n_left, 'document')} left" if n_left else "",
        "nothing": "" if state.is_finished else "The other documents are skipped.",
        "order": DRAWN,
        "orders": judging.offered_orders(context),
        "blind": None,
        "title": "Result",
        "changes": [[short.get(name, name), value, value] for name, value in result_rows(state)],
        "of": result_note(state),
        "scores": {},
    }
