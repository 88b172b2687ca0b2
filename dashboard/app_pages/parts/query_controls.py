"""What narrows the list of queries: chips, search, filter line, columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.address.view import Comparison
from dashboard.answers import query_filter as answers
from dashboard.answers.queries import QueryList
from dashboard.answers.query_chips import BETWEEN, FAILURES, OF_ONE, SHOW_ALL
from dashboard.answers.remarks import tag_of
from dashboard.app_pages.parts.literal import literal
from dashboard.components.filter_field import KEY, filter_field
from dashboard.drawing.blocks import filter_line
from dashboard.session import Opened
from dashboard.session.actions.notes import remarks
from metrics_core.base import wording as w

_MARKS = {"better": ":green[▲] ", "worse": ":orange[▼] "}


def narrowing(shown: QueryList, here: Opened) -> None:
    """The chips in two rows, the search, and the filter line with what is wrong in it."""
    view = here.comparison
    example = answers.filter_example(here.study, view)
    with st.container(key="chips"):
        if view.alone:
            _chips(shown, view, [*BETWEEN, *OF_ONE], "show", "Lists")
        else:
            _chips(shown, view, BETWEEN, "show", "Between the runs")
            _chips(shown, view, OF_ONE, "show_one", "With", view.focus)
        tagged = [key for key in shown.counts if tag_of(key)]
        _chips(shown, view, tagged, "show_tag", "Tagged")
    with st.container(horizontal=True, key="narrowing", vertical_alignment="bottom"):
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
        filter_field(
            here.view.address["filter"],
            answers.filter_vocabulary(here.study, view, remarks()),
            placeholder=f"Filter by any column: {example}",
            wrong=shown.wrong is not None,
            on_line=partial(session.hear, KEY, "line", _stored),
        )
    _about_the_line(shown, here, example)


def _stored(line: object) -> dict[str, Any]:
    return {"filter": str(line).strip(), "p": ""}


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
    with st.container(horizontal=True, key=f"row_{name}", vertical_alignment="center"):
        st.html(filter_line.row_name(label, run), width="content")
        session.widget(
            st.pills,
            f"{label} {literal(run)}".strip(),
            name,
            value=shown.show if shown.show in options else None,
            store=lambda show: {"show": "" if show in (None, SHOW_ALL) else show, "p": ""},
            options=options,
            format_func=lambda show: _chip(show, shown, view),
            label_visibility="collapsed",
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
        "missing": "not in a run" if view.alone else "not in both runs",
        "both": "both failing",
        **FAILURES,
    }.get(show, tag_of(show) or show)


def _none_name(view: Comparison) -> str:
    who = view.every_run.removesuffix(" runs")
    if view.measure.declaration.range[0] < 0:
        return f"{who} at zero"
    return f"{who} fail" if who == "both" else f"{who} fails"


def _about_the_line(shown: QueryList, here: Opened, example: str) -> None:
    """What is wrong in the filter line; what it can name where there is none."""
    if shown.wrong is not None:
        st.html(filter_line.wrong(shown.wrong))
    elif not here.view.address["filter"]:
        names = answers.filter_names(here.study, here.comparison, remarks())
        st.html(filter_line.can_name(names, example))


def columns(shown: QueryList) -> None:
    """The columns of the table, to be chosen."""
    known = {column.key: column for column in shown.offered}
    with st.popover("Columns", key="columns"):
        session.widget(
            st.multiselect,
            "Columns of the table",
            "cols",
            value=[column.key for column in shown.columns if column.key != "text"],
            store=lambda keys: {"cols": tuple(keys)},
            options=[key for key in known if key != "text"],
            format_func=lambda key: w.sentence_case(known[key].named),
            help="Without any the usual ones are shown: the difference, a score for each shown run,"
            " and the columns that group the queries.",
        )
