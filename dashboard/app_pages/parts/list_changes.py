"""The pages for runs without judgments: what changed between the lists of two runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from dashboard import session
from dashboard.address.query_list import DEFAULT_LIST, NO_LIST
from dashboard.answers import list_changes as answers
from dashboard.answers.query import QueryPage
from dashboard.app_pages.parts import add_files, drawn_judging, score_explanations, section
from dashboard.drawing.blocks import list_changes as blocks
from dashboard.drawing.blocks import markup
from dashboard.drawing.blocks.curves import draw_chart_note, draw_legend
from dashboard.drawing.blocks.markup import Badge, LinkMaker
from dashboard.drawing.drawing_cache import draw_figure_cached
from dashboard.drawing.figures.curves import measure_by_cutoff
from dashboard.session import PageContext
from metrics_core.base import wording as w
from metrics_core.findings.drawn_queries import drawn_progress_text, drawn_queries_finding
from metrics_core.findings.list_changes import list_changes_finding
from metrics_core.scoring.intervals import LEVEL
from metrics_core.slicing.filtering import quote_text

_NOT_JUDGED = Badge("not judged", "few")
_ANSWER, _DRAWING = 62, 38
"""Relative widths of the two parts at the top of the Overview."""


def show_overview() -> None:
    """Show how many lists changed, by how much, and in which queries."""
    context = session.study_context()
    study, comparison, drawing = context.study, context.comparison, context.drawing
    add_files.show_upload_result()
    answer = answers.changes_overview(study, comparison)
    changes = answer.changes
    left, right = st.columns([_ANSWER, _DRAWING], gap="medium")
    with left, st.container(key="verdict"):
        finding = list_changes_finding(changes)
        if drawn := drawn_judging.find_random_query_judgments(context):
            if drawn.is_comparison_shown:
                finding = drawn_queries_finding(drawn)
            elif judged := drawn_progress_text(drawn):
                finding = replace(finding, badge=judged)
        st.html(markup.draw_finding(finding, drawing.styles))
    with right:
        st.html(blocks.draw_kept_documents(changes, drawing))
    st.html(blocks.draw_change_classes(changes, drawing, _change_class_link))
    opens = session.make_href_function("query", "q", rows="", **NO_LIST)
    queries = answer.queries
    section.show_cached(
        "strip", lambda: blocks.draw_change_strip(queries, changes.k, drawing, opens), answer
    )
    drawn_judging.show_random_queries_card(context)
    if len(study.names) > 2:
        all_styles = replace(drawing, styles=context.look.styles)
        with st.container(key="runs_table"):
            st.html(blocks.draw_changed_runs(answer.runs, all_styles, _pair_link_maker(context)))
            note = f"Changes from {comparison.baseline} in the top {w.format_count(changes.k)}."
            section.show_note_with_csv(draw_chart_note(note), "Runs", frame=answer.runs, key="runs")
    st.html(blocks.draw_change_facts(answer.runs, comparison.focus, changes))
    group_link = _group_link_maker(context, answer.grouping)
    if changes.n_changed:
        st.html(
            blocks.draw_lists_of_changes(answer, drawing, session.href, _filter_link, group_link)
        )


def _filter_link(filter_line: str) -> str:
    return session.href("queries", **DEFAULT_LIST | {"filter": filter_line})


def _change_class_link(change_class: str) -> str:
    return _filter_link(f"change == {quote_text(change_class)}")


def _pair_link_maker(context: PageContext) -> Callable[..., str]:
    return lambda *pair: session.href("overview", **context.view.address_changes_to_compare(*pair))


def _group_link_maker(context: PageContext, by: str) -> LinkMaker:
    def make_link(group: str) -> str:
        filters = context.comparison.replace_filters({by: [group]})
        return session.href("queries", where=filters, **DEFAULT_LIST)

    return make_link


def show_breakdown() -> None:
    """Show the overlap of the groups of one column."""
    context = session.study_context()
    study, comparison = context.study, context.comparison
    columns = study.splitting_columns(comparison)
    if not columns:
        text = "Add a query file with texts or with a column such as category."
        st.html(markup.draw_empty_state("There is nothing to group these queries by.", text))
        return
    chosen = context.view.address["by"]
    by = chosen if chosen in columns else columns[0]
    groups = answers.changes_by_group(study, comparison, by)
    least, most = groups.iloc[0], groups.iloc[-1]
    title = f"Overlap is smallest in {least['group']}, largest in {most['group']}"
    if len(groups) == 1:
        title = f"All queries are in the group {least['group']}"
    k = w.format_count(comparison.cutoff)
    lead = f"Share of the top {k} that the two lists have in common, by {by}. Not tested."
    st.html(markup.draw_heading(title, lead, context.drawing.styles, badge=_NOT_JUDGED))
    section.choose_grouping(columns, by)
    st.html(
        blocks.draw_groups_by_overlap(groups, by, context.drawing, _group_link_maker(context, by))
    )
    note = f"Intervals: {w.format_share(LEVEL)}, uncorrected. Click a group to open its queries."
    section.show_note_with_csv(draw_chart_note(note), "Groups", frame=groups, key="groups")


def show_curves() -> None:
    """Show the overlap with the baseline by k."""
    context = session.study_context()
    comparison = context.comparison
    frame = answers.overlap_curves(context.study, comparison)
    row = frame[frame["run"] == comparison.focus].set_index("k")["mean"]
    share, k = w.format_share(row[comparison.cutoff]), w.format_count(comparison.cutoff)
    title = f"The lists share {share} of the top {k}"
    lead = (
        "Mean share of the first k documents that are also in the first k of"
        f" {comparison.baseline}."
    )
    st.html(markup.draw_heading(title, lead, context.drawing.styles, badge=_NOT_JUDGED))
    st.html(draw_legend(context.drawing, list(context.drawing.styles), {}))
    figure = draw_figure_cached(measure_by_cutoff, frame, context.drawing)
    caption = section.make_caption(f"Overlap with {comparison.baseline} by k", section.INTERVALS)
    link = session.href("curves", k="")
    with st.container(key="panels_alone_overlap"):
        section.show_chart(
            figure, "overlap", alt=f"Overlap by k. {title}.", caption=caption, clickable=False,
            zoom=True, cutoff_link=link,
        )  # fmt: skip
    note = "k: number of results (log scale). Click to choose another k. Drag to zoom."
    section.show_note_with_csv(draw_chart_note(note), "By cutoff", frame=frame, key="by_cutoff")


def show_ranking() -> None:
    """Show the rank-biased overlap of all pairs of runs."""
    context = session.study_context()
    comparison, names = context.comparison, context.study.names
    pairs = answers.overlap_of_pairs(context.study, comparison)
    first = pairs.sort_values("rbo", na_position="first").iloc[-1]
    are_alike = "are most alike" if len(pairs) > 1 else f"have RBO {w.format_score(first['rbo'])}"
    title = f"{first['run']} and {first['baseline']} {are_alike}"
    if first["rbo"] != first["rbo"]:
        title = "No two runs can be compared"
    lead = (
        f"Mean rank-biased overlap of the top {w.format_count(comparison.cutoff)}, persistence 0.9:"
        " 1 means identical lists, 0 means no document in common."
    )
    st.html(markup.draw_heading(title, lead, context.look.styles, badge=_NOT_JUDGED))

    with st.container(key="runs_table"):
        st.html(
            blocks.draw_overlap_matrix(pairs, names, context.look.styles, _pair_link_maker(context))
        )
        note = draw_chart_note("Click a cell to compare its two runs.")
        section.show_note_with_csv(note, "Every pair", frame=pairs, key="pairs")


def show_query_changes(page: QueryPage, context: PageContext) -> None:
    """Show the numbers of new, gone and kept documents of one query, and at which ranks the new
    documents were in the baseline's list."""
    comparison = context.comparison
    changes = answers.query_changes(context.study, comparison, page.diagnosis)
    top = f"top {w.format_count(comparison.cutoff)}"
    with score_explanations.make_card("changes", "What changed", top):
        st.html(blocks.draw_query_changes(changes, context.drawing))
    if changes.counts["new"]:
        title = f"Where the new documents ({w.format_count(changes.counts['new'])}) came from"
        with score_explanations.make_card("sources", title):
            st.html(blocks.draw_previous_ranks(changes))


DRAWN_WITHOUT_JUDGMENTS: dict[str, Callable[[], None]] = {
    "overview": show_overview,
    "breakdown": show_breakdown,
    "curves": show_curves,
    "pairs": show_ranking,
}
"""The functions that draw the pages that are different without judgments, keyed by the name of the
page."""
