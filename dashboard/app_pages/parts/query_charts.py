"""The area above the table of the Queries page: the chart of sorted differences, or another
chart."""

from __future__ import annotations

import streamlit as st

from dashboard import session
from dashboard.address.query_list import fields_for_query_page
from dashboard.answers import query_views
from dashboard.answers.column_filters import line_for_range
from dashboard.answers.queries import QueryList
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import queries as blocks
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.drawing_cache import draw_figure_cached
from dashboard.drawing.figures import queries as figures
from dashboard.drawing.figures import query_heatmap, run_against_run, score_strips
from dashboard.session import PageContext
from dashboard.session.picked_queries import selection_field_value
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import SAME

_VIEWS = {"": "Bars", "heatmap": "Heatmap", "against": "Scatter", "strips": "Strips"}
_TOOLS = {"": "Click to open", "lasso": "Lasso to list"}


def choose_view(context: PageContext) -> str:
    """Show a control for choosing a chart above the table. Return the chosen chart."""
    is_alone, address_view = context.comparison.is_single_run, context.view.address["view"]
    views = [name for name in _VIEWS if not (is_alone and name == "against")]
    view = address_view if address_view in views else views[0]
    session.draw_widget(
        st.segmented_control,
        "View",
        "view",
        value=view,
        store=lambda name: {} if name is None else {"view": name},
        options=views,
        format_func=lambda name: "Table" if is_alone and not name else _VIEWS[name],
        label_visibility="collapsed",
    )
    return view


def draw_chart(view: str, query_list: QueryList, context: PageContext) -> None:
    """Draw the chosen chart above the table. The default is the chart of sorted differences. It
    needs two runs, so no chart is drawn by default for a single run. A click in the chart opens the
    query."""
    if not view and context.comparison.is_single_run:
        return
    with st.container(key="marks"):
        drawn_by = {
            "": _sorted_chart,
            "against": _scatter_chart,
            "heatmap": _heatmap_chart,
            "strips": _strip_chart,
        }[view]
        clicked = drawn_by(query_list, context)
    if clicked:
        session.goto("query", q=clicked[0], rows="", **fields_for_query_page(context.view.address))


def _listed_ids(query_list: QueryList) -> frozenset[str] | None:
    return (
        frozenset(query_list.rows["query_id"])
        if len(query_list.rows) < len(query_list.frame)
        else None
    )


def _choose_drawing(query_list: QueryList, context: PageContext) -> Drawing:
    return context.drawing if query_list.has_outcomes else context.drawing.without_outcome_colours


def _sorted_chart(query_list: QueryList, context: PageContext) -> None:
    comparison = context.comparison
    st.html(blocks.draw_strip_note(query_list, figures.MOST_BARS))
    figure = draw_figure_cached(
        figures.sorted_differences,
        query_list.frame,
        _choose_drawing(query_list, context),
        visible_ids=_listed_ids(query_list),
    )
    picture = section.make_caption(
        f"Every query, sorted by its difference: {comparison.focus} minus {comparison.baseline}",
        str(comparison.measure),
        runs=comparison.pair,
    )
    alt = f"Differences by query. {query_list.finding.text}."
    address = context.view.address
    opens = session.make_href_function("query", "q", rows="", **fields_for_query_page(address))("")
    ids = section.show_brush(figure, "sorted", alt=alt, caption=picture, query_link=opens)
    if ids:
        session.reset_widget("sorted")
        line = line_for_range(context.study, comparison, address["filter"], ids)
        session.change_address(filter=line, p="")
        st.rerun()


