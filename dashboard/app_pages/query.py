"""Query: why did this one fail?"""

from collections.abc import Mapping

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.query_list import back_to_list
from dashboard.answers import query as answers
from dashboard.answers.queries import QueryListRequest
from dashboard.answers.query import QueryPage
from dashboard.answers.query_chips import FAILURES
from dashboard.answers.query_notes import tag_of
from dashboard.app_pages.parts import explaining, grading, judging, section
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import navigation, query, two_lists, word_marks
from dashboard.session import Opened
from dashboard.session.actions.notes import remarks
from dashboard.session.picked_queries import picked_queries
from metrics_core.base import wording as w
from metrics_core.base.digits import whole_number
from metrics_core.explaining.diagnosis import SQUARES
from metrics_core.tables.ranked_run import as_judged_ranks

_MOST_BESIDE = 2
_AFRESH = {"rows": "", "what": (), "try": "", "doc": ""}
"""What is of one query only."""

_LISTS = {
    "better": " that got better",
    "worse": " that got worse",
    "same": " that stayed the same",
    "none": " that fail with every run",
    "zero": " at zero",
    "missing": " with no results from a run",
    "fixed": " that were fixed",
    "broken": " that were broken",
    "both": " that fail with both",
    **{key: f" of type “{kind}”" for key, kind in FAILURES.items()},
}


def render() -> None:
    """The query, one sentence, the lists, and what is missing from them; beside it where the
    difference went and what can be done; below it every run and every part."""
    here = session.opened_study()
    view, asked = here.comparison, here.view.address
    came_from = QueryListRequest(
        asked["list"],
        asked["search"],
        asked["sort"],
        asked["line"],
        picked_queries(asked["among"]),
        remarks=remarks(),
    )
    beside = _beside(here)
    rows = _rows(asked["rows"], several=bool(beside))
    shown = answers.query(here.study, view, asked["q"], came_from, rows)
    found = shown.diagnosis
    # Tints follow the grades of the whole collection, so that a 2 looks alike on every query.
    grades = dict.fromkeys(here.study.grades, "")
    _steps(shown, here)
    st.html(
        query.query_head(shown.text, found.query_id, shown.metadata, explaining.kind(shown))
        + query.explanation(shown.explanation, here.drawing.styles)
    )
    with st.container(key=f"query_board{'_wide' if len(beside) > 1 else ''}"):
        with st.container(key="query_lists"):
            explaining.what_if_part(shown, here, grades)
            _lists(shown, here, grades, beside, rows)
            _missed(shown, here, grades)
        with st.container(key="query_side"):
            if shown.ledger is not None:
                explaining.ledger_card(shown, shown.ledger, here)
                explaining.room_card(shown.ledger, here)
                explaining.what_if_card(shown, shown.ledger, here)
            judging.query_part(here, found.query_id)
            grading.notes_part(found.query_id)
        with st.container(key="query_evidence"):
            _standings(shown, here, grades)
            if shown.ledger is not None:
                explaining.ledger_part(shown, shown.ledger, here, grades)
    if asked["doc"]:
        explaining.card_part(asked["doc"], shown, here, grades)


