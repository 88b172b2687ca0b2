"""History: how did the versions go, and what broke when?"""

import streamlit as st

from dashboard import parts, session
from dashboard.address.address import Field
from dashboard.address.query_list import NO_LIST, PLAIN
from dashboard.answers import history as answers
from dashboard.answers.history import HistoryPage
from dashboard.blocks import history as blocks
from dashboard.blocks import markup
from dashboard.figures import history as figures
from dashboard.literal import literal
from dashboard.page import Page
from dashboard.session import Opened
from metrics_core import wording as w

PAGE = Page(
    "history",
    "History",
    place=7,
    fields=(Field("versions", "several"), Field("in_order"), Field("by")),
    fewest_runs=answers.FEWEST_RUNS,
)

_ORDERS = {answers.BY_NAME: "by name", answers.AS_LOADED: "as loaded"}


def render() -> None:
    """The order of the versions, their means, each slice, and the queries that changed."""
    here = session.opened_study()
    study, view, asked = here.study, here.comparison, here.view.address
    runs = answers.versions(study, asked["in_order"], asked["versions"])
    if len(runs) < answers.FEWEST_RUNS:
        st.html(markup.nothing("One run has no history.", "Load another version of the system."))
        return
    columns = list(study.columns(view))
    by = asked["by"] if asked["by"] in columns else next(iter(columns), "")
    shown = answers.history_page(study, view, runs, by)
    st.html(markup.sentence(shown.finding, here.look.styles))
    _order(runs, here)
    _means(shown, here)
    _slices(shown, columns, by, here)
    _queries(shown, here)


def _order(runs: tuple[str, ...], here: Opened) -> None:
    """The versions, first to last: chosen one by one, or put in order at once."""
    asked = here.view.address
    given = answers.versions(here.study, asked["in_order"], ()) != runs
    with st.container(horizontal=True, key="versions", vertical_alignment="bottom"):
        session.widget(
            st.multiselect,
            "Versions, first to last",
            "versions",
            value=list(runs),
            store=lambda names: {"versions": tuple(names)},
            options=here.study.names,
            help="Take out what is no version, and add the versions in their order.",
        )
        session.widget(
            st.segmented_control,
            "All runs",
            "in_order",
            value=None if given else asked["in_order"],
            store=lambda name: {} if name is None else {"in_order": name, "versions": ()},
            options=list(_ORDERS),
            format_func=_ORDERS.__getitem__,
        )


def _means(shown: HistoryPage, here: Opened) -> None:
    view = here.comparison
    parts.heading(
        f"{view.measure} over {w.count(len(shown.versions))} versions",
        "The mean of each version with its 95 % interval. A click puts a version in focus.",
        frame=shown.overall.drop(columns="group"),
        key="versions",
    )
    figure = figures.mean_by_version(shown.overall, here.drawing)
    picture = parts.caption(
        f"{view.measure} by version", str(view.measure), parts.INTERVALS, runs=shown.versions
    )
    alt = f"Mean {view.measure} of each version. {shown.finding.text}"
    clicked = parts.chart(figure, "by_version", alt=alt, picture=picture)
    if clicked:
        session.goto("queries", **here.view.comparing(clicked[0]), **PLAIN)


def _slices(shown: HistoryPage, columns: list[str], by: str, here: Opened) -> None:
    if not columns:
        return
    view = here.comparison
    parts.heading(
        f"By {by}",
        f"Mean {view.measure} of each group. “Worse since” names the version from which on a group"
        " is clearly worse than it was at its best, for all groups and versions together. A click"
        " on a group lists its queries.",
        frame=shown.slices.means,
        key="history",
    )
    if len(columns) > 1:
        session.widget(
            st.pills,
            "Group by",
            "by",
            value=by,
            store=lambda name: {"by": name or by},
            options=columns,
            format_func=literal,
            label_visibility="collapsed",
            wrap=True,
        )
    st.html(
        blocks.slice_table(
            shown.slices.means,
            shown.slices.groups,
            shown.versions,
            shown.slices.first_bad,
            lambda group: session.href("queries", where=view.narrowed({by: [group]}), **PLAIN),
        )
    )


def _queries(shown: HistoryPage, here: Opened) -> None:
    found = shown.queries
    if found.empty:
        st.html(markup.nothing("No query broke or was fixed.", "Each stayed fine or not fine."))
        return
    first = found.head(answers.MOST_QUERIES)
    more = f" The first {w.count(len(first))} are shown." if len(first) < len(found) else ""
    parts.heading(
        f"{parts.counted(len(found), 'query', 'queries')} changed",
        "Fine: at least two thirds of the best reachable score. What is not fine now stands first,"
        f" latest on top; a query that changed three times or more flickers.{more}",
        frame=found,
        key="changed",
    )
    opened = session.hrefs("query", "q", rows="", **NO_LIST)
    st.html(blocks.query_table(first, shown.versions, opened))


if __name__ == "__main__":
    render()
