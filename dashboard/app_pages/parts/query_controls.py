"""Controls of the list of queries: the search and filter field, the chips, the choice of columns,
and the downloads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from dashboard import session
from dashboard.address.view import Comparison
from dashboard.answers import query_filter as answers
from dashboard.answers.queries import QueryList
from dashboard.answers.query_chips import (
    ABOUT_FOCUS,
    ABOUT_RUNS,
    CHIPS,
    CHIPS_OF_ONE,
    FAILURES,
    SHOW_ALL,
)
from dashboard.answers.query_notes import STARRED, tag_name
from dashboard.answers.spreadsheet import format_spreadsheet_csv
from dashboard.answers.subset import export_subset
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.components.filter_field import KEY, filter_field
from dashboard.drawing.blocks import filter_line, queries
from dashboard.session import PageContext
from dashboard.session.actions.notes import current_notes, current_remarks
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import BETTER, WORSE

_MARKS = {"better": ":green[▲] ", "worse": ":orange[▼] "}


def filter_controls(query_list: QueryList, context: PageContext) -> None:
    """Show the search and filter field, its help, the choice of columns and the downloads in one
    line. If the filter line is invalid, the error is shown below."""
    comparison, address = context.comparison, context.view.address
    example = answers.filter_example(context.study, comparison)
    with st.container(horizontal=True, key="narrowing", vertical_alignment="center"):
        with st.container(key="w_find"):
            filter_field(
                answers.join_search_text(address["s"], address["filter"]),
                answers.filter_vocabulary(context.study, comparison, current_remarks()),
                placeholder=f"Search queries, or filter: {example}",
                is_invalid=query_list.line_error is not None,
                on_submit=partial(session.store_event, KEY, "line", _store_filter),
            )
        with st.popover("?", key="can_say", type="tertiary"):
            names = answers.filter_column_names(context.study, comparison, current_remarks())
            st.html(filter_line.draw_filter_help(names, example))
        _column_picker(query_list)
        _download_menu(query_list, context)
    if query_list.line_error is not None:
        st.html(filter_line.draw_line_error(query_list.line_error))


def _store_filter(text: object) -> dict[str, str]:
    """Return the address fields for the text in the search field, which is a search text or a
    filter line. If the address has both a search text and a filter line, a new filter line replaces
    only the old filter line, and the search text is kept."""
    search, line = answers.split_search_text(str(text))
    address = session.address()
    if not search and address["s"] and address["filter"]:
        search = address["s"]
    return {"s": search, "filter": line, "p": ""}


def show_chips(query_list: QueryList, comparison: Comparison) -> None:
    """Show one row of chips, each for a list of queries. The remaining lists are in the menu
    "more"."""
    first = (*CHIPS, *(CHIPS_OF_ONE if comparison.is_single_run else ()), STARRED)
    _show_chip_row(query_list, comparison, first, "show", "Lists")
    others = [key for key in ABOUT_RUNS if key not in first]
    focus_keys = [key for key in ABOUT_FOCUS if key not in first]
    tagged = [key for key in query_list.counts if tag_name(key) and key != STARRED]
    rest = [key for key in (*others, *focus_keys, *tagged) if key in query_list.counts]
    if not rest:
        return
    label = (
        _chip_label(query_list.show, query_list, comparison) if query_list.show in rest else "more"
    )
    with st.popover(label, key="more_lists"):
        _show_chip_row(query_list, comparison, others, "show_of_all", "Between the runs")
        _show_chip_row(query_list, comparison, focus_keys, "show_one", "With", comparison.focus)
        _show_chip_row(query_list, comparison, tagged, "show_tag", "Tagged")


def _show_chip_row(
    query_list: QueryList,
    comparison: Comparison,
    keys: Sequence[str],
    name: str,
    label: str,
    run: str = "",
) -> None:
    options = [key for key in keys if key in query_list.counts]
    if options in ([], [SHOW_ALL]):
        return
    session.draw_widget(
        st.pills,
        f"{label} {escape_markdown(run)}".strip(),
        name,
        value=query_list.show if query_list.show in options else None,
        store=lambda show: {"show": "" if show in (None, SHOW_ALL) else show, "p": ""},
        options=options,
        format_func=lambda show: _chip_label(show, query_list, comparison),
        label_visibility="collapsed" if name == "show" else "visible",
        wrap=True,
    )


def _chip_label(list_key: str, query_list: QueryList, comparison: Comparison) -> str:
    count = w.format_count(query_list.counts[list_key])
    label = f"{escape_markdown(filter_chip_label(list_key, comparison))} {count}"
    return f"{_MARKS.get(list_key, '')}{label}" if query_list.has_outcomes else label


def filter_chip_label(list_key: str, comparison: Comparison) -> str:
    """Return the name of a list of queries as plain text, for its chip."""
    higher_and_lower = {} if comparison.has_direction else {BETTER: "higher", WORSE: "lower"}
    return {
        SHOW_ALL: "all",
        "none": f"{comparison.every_run.removesuffix(' runs')} at zero",
        "zero": "at zero" if not comparison.is_single_run else f"{comparison.focus} at zero",
        "missing": "no results" if comparison.is_single_run else "no results from a run",
        "both": "both failing",
        STARRED: "★ starred",
        **FAILURES,
        **higher_and_lower,
    }.get(list_key, tag_name(list_key) or list_key)


def _column_picker(query_list: QueryList) -> None:
    """Show a menu for choosing the table's columns."""
    columns = {column.key: column for column in query_list.all_columns}
    with st.popover("Columns", key="columns", icon=":material/view_column:"):
        session.draw_widget(
            st.multiselect,
            "Columns of the table",
            "cols",
            value=[column.key for column in query_list.columns if column.key != "text"],
            store=lambda keys: {"cols": tuple(keys)},
            options=[key for key in columns if key != "text"],
            format_func=lambda key: columns[key].title,
            help="If none is chosen, the default columns are shown: the difference, the scores of"
            " the compared runs and of two other runs, the unjudged documents, and the columns that"
            " group the queries.",
        )
        st.html(queries.draw_column_order(query_list.columns, neighbour_link_maker(query_list)))


def neighbour_link_maker(query_list: QueryList) -> queries.MoveLink:
    """Return a function that makes the link with which the user moves a column of the table."""

    def make_link(key: str, step: int) -> str:
        keys = query_list.move_column(key, step)
        return session.href("queries", cols=keys, open="") if keys else ""

    return make_link


def _download_menu(query_list: QueryList, context: PageContext) -> None:
    """Show the downloads: the table as a file, and the queries in the table as a collection."""
    comparison, study = context.comparison, context.study
    notes, layers = current_notes(), context.layers
    count_text = w.format_query_count(len(query_list.rows))
    with st.popover("Download", key="download", icon=":material/download:"):
        st.download_button(
            f"CSV :gray[of {count_text}]",
            data=lambda: format_spreadsheet_csv(query_list.download_table),
            file_name=section.make_download_name("queries"),
            mime="text/csv",
            key="table_as_csv",
            on_click="ignore",
            help="The table, with the columns that are shown.",
        )
        st.download_button(
            f"Zip :gray[of judgments and runs of {count_text}]",
            data=lambda: export_subset(
                study, comparison, list(query_list.rows["query_id"]), notes, layers
            ),
            file_name=section.make_download_name("queries").removesuffix(".csv") + ".zip",
            mime="application/zip",
            key="subset",
            on_click="ignore",
            help="A Zip file of the queries in this table, with their judgments, notes and tags,"
            " the shown runs and the active judgment layers. If you upload the file elsewhere, the"
            " scores are the same.",
        )