def _lists(
    shown: QueryPage, here: Opened, grades: Mapping[float, str], beside: list[str], rows: int
) -> None:
    """The lists side by side, and the ways to more of them."""
    found, drawing, view = shown.diagnosis, here.drawing, here.comparison
    unknown = here.study.nameless(view.runs)
    note = f"{as_judged_ranks(unknown)}: only judged documents are known." if unknown else ""

    def lists() -> Markup:
        return two_lists.two_lists(
            found,
            drawing,
            shown.documents,
            word_marks.query_words(shown.text),
            grades,
            further=beside,
            rows=rows,
            note=note,
        )

    section.standing("lists", lists, found, drawing, tuple(grades))
    others = _others(here)
    further: tuple[str, str] | None = None
    if beside:
        further = ("Only the two compared", session.href("query", beside=()))
    elif others:
        further = ("3 runs side by side", session.href("query", beside=(others[0],)))
    with st.container(horizontal=True, key="head_lists", vertical_alignment="bottom"):
        st.html(
            two_lists.ways(
                rows,
                max(found.length(run) for run in (view.baseline, view.focus, *beside)),
                view.cutoff,
                two_lists.FIRST_OF_SEVERAL if beside else two_lists.FIRST,
                unfolded=lambda n: session.href("query", rows=str(n)),
                beside=further,
            )
        )
        section.csv_link("The lists", shown.lists, "lists")
    if beside and len(others) > 1:
        session.widget(
            st.pills,
            "Also side by side",
            "beside",
            value=beside,
            store=lambda runs: {"beside": tuple(runs[-_MOST_BESIDE:])},
            options=others,
            selection_mode="multi",
            format_func=literal,
        )


def _missed(shown: QueryPage, here: Opened, grades: Mapping[float, str]) -> None:
    """The relevant documents that are not in the top of the run in focus."""
    view, study = here.comparison, here.study
    found, styles = shown.diagnosis, here.drawing.styles
    k = w.count(view.cutoff)
    lacking = sum(not rank <= view.cutoff for rank in found.missed[f"rank: {view.focus}"])
    relevant = section.counted(found.n_relevant, "relevant document", "relevant documents")
    section.heading(
        f"Relevant, but not in the top {k} of {view.focus}",
        f"{w.count(lacking)} of {relevant}; {w.count(found.n_judged)} judged. Rank in"
        f" each run; a dash means not in the top {w.count(study.deepest)}.",
        frame=found.missed,
        key="missed",
    )
    section.standing(
        "missed",
        lambda: query.missed(found, shown.documents, styles, study.deepest, grades),
        *(found, here.drawing, tuple(grades), study.deepest),
    )


def _standings(shown: QueryPage, here: Opened, grades: Mapping[float, str]) -> None:
    """Every shown run on the query."""
    found, drawing = shown.diagnosis, here.drawing
    section.heading(
        "Every run on this query",
        f"One square per rank, 1 to {SQUARES}. The line marks k = {w.count(found.cutoff)}.",
    )
    section.standing(
        "standings",
        lambda: query.standings(found, drawing.styles, grades),
        *(found, drawing, tuple(grades)),
    )


def _others(here: Opened) -> list[str]:
    """The shown runs that are not compared."""
    view = here.comparison
    return [run for run in view.runs if run not in (view.focus, view.baseline)]


def _beside(here: Opened) -> list[str]:
    """The lists that are shown beside those of the two compared runs, by choice."""
    others = _others(here)
    return [run for run in here.view.address["beside"] if run in others][:_MOST_BESIDE]


def _rows(asked: str, *, several: bool) -> int:
    """How many rows of the lists are shown; few where the address has no number."""
    first = two_lists.FIRST_OF_SEVERAL if several else two_lists.FIRST
    return max(whole_number(asked) or 0, first)


def _steps(shown: QueryPage, here: Opened) -> None:
    asked = here.view.address

    def link(query_id: str | None) -> str | None:
        return None if query_id is None else session.href("query", q=query_id, **_AFRESH)

    if shown.position is None:
        place = f"not among the {section.counted(shown.listed, 'query', 'queries')} in view"
    else:
        searched = f" with “{asked['search']}”" if asked["search"] else ""
        tag = tag_of(asked["list"])
        kind = f" tagged “{tag}”" if tag else _LISTS.get(asked["list"], "")
        noun = "" if kind else f" {w.plural(shown.listed, 'query', 'queries')}"
        place = f"{w.count(shown.position + 1)} of {w.count(shown.listed)}{noun}{kind}{searched}"
    back = session.href("queries", **back_to_list(asked))
    st.html(navigation.steps(link(shown.previous), link(shown.following), place, back))


if __name__ == "__main__":
    render()
