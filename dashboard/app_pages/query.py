"""Query: why did this one fail?"""

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.answers import query as answers
from dashboard.answers.queries import Asked
from dashboard.answers.query import QueryPage
from dashboard.answers.query_chips import FAILURES
from dashboard.answers.remarks import tag_of
from dashboard.app_pages.parts import explaining, grading, section
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import navigation, query, two_lists, words
from dashboard.session import Opened
from dashboard.session.actions.notes import remarks
from dashboard.session.deferred import defer
from dashboard.session.picked import picked_queries
from metrics_core.base import wording as w
from metrics_core.explaining.diagnosis import SQUARES
from metrics_core.tables.ranked_run import as_judged_ranks

_CHIP = 32
_MOST_BESIDE = 2
_AFRESH = {"rows": "", "what": (), "try": "", "doc": ""}
"""What is of one query only."""

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


def render() -> None:
    """The query, one explanation, the ranks, the lists, and what is missing from them."""
    here = session.opened_study()
    view, styles, asked = here.comparison, here.drawing.styles, here.view.address
    study = here.study
    came_from = Asked(
        asked["list"],
        asked["search"],
        asked["sort"],
        asked["line"],
        picked_queries(asked["among"]),
        remarks=remarks(),
    )
    shown = answers.query(study, view, asked["q"], came_from)
    found = shown.diagnosis
    # Tints follow the grades of the whole collection, so that a 2 looks alike on every query.
    grades = dict.fromkeys(study.grades, "")
    _steps(shown, here)
    judged = section.counted(found.n_judged, "judged document", "judged documents")
    known = f"{w.count(found.n_relevant)} relevant of {judged}"
    short = [v for v in shown.metadata.values() if len(v) <= _CHIP]
    chips = [*short[:4], f"query {found.query_id}", known]
    long = {name: v for name, v in shown.metadata.items() if len(v) > _CHIP}
    st.html(
        query.query_head(shown.text, chips)
        + query.details(long)
        + query.explanation(shown.explanation + explaining.kind(shown), styles)
    )
    if shown.ledger is not None:
        explaining.ledger_part(shown, shown.ledger, here, grades)
        explaining.headroom_part(shown.ledger, here)
        defer(lambda: explaining.what_if_part(shown, here, grades))
    section.heading(
        "Scores and where the relevant documents stand",
        f"One square per rank, 1 to {SQUARES}. The line marks k = {view.cutoff}.",
    )
    drawing, known_grades = here.drawing, tuple(grades)
    section.standing(
        "standings", lambda: query.standings(found, styles, grades), found, drawing, known_grades
    )
    joined = (
        "A line joins the same document in two lists: thick if it is relevant, coloured by whether"
        " it rose or fell. "
    )
    unknown = study.nameless(view.runs)
    known_only = f" {as_judged_ranks(unknown)}: only judged documents are known." if unknown else ""
    section.heading(
        "The list" if view.alone else "The lists side by side",
        f"{'' if view.alone else joined}Query words are marked. A click on a document opens its"
        f" text.{known_only}",
        frame=shown.lists,
        key="lists",
    )
    further = _beside(here)

    def lists() -> Markup:
        return two_lists.two_lists(
            found,
            drawing,
            shown.documents,
            words.query_words(shown.text),
            grades,
            further=further,
            rows=_rows(asked["rows"]),
            unfolded=lambda rows: session.href("query", rows=str(rows)),
        )

    section.standing("lists", lists, found, drawing, known_grades)
    section.heading(
        f"Relevant documents that a top {view.cutoff} misses",
        f"Rank in each run; a dash means not among the first {w.count(study.deepest)}."
        f"{' A click on a document opens its text.' if study.documents is not None else ''}",
        frame=found.missed,
        key="missed",
    )
    section.standing(
        "missed",
        lambda: query.missed(found, shown.documents, styles, study.deepest, grades),
        *(found, drawing, known_grades, study.deepest),
    )
    defer(lambda: grading.query_part(here, found.query_id))
    grading.notes_part(found.query_id)
    if asked["doc"]:
        explaining.card_part(asked["doc"], shown, here, grades)


def _beside(here: Opened) -> list[str]:
    """The lists that are shown beside those of the two compared runs, by choice."""
    view = here.comparison
    others = [run for run in view.runs if run not in (view.focus, view.baseline)]
    chosen = [run for run in here.view.address["beside"] if run in others][:_MOST_BESIDE]
    if others:
        session.widget(
            st.pills,
            "Also side by side",
            "beside",
            value=chosen,
            store=lambda runs: {"beside": tuple(runs[-_MOST_BESIDE:])},
            options=others,
            selection_mode="multi",
            format_func=literal,
        )
    return chosen


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
        place = f"not among the {section.counted(shown.listed, 'query', 'queries')} in view"
    else:
        searched = f" with “{asked['search']}”" if asked["search"] else ""
        tag = tag_of(asked["list"])
        kind = f" tagged “{tag}”" if tag else _LISTS.get(asked["list"], "")
        noun = "" if kind else f" {w.plural(shown.listed, 'query', 'queries')}"
        place = f"{w.count(shown.position + 1)} of {w.count(shown.listed)}{noun}{kind}{searched}"
    st.html(navigation.steps(link(shown.previous), link(shown.following), place))


if __name__ == "__main__":
    render()
