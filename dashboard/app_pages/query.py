"""Query: why did this one fail?"""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from dashboard import answers, parts, session
from dashboard.address.address import Field
from dashboard.address.edits_key import edit_key, read_edits
from dashboard.address.query_list import CAME_FROM
from dashboard.answers import QueryPage
from dashboard.answers.ledger import QueryLedger
from dashboard.answers.query_chips import FAILURES
from dashboard.blocks import card, ledger, navigation, query, two_lists, what_if, words
from dashboard.literal import literal
from dashboard.page import Page
from dashboard.session import Opened
from metrics_core import wording as w
from metrics_core.explaining.diagnosis import SQUARES
from metrics_core.explaining.kinds import FINE
from metrics_core.explaining.what_if import Edit
from metrics_core.findings.sentence import Sentence, muted

_CHIP = 32
_AFRESH = {"rows": "", "what": (), "try": "", "doc": ""}
"""What is of one query only."""

_PARTS = {
    "terms": "Every judged document whose place changed what it earns on {measure}.",
    "shapley": "{measure} is no sum over documents: a part is what a document adds on average over"
    " all orders in which the relevant ones could be counted (its Shapley value).",
    "order": "{measure} is no sum over documents: a part is what a document adds when the relevant"
    " ones are counted in the order of their ranks.",
}
"""What a part of a ledger is, by how it was found."""

_LISTS = {
    "better": " that got better",
    "worse": " that got worse",
    "same": " that stayed the same",
    "none": " that fail with every run",
    "zero": " at zero",
    "missing": " that a run lacks",
    "fixed": " that were fixed",
    "broken": " that were broken",
    "both": " that fail with both",
    **{key: f" of the kind “{kind}”" for key, kind in FAILURES.items()},
}


PAGE = Page(
    "query",
    "Query",
    place=7,
    fields=(
        Field("q"),
        *CAME_FROM,
        Field("rows"),
        Field("doc", lasting=False),
        Field("what", "several", lasting=False),
        Field("try", lasting=False),
    ),
)


def render() -> None:
    """The query, one explanation, the ranks, the lists, and what is missing from them."""
    here = session.opened_study()
    view, styles, asked = here.comparison, here.drawing.styles, here.view.address
    study = here.study
    came_from = answers.Asked(
        asked["list"], asked["search"], asked["sort"], asked["line"], session.picked(asked["among"])
    )
    shown = answers.query(study, view, asked["q"], came_from)
    found = shown.diagnosis
    # Tints follow the grades of the whole collection, so that a 2 looks alike on every query.
    grades = dict.fromkeys(study.grades, "")
    _steps(shown, here)
    known = f"{w.count(found.n_relevant)} relevant of {w.count(found.n_judged)} judged documents"
    short = [v for v in shown.metadata.values() if len(v) <= _CHIP]
    chips = [*short[:4], f"query {found.query_id}", known]
    long = {name: v for name, v in shown.metadata.items() if len(v) > _CHIP}
    st.html(
        query.query_head(shown.text, chips)
        + query.details(long)
        + query.explanation(shown.explanation + _kind(shown), styles)
    )
    if shown.ledger is not None:
        _ledger(shown, shown.ledger, here, grades)
        _headroom(shown.ledger, here)
        _what_if(shown, here, grades)
    parts.heading(
        "Scores and where the relevant documents stand",
        f"One square per rank, 1 to {SQUARES}. The line marks k = {view.cutoff}.",
    )
    st.html(query.standings(found, styles, grades))
    parts.heading(
        "The two lists" if not view.alone else "The list",
        "A line joins the same document in both lists: thick if it is relevant, coloured by whether"
        " it rose or fell. Query words are marked. A click on a document opens its text.",
        frame=shown.lists,
        key="lists",
    )
    marked = words.query_words(shown.text)
    st.html(
        two_lists.two_lists(
            found,
            here.drawing,
            shown.documents,
            marked,
            grades,
            rows=_rows(asked["rows"]),
            unfolded=lambda rows: session.href("query", rows=str(rows)),
        )
    )
    parts.heading(
        f"Relevant documents that a top {view.cutoff} misses",
        f"Rank in each run; a dash means not among the first {w.count(study.deepest)}."
        f"{' A click on a document opens its text.' if study.documents is not None else ''}",
        frame=found.missed,
        key="missed",
    )
    st.html(query.missed(found, shown.documents, styles, study.deepest, grades))
    if asked["doc"]:
        _card(asked["doc"], shown, here, grades)


