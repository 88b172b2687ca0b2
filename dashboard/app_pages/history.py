"""History: how did the versions go, and what broke when?"""

from functools import partial

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.page import FEWEST_VERSIONS
from dashboard.address.query_list import NO_LIST, PLAIN
from dashboard.answers import history as answers
from dashboard.answers.history import HistoryPage
from dashboard.answers.history_dates import VersionDates, version_dates
from dashboard.answers.other_judgments import (
    OtherJudgments,
    other_judgments,
    said_of_versions,
    version_rows,
)
from dashboard.app_pages.parts import section
from dashboard.components import history_order
from dashboard.drawing.blocks import history as blocks
from dashboard.drawing.blocks import markup
from dashboard.drawing.drawn_once import drawn
from dashboard.drawing.figures import history as figures
from dashboard.session import Opened
from dashboard.session.actions.collections import collection_href
from dashboard.session.actions.history import hear_order, library_beside, sharing_queries
from dashboard.session.deferred_drawing import defer
from dashboard.session.open_collection import all_collections, collection, library_here
from metrics_core.base import wording as w
from metrics_core.explaining.kinds import GOOD
from metrics_core.findings.history import not_versions_finding

_SYSTEMS = {"in_order": answers.NONE, "versions": ()}
"""What the address holds where the reader says that the runs are no versions."""
_ORDERS = {answers.BY_NAME: "by name", answers.AS_LOADED: "as loaded", answers.BY_DATE: "by date"}


def render() -> None:
    """The order of the versions, their means, each slice, and the queries that changed."""
    here = session.opened_study()
    study, view, asked = here.study, here.comparison, here.view.address
    dates = version_dates(study.names, library_here().run_files)
    runs = answers.versions(study, asked["in_order"], asked["versions"], dates)
    if len(runs) < FEWEST_VERSIONS:
        st.html(
            markup.nothing("A history needs two versions.", "Add another version of the system.")
        )
        return
    columns = list(study.columns(view))
    by = asked["by"] if asked["by"] in columns else next(iter(study.splitting(view)), "")
    told = answers.are_versions(runs, asked["in_order"], asked["versions"], dates)
    if asked["in_order"] == answers.NONE:
        st.html(markup.answer(*not_versions_finding().parted, {}))
        back = {"in_order": "", "versions": ()}
        st.button("Treat as versions", on_click=session.change, kwargs=back)
        return
    shown = answers.history_page(study, view, runs, are_versions=told)
    st.html(markup.answer(*shown.finding.parted, here.look.styles))
    _order(runs, dates, here, told=told)
    if not told:
        _asked(runs)
        return
    _means(shown, dates, here)
    if by:
        defer(lambda: _slices(runs, columns, by, here))
    defer(lambda: _queries(shown, here))


def _asked(runs: tuple[str, ...]) -> None:
    """The two answers to whether the runs are versions; the address holds them."""
    with st.container(horizontal=True, key="are_versions"):
        yes = {"versions": runs}
        st.button("Yes, in this order", type="primary", on_click=session.change, kwargs=yes)
        st.button("No, they are different systems", on_click=session.change, kwargs=_SYSTEMS)
    told = "“No”: this page shows no progress, and Ranking compares all runs. You can undo this."
    st.html(blocks.remarks([told]))


def _order(runs: tuple[str, ...], dates: VersionDates, here: Opened, *, told: bool) -> None:
    """The versions, first to last: put in order at once, or by hand; beside others once it is
    `told` that they are versions."""
    study, asked = here.study, here.view.address
    usual = answers.versions(study, asked["in_order"], (), dates)
    with st.container(horizontal=True, key="versions", vertical_alignment="bottom"):
        session.widget(
            st.segmented_control,
            "Versions, first to last",
            "in_order",
            value=asked["in_order"] if runs == usual else None,
            store=lambda name: {} if name is None else {"in_order": name, "versions": ()},
            options=list(_ORDERS),
            format_func=_ORDERS.__getitem__,
        )
        if told:
            _beside(here)
            st.button("They are different systems", on_click=session.change, kwargs=_SYSTEMS)
    history_order.by_hand(
        runs,
        study.names,
        styles=here.look.styles,
        dates={} if told else dates.of_files,
        collection=collection(),
        fewest=FEWEST_VERSIONS,
        in_rows=not told,
        on_order=partial(hear_order, history_order.KEY, tuple(usual)),
    )
    if asked["in_order"] == answers.BY_DATE:
        st.html(blocks.remarks([dates.said]))


