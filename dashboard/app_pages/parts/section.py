"""Small blocks that all pages share, such as headings with a CSV link, and charts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.answers.id_offers import id_maps_sentence
from dashboard.answers.own_documents import exclusion_sentence
from dashboard.answers.spreadsheet import format_spreadsheet_csv
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import markup, navigation
from dashboard.drawing.drawing_cache import draw_cached
from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.figures.picture import Caption, add_caption
from dashboard.drawing.figures.zoomed import make_zoomable
from dashboard.drawing.theme import RunStyle
from dashboard.session.open_collection import current_collection_id
from metrics_core.base import wording as w
from metrics_core.findings.sentence import Sentence
from metrics_core.scoring.intervals import LEVEL

_CODE_HEIGHT = 150
"""Height in px of the box with a text to copy. Two boxes of this height fit on the screen."""
Mode = Literal["points", "box", "lasso"]
_POINTS: tuple[Mode, ...] = ("points",)
_NOT_OFFERED = ("zoom", "pan", "zoomIn", "zoomOut", "autoScale", "resetScale")
_CONFIG = {
    "displaylogo": False,
    # This leaves the download as image, first, and Streamlit's button that enlarges the chart.
    "modeBarButtonsToRemove": [f"{name}2d" for name in _NOT_OFFERED],
    "doubleClick": "reset",
    "showAxisDragHandles": False,
    "showTips": False,
}


def show_heading(
    title: str,
    explanation: str | Sentence,
    *,
    frame: pd.DataFrame | None = None,
    key: str = "",
    styles: Mapping[str, RunStyle] | None = None,
) -> None:
    """Show the heading of a section with an explanation. If `frame` is given, also show a link that
    downloads it as CSV; `key` is the name of the table in the file name of the download."""
    if frame is None:
        st.html(markup.draw_section_heading(title, explanation, styles=styles))
        return
    with st.container(horizontal=True, key=f"head_{key}", vertical_alignment="bottom"):
        st.html(markup.draw_section_heading(title, explanation, styles=styles))
        show_csv_link(title, frame, key)


def show_note_with_csv(
    note: Markup,
    title: str,
    *,
    frame: pd.DataFrame,
    key: str,
    make_texts: Callable[[], Mapping[str, str]] | None = None,
) -> None:
    """Show a note below a table, with the same CSV link as in `show_heading`. This is for tables
    that have no heading.

    `make_texts` returns a dict from the name of a format to the table as copyable text. If it is
    None, the menu for copying is not shown."""
    with st.container(horizontal=True, key=f"head_{key}", vertical_alignment="top"):
        st.html(note or Markup("<span></span>"))
        if make_texts is not None:
            copy_menu(key, make_texts)
        show_csv_link(title, frame, key)


def show_csv_link(title: str, frame: pd.DataFrame, key: str) -> None:
    """Show a link that downloads the table of a section as CSV."""
    st.download_button(
        # Screen readers say what is downloaded; on screen it is "Download CSV" or "CSV".
        f":gray[Download] CSV :gray[of {escape_markdown(title)}]",
        data=lambda: format_spreadsheet_csv(frame),
        file_name=make_download_name(key),
        mime="text/csv",
        key=f"csv_{key}",
        type="tertiary",
        on_click="ignore",
        help=f"Download the table behind “{escape_markdown(title)}”.",
    )


def copy_menu(key: str, make_texts: Callable[[], Mapping[str, str]]) -> None:
    """Show a menu with a table as text in several formats, each with a button that copies it. The
    text is made only when the menu is opened."""
    with st.popover("Copy as", type="tertiary", key=f"copy_{key}", on_change="rerun") as popover:
        for name, text in make_texts().items() if popover.open else ():
            st.caption(f"Copy as {name}")
            st.code(text, language=name.lower(), height=_CODE_HEIGHT)


def make_download_name(key: str, extension: str = ".csv") -> str:
    """Return the file name of a download. It contains the names of the table, the measure, the
    baseline and the collection, for example "ranklens-runs-nDCG@10-vs-bm25-sample.csv". Active
    layers, id maps and excluded documents are named, too."""
    comparison = session.study_context().comparison
    is_unjudged = session.study_context().study.is_unjudged
    parts = [
        key,
        f"top{comparison.cutoff}" if is_unjudged else comparison.name,
        *([] if comparison.is_single_run else [f"vs-{comparison.baseline}"]),
        current_collection_id(),
    ]
    parts += [f"with-{layer.name}" for layer in session.study_context().layers if len(layer)]
    parts += ["with-mapped-ids"] if id_maps_sentence(session.study_context().study) else []
    parts += ["without-own-documents"] if exclusion_sentence(session.study_context().study) else []
    return make_safe_name("-".join(["ranklens", *parts])) + extension


def make_safe_name(text: str) -> str:
    """Replace the characters that file systems do not allow or that have a meaning in shells."""
    return re.sub(r"[^\w@.=+()\-]+", "_", text)


def show_cached(name: str, draw: Callable[[], Markup], *key_parts: Any) -> None:
    """Show a block of markup from the cache. If it is not in the cache, `draw` draws it. The cache
    key is made of `name`, `key_parts` and the address, because the links in the block depend on the
    address."""
    st.html(draw_cached((name, session.address().query_string, *key_parts), draw))


INTERVALS = f"intervals: {w.format_share(LEVEL)}, bootstrap over queries"
"""Description of a chart's intervals, for the caption of its image."""


