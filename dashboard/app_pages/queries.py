"""Queries: which ones?"""

import streamlit as st

from dashboard import answers, parts, session
from dashboard.address.address import Field
from dashboard.address.view import Comparison
from dashboard.answers import QueryList
from dashboard.answers.queries import SHOW_ALL
from dashboard.blocks import markup
from dashboard.blocks import queries as blocks
from dashboard.figures import against
from dashboard.figures import queries as figures
from dashboard.literal import literal
from dashboard.page import Page
from dashboard.session import Opened
from metrics_core import wording as w
from metrics_core.comparing.pairs import SAME

PAGE = Page(
    "queries", "Queries", place=6, fields=(Field("show"), Field("s"), Field("order"), Field("p"))
)


def render() -> None:
    """Chips and search, every query as a mark, and the table."""
    here = session.opened_study()
    view, styles, asked = here.comparison, here.drawing.styles, here.view.address
    list_asked = answers.Asked(asked["show"], asked["s"], asked["order"])
    shown = answers.query_list(here.study, view, list_asked)
    without = {column: view.narrowed({column: ()}) for column, _ in view.where}
    st.html(
        markup.sentence(shown.finding, styles)
        + blocks.filters(
            view.where, lambda column: session.href("queries", where=without[column], p="")
        )
    )
    _chips(shown, here)
    if not view.alone and not shown.can_tell:
        st.html(blocks.too_few(shown.paired))
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
            store=lambda show: {"show": "" if show in (None, SHOW_ALL) else show, "p": ""},
            options=list(shown.counts),
            format_func=lambda show: _chip(show, shown, view),
            label_visibility="collapsed",
            wrap=True,
        )
        session.widget(
            st.text_input,
            "Search the query texts",
            "s",
            value=here.view.address["s"],
            store=lambda text: {"s": text.strip(), "p": ""},
            placeholder="Search the query texts",
            label_visibility="collapsed",
            width=260,
        )


def _chip(show: str, shown: QueryList, view: Comparison) -> str:
    mark = {"better": ":green[▲] ", "worse": ":orange[▼] "}.get(show, "")
    named = f"{literal(_chip_name(show, view))} {w.count(shown.counts[show])}"
    return f"{mark}{named}" if shown.can_tell else named


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


def _opening(query_id: str, here: Opened) -> dict[str, str]:
    """The address of a query that is opened from this list: the list goes with it, and stays."""
    asked = here.view.address
    came_from = {"list": asked["show"], "search": asked["s"], "sort": asked["order"]}
    return {"q": query_id, "rows": "", **came_from}


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
        here.drawing if shown.can_tell else here.drawing.quiet,
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
        session.goto("query", **_opening(clicked[0], here))


def _against(shown: QueryList, here: Opened) -> None:
    view = here.comparison
    parts.heading(
        f"{view.focus} against {view.baseline}",
        "One point per query. On the line both score the same.",
    )
    figure = against.run_against_run(
        shown.frame,
        here.drawing if shown.can_tell else here.drawing.quiet,
        same=SAME,
        shown=_kept_ids(shown),
    )
    alt = f"Each query's {view.measure}: {view.focus} against {view.baseline}. {shown.finding.text}"
    picture = parts.caption(
        f"{view.focus} against {view.baseline}",
        str(view.measure),
        runs=(view.focus, view.baseline),
    )
    clicked = parts.chart(figure, "against", alt=alt, picture=picture)
    if clicked:
        session.goto("query", **_opening(clicked[0], here))


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
    st.button(label, on_click=session.change, kwargs={"s": "", "show": kept, "p": ""})


def _table(shown: QueryList, here: Opened) -> None:
    view, page = here.comparison, shown.page(here.view.address["p"])
    total, kept = len(shown.frame), len(shown.kept)
    title = f"{w.count(kept)} of {w.count(total)} queries" if kept < total else None
    parts.heading(
        title or f"{w.count(total)} queries",
        f"{_order(shown, view)}; a click on a column head sorts, a click on a row opens the query.",
        frame=shown.table,
        key="queries",
    )
    st.html(
        blocks.query_table(
            page,
            shown.columns,
            shown.order,
            here.look.styles,
            difference=f"{view.focus} {w.MINUS} {view.baseline}",
            label=f"{w.count(kept)} queries with their scores",
            scale=shown.scale,
            coloured=shown.can_tell,
            sorted_by=lambda key: session.href("queries", order=shown.turned(key), p=""),
            opened=session.hrefs("query", "q", **_opening("", here)),
        )
        + blocks.page_links(page, kept, lambda number: session.href("queries", p=number))
    )


def _order(shown: QueryList, view: Comparison) -> str:
    """The order of the rows, in words."""
    key, down = shown.order.removeprefix("-"), shown.order.startswith("-")
    if key == "difference":
        return "Best difference first" if down else "Worst difference first"
    column = next(c for c in shown.columns if c.key == key)
    if column.kind == "score":
        alone = "" if view.alone else f" of {column.name}"
        return f"{'Highest' if down else 'Lowest'} score{alone} first"
    by = "Sorted by text" if column.kind == "text" else f"Sorted by {column.name}"
    return f"{by}, last first" if down else by


if __name__ == "__main__":
    render()
