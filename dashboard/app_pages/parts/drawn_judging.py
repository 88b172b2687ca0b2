"""Judging of randomly drawn queries: the documents in the order to judge them, and the comparison,
which is hidden until enough queries are judged."""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st

from dashboard.answers import drawn_judging as answers
from dashboard.answers.grading import first_undone_in_queue
from dashboard.answers.judging_order import DRAWN
from dashboard.app_pages.parts import add_files, judging
from dashboard.drawing.blocks import layers, markup
from dashboard.drawing.figures.text import short_names
from dashboard.session import PageContext
from dashboard.session.actions.draws import draw_queries, find_draw
from dashboard.session.actions.grading import find_own_layer, skipped_pairs
from metrics_core.base import wording as w
from metrics_core.explaining.drawn_judging import DrawnJudgments
from metrics_core.findings.drawn_queries import drawn_queries_finding, opening_share, result_rows


def find_drawn_judgments(context: PageContext) -> tuple[DrawnJudgments, str] | None:
    """Return how far the judge has judged the queries drawn for the compared runs, and the day on
    which they were drawn. Returns None if no queries are drawn."""
    found_draw = find_draw(judging.draw_target(context)) if _has_two_lists(context) else None
    if found_draw is None:
        return None
    draw, date = found_draw
    layer = find_own_layer()
    return answers.judge_drawn_queries(context.study, context.comparison, draw, layer), date


def show_drawn_answer(context: PageContext, state: DrawnJudgments, date: str) -> None:
    """Show the result on the drawn queries. As long as too few of them are judged for a comparison,
    show what remains to be judged instead."""
    finding, styles = drawn_queries_finding(state, date), context.drawing.styles
    badge = markup.Badge(finding.badge, finding.tone) if finding.badge else None
    st.html(markup.draw_answer(finding.title, finding.lead, styles, badge=badge))


def show_open_comparison(context: PageContext) -> bool:
    """Show the result on the drawn queries, and return True. If no queries are drawn, or too few of
    them are judged for a comparison, show nothing and return False."""
    drawn = find_drawn_judgments(context)
    if drawn is None or not drawn[0].is_open:
        return False
    show_drawn_answer(context, *drawn)
    return True


def show_drawn_queue(context: PageContext) -> bool:
    """Show the documents of the drawn queries, one at a time, and return True. If no queries are
    drawn, or if the user judges in another order, show nothing and return False."""
    drawn, is_only_order = find_drawn_judgments(context), not context.study.judged
    if drawn is None or (context.view.address["order"] != DRAWN and not is_only_order):
        return False
    state, queue = drawn[0], answers.drawn_queue(drawn[0])
    show_drawn_answer(context, *drawn)
    with add_files.make_message_area():
        add_files.show_messages()
    graded = set(judging.find_pairs(queue[queue["graded"]]))
    waiting = queue.head(0)
    for done in (graded | skipped_pairs(), graded):  # skipped documents come again at the end
        if waiting.empty:
            waiting = first_undone_in_queue(context.study, queue, done, judging.WINDOW)
    n_behind = len(queue) - len(graded) - len(waiting)
    about = {**_describe_queue(context, state), "behind": n_behind}
    total = len(queue)
    judging.show_keys(context, waiting, judged_count=len(graded), total=total, queue=about)
    with st.container(key="draw_more"):
        if context.study.judged:
            judging.show_own_layer(context, "judge", "")
        if n_more := min(answers.DRAW_SIZE, state.n_available - len(state.query_ids)):
            _show_draw_button(context, f"Draw {w.format_count(n_more)} more queries", n_more)
    return True


def show_draw_card(context: PageContext, link: str = "") -> None:
    """Offer to draw queries at random. If queries are already drawn, show only the `link` to
    judging them, if there is one. If the lists cannot be judged, show nothing. `link` leads from
    another page to the page on which queries are drawn and judged."""
    study = context.study
    if study.settings.complete or not _has_two_lists(context):
        return
    if find_draw(judging.draw_target(context)):
        if link:
            st.html(layers.draw_judging_link(link, "Keep judging the random queries"))
        return
    n, text = answers.describe_new_draw(study, context.comparison)
    is_alone = not (link or study.judged)
    with st.container(key="draw_alone" if is_alone else "draw_offer" if link else "draw_card"):
        if is_alone:
            st.html(markup.draw_answer("Which list is right?", text, context.drawing.styles))
        else:
            st.html(layers.draw_card_of_draw(n, text, link))
        if not link:
            _show_draw_button(context, f"Draw {w.format_count(n)} queries", n, is_primary=is_alone)


def _has_two_lists(context: PageContext) -> bool:
    """Return whether two different runs are compared and all their document ids are known."""
    comparison, study = context.comparison, context.study
    pair = comparison.focus, comparison.baseline
    return not (comparison.is_alone or study.runs_without_doc_ids(pair))


def _show_draw_button(
    context: PageContext, label: str, n: int, *, is_primary: bool = False
) -> None:
    kind: Literal["primary", "secondary"] = "primary" if is_primary else "secondary"
    st.button(label, on_click=draw_queries, args=(judging.draw_target(context), n), type=kind)


def _describe_queue(context: PageContext, state: DrawnJudgments) -> dict[str, Any]:
    """Return the labels around the document that is being judged: the progress in queries, and the
    result on the drawn queries so far."""
    n, short = len(state.query_ids), short_names(context.drawing.styles, judging.LONGEST_NAME)
    counts = w.format_count(int(state.documents["graded"].sum())), len(state.documents)
    counted = f"{w.format_count(state.n_counted)} of {w.format_count(n)}"
    return {
        "progress": f"{counted} drawn queries judged",
        "share": 100 * state.n_counted / n,
        "tick": opening_share(state),
        "counted": f"{counts[0]} of {w.format_count(counts[1])} documents",
        "order": DRAWN,
        "orders": judging.offered_orders(context),
        "blind": None,
        "title": "Result on the randomly drawn queries",
        "changes": [[short.get(name, name), value, value] for name, value in result_rows(state)],
        "of": f"{state.measure}, {short[state.run]} minus {short[state.baseline]}",
        "scores": {},
    }
