"""Queries: which ones?"""

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.query_list import opened_from
from dashboard.address.view import Comparison
from dashboard.answers import queries as answers
from dashboard.answers.queries import QueryList
from dashboard.answers.subset import subset
from dashboard.app_pages.parts import query_charts, query_controls, section
from dashboard.drawing.blocks import filter_line, markup
from dashboard.drawing.blocks import queries as blocks
from dashboard.session import Opened
from dashboard.session.actions.notes import notes_here, remarks
from dashboard.session.picked import picked_queries
from metrics_core.base import wording as w


def render() -> None:
    """Chips, search and filter, every query as a mark, and the table."""
    here = session.opened_study()
    view, asked = here.comparison, here.view.address
    picked = picked_queries(asked["pick"])
    list_asked = answers.Asked(
        asked["show"],
        asked["s"],
        asked["order"],
        asked["filter"],
        picked,
        asked["cols"],
        remarks(),
    )
    shown = answers.query_list(here.study, view, list_asked)
    without = {column: view.narrowed({column: ()}) for column, _ in view.where}
    st.html(
        markup.sentence(shown.finding, here.drawing.styles)
        + blocks.filters(
            view.where, lambda column: session.href("queries", where=without[column], p="")
        )
    )
    query_controls.narrowing(shown, here)
    if asked["pick"]:
        back = session.href("queries", pick=(), p="")
        st.html(filter_line.chosen(len(picked), bool(picked), back))
    if not view.alone and not shown.can_tell:
        st.html(blocks.too_few(shown.paired))
    if len(shown.frame):
        query_charts.charts(shown, here)
    if shown.kept.empty:
        _no_match(shown, here)
    else:
        _table(shown, here)


def _queries(n: int) -> str:
    return section.counted(n, "query", "queries")


def _no_match(shown: QueryList, here: Opened) -> None:
    named = query_controls.chip_name(shown.show, here.comparison)
    asked, listed = here.view.address, _queries(shown.listed)
    narrowed = asked["s"] or asked["filter"] or asked["pick"]
    if asked["s"] and not asked["filter"] and not asked["pick"]:
        text = f"None of the {listed} shown by “{named}” contains “{asked['s']}”."
    elif narrowed:
        text = f"None of the {listed} shown by “{named}” is left."
    else:
        text = f"None of the {_queries(len(shown.frame))} is in this list."
    st.html(markup.nothing("No query matches.", text))
    label = "Show all queries"
    if narrowed:
        label = (
            "Clear search and filter" if asked["filter"] or asked["pick"] else "Clear the search"
        )
    kept = asked["show"] if narrowed else ""
    cleared = {"s": "", "filter": "", "pick": (), "show": kept, "p": ""}
    st.button(label, on_click=session.change, kwargs=cleared)


def _table(shown: QueryList, here: Opened) -> None:
    view, page = here.comparison, shown.page(here.view.address["p"])
    total, kept = len(shown.frame), len(shown.kept)
    title = f"{w.count(kept)} of {_queries(total)}" if kept < total else _queries(total)
    section.heading(
        title,
        f"Scores on {view.name}. {_order(shown, view)}; a click on a column head sorts, a click on"
        " a row opens the query.",
        frame=shown.table,
        key="queries",
    )
    _downloads(shown, here)

    def draw() -> Markup:
        table = blocks.query_table(
            page,
            shown.columns,
            shown.order,
            here.look.styles,
            difference=f"{view.focus} {w.MINUS} {view.baseline}",
            label=f"{_queries(kept)} with their scores",
            scale=shown.scale,
            coloured=shown.can_tell,
            sorted_by=lambda key: session.href("queries", order=shown.turned(key), p=""),
            opened=session.hrefs("query", "q", rows="", **opened_from(here.view.address)),
        )
        return table + blocks.page_links(
            page, kept, lambda number: session.href("queries", p=number)
        )

    section.standing("queries", draw, shown, here.drawing)


def _downloads(shown: QueryList, here: Opened) -> None:
    """The choice of columns, and the queries in view as a collection of their own."""
    view, study = here.comparison, here.study
    noted, on = notes_here(), here.layers
    with st.container(horizontal=True, key="of_the_table"):
        query_controls.columns(shown)
        counted = section.counted(len(shown.kept), "query", "queries")
        st.download_button(
            f"Zip :gray[of judgments and runs of {counted}]",
            data=lambda: subset(study, view, list(shown.kept["query_id"]), noted, on),
            file_name=section.file_name("queries").removesuffix(".csv") + ".zip",
            mime="application/zip",
            key="subset",
            type="tertiary",
            on_click="ignore",
            help="A zip with the judgments, the queries and the shown runs of the queries in this"
            " table, their notes and tags and the judgment layers that are on, to load elsewhere:"
            " the same scores follow from it.",
        )


def _order(shown: QueryList, view: Comparison) -> str:
    """The order of the rows, in words."""
    key, down = shown.order.removeprefix("-"), shown.order.startswith("-")
    if key == "difference":
        return "Best difference first" if down else "Worst difference first"
    column = next(c for c in shown.offered if c.key == key)
    if column.kind == "score":
        alone = "" if view.alone else f" of {column.name}"
        return f"{'Highest' if down else 'Lowest'} score{alone} first"
    by = f"Sorted by {column.named}"
    return f"{by}, last first" if down else by


if __name__ == "__main__":
    render()