def _scatter_chart(query_list: QueryList, context: PageContext) -> list[str] | None:
    comparison = context.comparison
    title = f"{comparison.focus} vs {comparison.baseline}"
    lasso = context.view.address["tool"] == "lasso"
    section.show_heading(
        title,
        f"One point per query: {comparison.measure} in each run. The diagonal marks equal scores.",
    )
    # Streamlit reports either clicks or regions of a chart, never both.
    session.draw_widget(
        st.segmented_control,
        "Mouse action",
        "tool",
        value="lasso" if lasso else "",
        store=lambda tool: {} if tool is None else {"tool": tool},
        options=list(_TOOLS),
        format_func=_TOOLS.__getitem__,
        label_visibility="collapsed",
    )
    figure = draw_figure_cached(
        run_against_run.run_against_run,
        query_list.frame,
        _choose_drawing(query_list, context),
        tie_threshold=SAME,
        visible_ids=_listed_ids(query_list),
        lasso=lasso,
    )
    alt = f"Each query's {comparison.measure}: {title}. {query_list.finding.text}."
    picture = section.make_caption(title, str(comparison.measure), runs=comparison.pair)
    if not lasso:
        return section.show_chart(figure, "against", alt=alt, caption=picture)
    regions = section.draw_regions(figure, "against_lasso", alt=alt, caption=picture)
    if regions:
        picked_ids = query_views.find_ids_in_regions(
            query_list.frame, "baseline_score", "score", regions
        )
        # Reset the region in the chart, because the address now stores the selection.
        session.reset_widget("against_lasso")
        session.change_address(pick=selection_field_value(picked_ids), p="")
        st.rerun()
    return None


def _heatmap_chart(query_list: QueryList, context: PageContext) -> list[str] | None:
    comparison = context.comparison
    heatmap = query_views.heatmap(context.study, query_list, context.comparison)
    row_count = len(query_list.rows)
    columns_text = "One column per query"
    if len(heatmap.frame) < row_count:
        columns_text = (
            f"{w.format_count(len(heatmap.frame))} of the {w.format_count(row_count)} queries,"
            " evenly spaced"
        )
    title = f"{comparison.measure} by query and run"
    fails = w.plural(heatmap.failing, "scores 0", "score 0")
    section.show_heading(
        (
            f"{w.format_count(heatmap.failing)} of"
            f" {w.format_query_count(row_count)} {fails} with"
            f" {comparison.focus if len(comparison.runs) == 1 else comparison.every_run}"
            if heatmap.failing
            else title
        ),
        f"{columns_text}, easiest on the left; one row per run. The runs disagree where the"
        " colour changes within a column.",
    )
    if heatmap.frame.empty:
        return None
    ends = query_heatmap.score_span(heatmap.frame, context.drawing)
    st.html(
        blocks.draw_colour_key(
            str(comparison.measure), *ends, has_empty_lists=bool(heatmap.empty.any(axis=None))
        )
    )
    figure = draw_figure_cached(
        query_heatmap.score_heatmap, heatmap.frame, context.drawing, empty_lists=heatmap.empty
    )
    alt = f"{comparison.measure} of each run on each query. {query_list.finding.text}."
    picture = section.make_caption(title, columns_text)
    clicked = section.show_chart(figure, "heatmap", alt=alt, caption=picture)
    st.html(
        blocks.draw_lists_beside_heatmap(
            heatmap.failed, heatmap.ahead, heatmap.failing, context.drawing, session.href
        )
    )
    return clicked


def _strip_chart(query_list: QueryList, context: PageContext) -> list[str] | None:
    comparison = context.comparison
    columns = list(context.study.columns(comparison))
    by = context.view.address["by"]
    by = by if by in columns else next(iter(context.study.splitting_columns(comparison)), "")
    section.show_heading(
        f"Score by {by or 'query'}",
        f"{comparison.measure}: one point per query, a line at the mean of each group.",
    )
    section.choose_grouping(columns, by)
    strips = query_views.query_strips(context.study, comparison, by)
    figure = draw_figure_cached(
        score_strips.score_strips,
        strips.frame,
        strips.means,
        strips.groups,
        context.drawing,
        visible_ids=_listed_ids(query_list),
    )
    alt = f"{comparison.measure} of each query by {by}. {query_list.finding.text}."
    runs = dict.fromkeys(comparison.pair)
    picture = section.make_caption(f"Score by {by or 'query'}", str(comparison.measure), runs=runs)
    return section.show_chart(figure, "strips", alt=alt, caption=picture)
