"""Queries: which ones?"""

import pandas as pd
import streamlit as st

from dashboard import answers, parts, session
from dashboard.address.address import Field
from dashboard.address.view import Comparison
from dashboard.answers import QueryList
from dashboard.answers.queries import SHOW_ALL
from dashboard.blocks import markup
from dashboard.figures import against
from dashboard.figures import queries as figures
from dashboard.literal import literal
from dashboard.page import Page
from dashboard.session import Opened
from dashboard.theme import Palette
from metrics_core import wording as w
from metrics_core.comparing.pairs import SAME

_ROW = 34
_ROWS_SHOWN = 14
_STYLED = 500
"""Rows up to which the difference is coloured; beyond, a Styler costs seconds."""


PAGE = Page("queries", "Queries", place=4, fields=(Field("show"), Field("s")))


def render() -> None:
    """Chips and search, every query as a mark, and the table."""
    here = session.opened_study()
    view, styles, asked = here.comparison, here.look.of(here.comparison.runs), here.view.address
    shown = answers.query_list(here.study, view, asked["show"], asked["s"])
    st.html(markup.sentence(shown.finding, styles))
    _chips(shown, here)
    if not view.alone and len(shown.frame):
        with st.container(key="marks"):
            left, right = st.columns([1.75, 1], gap="large")
            with left:
                _sorted(shown, here)
            with right:
                _against(shown, here)
    if shown.kept.empty:
        _no_match(shown, here)
    else:
        _table(shown, here)


def _chips(shown: QueryList, here: Opened) -> None:
    view = here.comparison
    with st.container(horizontal=True, key="chips", vertical_alignment="center"):
        session.widget(
            st.pills,
            "Show",
            "show",
            value=shown.show,
            store=lambda show: {"show": "" if show in (None, SHOW_ALL) else show},
            options=list(shown.counts),
            format_func=lambda show: _chip(show, shown.counts[show], view),
            label_visibility="collapsed",
            wrap=True,
        )
        session.widget(
            st.text_input,
            "Search the query texts",
            "s",
            value=here.view.address["s"],
            store=lambda text: {"s": text.strip()},
            placeholder="Search the query texts",
            label_visibility="collapsed",
            width=260,
        )


def _chip(show: str, count: int, view: Comparison) -> str:
    mark = {"better": ":green[▲] ", "worse": ":orange[▼] "}.get(show, "")
    return f"{mark}{literal(_chip_name(show, view))} {w.count(count)}"


def _chip_name(show: str, view: Comparison) -> str:
    """A query list's name, as plain text."""
    return {
        SHOW_ALL: "All",
        "none": _none_name(view),
        "zero": f"{view.focus} at zero",
        "missing": "not in a run" if view.alone else "not in both runs",
    }.get(show, show)


def _none_name(view: Comparison) -> str:
    who = view.every_run.removesuffix(" runs")
    if view.measure.declaration.range[0] < 0:
        return f"{who} at zero"
    return f"{who} fail" if who == "both" else f"{who} fails"


def _open(query_id: str) -> None:
    session.goto("query", q=query_id)


def _kept_ids(shown: QueryList) -> set[str] | None:
    return set(shown.kept["query_id"]) if len(shown.kept) < len(shown.frame) else None


def _sorted(shown: QueryList, here: Opened) -> None:
    view = here.comparison
    parts.heading(
        "Every query, sorted by its difference",
        f"{view.focus} minus {view.baseline} on {view.measure}. A click on a bar opens the query.",
    )
    figure = figures.sorted_differences(
        shown.frame,
        palette=here.look.palette,
        focus=view.focus,
        baseline=view.baseline,
        mean=shown.mean,
        shown=_kept_ids(shown),
    )
    picture = parts.caption(
        f"Every query, sorted by its difference: {view.focus} minus {view.baseline}",
        str(view.measure),
        runs=(view.focus, view.baseline),
    )
    alt = f"Differences by query. {shown.finding.text}"
    clicked = parts.chart(figure, "sorted", alt=alt, picture=picture)
    if clicked:
        _open(clicked[0])


