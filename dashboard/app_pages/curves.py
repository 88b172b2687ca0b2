"""Curves: does the lead depend on how many results count?"""

import streamlit as st

from dashboard import session
from dashboard.answers import curves as answers
from dashboard.answers.curves import Curves
from dashboard.app_pages.parts import section
from dashboard.drawing.blocks import curves as blocks
from dashboard.drawing.blocks import markup
from dashboard.drawing.drawn_once import drawn
from dashboard.drawing.figures import curves as figures
from dashboard.session import Opened
from dashboard.session.deferred import defer
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES

_TITLES = {
    "P": ("Precision@k", "share of the top k that is relevant"),
    "R": ("Recall@k", "share of all relevant documents in the top k"),
    "nDCG": ("nDCG@k", "order of the top k against the best possible"),
}


def render() -> None:
    """Measures by cutoff, then precision against recall."""
    here = session.opened_study()
    view, styles = here.comparison, here.drawing.styles
    sentence, panels = st.empty(), st.empty()

    def draw(shown: Curves) -> None:
        sentence.html(markup.sentence(shown.finding, styles))
        with panels.container():
            _panels(shown, here, whole=True)

    if answers.curves_soon(here.study, view):
        shown = answers.curves(here.study, view)
        draw(shown)
    else:
        # The lines stand at once; how far each difference may be chance takes longer.
        shown = answers.curve_lines(here.study, view)
        sentence.html(markup.sentence(shown.finding, styles))
        with panels.container():
            _panels(shown, here, whole=False)
        defer(lambda: draw(answers.curves(here.study, view)), panels)
    _precision_recall(shown, here)


def _panels(shown: Curves, here: Opened, *, whole: bool) -> None:
    """A chart for each measure; not `whole` where the bands are still to come."""
    view, styles = here.comparison, here.drawing.styles
    gap = f" Above: scores. Below: differences to {view.baseline}, which decide;"
    gap += (
        " the bands below hold for all k at once, so where one is clear of zero it is unlikely to"
        " be chance."
        if shown.queries >= FEWEST_QUERIES
        else f" under {FEWEST_QUERIES} queries any difference may be chance."
    )
    section.heading(
        "Measures against the number of results counted",
        f"Mean over {section.counted(shown.queries, 'query', 'queries')}, bands are 95 % intervals."
        + (gap if len(styles) > 1 else ""),
        frame=shown.table if whole else None,
        key="by_cutoff",
    )
    coming = "" if whole else "_lines"
    for start in range(0, len(shown.frames), 3):
        with st.container(key=f"panels_{start}{coming}"):
            columns = st.columns(3, gap="medium")
            panels = list(shown.frames.items())[start : start + 3]
            span = drawn(figures.difference_range, shown.alike, here.drawing)
            for column, (family, frame) in zip(columns, panels, strict=False):
                own = view.measure.declaration.gloss.format(k="k")
                title, gloss = _TITLES.get(family, (f"{family}@k", own))
                with column:
                    figure = drawn(
                        figures.measure_by_cutoff,
                        frame,
                        here.drawing,
                        title=title,
                        subtitle=gloss,
                        difference_range=span if shown.ranges[family] == (0, 1) else None,
                        value_range=shown.ranges[family],
                    )
                    alt = f"{title} of {w.listing(styles)} by k. {shown.finding.text}"
                    picture = section.caption(
                        f"{title} against the number of results counted", section.INTERVALS
                    )
                    key = f"curve_{family}{coming}"
                    section.chart(figure, key, alt=alt, picture=picture, clickable=False)


def _precision_recall(shown: Curves, here: Opened) -> None:
    styles = here.drawing.styles
    left, right = st.columns([1.35, 1], gap="large")
    with left:
        section.heading(
            "Precision against recall",
            "How clean the list stays while more of the relevant documents are collected."
            " Higher is better. Precision is interpolated: the best at or beyond each recall.",
            frame=shown.precision_recall,
            key="precision_recall",
        )
        figure = drawn(figures.precision_recall, shown.precision_recall, here.drawing)
        alt = f"Precision against recall of {w.listing(styles)}. {shown.half}"
        picture = section.caption("Precision against recall", "interpolated precision")
        section.chart(figure, "precision_recall", alt=alt, picture=picture, clickable=False)
    with right:
        section.heading(
            "Read off", "Precision when a given share of the relevant documents has been found."
        )
        st.html(blocks.read_off(shown.precision_recall, here.drawing))


if __name__ == "__main__":
    render()