def make_caption(title: str, *notes: str, runs: Iterable[str] | None = None) -> Caption:
    """Return the caption of a chart's image: its title, `notes`, active layers, the number of
    queries, and the runs. If `runs` is None, all shown runs are listed."""
    context = session.study_context()
    queries = context.study.n_in_view(context.comparison)
    run_styles = context.drawing.styles if runs is None else context.look.select_styles(runs)
    layer_notes = [
        f"with {w.format_with_noun(len(v), 'grade', 'grades')} of layer {v.name}"
        for v in context.layers
        if len(v)
    ]
    lines = (*notes, *layer_notes, w.format_query_count(queries))
    return Caption(title, lines, list(run_styles.values()))


def show_chart(
    figure: Chart,
    key: str,
    *,
    alt: str,
    caption: Caption,
    clickable: bool = True,
    zoom: bool = False,
    cutoff_link: str = "",
) -> list[Any] | None:
    """Draw a chart, and return the customdata of the mark that was clicked. Returns None if no mark
    was clicked.

    `alt` describes the finding of the chart for screen readers; `caption` is the caption of the
    downloaded or enlarged image. If `zoom` is true, dragging zooms in, and a double click zooms
    out. A click then follows the link `cutoff_link`, with the clicked position as its k."""
    if zoom:
        figure = make_zoomable(figure, session.study_context().drawing, cutoff_link)
    return _read_clicked_data(_draw_chart(figure, key, alt, caption, _POINTS if clickable else ()))


def show_brush(
    figure: Chart, key: str, *, alt: str, caption: Caption, query_link: str
) -> list[str]:
    """Draw a chart with one mark per query, in which the user can select a range by dragging.
    Return the query_ids in the range.

    A click on a mark follows the link `query_link` with the query_id added. The click itself is not
    reported to Python, because Streamlit reports either clicks or selections of a chart, never
    both."""
    figure = figure.with_layout(meta={"opens": query_link}, dragmode="select", selectdirection="h")
    points = _draw_chart(figure, key, alt, caption, ("box",)).get("points", ())
    return [point["customdata"][0] for point in points]


def draw_regions(
    figure: Chart, key: str, *, alt: str, caption: Caption
) -> list[Mapping[str, Sequence[float]]]:
    """Draw a chart in which the user can select regions. Return the corners (x and y) of each box
    or lasso."""
    selection = _draw_chart(figure, key, alt, caption, ("box", "lasso"))
    return [*selection.get("box", ()), *selection.get("lasso", ())]


def _draw_chart(
    figure: Chart, key: str, alt: str, caption: Caption, modes: Sequence[Mode]
) -> Mapping[str, Any]:
    from dashboard.drawing.figures.plotly_figure import UnvalidatedFigure

    figure = add_caption(figure, caption, session.study_context().drawing.palette)
    with st.container(key=f"chart_{key}"):
        st.html(navigation.draw_image_menu(caption))
        event: Any = st.plotly_chart(
            UnvalidatedFigure(figure),
            key=f"{key}_{session.widget_generation(key)}",
            theme=None,
            config=_CONFIG | {"toImageButtonOptions": {"filename": f"ranklens-{key}"}},
            alt=alt,
            on_select="rerun" if modes else "ignore",
            selection_mode=modes or _POINTS,
        )
    return event["selection"] if modes and event else {}


def _read_clicked_data(selection: Mapping[str, Any]) -> list[Any] | None:
    points = selection.get("points", ())
    if not points:
        return None
    data = points[0].get("customdata")
    return list(data) if isinstance(data, (list, tuple)) else [data]


def choose_grouping(columns: Sequence[str], selected: str, *, has_label: bool = False) -> None:
    """Show a control for the column to group by, if there are several columns. The selected column
    is stored in the address as `by`. If `has_label` is true, the control has a visible label, for
    use where no heading explains it."""
    if len(columns) < 2:
        return
    session.draw_widget(
        st.pills,
        "Group by",
        "by",
        value=selected,
        store=lambda name: {"by": name or selected},
        options=list(columns),
        format_func=escape_markdown,
        label_visibility="visible" if has_label else "collapsed",
        wrap=True,
    )


def show_restore_row(message: str, key: str, restore: Callable[..., None], *arguments: str) -> None:
    """Show the row of a removed item, with a button that restores the item."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(message)
        st.button("Restore", key=key, on_click=restore, args=arguments, type="tertiary")


def run_steps_with_progress(steps: Sequence[tuple[str, Callable[[], object]]]) -> None:
    """Run slow computations one after another, with a progress bar. Streamlit handles clicks
    between the steps, so a user who leaves the page cancels the steps that remain. Results of
    finished steps stay in the cache."""
    if not steps:
        return
    bar = st.progress(0.0)
    for number, (label, work) in enumerate(steps):
        bar.progress(number / len(steps), text=label)
        work()
    bar.empty()
