"""History page: how the versions developed, and which queries broke."""

from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.page import FEWEST_VERSIONS
from dashboard.address.query_list import DEFAULT_LIST, NO_LIST
from dashboard.answers import history as answers
from dashboard.answers.history import HistoryPage
from dashboard.answers.history_dates import VersionDates, version_dates
from dashboard.answers.other_judgments import (
    OtherJudgments,
    version_rows,
    version_sentences,
    versions_of_collection,
)
from dashboard.app_pages.parts import section
from dashboard.components import history_order
from dashboard.drawing.blocks import history as blocks
from dashboard.drawing.blocks import markup
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.drawing_cache import draw_figure_cached
from dashboard.drawing.figures import history as figures
from dashboard.session import PageContext
from dashboard.session.actions.collections import collection_href
from dashboard.session.actions.history import (
    count_shared_queries,
    other_library,
    store_version_order,
)
from dashboard.session.deferred_drawing import defer_drawing
from dashboard.session.open_collection import (
    all_collections,
    current_collection_id,
    current_library,
)
from metrics_core.base import wording as w
from metrics_core.explaining.query_kinds import GOOD
from metrics_core.findings.history import not_versions_finding
from metrics_core.scoring.intervals import LEVEL

_SYSTEMS = {"in_order": answers.NONE, "versions": ()}
"""The values of the address fields for runs that are not versions of one system."""
_FIRST = 12
"""Maximum number of queries that are shown unfolded."""
_ORDERS = {
    answers.BY_NAME: "by name",
    answers.AS_LOADED: "as loaded",
    answers.BY_DATE: "sorted by date",
}


def render() -> None:
    """Show the order of the versions, their means, the means of each group, and the queries that
    changed."""
    context = session.study_context()
    drawing = replace(context.drawing, styles=context.look.styles)
    study, comparison, address = context.study, context.comparison, context.view.address
    dates = version_dates(study.names, current_library().run_files)
    runs = answers.ordered_versions(study, address["in_order"], address["versions"], dates)
    if len(runs) < FEWEST_VERSIONS:
        st.html(
            markup.draw_empty_state(
                "A history needs two versions.", "Add another version of the system."
            )
        )
        return
    columns = list(study.columns(comparison))
    by = (
        address["by"]
        if address["by"] in columns
        else next(iter(study.splitting_columns(comparison)), "")
    )
    are_versions = answers.are_versions(runs, address["in_order"], address["versions"], dates)
    are_systems = address["in_order"] == answers.NONE
    history = answers.history_page(study, comparison, runs, are_versions=are_versions)
    finding = not_versions_finding() if are_systems else history.finding
    st.html(markup.draw_heading(*finding.statement_and_rest, context.look.styles))
    if are_systems:
        _answer_buttons(runs, are_systems=True)
        return
    others = _versions_of_other_collections(context) if are_versions else []
    by_date = address["in_order"] == answers.BY_DATE
    rows = version_rows(history, dates, others, by_date=by_date)
    if are_versions:
        _show_means(history, rows, drawing, context)
        if sentences := version_sentences(rows, others, comparison.cutoff):
            st.html(blocks.draw_version_remarks(sentences))
        _show_order(runs, dates, context, are_versions=True)
    else:
        left, right = st.columns([2, 3], gap="large")
        with left:
            section.show_heading("Order, first version on top", "")
            _show_order(runs, dates, context, are_versions=False)
            _answer_buttons(runs, are_systems=False)
        with right:
            _show_means(history, rows, drawing, context)
        return
    st.html(blocks.draw_version_table(rows, drawing, collection_href))
    if by:
        defer_drawing(lambda: _show_slices(runs, columns, by, context))
    if context.study.is_computed(comparison.measure):
        defer_drawing(lambda: _show_queries(history, context))


def _answer_buttons(runs: tuple[str, ...], *, are_systems: bool) -> None:
    """Let the user say whether the runs are versions, or link to Ranking if they are different
    systems. The answer is stored in the address."""
    with st.container(horizontal=True, key="are_versions"):
        if are_systems:
            if st.button("Open Ranking", type="primary"):
                session.goto("pairs")
            label, changes = "Treat as versions", {"in_order": "", "versions": ()}
        else:
            yes = {"versions": runs}
            label = "Yes, in this order"
            st.button(label, type="primary", on_click=session.change_address, kwargs=yes)
            label, changes = "No, different systems", _SYSTEMS
        st.button(label, on_click=session.change_address, kwargs=changes)


def _show_order(
    runs: tuple[str, ...], dates: VersionDates, context: PageContext, *, are_versions: bool
) -> None:
    """Show the versions in order, with controls to sort them or to order them by hand. If
    `are_versions` is true, versions from other collections can be added."""
    study, address = context.study, context.view.address
    default_order = answers.ordered_versions(study, address["in_order"], (), dates)
    with st.container(horizontal=True, key="versions", vertical_alignment="bottom"):
        session.draw_widget(
            st.segmented_control,
            "Versions, first to last",
            "in_order",
            value=address["in_order"] if runs == default_order else None,
            store=lambda name: {} if name is None else {"in_order": name, "versions": ()},
            options=[
                order
                for order in _ORDERS
                if order in (answers.BY_NAME, address["in_order"], answers.AS_LOADED)
                or dates.has_different_dates
            ],
            format_func=_ORDERS.__getitem__,
            label_visibility="collapsed",
        )
        if are_versions:
            _choose_other_collections(context)
            st.button("Different systems", on_click=session.change_address, kwargs=_SYSTEMS)
    history_order.show_version_order(
        runs,
        study.names,
        styles=context.look.styles,
        collection_id=current_collection_id(),
        min_versions=FEWEST_VERSIONS,
        one_per_row=not are_versions,
        on_order=partial(store_version_order, history_order.KEY, tuple(default_order)),
    )
    if address["in_order"] == answers.BY_DATE:
        st.html(blocks.draw_version_remarks([dates.source_sentence]))


