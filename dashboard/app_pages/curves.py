"""By cutoff: does the lead depend on how many results count?"""

from collections.abc import Callable

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.view import EVERYBODY, NOBODY
from dashboard.answers import curves as answers
from dashboard.answers.curves import MOST_IN_COLOUR, Curves
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import curves as blocks
from dashboard.drawing.blocks import markup
from dashboard.drawing.drawn_once import drawn
from dashboard.drawing.figures import curves as figures
from dashboard.session import Opened
from dashboard.session.deferred_drawing import defer
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES

_PARTS = {"": "Curves", "recall": "Precision against recall", "table": "Table"}
_TITLES = {
    "P": ("P@k", "share of the top k that is relevant"),
    "R": ("R@k", "share of all relevant documents in the top k"),
    "nDCG": ("nDCG@k", "ranking quality of the top k; 1 is ideal"),
}


def render() -> None:
    """The finding; below it the curves, precision against recall, or the numbers of both."""
    here = session.opened_study()
    view = here.comparison
    asked = here.view.address["part"]
    part = asked if asked in _PARTS else ""
    # The lines stand at once; how far each difference may be chance takes longer.
    soon = part != "recall" and answers.curves_soon(here.study, view)
    shown = answers.curves(here.study, view) if soon else answers.curve_lines(here.study, view)
    answer = st.empty()
    answer.html(_answer(shown, part, here))
    session.widget(
        st.pills,
        "Part",
        "part",
        value=part,
        store=lambda chosen: {"part": chosen or ""},
        options=list(_PARTS),
        format_func=_PARTS.__getitem__,
        label_visibility="collapsed",
    )
    room = st.empty()
    with room.container():
        _DRAW[part](shown, here, soon)

    def finish() -> None:
        whole = answers.curves(here.study, view)
        answer.html(_answer(whole, part, here))
        with room.container():
            _DRAW[part](whole, here, True)

    if not soon and part != "recall":
        defer(finish, room)


def _answer(shown: Curves, part: str, here: Opened) -> Markup:
    title, lead = shown.title, shown.lead
    if part == "recall":
        title, lead = shown.recall_title, shown.recall_lead
    return markup.answer(title, lead, here.drawing.styles)


def _legend(shown: Curves, here: Opened, note: str) -> Markup:
    """One legend for all plots; the runs that are only shown besides can be hidden from it."""
    view = here.comparison
    in_colour = shown.in_colour(view)
    hidden = {}
    for run in view.also if len(view.runs) == len(in_colour) else ():
        rest = tuple(other for other in view.also if other != run) or (NOBODY,)
        hidden[run] = session.href("curves", also=rest)
    told = "Click a name to hide it · " if hidden else ""
    others = len(here.study.names) - len(view.runs)
    return blocks.legend(
        here.drawing,
        in_colour,
        hidden,
        f"{told}{note}".rstrip(" ·"),
        # Few are hidden on purpose; of many only some are drawn at first.
        left_out=(
            others if len(here.study.names) > MOST_IN_COLOUR else 0,
            session.href("curves", also=(EVERYBODY,)),
        ),
    )


def _curves(shown: Curves, here: Opened, whole: bool) -> None:
    """A chart for each measure; not `whole` where the bands are still to come."""
    view = here.comparison
    tested = shown.queries >= FEWEST_QUERIES
    note = blocks.bands(here.drawing, tested=tested)
    coming = "" if whole else "_lines"
    section.noted(
        _legend(shown, here, note), "By cutoff", frame=shown.table, key=f"by_cutoff{coming}"
    )
    span = drawn(figures.difference_range, shown.alike, here.drawing)
    for start in range(0, len(shown.frames), 3):
        with st.container(key=f"panels_{'alone_' if view.alone else ''}{start}{coming}"):
            columns = st.columns(3, gap="medium")
            for column, family in zip(columns, list(shown.frames)[start : start + 3], strict=False):
                with column:
                    _panel(shown, family, here, span, coming)
    chosen = w.count(view.cutoff)
    told = (
        f"k: number of results counted (log scale). Dotted: k = {chosen}; click to choose"
        " another. Drag to zoom, double-click to zoom out."
    )
    if tested and not view.alone:
        told += (
            " The bands below are simultaneous over all k: the difference is significant"
            " at each k whose band excludes zero."
        )
    short = [run for run in shown.in_colour(view) if shown.ends[run] < max(shown.ends.values())]
    if short:
        told += " Thin lines: beyond the rank at which half of a run’s lists have ended."
    st.html(blocks.note(told))


def _panel(
    shown: Curves, family: str, here: Opened, span: tuple[float, float], coming: str
) -> None:
    title, gloss = _title(family, here)
    st.html(blocks.panel_head(title, gloss))
    unit = shown.ranges[family] == (0, 1)
    figure = drawn(
        figures.measure_by_cutoff,
        shown.frames[family],
        here.drawing,
        in_colour=shown.in_colour(here.comparison),
        ends=shown.ends,
        difference_range=span if unit else None,
        value_range=shown.ranges[family],
    )
    alt = f"{title} of {w.listing(here.drawing.styles)} by k. {shown.title.text}."
    picture = section.caption(f"{title} by number of results counted", section.INTERVALS)
    key = f"curve_{family}{coming}"
    link = session.href("curves", k="")
    section.chart(figure, key, alt=alt, picture=picture, clickable=False, zooms=True, chooses=link)


def _title(family: str, here: Opened) -> tuple[str, str]:
    own = here.comparison.measure.declaration.gloss.format(k="k")
    return _TITLES.get(family, (f"{family}@k", own))


def _precision_recall(shown: Curves, here: Opened, whole: bool) -> None:
    in_colour = shown.in_colour(here.comparison)
    section.noted(
        _legend(shown, here, ""),
        "Precision against recall",
        frame=shown.precision_recall,
        key="precision_recall",
    )
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        figure = drawn(
            figures.precision_recall, shown.precision_recall, here.drawing, in_colour=in_colour
        )
        alt = f"Precision against recall of {w.listing(here.drawing.styles)}. {shown.half}"
        picture = section.caption("Precision against recall", "interpolated precision")
        section.chart(
            figure, "precision_recall", alt=alt, picture=picture, clickable=False, zooms=True
        )
    with right:
        st.html(blocks.read_off(shown.precision_recall, here.drawing))


def _table(shown: Curves, here: Opened, whole: bool) -> None:
    more = len(here.drawing.styles) - len(shown.in_colour(here.comparison))
    told = "Bold: best in the row." + (f" {w.count(more)} more runs in the CSV." if more else "")
    section.noted(
        blocks.note(told), "By cutoff", frame=shown.table, key="table" if whole else "table_lines"
    )
    glosses = {family: _title(family, here)[1] for family in shown.frames}
    st.html(blocks.by_k(shown.frames, glosses, here.drawing, shown.in_colour(here.comparison)))


_DRAW: dict[str, Callable[[Curves, Opened, bool], None]] = {
    "": _curves,
    "recall": _precision_recall,
    "table": _table,
}


if __name__ == "__main__":
    render()
