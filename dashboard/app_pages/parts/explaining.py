"""Scores explained: parts of the Query page (taken apart, what if, a document) and of Breakdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from dashboard import session
from dashboard.address.edits_key import edit_key, read_edits
from dashboard.answers.document import document
from dashboard.answers.ledger import QueryLedger
from dashboard.answers.query import QueryPage, documents_of
from dashboard.answers.what_if import WhatIf, what_would_be
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import card_head, document_card, ledger, query, what_if, word_marks
from dashboard.session import Opened
from dashboard.session.deferred_drawing import defer
from metrics_core.base import wording as w
from metrics_core.explaining.kinds import FINE, LOW
from metrics_core.explaining.what_if import Edit
from metrics_core.tables.ranked_run import as_judged_ranks

_PARTS = {
    "terms": "Every judged document whose rank changed its contribution to {measure}.",
    "shapley": "{measure} is not a sum over documents. Each part is a document's Shapley value: its"
    " average contribution over all orders of counting the relevant documents.",
    "order": "{measure} is not a sum over documents. Each part is what a document adds when the"
    " relevant documents are counted in rank order.",
}
"""What a part of a ledger is, by how it was found."""


def kind(shown: QueryPage) -> str:
    """What kind of failure it is, which is its likely cause; nothing of a query that is fine, and
    nothing where the kind says no more than the sentence on its documents does."""
    kind = FINE if shown.ledger is None else shown.ledger.kind
    return "" if kind in (FINE, LOW) else kind


def ledger_part(
    shown: QueryPage, found: QueryLedger, here: Opened, grades: Mapping[float, str]
) -> None:
    """The difference document by document, or of one run the score."""
    view = here.comparison
    if found.steps.empty:
        return
    about = _PARTS[found.by]
    if view.alone and found.by == "terms":
        about = "Every judged document that counts, with its contribution to {measure}."
    section.heading(
        "Where the score comes from" if view.alone else "Where the difference comes from",
        f"{about.format(measure=view.measure)} The parts add up exactly.",
        frame=found.whole,
        key="ledger",
    )

    def draw() -> Markup:
        return ledger.ledger_rows(
            found.steps,
            found.ends,
            here.drawing,
            shown.documents,
            query.grades_of(shown.diagnosis, grades),
            opened=session.hrefs("query", "doc"),
        )

    section.standing("ledger", draw, found, here.drawing, tuple(grades))


def ledger_card(shown: QueryPage, found: QueryLedger, here: Opened) -> None:
    """The largest parts of the difference, or of one run's score."""
    if found.steps.empty:
        return
    with _card("ledger", _went(found, here)):
        st.html(
            ledger.ledger_card(
                found.steps,
                found.ends,
                here.drawing,
                shown.documents,
                opened=session.hrefs("query", "doc"),
            )
        )


def _went(found: QueryLedger, here: Opened) -> str:
    """What the parts of a ledger are parts of."""
    before, after = found.ends
    size = w.score(abs(after - before))
    if here.comparison.alone:
        return f"Where the {size} comes from"
    if size == w.score(0.0):
        return "Contributions that cancel out"
    gains = (after > before) == here.comparison.measure.declaration.higher_is_better
    return f"Where the {size} {'was gained' if gains else 'was lost'}"


def room_card(found: QueryLedger, here: Opened) -> None:
    """What the run in focus could still gain, where that is more than nothing."""
    if found.headroom is None or not found.headroom.best[0] > 0:
        return
    best, score = float(found.headroom.best[0]), float(found.headroom.score[0])
    left = "" if w.score(best) == w.score(score) else w.score(best - score)
    with _card("room", "Headroom", left or "none"):
        if left:
            before, after = found.ends
            bar = ledger.headroom_bar(found.headroom, here.drawing, after - before)
        else:
            bar = card_head.remark(f"{w.score(score)} is the best possible score.")
        if bar:
            st.html(bar)


def _card(name: str, title: str, told: str = "") -> DeltaGenerator:
    """A card beside the lists, under its heading."""
    document_card = st.container(key=f"side_{name}")
    with document_card:
        st.html(card_head.head(title))
        if told:
            st.html(card_head.told(told))
    return document_card


def what_if_card(shown: QueryPage, ledger_of: QueryLedger, here: Opened) -> None:
    """The best single change of the list of the run in focus, and the way to change it by hand."""
    if not ledger_of.by:
        return
    unknown = here.study.nameless((here.comparison.focus, here.comparison.baseline))
    document_card = _card("what_if", "What if?")
    document_card.html(card_head.key("W"))
    if unknown:
        known = f"{as_judged_ranks(unknown)}; a list can be changed only if all of it is"
        with document_card:
            st.html(card_head.remark(f"{known} known."))
        return

    def best() -> None:
        found = _what_would_be(shown, here, ())
        if found is None:
            return
        change, query_id = found.best, shown.diagnosis.query_id
        tried = (edit_key(change.edit),) if change else ()
        by_hand = ("Change the list", session.href("query", q=query_id, **{"try": "1"}))
        st.html(
            what_if.what_if_best(
                found, shown.documents, session.href("query", q=query_id, what=tried), [by_hand]
            )
        )

    defer(best, document_card)


def _what_would_be(shown: QueryPage, here: Opened, edits: tuple[Edit, ...]) -> WhatIf | None:
    return what_would_be(here.study, here.comparison, shown.diagnosis.query_id, edits)


def what_if_part(shown: QueryPage, here: Opened, grades: Mapping[float, str]) -> bool:
    """The list of the run in focus, changed by hand; whether it is asked for."""
    view, query_id = here.comparison, shown.diagnosis.query_id
    asked: tuple[str, ...] = here.view.address["what"]
    edits = read_edits(asked)
    found = _what_would_be(shown, here, edits) if edits or here.view.address["try"] else None
    if found is None:
        return False

    def lead(edit: Edit) -> str:
        return session.href("query", q=query_id, what=(*asked, edit_key(edit)))

    section.heading(
        "What if?",
        f"Move, remove or re-grade documents in {view.focus}’s list to see the effect."
        " Your data is not changed.",
        frame=found.scores if edits else None,
        key="what_if",
    )
    back = [("Close", session.href("query", what=(), **{"try": ""}))]
    if edits:
        st.html(what_if.what_if_scores(found, here.drawing))
        back = [
            ("Undo", session.href("query", what=asked[:-1], **{"try": "1"})),
            ("Undo all", session.href("query", what=(), **{"try": "1"})),
            *back,
        ]
    st.html(what_if.what_if_links(back))
    st.html(
        what_if.what_if_rows(
            found,
            here.drawing,
            documents_of(here.study, found.rows["doc_id"]),
            query.grades_of(shown.diagnosis, grades),
            lead=lead,
        )
    )
    return True


def card_part(doc_id: str, shown: QueryPage, here: Opened, grades: Mapping[float, str]) -> None:
    """The document that the address names, over the page."""
    found = document(here.study, shown.diagnosis.query_id, doc_id)
    if found is None:
        return
    title = literal(found.title or found.doc_id)

    @st.dialog(title, width="large", on_dismiss=lambda: session.change(doc=""))
    def opened() -> None:
        st.html(
            document_card.document_card(
                found,
                replace(here.drawing, styles=here.look.of(here.study.names)),
                query.grades_of(shown.diagnosis, grades),
                word_marks.query_words(shown.text),
            )
        )

    opened()