def _choose_other_collections(context: PageContext) -> None:
    """Let the user choose other collections. Their versions are then shown, too. The list of
    collections is loaded only when the user opens the choice."""
    identities = context.view.address["also_from"]
    count_text = f" ({w.format_count(len(identities))})" if identities else ""
    with st.popover(f"Versions from other collections{count_text}", on_change="rerun") as popover:
        if not popover.open:
            return
        query_counts = count_shared_queries(context.study.query_ids)
        collections = all_collections()
        shared = {i: f" ({w.format_query_count(n)})" for i, n in query_counts.items()}
        if not {*query_counts, *identities}:
            st.write("No other collection has judgments for any of these queries.")
            return
        session.draw_widget(
            st.multiselect,
            "Collections with judgments for some of these queries",
            "also_from",
            value=list(identities),
            store=lambda chosen: {"also_from": tuple(chosen)},
            options=[
                *query_counts,
                *(identity for identity in identities if identity not in query_counts),
            ],
            format_func=lambda identity: collections.name_of(identity) + shared.get(identity, ""),
            help="Versions of another collection are scored with its judgments. They are shown"
            " separately and not compared with the versions of this collection.",
        )


def _versions_of_other_collections(context: PageContext) -> list[OtherJudgments]:
    address = context.view.address
    collections = all_collections()
    return [
        versions_of_collection(
            context.study,
            context.comparison,
            address["in_order"],
            identity,
            collections.name_of(identity),
            other_library(identity),
        )
        for identity in dict.fromkeys(address["also_from"])
        if identity != current_collection_id()
    ]


def _show_means(
    history: HistoryPage, rows: pd.DataFrame, drawing: Drawing, context: PageContext
) -> None:
    """Show the chart of the versions' means. `rows` is the frame of `version_rows`, `drawing` has
    the styles of all runs."""
    comparison = context.comparison
    title = f"Preview: {comparison.measure} in this order"
    if history.are_versions:
        title = f"{comparison.measure} over {w.format_count(len(history.versions))} versions"
    section.show_heading(
        title,
        f"Mean of each run with its {w.format_share(LEVEL)} interval.",
        frame=rows if history.are_versions else None,
        key="versions",
    )
    figure = draw_figure_cached(
        figures.mean_by_version, rows, drawing, are_versions=history.are_versions
    )
    picture = section.make_caption(
        f"{comparison.measure} by version",
        str(comparison.measure),
        section.INTERVALS,
        runs=history.versions,
    )
    alt = f"Mean {comparison.measure} of each version. {history.finding.text}"
    clicked = section.show_chart(figure, "by_version", alt=alt, caption=picture)
    if clicked and not clicked[3]:
        session.goto(
            "queries", **context.view.address_changes_to_compare(clicked[0]), **DEFAULT_LIST
        )


def _show_slices(runs: tuple[str, ...], columns: list[str], by: str, context: PageContext) -> None:
    comparison = context.comparison
    slices = answers.groups_by_version(context.study, comparison, runs, by)
    section.show_heading(
        f"By {by}",
        f"Mean {comparison.measure} of each group."
        + (
            " “Worse since”: from this version on, the group is significantly worse than in its"
            " best version, after correction for all groups and versions."
        )
        * comparison.has_direction,
        frame=slices.means,
        key="history",
    )
    section.choose_grouping(columns, by)

    def draw() -> Markup:
        return blocks.draw_slice_table(
            slices.means,
            slices.groups,
            runs,
            slices.first_bad,
            lambda group: session.href(
                "queries", where=comparison.replace_filters({by: [group]}), **DEFAULT_LIST
            ),
        )

    section.show_cached("by group", draw, slices)


def _show_queries(history: HistoryPage, context: PageContext) -> None:
    changed = history.queries
    if changed.empty:
        st.html(
            markup.draw_empty_state(
                "No query was broken or fixed.", "Every query either kept passing or kept failing."
            )
        )
        return
    first, others = changed.head(_FIRST), changed.iloc[_FIRST : answers.MOST_QUERIES]
    section.show_heading(
        f"{w.format_query_count(len(changed))} changed",
        f"A filled square marks a version in which the query is good. {GOOD} Queries that fail now"
        " come first, latest failures on top. “Went back and forth” means three or more changes.",
        frame=changed,
        key="changed",
    )

    links = session.make_href_function("query", "q", rows="", **NO_LIST)
    st.html(blocks.draw_query_table(first, history.versions, links))
    if len(others):
        with st.expander(f"{w.format_count(len(others))} more"):
            st.html(blocks.draw_query_table(others, history.versions, links))


if __name__ == "__main__":
    render()
