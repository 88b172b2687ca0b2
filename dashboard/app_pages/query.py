"""Query page: one query, and what causes its scores."""

from collections.abc import Mapping

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.query_list import fields_for_queries_page
from dashboard.answers import query as answers
from dashboard.answers.grading import grade_descriptions
from dashboard.answers.queries import QueryListRequest
from dashboard.answers.query import QueryPage, QueryPosition
from dashboard.answers.query_chips import FAILURES
from dashboard.answers.query_notes import tag_name
from dashboard.app_pages.parts import (
    given_query,
    grading,
    judging,
    list_changes,
    score_explanations,
    section,
)
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import navigation, query, two_lists, word_marks
from dashboard.drawing.blocks.markup import shorten_run_names
from dashboard.session import PageContext
from dashboard.session.actions.notes import current_remarks
from dashboard.session.picked_queries import ids_in_selection
from metrics_core.base import wording as w
from metrics_core.base.digits import parse_whole_number
from metrics_core.explaining.diagnosis import SQUARES
from metrics_core.tables.ranked_run import judged_ranks_clause

_MOST_BESIDE = 2
_CLEARED = {"rows": "", "what": (), "try": "", "doc": ""}
"""Empty values of the address fields that apply only to the present query."""

_LISTS = {
    "better": " that got better",
    "worse": " that got worse",
    "same": " that stayed the same",
    "none": " that score 0 with every run",
    "zero": " at zero",
    "missing": " with no results from a run",
    "fixed": " that were fixed",
    "broken": " that were broken",
    "both": " that fail with both runs",
    **{key: f" of type “{kind}”" for key, kind in FAILURES.items()},
}


def render() -> None:
    """Show the query and one sentence about it.

    Below are the result lists and the relevant documents that they miss, with the contributions and
    the actions beside them. The ranks in every run and all contributions come last."""
    context = session.study_context()
    comparison, address = context.comparison, context.view.address
    request = QueryListRequest(
        address["list"],
        address["search"],
        address["sort"],
        address["line"],
        ids_in_selection(address["among"]),
        remarks=current_remarks(),
    )
    if not context.study.runs:
        _show_scores_only(context, request)
        return
    runs_beside = _runs_chosen_beside_pair(context)
    rows = _parse_row_count(address["rows"], has_several_lists=bool(runs_beside))
    page = answers.query_page(context.study, comparison, address["q"], request, rows)
    diagnosis = page.diagnosis
    aligned_rows = diagnosis.align_rankings(*comparison.pair, rows)
    if context.study.is_unjudged and all(row["rank"] == row["other_rank"] for row in aligned_rows):
        rows = max(rows, comparison.cutoff)  # the first change is further down
    named = grade_descriptions(context.study)
    # Colours follow the grades of the whole collection, so that a 2 looks the same on every query.
    grades = {grade: named.get(grade, "") for grade in context.study.grades}
    _show_query_navigation(page, context)
    st.html(
        query.draw_query_heading(
            page.text,
            diagnosis.query_id,
            page.metadata,
            score_explanations.failure_kind(page),
            is_starred=diagnosis.query_id in request.remarks.starred_query_ids,
        )
        + query.draw_explanation(page.explanation, context.drawing.styles)
    )
    if context.study.given_tables:
        given_query.show_answers(context, diagnosis.query_id)
    with st.container(key=f"query_board{'_wide' if len(runs_beside) > 1 else ''}"):
        with st.container(key="query_lists"):
            if context.study.is_computed(comparison.measure):
                score_explanations.show_edited_list(page, context, grades)
            _show_lists(page, context, grades, runs_beside, rows)
            if context.study.judged:
                _show_missed_documents(page, context, grades)
        with st.container(key="query_side"):
            if context.study.given_tables:
                given_query.show_scores(context, diagnosis.query_id)
            if page.ledger is not None and context.study.is_computed(comparison.measure):
                score_explanations.headroom_card(page.ledger, context)
                score_explanations.what_if_card(page, page.ledger, context)
            if context.study.is_unjudged:
                list_changes.show_query_changes(page, context)
            judging.show_query_judging(context, diagnosis.query_id)
            grading.show_notes_and_tags(diagnosis.query_id)
        with st.container(key="query_evidence"):
            if context.study.judged:
                _show_ranks_by_run(page, context, grades)
            if page.ledger is not None and context.study.is_computed(comparison.measure):
                score_explanations.show_ledger(page, page.ledger, context, grades)
    if address["doc"]:
        score_explanations.show_document_dialog(address["doc"], page, context, grades)


def _show_scores_only(context: PageContext, request: QueryListRequest) -> None:
    """Show a query whose scores were all given in files, without result lists: its text, its
    answers and its scores."""
    study, address = context.study, context.view.address
    query_place = answers.find_query_position(study, context.comparison, address["q"], request)
    query_id = query_place.query_id
    _show_query_navigation(query_place, context)
    metadata = answers.query_metadata(study, query_id)
    st.html(query.draw_query_heading(study.texts[query_id], query_id, metadata, ""))
    given_query.show_answers(context, query_id)
    given_query.show_scores(context, query_id)
    grading.show_notes_and_tags(query_id)