def _against(shown: QueryList, here: Opened) -> None:
    view = here.comparison
    parts.heading(
        f"{view.focus} against {view.baseline}",
        "One point per query. On the line both score the same.",
    )
    figure = against.run_against_run(
        shown.frame,
        palette=here.look.palette,
        focus=view.focus,
        baseline=view.baseline,
        focus_style=here.look.styles[view.focus],
        shown=_kept_ids(shown),
        same=SAME,
        value_range=view.measure.declaration.range,
    )
    alt = f"Each query's {view.measure}: {view.focus} against {view.baseline}. {shown.finding.text}"
    picture = parts.caption(
        f"{view.focus} against {view.baseline}",
        str(view.measure),
        runs=(view.focus, view.baseline),
    )
    clicked = parts.chart(figure, "against", alt=alt, picture=picture)
    if clicked:
        _open(clicked[0])


def _no_match(shown: QueryList, here: Opened) -> None:
    named = _chip_name(shown.show, here.comparison)
    of, search = shown.counts[shown.show], here.view.address["s"]
    if search:
        text = f"None of the {w.count(of)} queries shown by “{named}” contains “{search}”."
    else:
        text = f"None of the {w.count(len(shown.frame))} queries is in this list."
    st.html(markup.nothing("No query matches.", text))
    label = "Clear the search" if search else "Show all queries"
    kept = here.view.address["show"] if search else ""
    st.button(label, on_click=session.change, kwargs={"s": "", "show": kept})


def _table(shown: QueryList, here: Opened) -> None:
    view = here.comparison
    total, kept = len(shown.frame), len(shown.kept)
    title = f"{w.count(kept)} of {w.count(total)} queries" if kept < total else None
    order = "Best difference" if shown.show == "better" else "Worst difference"
    if view.alone:
        order = "Lowest score"
    parts.heading(
        title or f"{w.count(total)} queries",
        f"{order} first; a click on a column head sorts, a click on a row opens the query.",
        frame=shown.table,
        key="queries",
    )
    gap = f"{view.focus} {w.MINUS} {view.baseline}"
    columns = ["text", *(["difference"] if not view.alone else [])]
    columns += [f"run: {name}" for name in view.runs]
    columns += [f"by: {column}" for column in shown.groupings]
    frame = shown.kept[columns].reset_index(drop=True)
    event = st.dataframe(
        _with_colors(frame, here.look.palette) if len(frame) <= _STYLED else frame,
        key=f"table_{session.generation('table')}",
        hide_index=True,
        height=(min(len(frame), _ROWS_SHOWN) + 1) * _ROW + 3,
        row_height=_ROW,
        on_select="rerun",
        selection_mode="single-cell",
        alt=f"{w.count(kept)} queries with their scores",
        column_config=_columns(shown, here, gap),
    )
    cells = event["selection"]["cells"] if event else []
    if cells:
        session.forget("table")
        _open(str(shown.kept["query_id"].iloc[cells[0][0]]))


def _columns(shown: QueryList, here: Opened, gap: str) -> dict[str, object]:
    view, styles, palette = here.comparison, here.look.styles, here.look.palette
    config: dict[str, object] = {
        "text": st.column_config.TextColumn("Query", width=250),
        # Beyond the rows that are styled, Streamlit's own format has to do.
        "difference": st.column_config.NumberColumn(
            gap, width=104, format="%+.3f" if len(shown.kept) > _STYLED else None
        ),
    }
    for name in view.runs:
        if shown.scale is None:
            config[f"run: {name}"] = st.column_config.NumberColumn(name, format="%.3f", width=118)
            continue
        config[f"run: {name}"] = st.column_config.ProgressColumn(
            name,
            min_value=shown.scale[0],
            max_value=shown.scale[1],
            format="%.3f",
            color=styles[name].color(palette),
            width=118,
        )
    for column in shown.groupings:
        config[f"by: {column}"] = st.column_config.TextColumn(column.capitalize(), width=92)
    return config


def _with_colors(frame: pd.DataFrame, palette: Palette) -> object:
    """The frame with its differences signed and coloured where they are more than "same"."""
    if "difference" not in frame:
        return frame

    def color(value: float) -> str:
        if abs(value) <= SAME + 1e-12:
            return f"color: {palette.muted}"
        return f"color: {palette.better if value > 0 else palette.worse}; font-weight: 600"

    return frame.style.map(color, subset=["difference"]).format(w.difference, subset=["difference"])


if __name__ == "__main__":
    render()
