"""Breakdown: where does the difference come from?"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import session
from dashboard.address.group_table import OF_ANOTHER
from dashboard.address.query_list import PLAIN
from dashboard.address.view import Comparison
from dashboard.answers import breakdown as answers
from dashboard.answers.breakdown import Breakdown
from dashboard.answers.crossing import crossings
from dashboard.answers.group_names import column_name, column_title
from dashboard.answers.group_table import LEAST, MOST_ROWS, Asked, Listed, listed, ranks_of
from dashboard.answers.room import most_to_gain
from dashboard.answers.slices import slices, slices_known
from dashboard.answers.spreadsheet import spreadsheet
from dashboard.app_pages.parts import cells, section
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import groups, markup
from dashboard.drawing.blocks.slices import slice_rows
from dashboard.drawing.drawn_once import drawn
from dashboard.drawing.figures import breakdown as figures
from dashboard.session import Opened
from dashboard.session.deferred import defer
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.groups import SLICES_AWAITED, slices_finding
from metrics_core.findings.sentence import Sentence
from metrics_core.scoring.intervals import LEVEL

_RANKS = {
    "adds": "what it adds",
    "difference": "difference",
    "mean": "mean",
    "queries": "queries",
    "room": "room for improvement",
    "group": "name",
}
_WORK = {
    "order": "Most room: relevant documents in the wrong order within the top {k}.",
    "below": "Most room: relevant documents ranked below {k}.",
    "missing": "Most room: relevant documents never retrieved.",
}
_SEEN = {"own": 3, "crossed": 1, "computed": 2}
"""How many columns of each kind are not folded away."""


def render() -> None:
    """One table of groups, or two columns crossed."""
    here = session.opened_study()
    asked = here.view.address
    shown = answers.breakdown(here.study, here.comparison, asked["by"])
    if not shown.columns:
        _no_columns()
        return
    across = asked["across"]
    if here.comparison.alone or across not in shown.columns or across == shown.by:
        _groups(shown, here)
    else:
        cells.crossed(shown, across, here, _top)
    defer(lambda: _slices(here))


def _no_columns() -> None:
    st.html(
        markup.nothing(
            "Nothing tells these queries apart.",
            "Add a query file with a column such as category, or texts, to break results down.",
        )
    )
    if st.button("Add queries"):
        session.goto("data")


def _top(
    here: Opened,
    title: Sentence,
    lead: Callable[[str], Sentence],
    shown: Breakdown,
    across: str,
    downloads: list[tuple[str, str, Callable[[], pd.DataFrame]]],
) -> None:
    """Title and lead, with what was found among the slices once that is known; the columns, and
    downloads."""
    room, view = st.empty(), here.comparison

    def told(found: str) -> None:
        st.html(markup.answer(title, lead(found), here.drawing.styles))

    def told_all() -> None:
        known = slices(here.study, view)
        told(slices_finding(known.looked_at, len(known.found)))

    with room:
        if slices_known(here.study, view):
            told_all()
        else:
            told(SLICES_AWAITED)
            defer(told_all, room)
    with st.container(horizontal=True, key="choice_of_columns", vertical_alignment="center"):
        _choice(shown, across, here)
        with st.popover("Download", type="tertiary"):
            for key, label, frame in downloads:
                st.download_button(
                    label,
                    data=partial(_sheet, frame),
                    file_name=section.file_name(key),
                    mime="text/csv",
                    key=f"csv_{key}",
                    type="tertiary",
                    on_click="ignore",
                )
    if shown.explanation:
        st.caption(shown.explanation)


def _sheet(frame: Callable[[], pd.DataFrame]) -> bytes:
    return spreadsheet(frame())


def _choice(shown: Breakdown, across: str, here: Opened) -> None:
    """The columns, and pairs of them, as links."""
    own = set(here.study.groupings)

    cutoff = here.comparison.cutoff

    def choice(by: str) -> groups.Choice:
        link = session.href("breakdown", **OF_ANOTHER | {"by": by})
        kind = "own" if by in own else "computed"
        return groups.Choice(column_title(by, cutoff), link, kind, by == shown.by and not across)

    def pair(by: str, other: str) -> groups.Choice:
        link = session.href("breakdown", **OF_ANOTHER | {"by": by, "across": other})
        text = f"{column_title(by, cutoff)} × {column_name(other, cutoff)}"
        return groups.Choice(text, link, "crossed", {by, other} == {shown.by, across})

    pairs = crossings(here.study, here.comparison, shown.by, across)
    choices = [*map(choice, shown.columns), *(pair(*both) for both in pairs)]
    st.html(groups.column_choice(choices, most=_SEEN))


def _groups(shown: Breakdown, here: Opened) -> None:
    """The table of one column, and the charts of all runs below it."""
    view, asked = here.comparison, here.view.address
    higher = view.measure.declaration.higher_is_better

    def all_runs() -> pd.DataFrame:
        return answers.by_column(here.study, view, shown.by)

    _top(
        here,
        shown.title,
        lambda found: shown.lead(found, higher_is_better=higher),
        shown,
        "",
        [
            ("groups", f"Table by {literal(shown.column)} (CSV)", lambda: shown.sheet),
            ("scores", "Scores and differences of all runs shown (CSV)", all_runs),
        ],
    )
    least = int(asked["least"]) if asked["least"].isdecimal() else 0
    wanted = Asked(asked["ranked"], asked["within"], least, bool(asked["every"]))
    found = listed(shown, wanted, alone=view.alone, higher_is_better=higher)
    if len(shown.groups) > MOST_ROWS:
        _controls(shown, found, wanted)
    if len(shown.groups) > 1:
        _table(shown, found, wanted, here)
    elif shown.mixed:
        st.html(groups.below_groups(shown, here.drawing, ""))
    _charts(shown, found, here)


def _controls(shown: Breakdown, found: Listed, wanted: Asked) -> None:
    """Find, order and least size, where there are many groups."""
    ranks = [key for key in _RANKS if key in ranks_of(shown.groups)]
    with st.container(horizontal=True, key="finding_groups"):
        session.widget(
            st.text_input,
            "Find a group",
            "within",
            value=wanted.within,
            store=lambda text: {"within": text.strip()},
            placeholder="Find a group",
            label_visibility="collapsed",
            width=230,
        )
        session.widget(
            st.selectbox,
            "Sort by",
            "ranked",
            value=found.ranked.removeprefix("-"),
            store=lambda key: {"ranked": key if key == "group" else f"-{key}"},
            options=ranks,
            format_func=lambda key: f"By {_RANKS[key]}",
            label_visibility="collapsed",
            width=250,
        )
        session.widget(
            st.selectbox,
            "Show groups of at least",
            "least",
            value=wanted.least,
            store=lambda least: {"least": str(least or "")},
            options=sorted({0, *LEAST, wanted.least}),
            format_func=lambda n: (
                f"At least {section.counted(n, 'query', 'queries')}" if n else "Of any size"
            ),
            label_visibility="collapsed",
            width=210,
        )


def _table(shown: Breakdown, found: Listed, wanted: Asked, here: Opened) -> None:
    if not len(found.rows):
        st.html(markup.nothing("No group matches.", f"{len(shown.groups)} groups are there."))
        st.button("Show all groups", on_click=session.change, kwargs={"within": "", "least": ""})
        return
    view = here.comparison
    narrowed = bool(wanted.within or wanted.least) and found.found == len(found.rows)
    more = "" if narrowed else session.href("breakdown", every="1")

    def draw() -> Any:
        return groups.group_table(
            found,
            shown,
            here.drawing,
            column=column_title(shown.by, view.cutoff),
            lead=lambda group: session.href(
                "queries", where=view.narrowed({shown.by: [group]}), **PLAIN
            ),
            ranked=lambda order: session.href("breakdown", ranked=order),
            more=more,
        )

    st.html(draw())
    gain = _WORK.get(most_to_gain(shown.table), "").format(k=w.count(view.cutoff))
    note = " ".join(part for part in (found.note, gain, "A row opens its queries.") if part)
    st.html(groups.below_groups(shown, here.drawing, note))
    if wanted.every and len(shown.groups) > MOST_ROWS:
        st.html(groups.more_link("Show fewer groups", session.href("breakdown", every="")))


def _charts(shown: Breakdown, found: Listed, here: Opened) -> None:
    """Scores and differences of all runs shown, of the groups that are seen, where they are asked
    for."""
    view, name = here.comparison, str(here.comparison.measure)
    is_open = bool(here.view.address["charts"])
    runs = section.counted(len(view.runs), "run", "runs")
    text = f"Charts of {runs} by {shown.column}"
    link = session.href("breakdown", charts="" if is_open else "1")
    st.html(groups.more_link(f"{text} {'↑' if is_open else '↓'}", link))
    if not is_open:
        return
    scores = answers.group_scores(here.study, view, shown.by, tuple(found.rows["group"]))
    if scores.strongest:
        st.html(markup.second(scores.strongest, here.drawing.styles))
    every = section.counted(shown.looked_at, "group", "groups")
    by = f"by {shown.column}"
    with st.container(key="by_group"):
        left, right = st.columns([1, 1], gap="large")
    if not view.alone:
        with left:
            section.heading(
                f"Difference to {view.baseline} on {name}",
                f"Bars are {w.share(view.method.level)} intervals, corrected for {every}; none"
                f" under {FEWEST_QUERIES} queries. Choose a dot to compare its run.",
                styles=here.drawing.styles,
            )
            figure = drawn(
                figures.difference_by_group, scores.groups, here.drawing, order=scores.order
            )
            alt = f"Difference to {view.baseline} {by}. {shown.title.text}"
            title = f"Difference to {view.baseline} on {name}, {by}"
            picture = section.caption(title, name, section.INTERVALS)
            _draw(figure, "difference_by_group", here, shown.by, alt=alt, picture=picture)
    with right:
        section.heading(f"Score on {name}", "Mean per run; the same order of groups.")
        figure = drawn(figures.score_by_group, scores.groups, here.drawing, order=scores.order)
        alt = f"Mean {name} per run {by}. {scores.best}"
        picture = section.caption(f"Score on {name}, {by}", name)
        _draw(figure, "score_by_group", here, shown.by, alt=alt, picture=picture)


def _draw(figure: Any, key: str, here: Opened, by: str, **told: Any) -> None:
    """A chart with groups and runs: a click on a run's dot compares that run, one on the rest of a
    row opens its queries."""
    view, clicked = here.comparison, section.chart(figure, key, **told)
    if not clicked:
        return
    run_clicked = clicked[1] if len(clicked) > 1 else view.focus
    if run_clicked in (view.focus, view.baseline):
        _list_queries(view, {by: clicked[0]})
    session.forget(key)
    session.goto("breakdown", **here.view.comparing(run_clicked))


def _list_queries(view: Comparison, picked: dict[str, str]) -> None:
    chosen = {column: [value] for column, value in picked.items()}
    session.goto("queries", where=view.narrowed(chosen), **PLAIN)


def _slices(here: Opened) -> None:
    """The slices in which the difference is unlike elsewhere."""
    known = slices(here.study, here.comparison)
    if not known.found:
        return
    among = section.counted(known.looked_at, "slice", "slices")
    section.heading(
        f"Stands out among {among}",
        "Queries of one or two columns in which the difference is unlike the rest;"
        f" {w.share(1 - LEVEL)} false discovery rate.",
        frame=known.table,
        key="slices",
    )
    st.html(
        slice_rows(
            known.found,
            lead=lambda found: session.href("queries", where=found.where, **PLAIN),
        )
    )


if __name__ == "__main__":
    render()
