"""By cutoff page: how the lead of a run depends on the cutoff."""

from collections.abc import Callable

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.view import ALL_RUNS, NO_OTHER_RUN
from dashboard.answers import curves as answers
from dashboard.answers.curves import MOST_IN_COLOUR, Curves
from dashboard.answers.reranking import can_rerank, reranking
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import curves as blocks
from dashboard.drawing.blocks import markup
from dashboard.drawing.drawing_cache import draw_figure_cached
from dashboard.drawing.figures import curves as figures
from dashboard.session import PageContext
from dashboard.session.deferred_drawing import defer_drawing
from metrics_core.base import wording as w

_PARTS = {
    "": "Curves",
    "recall": "Precision–recall",
    "rerank": "Reranking",
    "table": "Table",
}
_TITLES = {
    "P": ("P@k", "share of the top k that is relevant"),
    "R": ("R@k", "share of all relevant documents found"),
    "nDCG": ("nDCG@k", "ranking quality of the top k; 1 is ideal"),
}


def render() -> None:
    """Show the finding and, below it, what the user chose: the curves, the chart of precision
    against recall, or a table of the numbers."""
    context = session.study_context()
    comparison = context.comparison
    part_name = context.view.address["part"]
    parts = {
        key: title
        for key, title in _PARTS.items()
        if key != "rerank" or can_rerank(context.study, comparison)
    }
    part = part_name if part_name in parts else ""
    is_tested_by_k = part not in ("recall", "rerank")
    # The lines are shown at once; the intervals of the differences take longer.
    is_quick = is_tested_by_k and answers.are_curves_quick_to_compute(context.study, comparison)
    curves = (
        answers.curves(context.study, comparison)
        if is_quick
        else answers.curves_without_bands(context.study, comparison)
    )
    head = st.empty()
    head.html(_answer_markup(curves, part, context))
    session.draw_widget(
        st.segmented_control,
        "Part",
        "part",
        value=part,
        store=lambda chosen: {"part": chosen or ""},
        options=list(parts),
        format_func=parts.__getitem__,
        label_visibility="collapsed",
    )
    placeholder = st.empty()
    with placeholder.container():
        _DRAW[part](curves, context, is_quick)

    def show_complete_page() -> None:
        complete = answers.curves(context.study, comparison)
        head.html(_answer_markup(complete, part, context))
        with placeholder.container():
            _DRAW[part](complete, context, True)

    if not is_quick and is_tested_by_k:
        defer_drawing(show_complete_page, placeholder)


def _answer_markup(curves: Curves, part: str, context: PageContext) -> Markup:
    title, lead = curves.title, curves.lead
    if part == "recall":
        title, lead = curves.recall_title, curves.recall_lead
    if part == "rerank":
        title, lead, _ = reranking(context.study, context.comparison)
    return markup.draw_heading(title, lead, context.drawing.styles)


def _legend_markup(curves: Curves, context: PageContext) -> Markup:
    """Return the legend that all plots share. If every shown run is coloured, the runs outside the
    compared pair can be hidden by clicking them in the legend."""
    comparison = context.comparison
    in_colour = curves.coloured_runs(comparison)
    hidden = {}
    for run in comparison.other_runs if len(comparison.runs) == len(in_colour) else ():
        rest = tuple(other for other in comparison.other_runs if other != run) or (NO_OTHER_RUN,)
        hidden[run] = session.href("curves", also=rest)
    others = len(context.study.names) - len(comparison.runs)
    return blocks.draw_legend(
        context.drawing,
        in_colour,
        hidden,
        # Of few runs, hidden ones were hidden on purpose; of many, only some are drawn at first.
        omitted_runs=(
            others if len(context.study.names) > MOST_IN_COLOUR else 0,
            session.href("curves", also=(ALL_RUNS,)),
        ),
    )


def _show_curves(curves: Curves, context: PageContext, with_bands: bool) -> None:
    """Show a chart for each measure. `with_bands` is false until the bands are computed."""
    comparison = context.comparison
    key_suffix = "" if with_bands else "_lines"
    section.show_note_with_csv(
        _legend_markup(curves, context),
        "By cutoff",
        frame=curves.table,
        key=f"by_cutoff{key_suffix}",
    )
    for start in range(0, len(curves.frames), 3):
        with st.container(
            key=f"panels_{'alone_' if comparison.is_single_run else ''}{start}{key_suffix}"
        ):
            columns = st.columns(3, gap="medium")
            for column, family in zip(
                columns, list(curves.frames)[start : start + 3], strict=False
            ):
                with column:
                    _show_panel(curves, family, context, key_suffix)
    text = (
        f"{blocks.describe_lines(curves, context.drawing)} {curves.short_lists}"
        f" Vertical line: k = {w.format_count(context.comparison.cutoff)}; click a chart to change"
        " k, drag to zoom."
    )
    st.html(blocks.draw_chart_note(markup.shorten_run_names(text, context.drawing.styles)))