def _kind(shown: QueryPage) -> Sentence:
    """What kind of failure it is; nothing of a query that is fine."""
    if shown.ledger is None or shown.ledger.kind == FINE:
        return Sentence()
    return muted(f" Kind of failure: {shown.ledger.kind}.")


def _ledger(
    shown: QueryPage, found: QueryLedger, here: Opened, grades: Mapping[float, str]
) -> None:
    """The difference document by document, or of one run the score."""
    view = here.comparison
    if found.steps.empty:
        return
    parts.heading(
        "Where the score comes from" if view.alone else "Where the difference comes from",
        f"{_PARTS[found.by].format(measure=view.measure)} The parts add up exactly. A click opens"
        " the document.",
        frame=found.whole,
        key="ledger",
    )
    st.html(
        ledger.ledger_rows(
            found.steps,
            found.ends,
            here.drawing,
            shown.documents,
            query.grades_of(shown.diagnosis, grades),
            opened=session.hrefs("query", "doc"),
        )
    )


def _headroom(found: QueryLedger, here: Opened) -> None:
    """What the run in focus could still gain, where that is more than nothing."""
    view = here.comparison
    if found.headroom is None or not found.headroom.best[0] > 0:
        return
    best, score = float(found.headroom.best[0]), float(found.headroom.score[0])
    if w.score(best) == w.score(score):
        parts.heading(
            f"What {view.focus} could still gain",
            f"Nothing: {w.score(score)} is the best that {view.measure} can reach here.",
        )
        return
    parts.heading(
        f"What {view.focus} could still gain",
        f"{w.score(best - score)} below the best that can be reached on {view.measure},"
        f" {w.score(best)}: a better order, deeper results, or documents it never found?",
    )
    st.html(ledger.headroom_bar(found.headroom, here.drawing))


def _what_if(shown: QueryPage, here: Opened, grades: Mapping[float, str]) -> None:
    """The list of the run in focus, to be changed by hand; closed until somebody asks for it."""
    view, query_id = here.comparison, shown.diagnosis.query_id
    asked: tuple[str, ...] = here.view.address["what"]
    edits = read_edits(asked)
    found = answers.what_would_be(here.study, view, query_id, edits)
    if found is None:
        return

    def lead(edit: Edit) -> str:
        return session.href("query", q=query_id, what=(*asked, edit_key(edit)))

    parts.heading(
        "What if?",
        f"Move, take out or grade a document of {view.focus}’s list, and every score follows."
        " Nothing of your data is changed.",
        frame=found.scores if edits else None,
        key="what_if",
    )
    if not edits:
        best = lead(found.best.edit) if found.best else ""
        st.html(what_if.what_if_best(found, str(view.measure), best))
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
            answers.documents_of(here.study, found.rows["doc_id"]),
            query.grades_of(shown.diagnosis, grades),
            lead=lead,
        )
    )


def _card(doc_id: str, shown: QueryPage, here: Opened, grades: Mapping[float, str]) -> None:
    """The document that the address names, over the page."""
    found = answers.document(here.study, shown.diagnosis.query_id, doc_id)
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


def _rows(asked: str) -> int:
    """How many rows of the two lists are shown; a hundred where the address has no number."""
    return (
        max(int(asked), two_lists.STEP) if asked.isascii() and asked.isdigit() else two_lists.STEP
    )


def _steps(shown: QueryPage, here: Opened) -> None:
    asked = here.view.address

    def link(query_id: str | None) -> str | None:
        return None if query_id is None else session.href("query", q=query_id, **_AFRESH)

    if shown.position is None:
        place = f"not among the {w.count(shown.listed)} queries in view"
    else:
        searched = f" with “{asked['search']}”" if asked["search"] else ""
        kind = _LISTS.get(asked["list"], "")
        noun = "" if kind else f" {w.plural(shown.listed, 'query', 'queries')}"
        place = f"{w.count(shown.position + 1)} of {w.count(shown.listed)}{noun}{kind}{searched}"
    st.html(navigation.steps(link(shown.previous), link(shown.following), place))


if __name__ == "__main__":
    render()
