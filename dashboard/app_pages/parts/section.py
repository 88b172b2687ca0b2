"""Small Streamlit pieces that every page puts together: headings with a CSV link, charts."""

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
from dashboard.answers.spreadsheet import spreadsheet
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import markup, navigation
from dashboard.drawing.drawing_cache import draw_cached
from dashboard.drawing.figures.chart import Chart
from dashboard.drawing.figures.picture import Caption, add_caption
from dashboard.drawing.figures.zoomed import make_zoomable
from dashboard.drawing.theme import RunStyle
from dashboard.session.open_collection import collection_id
from metrics_core.base import wording as w
from metrics_core.findings.sentence import Sentence
from metrics_core.scoring.intervals import LEVEL

Mode = Literal["points", "box", "lasso"]
_POINTS: tuple[Mode, ...] = ("points",)
_NOT_OFFERED = ("zoom", "pan", "zoomIn", "zoomOut", "autoScale", "resetScale")
_CONFIG = {
    "displaylogo": False,
    # Left are the picture, which comes first, and Streamlit's own button that enlarges the chart.
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
    """A section's heading with its muted line and, beside it, the table behind it as CSV. `key`
    names the table in its file, after the page and before what it was worked out for."""
    if frame is None:
        st.html(markup.section(title, explanation, styles=styles))
        return
    with st.container(horizontal=True, key=f"head_{key}", vertical_alignment="bottom"):
        st.html(markup.section(title, explanation, styles=styles))
        csv_link(title, frame, key)


def show_note(note: Markup, title: str, *, frame: pd.DataFrame, key: str) -> None:
    """A note below a table that needs no heading, and beside it the table as CSV; as
    `show_heading`."""
    with st.container(horizontal=True, key=f"head_{key}", vertical_alignment="top"):
        st.html(note or Markup("<span></span>"))
        csv_link(title, frame, key)


def csv_link(title: str, frame: pd.DataFrame, key: str) -> None:
    """The table behind a part as CSV."""
    st.download_button(
        # Read aloud out of its place it says what it downloads; the eye sees "CSV".
        f"CSV :gray[of {escape_markdown(title)}]",
        data=lambda: spreadsheet(frame),
        file_name=file_name(key),
        mime="text/csv",
        key=f"csv_{key}",
        type="tertiary",
        on_click="ignore",
        help=f"Download the table behind “{escape_markdown(title)}”.",
    )


def file_name(key: str, ending: str = ".csv") -> str:
    """ "ranklens-runs-nDCG@10-vs-bm25-sample.csv": the table, measure, baseline, collection."""
    comparison = session.study_context().comparison
    parts = [
        key,
        comparison.name,
        *([] if comparison.is_alone else [f"vs-{comparison.baseline}"]),
        collection_id(),
    ]
    parts += [f"with-{layer.name}" for layer in session.study_context().layers if len(layer)]
    parts += ["with-mapped-ids"] if id_maps_sentence(session.study_context().study) else []
    parts += ["without-own-documents"] if exclusion_sentence(session.study_context().study) else []
    return safe_name("-".join(["ranklens", *parts])) + ending


def safe_name(text: str) -> str:
    """A text without what no file system takes, and what a shell would read."""
    return re.sub(r"[^\w@.=+()\-]+", "_", text)


def show_cached(name: str, draw: Callable[[], Markup], *key_parts: Any) -> None:
    """Show a part that follows from its name, from what is `key_parts` and from the address, to
    which its links lead on; seen again it is at hand."""
    st.html(draw_cached((name, session.address().query, *key_parts), draw))


def format_count(n: int, one: str, many: str) -> str:
    """A number with its noun: "1 query", "84 queries"."""
    return f"{w.format_count(n)} {w.plural(n, one, many)}"


INTERVALS = f"intervals: {w.format_share(LEVEL)}, bootstrap over queries"
"""What the intervals of a chart are, for its picture."""


def make_caption(title: str, *notes: str, runs: Iterable[str] | None = None) -> Caption:
    """What a chart's picture says: its title, `notes`, the number of queries, the runs; by default
    all that are shown."""
    context = session.study_context()
    queries = int(context.study.view_mask(context.comparison).sum())
    run_styles = context.drawing.styles if runs is None else context.look.styles_of(runs)
    layer_notes = [
        f"with {format_count(len(v), 'grade', 'grades')} of layer {v.name}"
        for v in context.layers
        if len(v)
    ]
    lines = (*notes, *layer_notes, format_count(queries, "query", "queries"))
    return Caption(title, lines, list(run_styles.values()))


def show_chart(
    figure: Chart,
    key: str,
    *,
    alt: str,
    picture: Caption,
    clickable: bool = True,
    zooms: bool = False,
    chooses: str = "",
) -> list[Any] | None:
    """Draw a figure; the customdata of the mark that was clicked, if one was. `alt` tells its
    finding to those who do not see it, `picture` is what it says when it is downloaded or enlarged.
    If it `zooms`, a drag zooms its lines, a double click takes that back, and a click follows
    `chooses`, a link that the place clicked is added to as k."""
    if zooms:
        figure = make_zoomable(figure, session.study_context().drawing, chooses)
    return _clicked_data(_draw_chart(figure, key, alt, picture, _POINTS if clickable else ()))


def draw_regions(
    figure: Chart, key: str, *, alt: str, picture: Caption
) -> list[Mapping[str, Sequence[float]]]:
    """Draw a figure in which regions can be marked: the corners (x and y) of each box or lasso."""
    selection = _draw_chart(figure, key, alt, picture, ("box", "lasso"))
    return [*selection.get("box", ()), *selection.get("lasso", ())]


def _draw_chart(
    figure: Chart, key: str, alt: str, picture: Caption, modes: Sequence[Mode]
) -> Mapping[str, Any]:
    from dashboard.drawing.figures.plotly_figure import Sent

    figure = add_caption(figure, picture, session.study_context().drawing.palette)
    with st.container(key=f"chart_{key}"):
        st.html(navigation.image_menu(picture))
        event: Any = st.plotly_chart(
            Sent(figure),
            key=f"{key}_{session.generation(key)}",
            theme=None,
            config=_CONFIG | {"toImageButtonOptions": {"filename": f"ranklens-{key}"}},
            alt=alt,
            on_select="rerun" if modes else "ignore",
            selection_mode=modes or _POINTS,
        )
    return event["selection"] if modes and event else {}


def _clicked_data(selection: Mapping[str, Any]) -> list[Any] | None:
    points = selection.get("points", ())
    if not points:
        return None
    data = points[0].get("customdata")
    return list(data) if isinstance(data, (list, tuple)) else [data]


def choose_grouping(columns: Sequence[str], selected: str, *, labelled: bool = False) -> None:
    """The choice of a column to group by, where there is more than one; the address keeps it as
    `by`. `labelled` says what it is for where no heading does."""
    if len(columns) < 2:
        return
    session.widget(
        st.pills,
        "Group by",
        "by",
        value=selected,
        store=lambda name: {"by": name or selected},
        options=list(columns),
        format_func=escape_markdown,
        label_visibility="visible" if labelled else "collapsed",
        wrap=True,
    )


def show_removed(message: str, key: str, bring_back: Callable[..., None], *arguments: str) -> None:
    """A row for what was removed, and the way back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(message)
        st.button("Restore", key=key, on_click=bring_back, args=arguments, type="tertiary")


def run_steps(steps: Sequence[tuple[str, Callable[[], object]]]) -> None:
    """Do what takes long with a bar that says how far it is. Between two steps Streamlit hears
    clicks: whoever goes elsewhere meanwhile ends it, and what was done is kept."""
    if not steps:
        return
    bar = st.progress(0.0)
    for number, (label, work) in enumerate(steps):
        bar.progress(number / len(steps), text=label)
        work()
    bar.empty()
