"""What stands above the table of the Queries page: a strip, or one chart at a time."""

from __future__ import annotations

import streamlit as st

from dashboard import session
from dashboard.address.query_list import opened_from
from dashboard.answers import query_views
from dashboard.answers.queries import QueryList
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import queries as blocks
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.drawn_once import drawn
from dashboard.drawing.figures import queries as figures
from dashboard.drawing.figures import query_heatmap, run_against_run, score_strips
from dashboard.session import Opened
from dashboard.session.picked_queries import pick
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import SAME

_VIEWS = {"": "Table", "heatmap": "Heatmap", "against": "Scatter", "strips": "Strips"}
_TOOLS = {"": "Click to open", "lasso": "Lasso to list"}


def chosen(here: Opened) -> str:
    """The choice of views above the table, and the one that is chosen."""
    alone, asked = here.comparison.alone, here.view.address["view"]
    offered = [name for name in _VIEWS if not (alone and name == "against")]
    view = asked if asked in offered else offered[0]
    session.widget(
        st.segmented_control,
        "View",
        "view",
        value=view,
        store=lambda name: {} if name is None else {"view": name},
        options=offered,
        format_func=_VIEWS.__getitem__,
        label_visibility="collapsed",
    )
    return view


def draw(view: str, shown: QueryList, here: Opened) -> None:
    """What stands above the table in a view; of one run alone nothing is sorted."""
    if not view and here.comparison.alone:
        return
    with st.container(key="marks"):
        drawn_by = {"": _sorted, "against": _against, "heatmap": _heatmap, "strips": _strips}[view]
        clicked = drawn_by(shown, here)
    if clicked:
        session.goto("query", q=clicked[0], rows="", **opened_from(here.view.address))


def _kept_ids(shown: QueryList) -> frozenset[str] | None:
    return frozenset(shown.kept["query_id"]) if len(shown.kept) < len(shown.frame) else None


def _coloured(shown: QueryList, here: Opened) -> Drawing:
    return here.drawing if shown.can_tell else here.drawing.quiet


def _sorted(shown: QueryList, here: Opened) -> list[str] | None:
    view = here.comparison
    st.html(blocks.strip_said(shown.paired, figures.MOST_BARS, shown.mean))
    figure = drawn(
        figures.sorted_differences, shown.frame, _coloured(shown, here), shown=_kept_ids(shown)
    )
    picture = section.caption(
        f"Every query, sorted by its difference: {view.focus} minus {view.baseline}",
        str(view.measure),
        runs=(view.focus, view.baseline),
    )
    alt = f"Differences by query. {shown.finding.text}."
    return section.chart(figure, "sorted", alt=alt, picture=picture)


def _against(shown: QueryList, here: Opened) -> list[str] | None:
    view = here.comparison
    title = f"{view.focus} against {view.baseline}"
    lasso = here.view.address["tool"] == "lasso"
    section.heading(
        title,
        f"One point per query, by its {view.measure}. On the line both runs score the same.",
    )
    # Streamlit tells clicks or regions of a chart, never both.
    session.widget(
        st.segmented_control,
        "What the mouse does",
        "tool",
        value="lasso" if lasso else "",
        store=lambda tool: {} if tool is None else {"tool": tool},
        options=list(_TOOLS),
        format_func=_TOOLS.__getitem__,
        label_visibility="collapsed",
    )
    figure = drawn(
        run_against_run.run_against_run,
        shown.frame,
        _coloured(shown, here),
        same=SAME,
        shown=_kept_ids(shown),
        lasso=lasso,
    )
    alt = f"Each query's {view.measure}: {title}. {shown.finding.text}."
    picture = section.caption(title, str(view.measure), runs=(view.focus, view.baseline))
    if not lasso:
        return section.chart(figure, "against", alt=alt, picture=picture)
    regions = section.regions_of(figure, "against_lasso", alt=alt, picture=picture)
    if regions:
        found = query_views.inside(shown.frame, "baseline_score", "score", regions)
        # The chart forgets the region, which the address holds from here on.
        session.forget("against_lasso")
        session.change(pick=pick(found), p="")
        st.rerun()
    return None


def _heatmap(shown: QueryList, here: Opened) -> list[str] | None:
    view, found = here.comparison, query_views.heat(here.study, shown, here.comparison)
    kept = len(shown.kept)
    which = "One column per query"
    if len(found.frame) < kept:
        which = f"{w.count(len(found.frame))} of the {w.count(kept)} queries, evenly spaced"
    title = f"{view.measure} by query and run"
    fails = w.plural(found.failing, "fails", "fail")
    section.heading(
        f"{w.count(found.failing)} of {section.counted(kept, 'query', 'queries')} {fails} with"
        f" {view.focus if len(view.runs) == 1 else view.every_run}"
        if found.failing
        else title,
        f"{which}, easiest on the left; one row per run. The runs disagree where the"
        " colour changes within a column.",
    )
    if found.frame.empty:
        return None
    ends = query_heatmap.score_span(found.frame, here.drawing)
    st.html(blocks.colour_key(str(view.measure), *ends, empty=bool(found.empty.any(axis=None))))
    figure = drawn(query_heatmap.score_heatmap, found.frame, here.drawing, empty=found.empty)
    alt = f"{view.measure} of each run on each query. {shown.finding.text}."
    picture = section.caption(title, which)
    clicked = section.chart(figure, "heatmap", alt=alt, picture=picture)
    st.html(
        blocks.beside_heatmap(found.failed, found.ahead, found.failing, here.drawing, session.href)
    )
    return clicked


def _strips(shown: QueryList, here: Opened) -> list[str] | None:
    view = here.comparison
    offered = query_views.strip_groupings(here.study, view)
    by = here.view.address["by"]
    by = by if by in offered else next(iter(here.study.splitting(view)), "")
    section.heading(
        f"Score by {by or 'query'}",
        f"{view.measure}: one point per query, a line at the mean of each group.",
    )
    section.group_by(offered, by)
    found = query_views.strips(here.study, view, by)
    figure = drawn(
        score_strips.score_strips,
        found.frame,
        found.means,
        found.groups,
        here.drawing,
        shown=_kept_ids(shown),
    )
    alt = f"{view.measure} of each query by {by}. {shown.finding.text}."
    runs = dict.fromkeys((view.focus, view.baseline))
    picture = section.caption(f"Score by {by or 'query'}", str(view.measure), runs=runs)
    return section.chart(figure, "strips", alt=alt, picture=picture)