def _show_panel(curves: Curves, family: str, context: PageContext, key_suffix: str) -> None:
    title, gloss = _panel_title(family, context)
    st.html(blocks.draw_panel_heading(title, gloss))
    figure = draw_figure_cached(
        figures.measure_by_cutoff,
        curves.frames[family],
        context.drawing,
        coloured_runs=curves.coloured_runs(context.comparison),
        end_by_run=curves.list_ends,
    )
    alt = f"{title} of {w.join_words(context.drawing.styles)} by k. {curves.title.text}."
    picture = section.make_caption(f"{title} by number of results (k)", section.INTERVALS)
    key = f"curve_{family}{key_suffix}"
    link = session.href("curves", k="")
    section.show_chart(
        figure,
        key,
        alt=alt,
        caption=picture,
        clickable=False,
        zoom=True,
        cutoff_link=link,
    )


def _panel_title(family: str, context: PageContext) -> tuple[str, str]:
    gloss = context.comparison.measure.declaration.gloss.format(k="k")
    return _TITLES.get(family, (f"{family}@k", gloss))


def _show_precision_recall(curves: Curves, context: PageContext, with_bands: bool) -> None:
    in_colour = curves.coloured_runs(context.comparison)
    section.show_note_with_csv(
        _legend_markup(curves, context),
        "Precision against recall",
        frame=curves.precision_recall,
        key="precision_recall",
    )
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        figure = draw_figure_cached(
            figures.precision_recall,
            curves.precision_recall,
            context.drawing,
            coloured_runs=in_colour,
        )
        alt = (
            f"Precision against recall of {w.join_words(context.drawing.styles)}."
            f" {curves.half_recall}"
        )
        picture = section.make_caption("Precision against recall", "interpolated precision")
        section.show_chart(
            figure,
            "precision_recall",
            alt=alt,
            caption=picture,
            clickable=False,
            zoom=True,
        )
    with right:
        st.html(blocks.draw_precision_table(curves.precision_recall, context.drawing))


def _show_reranking(curves: Curves, context: PageContext, with_bands: bool) -> None:
    frame, drawing = reranking(context.study, context.comparison)[2], context.drawing
    legend = _legend_markup(curves, context)
    section.show_note_with_csv(legend, "Reranking", frame=frame, key="reranking")
    in_colour = curves.coloured_runs(context.comparison)
    figure = draw_figure_cached(figures.reranking_ceiling, frame, drawing, coloured_runs=in_colour)
    title = f"Best {context.comparison.name} after a perfect reordering of the top N"
    alt, picture = f"{title}, by run.", section.make_caption(title, "not tested")
    section.show_chart(figure, "reranking", alt=alt, caption=picture, clickable=False, zoom=True)
    k = w.format_count(drawing.cutoff)
    text = f"{title}, by N (log scale). N = 1: not reordered. Vertical line: N = {k}."
    st.html(blocks.draw_chart_note(text))


def _show_table(curves: Curves, context: PageContext, with_bands: bool) -> None:
    more = len(context.drawing.styles) - len(curves.coloured_runs(context.comparison))
    text = "Bold: best in the row." + (
        f" {w.format_count(more)} more runs in the CSV." if more else ""
    )
    section.show_note_with_csv(
        blocks.draw_chart_note(text),
        "By cutoff",
        frame=curves.table,
        key="table" if with_bands else "table_lines",
    )
    glosses = {family: _panel_title(family, context)[1] for family in curves.frames}
    st.html(
        blocks.draw_means_by_k(
            curves.frames, glosses, context.drawing, curves.coloured_runs(context.comparison)
        )
    )


_DRAW: dict[str, Callable[[Curves, PageContext, bool], None]] = {
    "": _show_curves,
    "recall": _show_precision_recall,
    "rerank": _show_reranking,
    "table": _show_table,
}


if __name__ == "__main__":
    render()
