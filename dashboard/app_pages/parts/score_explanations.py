"""Explanations of scores on the Query page: the contributions of documents, the headroom, the
effect of edits, and the details of a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from dashboard import session
from dashboard.address.edits_key import format_edit, read_edits
from dashboard.answers.document import find_document_card
from dashboard.answers.ledger import QueryLedger
from dashboard.answers.query import QueryPage, document_texts
from dashboard.answers.what_if import WhatIf, apply_edits
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import card_head, document_card, ledger, query, what_if, word_marks
from dashboard.session import PageContext
from dashboard.session.deferred_drawing import defer_drawing
from metrics_core.base import wording as w
from metrics_core.explaining.query_kinds import FINE, LOW
from metrics_core.explaining.what_if import Edit
from metrics_core.tables.ranked_run import judged_ranks_clause

_PARTS = {
    "terms": "Every judged document whose contribution to {measure} changed because its rank"
    " changed.",
    "shapley": "{measure} is not a sum over documents. Each part is a document's Shapley value: its"
    " average contribution over all orders of counting the relevant documents.",
    "order": "{measure} is not a sum over documents. Each part is what a document adds when the"
    " relevant documents are counted in rank order.",
}
"""Explanation of the contributions in a ledger, keyed by the method that computed them."""


def failure_kind(page: QueryPage) -> str:
    """Return the kind of failure of the query, a name for the probable cause. The result is "" if
    the query is fine, or if the kind adds nothing to the sentence about the query's documents."""
    kind = FINE if page.ledger is None else page.ledger.kind
    return "" if kind in (FINE, LOW) else kind


def show_ledger(
    page: QueryPage, query_ledger: QueryLedger, context: PageContext, grades: Mapping[float, str]
) -> None:
    """Show the contribution of each document to the difference. For a single run, these are
    contributions to its score."""
    comparison = context.comparison
    if len(query_ledger.steps) < 2:
        return  # the sentence at the top explains a single document
    about = _PARTS[query_ledger.by]
    if comparison.is_single_run and query_ledger.by == "terms":
        about = "Every judged document that counts, with its contribution to {measure}."
    section.show_heading(
        "Where the score comes from"
        if comparison.is_single_run
        else "Where the difference comes from",
        f"{about.format(measure=comparison.measure)} The parts add up exactly.",
        frame=query_ledger.documents,
        key="ledger",
    )

    def draw() -> Markup:
        return ledger.draw_ledger_rows(
            query_ledger.steps,
            query_ledger.scores,
            context.drawing,
            page.documents,
            query.query_grades(page.diagnosis, grades),
            document_link=session.make_href_function("query", "doc"),
        )

    section.show_cached("ledger", draw, query_ledger, context.drawing, tuple(grades))


def headroom_card(query_ledger: QueryLedger, context: PageContext) -> None:
    """Show a card with the headroom of the run in focus, if there is any."""
    if query_ledger.headroom is None or not query_ledger.headroom.best_score[0] > 0:
        return
    best, score = float(query_ledger.headroom.best_score[0]), float(query_ledger.headroom.score[0])
    headroom_text = (
        "" if w.format_score(best) == w.format_score(score) else w.format_score(best - score)
    )
    with make_card("room", "Headroom", headroom_text or "none"):
        if headroom_text:
            before, after = query_ledger.scores
            bar = ledger.draw_headroom_bar(query_ledger.headroom, context.drawing, after - before)
        else:
            bar = card_head.draw_card_remark(f"{w.format_score(score)} is the best possible score.")
        if bar:
            st.html(bar)


def make_card(name: str, title: str, subtitle: str = "") -> DeltaGenerator:
    """Create a card with a heading, in the column beside the lists."""
    card = st.container(key=f"side_{name}")
    with card:
        st.html(card_head.draw_card_heading(title))
        if subtitle:
            st.html(card_head.draw_summary(subtitle))
    return card


def what_if_card(page: QueryPage, query_ledger: QueryLedger, context: PageContext) -> None:
    """Show a card with the best single change to the list of the run in focus, and a link that lets
    the user edit the list."""
    if not query_ledger.by:
        return
    nameless = context.study.runs_without_doc_ids(context.comparison.pair)
    card = make_card("what_if", "What if?")
    card.html(card_head.draw_shortcut_key("W"))
    if nameless:
        reason = (
            f"{judged_ranks_clause(nameless)}, but a list can be changed only if all its"
            " documents are known."
        )
        with card:
            st.html(card_head.draw_card_remark(reason))
        return

    def show_best_edit() -> None:
        result = _apply_edits(page, context, ())
        if result is None:
            return
        change, query_id = result.best, page.diagnosis.query_id
        tried = (format_edit(change.edit),) if change else ()
        by_hand = ("Change the list", session.href("query", q=query_id, **{"try": "1"}))
        st.html(
            what_if.draw_best_edit(
                result,
                page.documents,
                session.href("query", q=query_id, what=tried),
                [by_hand],
                document_link=session.make_href_function("query", "doc"),
            )
        )

    defer_drawing(show_best_edit, card)


def _apply_edits(page: QueryPage, context: PageContext, edits: tuple[Edit, ...]) -> WhatIf | None:
    return apply_edits(context.study, context.comparison, page.diagnosis.query_id, edits)


def show_edited_list(page: QueryPage, context: PageContext, grades: Mapping[float, str]) -> bool:
    """Show the list of the run in focus after the user's edits, if the address contains edits or
    requests to edit the list. Return whether the list was shown."""
    comparison, query_id = context.comparison, page.diagnosis.query_id
    edit_keys: tuple[str, ...] = context.view.address["what"]
    edits = read_edits(edit_keys)
    result = _apply_edits(page, context, edits) if edits or context.view.address["try"] else None
    if result is None:
        return False

    def edit_link(edit: Edit) -> str:
        return session.href("query", q=query_id, what=(*edit_keys, format_edit(edit)))

    section.show_heading(
        "What if?",
        f"Move, remove or re-grade documents in {comparison.focus}’s list to see the effect."
        " Your data is not changed.",
        frame=result.scores if edits else None,
        key="what_if",
    )
    back = [("Close", session.href("query", what=(), **{"try": ""}))]
    if edits:
        st.html(what_if.draw_what_if_scores(result, context.drawing))
        back = [
            ("Undo", session.href("query", what=edit_keys[:-1], **{"try": "1"})),
            ("Undo all", session.href("query", what=(), **{"try": "1"})),
            *back,
        ]
    st.html(what_if.draw_what_if_links(back))
    st.html(
        what_if.draw_what_if_rows(
            result,
            context.drawing,
            document_texts(context.study, result.rows["doc_id"]),
            query.query_grades(page.diagnosis, grades),
            make_edit_link=edit_link,
        )
    )
    return True


def show_document_dialog(
    doc_id: str, page: QueryPage, context: PageContext, grades: Mapping[float, str]
) -> None:
    """Show the details of a document in a dialog."""
    card = find_document_card(context.study, page.diagnosis.query_id, doc_id)
    if card is None:
        return
    title = escape_markdown(card.title or card.doc_id)

    @st.dialog(title, width="large", on_dismiss=lambda: session.change_address(doc=""))
    def show_card() -> None:
        st.html(
            document_card.draw_document_card(
                card,
                replace(context.drawing, styles=context.look.select_styles(context.study.names)),
                query.query_grades(page.diagnosis, grades),
                word_marks.query_words(page.text),
            )
        )

    show_card()
