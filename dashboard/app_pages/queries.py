"""Queries: which ones?"""

import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.query_list import opened_from
from dashboard.answers import queries as answers
from dashboard.answers.queries import QueryList
from dashboard.answers.query_chips import RULES
from dashboard.app_pages.parts import query_charts, query_controls, section
from dashboard.drawing.blocks import filter_line, markup
from dashboard.drawing.blocks import queries as blocks
from dashboard.session import Opened
from dashboard.session.actions.notes import remarks
from dashboard.session.picked_queries import picked_queries


def render() -> None:
    """What was found, one field for words and filters, chips, every query as a mark, the table."""
    here = session.opened_study()
    view, asked = here.comparison, here.view.address
    picked = picked_queries(asked["pick"])
    list_asked = answers.QueryListRequest(
        asked["show"],
        asked["s"],
        asked["order"],
        asked["filter"],
        picked,
        asked["cols"],
        remarks(),
    )
    shown = answers.query_list(here.study, view, list_asked)
    st.html(markup.answer(shown.finding, shown.lead, here.drawing.styles))
    query_controls.narrowing(shown, here)
    with st.container(horizontal=True, key="chips", vertical_alignment="center"):
        query_controls.chips(shown, view)
        chart = query_charts.chosen(here)
    if len(shown.frame):
        query_charts.draw(chart, shown, here)
    st.html(_narrowed(shown, here, picked))
    if shown.kept.empty:
        _no_match(shown, here)
    else:
        _table(shown, here)


def _narrowed(shown: QueryList, here: Opened, picked: tuple[str, ...]) -> Markup:
    """How many queries are left, and what can be taken back of what left out the others."""
    view, asked = here.comparison, here.view.address
    without = {column: view.narrowed({column: ()}) for column, _ in view.where}
    parts = [
        blocks.filters(
            view.where, lambda column: session.href("queries", where=without[column], p="")
        )
    ]
    if asked["s"] and asked["filter"]:
        # The field holds the filter.
        parts.append(filter_line.searched(asked["s"], session.href("queries", s="", p="")))
    if asked["pick"]:
        back = session.href("queries", pick=(), p="")
        parts.append(filter_line.chosen(len(picked), bool(picked), back))
    return blocks.listed(len(shown.kept), len(shown.frame), parts, RULES.get(shown.show, ""))


def _queries(n: int) -> str:
    return section.counted(n, "query", "queries")


def _no_match(shown: QueryList, here: Opened) -> None:
    named = query_controls.chip_name(shown.show, here.comparison)
    asked, listed = here.view.address, _queries(shown.listed)
    narrowed = asked["s"] or asked["filter"] or asked["pick"]
    if asked["s"] and not asked["filter"] and not asked["pick"]:
        text = f"None of the {listed} under “{named}” contains “{asked['s']}”."
    elif narrowed:
        text = f"None of the {listed} under “{named}” matches."
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
    kept = len(shown.kept)

    def draw() -> Markup:
        table = blocks.query_table(
            page,
            shown.columns,
            shown.order,
            here.look.styles,
            pair=(view.focus, view.baseline),
            label=f"{_queries(kept)} with their scores on {view.name}",
            span=shown.span,
            scale=shown.scale if view.alone else None,
            coloured=shown.can_tell,
            sorted_by=lambda key: session.href("queries", order=shown.turned(key), p=""),
            opened=session.hrefs("query", "q", rows="", **opened_from(here.view.address)),
        )
        return table + blocks.page_links(
            page, kept, lambda number: session.href("queries", p=number)
        )

    section.standing("queries", draw, shown, here.drawing)


if __name__ == "__main__":
    render()
