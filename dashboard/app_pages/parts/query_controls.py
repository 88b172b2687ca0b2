"""What narrows the list of queries and what becomes of it: one field, chips, columns, downloads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from dashboard import session
from dashboard.address.view import Comparison
from dashboard.answers import query_filter as answers
from dashboard.answers.queries import QueryList
from dashboard.answers.query_chips import BETWEEN, FAILURES, FIRST, FIRST_OF_ONE, OF_ONE, SHOW_ALL
from dashboard.answers.query_notes import tag_of
from dashboard.answers.spreadsheet import spreadsheet
from dashboard.answers.subset import subset
from dashboard.app_pages.parts import section
from dashboard.app_pages.parts.literal import literal
from dashboard.components.filter_field import KEY, filter_field
from dashboard.drawing.blocks import filter_line
from dashboard.session import Opened
from dashboard.session.actions.notes import notes_here, remarks
from metrics_core.base import wording as w

_MARKS = {"better": ":green[▲] ", "worse": ":orange[▼] "}


def narrowing(shown: QueryList, here: Opened) -> None:
    """The field for words and filters, what it can say, columns and downloads in one line; below it
    what is wrong in a filter."""
    view, asked = here.comparison, here.view.address
    example = answers.filter_example(here.study, view)
    with st.container(horizontal=True, key="narrowing", vertical_alignment="center"):
        with st.container(key="w_find"):
            filter_field(
                answers.as_typed(asked["s"], asked["filter"]),
                answers.filter_vocabulary(here.study, view, remarks()),
                placeholder=f"Search the texts, or filter: {example}",
                wrong=shown.wrong is not None,
                on_line=partial(session.hear, KEY, "line", _stored),
            )
        with st.popover("?", key="can_say", type="tertiary"):
            names = answers.filter_names(here.study, view, remarks())
            st.html(filter_line.can_name(names, example))
        _columns(shown)
        _downloads(shown, here)
    if shown.wrong is not None:
        st.html(filter_line.wrong(shown.wrong))


def _stored(text: object) -> dict[str, str]:
    """What the field tells, to the address: words or a filter, in place of what it showed."""
    search, line = answers.read(str(text))
    asked = session.address()
    if not search and asked["s"] and asked["filter"]:
        search = asked["s"]
    return {"s": search, "filter": line, "p": ""}


def chips(shown: QueryList, view: Comparison) -> None:
    """One row of lists; the others under "more"."""
    first = (*FIRST, *FIRST_OF_ONE) if view.alone else FIRST
    _chips(shown, view, first, "show", "Lists")
    others = [key for key in BETWEEN if key not in first]
    of_one = [key for key in OF_ONE if key not in first]
    tagged = [key for key in shown.counts if tag_of(key)]
    rest = [key for key in (*others, *of_one, *tagged) if key in shown.counts]
    if not rest:
        return
    label = _chip(shown.show, shown, view) if shown.show in rest else "more"
    with st.popover(label, key="more_lists"):
        _chips(shown, view, others, "show_of_all", "Between the runs")
        _chips(shown, view, of_one, "show_one", "With", view.focus)
        _chips(shown, view, tagged, "show_tag", "Tagged")


def _chips(
    shown: QueryList,
    view: Comparison,
    keys: Sequence[str],
    name: str,
    label: str,
    run: str = "",
) -> None:
    options = [key for key in keys if key in shown.counts]
    if not options:
        return
    session.widget(
        st.pills,
        f"{label} {literal(run)}".strip(),
        name,
        value=shown.show if shown.show in options else None,
        store=lambda show: {"show": "" if show in (None, SHOW_ALL) else show, "p": ""},
        options=options,
        format_func=lambda show: _chip(show, shown, view),
        label_visibility="collapsed" if name == "show" else "visible",
        wrap=True,
    )


def _chip(show: str, shown: QueryList, view: Comparison) -> str:
    named = f"{literal(chip_name(show, view))} {w.count(shown.counts[show])}"
    return f"{_MARKS.get(show, '')}{named}" if shown.can_tell else named


def chip_name(show: str, view: Comparison) -> str:
    """A query list's name, as plain text."""
    return {
        SHOW_ALL: "All",
        "none": _none_name(view),
        "zero": "at zero" if not view.alone else f"{view.focus} at zero",
        "missing": "no results" if view.alone else "no results from a run",
        "both": "both failing",
        **FAILURES,
    }.get(show, tag_of(show) or show)


def _none_name(view: Comparison) -> str:
    who = view.every_run.removesuffix(" runs")
    if view.measure.declaration.range[0] < 0:
        return f"{who} at zero"
    return f"{who} fail" if who == "both" else f"{who} fails"


def _columns(shown: QueryList) -> None:
    """The columns of the table, to be chosen."""
    known = {column.key: column for column in shown.offered}
    with st.popover("Columns", key="columns", icon=":material/view_column:"):
        session.widget(
            st.multiselect,
            "Columns of the table",
            "cols",
            value=[column.key for column in shown.columns if column.key != "text"],
            store=lambda keys: {"cols": tuple(keys)},
            options=[key for key in known if key != "text"],
            format_func=lambda key: known[key].title,
            help="If none is chosen, the default columns are shown: the difference, the"
            " scores of the compared runs and of two more, unjudged documents, and the"
            " columns that group the queries.",
        )


def _downloads(shown: QueryList, here: Opened) -> None:
    """The table as a file, and its queries as a collection of their own."""
    view, study = here.comparison, here.study
    noted, on = notes_here(), here.layers
    counted = section.counted(len(shown.kept), "query", "queries")
    with st.popover("Download", key="download", icon=":material/download:"):
        st.download_button(
            f"CSV :gray[of {counted}]",
            data=lambda: spreadsheet(shown.table),
            file_name=section.file_name("queries"),
            mime="text/csv",
            key="table_as_csv",
            on_click="ignore",
            help="The table with the columns shown.",
        )
        st.download_button(
            f"Zip :gray[of judgments and runs of {counted}]",
            data=lambda: subset(study, view, list(shown.kept["query_id"]), noted, on),
            file_name=section.file_name("queries").removesuffix(".csv") + ".zip",
            mime="application/zip",
            key="subset",
            on_click="ignore",
            help="A Zip file of the queries in this table, with their judgments, shown runs, notes,"
            " tags and active judgment layers. Uploaded elsewhere, it gives the same scores.",
        )
