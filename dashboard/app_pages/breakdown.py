"""Breakdown: where does the difference come from?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import session
from dashboard.address.group_table import OF_ANOTHER
from dashboard.address.query_list import PLAIN
from dashboard.answers import breakdown as answers
from dashboard.answers.breakdown import Breakdown
from dashboard.answers.crossing import crossing, crossings, usual_across
from dashboard.answers.group_names import column_title, crossed_title
from dashboard.answers.group_table import (
    LEAST,
    MOST_ROWS,
    GroupRows,
    GroupTableRequest,
    listed,
    ranks_of,
)
from dashboard.answers.headroom import most_to_gain
from dashboard.answers.slices import slices, slices_known
from dashboard.answers.spreadsheet import spreadsheet
from dashboard.app_pages.parts import group_charts, section
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import curves, groups, markup
from dashboard.drawing.blocks.slices import slice_rows
from dashboard.session import Opened
from dashboard.session.deferred_drawing import defer
from metrics_core.base import wording as w
from metrics_core.base.digits import whole_number
from metrics_core.findings.groups import SLICES_AWAITED, slices_finding
from metrics_core.findings.sentence import Sentence
from metrics_core.scoring.intervals import LEVEL


def crossed(shown: Breakdown, across: str, here: Opened, top: Callable[..., None]) -> None:
    """The cells of two columns, and the scores of all runs by the second, below what `top` puts on
    top of the page."""
    every = bool(here.view.address["every"])
    found = crossing(here.study, here.comparison, shown.by, across, every=every)
    downloads = [
        ("cells", "Cells (CSV)", lambda: found.cells),
        ("second", "Scores of all runs shown (CSV)", lambda: found.groups),
    ]
    top(here, found.title, found.lead, shown, across, downloads)
    group_charts.legend(here)
    with st.container(key="crossed"):
        left, right = st.columns([1.8, 1], gap="medium")
    with left:
        group_charts.cells(found, shown.by, here)
        if found.left_out or every:
            text = "Show fewer groups" if every else f"{found.left_out} more groups"
            st.html(groups.more_link(text, session.href("breakdown", every="" if every else "1")))
    with right:
        group_charts.scores(found.groups, across, found.order, found.best, here)
        st.html(curves.note("Click a dot or a row to open its queries."))


_RANKS = {
    "adds": "contribution",
    "difference": "difference",
    "mean": "mean",
    "queries": "queries",
    "room": "headroom",
    "group": "name",
}
_WORK = {
    "order": "Most headroom: relevant documents in the wrong order within the top {k}.",
    "below": "Most headroom: relevant documents ranked below {k}.",
    "missing": "Most headroom: relevant documents never retrieved.",
}
_CHARTS, _TABLE = "1", "0"
_RUNS_OF_A_TABLE = 2
_SEEN = {"own": 3, "crossed": 1, "computed": 2}
"""How many columns of each kind are not folded away."""


def render() -> None:
    """The groups of one column, or two columns crossed."""
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
        crossed(shown, across, here, _top)
    defer(lambda: _slices(here))


def _no_columns() -> None:
    st.html(
        markup.nothing(
            "There is nothing to group these queries by.",
            "To break results down, add a query file with texts or with a column such as category.",
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
        if not across and len(shown.groups) > 1:
            session.widget(
                st.segmented_control,
                "Show as",
                "charts",
                value=_form(here),
                store=lambda form: {"charts": form or _form(here)},
                options=[_CHARTS, _TABLE],
                format_func={_CHARTS: "Charts", _TABLE: "Table"}.__getitem__,
                label_visibility="collapsed",
            )
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


def _form(here: Opened) -> str:
    """What the groups are shown as: as the address says, or else charts where a table of two runs
    does not show all."""
    asked: str = here.view.address["charts"]
    usual = _CHARTS if len(here.comparison.runs) > _RUNS_OF_A_TABLE else _TABLE
    return asked if asked in (_CHARTS, _TABLE) else usual


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
        text = crossed_title(by, other, cutoff)
        return groups.Choice(text, link, "crossed", {by, other} == {shown.by, across})

    pairs = crossings(here.study, here.comparison, shown.by, across)
    choices = [*map(choice, shown.columns), *(pair(*both) for both in pairs)]
    st.html(groups.column_choice(choices, most=_SEEN))


def _groups(shown: Breakdown, here: Opened) -> None:
    """The groups of one column, in charts of all runs or in a table of two."""
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
    least = whole_number(asked["least"]) or 0
    wanted = GroupTableRequest(asked["ranked"], asked["within"], least, bool(asked["every"]))
    found = listed(shown, wanted, alone=view.alone, higher_is_better=higher)
    many = len(shown.groups) > MOST_ROWS
    if many:
        _controls(shown, found, wanted)
    if len(shown.groups) < 2:
        if shown.mixed:
            st.html(groups.below_groups(shown, here.drawing, ""))
    elif not len(found.rows):
        st.html(markup.nothing("No group matches.", f"{len(shown.groups)} groups in total."))
        st.button("Show all groups", on_click=session.change, kwargs={"within": "", "least": ""})
    else:
        _FORMS[_form(here)](shown, found, wanted, here)
        if wanted.every and many:
            st.html(groups.more_link("Show fewer groups", session.href("breakdown", every="")))


def _controls(shown: Breakdown, found: GroupRows, wanted: GroupTableRequest) -> None:
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


def _table(shown: Breakdown, found: GroupRows, wanted: GroupTableRequest, here: Opened) -> None:
    view = here.comparison

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
            more=_more(found, wanted),
        )

    st.html(draw())
    gain = _WORK.get(most_to_gain(shown.table), "").format(k=w.count(view.cutoff))
    note = " ".join(part for part in (found.note, gain, "Click a row to open its queries.") if part)
    st.html(groups.below_groups(shown, here.drawing, note))


def _more(found: GroupRows, wanted: GroupTableRequest) -> str:
    """The link that shows the groups that are hidden; "" where all that were asked for are seen."""
    narrowed = bool(wanted.within or wanted.least) and found.found == len(found.rows)
    return "" if narrowed else session.href("breakdown", every="1")


def _charts(shown: Breakdown, found: GroupRows, wanted: GroupTableRequest, here: Opened) -> None:
    """All runs shown by the groups listed, and the column crossed with the one that fits best."""
    view = here.comparison
    answer = answers.group_scores(here.study, view, shown.by, tuple(found.rows["group"]))
    group_charts.legend(here)
    across = "" if view.alone else usual_across(here.study, view, shown.by)
    # These cells are of the groups that add most, not of those that are looked for.
    across = "" if wanted.within or wanted.least else across
    drawn_beside = 1 if view.alone else 2 + bool(across)
    with st.container(key="by_group"):
        columns = st.columns(drawn_beside, gap="medium")
    with columns[0]:
        group_charts.scores(answer.groups, shown.by, answer.order, answer.best, here)
    if not view.alone:
        with columns[1]:
            told = shown.title.text
            group_charts.differences(
                answer.groups, shown.by, answer.order, told, shown.looked_at, here
            )
    if across:
        with columns[2]:
            group_charts.cells(crossing(here.study, view, shown.by, across), shown.by, here)
    if found.hidden and (more := _more(found, wanted)):
        st.html(groups.more_link(f"{w.count(found.hidden)} more groups", more))
    note = " ".join(
        part for part in (found.note, "Click a dot or a row to open its queries.") if part
    )
    st.html(groups.below_groups(shown, here.drawing, note))
    if answer.strongest:
        st.html(markup.second(answer.strongest, here.drawing.styles))


_FORMS: dict[str, Callable[[Breakdown, GroupRows, GroupTableRequest, Opened], None]] = {
    _CHARTS: _charts,
    _TABLE: _table,
}


def _slices(here: Opened) -> None:
    """The slices in which the difference is unlike elsewhere."""
    known = slices(here.study, here.comparison)
    if not known.found:
        return
    among = section.counted(known.looked_at, "slice", "slices")
    section.heading(
        f"Outliers among {among}",
        "Groups of one column or of two crossed columns in which the difference deviates"
        f" from the rest; {w.share(1 - LEVEL)} false discovery rate.",
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