def _show_lists(
    page: QueryPage,
    context: PageContext,
    grades: Mapping[float, str],
    runs_beside: list[str],
    n_rows: int,
) -> None:
    """Show the result lists side by side, and links that show more rows or more runs."""
    diagnosis, drawing, comparison = page.diagnosis, context.drawing, context.comparison
    nameless = context.study.runs_without_doc_ids(comparison.runs)
    note = (
        f"{judged_ranks_clause(nameless)}, so only judged documents are known." if nameless else ""
    )

    def draw_lists() -> Markup:
        return two_lists.draw_two_lists(
            diagnosis,
            drawing,
            page.documents,
            word_marks.query_words(page.text),
            grades,
            further_ids=runs_beside,
            n_rows=n_rows,
            note=note,
        )

    section.show_cached("lists", draw_lists, diagnosis, drawing, tuple(grades))
    others = _other_runs(context)
    further: tuple[str, str] | None = None
    if runs_beside:
        further = ("Only the compared runs", session.href("query", beside=()))
    elif others:
        further = (f"Side by side with {others[0]}", session.href("query", beside=(others[0],)))
    with st.container(horizontal=True, key="head_lists", vertical_alignment="bottom"):
        st.html(
            two_lists.draw_list_links(
                n_rows,
                max(
                    diagnosis.length(run)
                    for run in (comparison.baseline, comparison.focus, *runs_beside)
                ),
                comparison.cutoff,
                two_lists.FIRST_OF_SEVERAL if runs_beside else two_lists.FIRST,
                rows_link=lambda n: session.href("query", rows=str(n)),
                beside_link=further,
            )
        )
        section.show_csv_link("The lists", page.lists, "lists")
    if context.study.judged:
        st.html(query.draw_grade_legend(diagnosis, grades))
    if runs_beside and len(others) > 1:
        session.draw_widget(
            st.pills,
            "More runs side by side",
            "beside",
            value=runs_beside,
            store=lambda runs: {"beside": tuple(runs[-_MOST_BESIDE:])},
            options=others,
            selection_mode="multi",
            format_func=escape_markdown,
        )


def _show_missed_documents(
    page: QueryPage, context: PageContext, grades: Mapping[float, str]
) -> None:
    """Show the relevant documents that are missing from the top k of the run in focus."""
    comparison, study = context.comparison, context.study
    diagnosis, styles = page.diagnosis, context.drawing.styles
    k = w.format_count(comparison.cutoff)
    note = f"Numbers are ranks in each run; a dash means not in the top {study.max_depth:,}."
    section.show_heading(
        shorten_run_names(f"Relevant, but not in the top {k} of {comparison.focus}", styles),
        note * bool(len(diagnosis.missed)),
        frame=diagnosis.missed,
        key="missed",
    )
    section.show_cached(
        "missed",
        lambda: query.draw_missed_documents(
            diagnosis, page.documents, styles, study.max_depth, grades
        ),
        *(diagnosis, context.drawing, tuple(grades), study.max_depth),
    )


def _show_ranks_by_run(page: QueryPage, context: PageContext, grades: Mapping[float, str]) -> None:
    """Show, for every shown run, the ranks of the query's documents."""
    diagnosis, drawing = page.diagnosis, context.drawing
    section.show_heading(
        "Every run on this query",
        f"One square per rank, 1 to {SQUARES}. The line marks k ="
        f" {w.format_count(diagnosis.cutoff)}.",
    )
    section.show_cached(
        "standings",
        lambda: query.draw_ranks_by_run(diagnosis, drawing.styles, grades),
        *(diagnosis, drawing, tuple(grades)),
    )


def _other_runs(context: PageContext) -> list[str]:
    """Return the shown runs that are not in the compared pair."""
    comparison = context.comparison
    return [run for run in comparison.runs if run not in comparison.pair]


def _runs_chosen_beside_pair(context: PageContext) -> list[str]:
    """Return the runs whose lists the user chose to see beside the lists of the compared pair."""
    others = _other_runs(context)
    return [run for run in context.view.address["beside"] if run in others][:_MOST_BESIDE]


def _parse_row_count(text: str, *, has_several_lists: bool) -> int:
    """Return the number of rows to show of each list. It is the number in the address, but at least
    the default, which is larger if there are several lists."""
    first = two_lists.FIRST_OF_SEVERAL if has_several_lists else two_lists.FIRST
    return max(parse_whole_number(text) or 0, first)


def _show_query_navigation(page: QueryPage | QueryPosition, context: PageContext) -> None:
    address = context.view.address

    def query_link(query_id: str | None) -> str | None:
        return None if query_id is None else session.href("query", q=query_id, **_CLEARED)

    if page.position is None:
        position = f"not among the {w.format_query_count(page.listed)} in view"
    else:
        searched = f" with “{address['search']}”" if address["search"] else ""
        tag = tag_name(address["list"])
        kind = f" tagged “{tag}”" if tag else _LISTS.get(address["list"], "")
        noun = "" if kind else f" {w.plural(page.listed, 'query', 'queries')}"
        position = (
            f"{w.format_count(page.position + 1)} of"
            f" {w.format_count(page.listed)}{noun}{kind}{searched}"
        )
    back = session.href("queries", **fields_for_queries_page(address))
    st.html(
        navigation.draw_query_navigation(
            query_link(page.previous), query_link(page.following), position, back
        )
    )


if __name__ == "__main__":
    render()
