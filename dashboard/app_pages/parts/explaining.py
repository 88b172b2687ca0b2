"""Scores explained: parts of the Query page (taken apart, what if, a document) and of Breakdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.edits_key import edit_key, read_edits
from dashboard.answers.document import document
from dashboard.answers.ledger import QueryLedger
from dashboard.answers.query import QueryPage, documents_of
from dashboard.answers.what_if import what_would_be
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import card, ledger, query, what_if, words
from dashboard.session import Opened
from metrics_core.base import wording as w
from metrics_core.explaining.kinds import FINE
from metrics_core.explaining.what_if import Edit
from metrics_core.findings.sentence import Sentence, muted
from metrics_core.tables.ranked_run import as_judged_ranks

_PARTS = {
    "terms": "Every judged document whose place changed what it earns on {measure}.",
    "shapley": "{measure} is no sum over documents: a part is what a document adds on average over"
    " all orders in which the relevant ones could be counted (its Shapley value).",
    "order": "{measure} is no sum over documents: a part is what a document adds when the relevant"
    " ones are counted in the order of their ranks.",
}
"""What a part of a ledger is, by how it was found."""


def kind(shown: QueryPage) -> Sentence:
    """What kind of failure it is; nothing of a query that is fine."""
    if shown.ledger is None or shown.ledger.kind == FINE:
        return Sentence()
    return muted(f" Kind of failure: {shown.ledger.kind}.")


def ledger_part(
    shown: QueryPage, found: QueryLedger, here: Opened, grades: Mapping[float, str]
) -> None:
    """The difference document by document, or of one run the score."""
    view = here.comparison
    if found.steps.empty:
        return
    about = _PARTS[found.by]
    if view.alone and found.by == "terms":
        about = "Every judged document that counts, with what it earns on {measure}."
    section.heading(
        "Where the score comes from" if view.alone else "Where the difference comes from",
        f"{about.format(measure=view.measure)} The parts add up exactly. A click opens the"
        " document.",
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


def headroom_part(found: QueryLedger, here: Opened) -> None:
    """What the run in focus could still gain, where that is more than nothing."""
    view = here.comparison
    if found.headroom is None or not found.headroom.best[0] > 0:
        return
    best, score = float(found.headroom.best[0]), float(found.headroom.score[0])
    if w.score(best) == w.score(score):
        section.heading(
            f"What {view.focus} could still gain",
            f"Nothing: {w.score(score)} is the best that {view.measure} can reach here.",
        )
        return
    section.heading(
        f"What {view.focus} could still gain",
        f"{w.score(best - score)} below the best that can be reached on {view.measure},"
        f" {w.score(best)}: a better order, deeper results, or documents it never found?",
    )
    bar = ledger.headroom_bar(found.headroom, here.drawing)
    if bar:
        st.html(bar)


def what_if_part(shown: QueryPage, here: Opened, grades: Mapping[float, str]) -> None:
    """The list of the run in focus, to be changed by hand; closed until somebody asks for it."""
    view, query_id = here.comparison, shown.diagnosis.query_id
    asked: tuple[str, ...] = here.view.address["what"]
    edits = read_edits(asked)
    unknown = here.study.nameless((view.focus, view.baseline))
    if unknown:
        section.heading(
            "What if?",
            f"{as_judged_ranks(unknown)}, and a list can be changed only where all of it is known.",
        )
        return
    found = what_would_be(here.study, view, query_id, edits)
    if found is None:
        return

    def lead(edit: Edit) -> str:
        return session.href("query", q=query_id, what=(*asked, edit_key(edit)))

    section.heading(
        "What if?",
        f"Move, take out or grade a document of {view.focus}’s list, and every score follows."
        " Nothing of your data is changed.",
        frame=found.scores if edits else None,
        key="what_if",
    )
    if found.best:
        best = what_if.what_if_best(
            found, shown.documents, str(view.measure), lead(found.best.edit)
        )
        st.html(best)
    if not edits and not here.view.address["try"]:
        open_it = session.href("query", q=query_id, **{"try": "1"})
        st.html(what_if.what_if_links([("Change the list", open_it)]))
        return
    if edits:
        st.html(what_if.what_if_scores(found, here.drawing))
        back = [
            ("Undo", session.href("query", what=asked[:-1], **{"try": "1"})),
            ("Take all back", session.href("query", what=(), **{"try": "1"})),
        ]
    else:
        back = [("Close", session.href("query", **{"try": ""}))]
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


def card_part(doc_id: str, shown: QueryPage, here: Opened, grades: Mapping[float, str]) -> None:
    """The document that the address names, over the page."""
    found = document(here.study, shown.diagnosis.query_id, doc_id)
    if found is None:
        return
    title = literal(found.title or found.doc_id)

    @st.dialog(title, width="large", on_dismiss=lambda: session.change(doc=""))
    def opened() -> None:
        st.html(
            card.document_card(
                found,
                replace(here.drawing, styles=here.look.of(here.study.names)),
                query.grades_of(shown.diagnosis, grades),
                words.query_words(shown.text),
            )
        )

    opened()