def _beside(here: Opened) -> None:
    """Which other collections' versions are shown as well; looked for when it is opened."""
    asked = here.view.address["also_from"]
    counted = f" ({w.count(len(asked))})" if asked else ""
    with st.popover(f"Also from other collections{counted}", on_change="rerun") as opened:
        if not opened.open:
            return
        found = sharing_queries(here.study.query_ids)
        known = all_collections()
        shared = {i: f" ({section.counted(n, 'query', 'queries')})" for i, n in found.items()}
        if not {*found, *asked}:
            st.write("No other collection judges any of these queries.")
            return
        session.widget(
            st.multiselect,
            "Collections that judge some of these queries",
            "also_from",
            value=list(asked),
            store=lambda chosen: {"also_from": tuple(chosen)},
            options=[*found, *(identity for identity in asked if identity not in found)],
            format_func=lambda identity: known.name_of(identity) + shared.get(identity, ""),
            help="Their versions are drawn apart, scored by their own judgments, not compared.",
        )


def _others(here: Opened) -> list[OtherJudgments]:
    asked = here.view.address
    known = all_collections()
    return [
        other_judgments(
            here.study,
            here.comparison,
            asked["in_order"],
            identity,
            known.name_of(identity),
            library_beside(identity),
        )
        for identity in dict.fromkeys(asked["also_from"])
        if identity != collection()
    ]


def _means(shown: HistoryPage, dates: VersionDates, here: Opened) -> None:
    view = here.comparison
    others = _others(here)
    by_date = here.view.address["in_order"] == answers.BY_DATE
    rows = version_rows(shown, dates, others, by_date=by_date)
    section.heading(
        f"{view.measure} over {w.count(len(shown.versions))} versions",
        "The mean of each version with its 95 % interval.",
        frame=rows,
        key="versions",
    )
    figure = drawn(figures.mean_by_version, rows, here.drawing)
    picture = section.caption(
        f"{view.measure} by version", str(view.measure), section.INTERVALS, runs=shown.versions
    )
    alt = f"Mean {view.measure} of each version. {shown.finding.text}"
    clicked = section.chart(figure, "by_version", alt=alt, picture=picture)
    if clicked and not clicked[3]:
        session.goto("queries", **here.view.comparing(clicked[0]), **PLAIN)
    told = said_of_versions(rows, others, view.cutoff)
    if told:
        st.html(blocks.remarks(told))
    judged_in = f"Judged in top {w.count(view.cutoff)}"
    st.html(blocks.version_table(rows, view.name, judged_in, collection_href))


def _slices(runs: tuple[str, ...], columns: list[str], by: str, here: Opened) -> None:
    view = here.comparison
    slices = answers.history_slices(here.study, view, runs, by)
    section.heading(
        f"By {by}",
        f"Mean {view.measure} of each group. “Worse since” is the version from which a group is"
        " significantly worse than at its best, corrected for all groups and versions.",
        frame=slices.means,
        key="history",
    )
    section.group_by(columns, by)

    def draw() -> Markup:
        return blocks.slice_table(
            slices.means,
            slices.groups,
            runs,
            slices.first_bad,
            lambda group: session.href("queries", where=view.narrowed({by: [group]}), **PLAIN),
        )

    section.standing("by group", draw, slices)


def _queries(shown: HistoryPage, here: Opened) -> None:
    found = shown.queries
    if found.empty:
        st.html(
            markup.nothing(
                "No query was broken or fixed.", "Each query stayed good or stayed failing."
            )
        )
        return
    first = found.head(answers.MOST_QUERIES)
    more = f" The first {w.count(len(first))} are shown." if len(first) < len(found) else ""
    section.heading(
        f"{section.counted(len(found), 'query', 'queries')} changed",
        f"{GOOD} Currently failing first, most recent on top. A query that changed three"
        f" times or more went back and forth.{more}",
        frame=found,
        key="changed",
    )

    def draw() -> Markup:
        opened = session.hrefs("query", "q", rows="", **NO_LIST)
        return blocks.query_table(first, shown.versions, opened)

    section.standing("changed", draw, shown)


if __name__ == "__main__":
    render()
