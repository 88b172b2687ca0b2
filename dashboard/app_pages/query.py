"""Query: why did this one fail?"""

import streamlit as st

from dashboard import answers, judging, parts, session
from dashboard.address.address import Field
from dashboard.answers import QueryPage
from dashboard.blocks import navigation, query, two_lists, words
from dashboard.page import Page
from dashboard.session import Opened
from metrics_core import wording as w
from metrics_core.explaining.diagnosis import SQUARES

_CHIP = 32

_LISTS = {
    "better": " that got better",
    "worse": " that got worse",
    "same": " that stayed the same",
    "none": " that fail with every run",
    "zero": " at zero",
    "missing": " that a run lacks",
}


PAGE = Page(
    "query",
    "Query",
    place=7,
    # `list`, `search` and `sort` say which list the reader came from; the page of the queries has
    # its own, which stays as it was.
    fields=(Field("q"), Field("list"), Field("search"), Field("sort"), Field("rows")),
)


def render() -> None:
    """The query, one explanation, the ranks, the lists, and what is missing from them."""
    here = session.opened_study()
    view, styles, asked = here.comparison, here.drawing.styles, here.view.address
    study = here.study
    came_from = answers.Asked(asked["list"], asked["search"], asked["sort"])
    shown = answers.query(study, view, asked["q"], came_from)
    found = shown.diagnosis
    _steps(shown, here)
    known = f"{w.count(found.n_relevant)} relevant of {w.count(found.n_judged)} judged documents"
    short = [v for v in shown.metadata.values() if len(v) <= _CHIP]
    chips = [*short[:4], f"query {found.query_id}", known]
    long = {name: v for name, v in shown.metadata.items() if len(v) > _CHIP}
    st.html(
        query.query_head(shown.text, chips)
        + query.details(long)
        + query.explanation(shown.explanation, styles)
    )
    parts.heading(
        "Scores and where the relevant documents stand",
        f"One square per rank, 1 to {SQUARES}. The line marks k = {view.cutoff}.",
    )
    # Tints follow the grades of the whole collection, so that a 2 looks alike on every query.
    grades = dict.fromkeys(study.grades, "")
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
    judging.query_part(here, found.query_id)
    judging.notes_part(found.query_id)


def _rows(asked: str) -> int:
    """How many rows of the two lists are shown; a hundred where the address has no number."""
    return (
        max(int(asked), two_lists.STEP) if asked.isascii() and asked.isdigit() else two_lists.STEP
    )


def _steps(shown: QueryPage, here: Opened) -> None:
    asked = here.view.address

    def link(query_id: str | None) -> str | None:
        return None if query_id is None else session.href("query", q=query_id, rows="")

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
