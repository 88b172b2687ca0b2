"""What surrounds every page: styles, page names, the controls in the sidebar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from dashboard import picker, session
from dashboard.address.view import NOBODY, View
from dashboard.blocks import data, markup, navigation
from dashboard.literal import literal
from dashboard.opened.study import Study
from dashboard.theme import RunStyle, css_variables
from metrics_core import wording as w
from metrics_core.errors import RanklensError

_HERE = Path(__file__).parent
ICON = str(_HERE / "static" / "icon.svg")
_FEW_VALUES = 4
_CONTROLS = 3
_MARKDOWN_COLORS = ("blue", "red", "yellow", "violet")

# A click on a link of ours changes the page in place; the browser itself would load it anew. And
# Plotly's own download button knows one image format at a time: a chart's menu sets it.
_LINKS = st.components.v2.component(
    "ranklens_links",
    html="<span></span>",
    js=(_HERE / "links.js").read_text("utf-8"),
)


@dataclass(frozen=True)
class Page:
    """A page's declaration: `name` is its file and its address, `title` stands in the menu."""

    name: str
    title: str
    needs_study: bool = True


def draw(pages: Sequence[Page], current: str) -> None:
    """Styles, page names and sidebar; follows a clicked link."""
    st.logo(str(_HERE / "static" / f"logo-{session.theme()}.svg"), size="large")
    clicked = _LINKS(key="links", on_go_change=lambda: None)
    if clicked.go:
        session.follow(clicked.go)
    study = session.study()
    # Before anything is loaded there are only the way in and the files.
    offered = [p for p in pages if study or not p.needs_study or p is pages[0]]
    # What was looked up stays on its page.
    left = {"measure": "", "find": "", "family": ""}
    names = [(p.title, session.href(p.name, **left), p.name == current) for p in offered]
    # In one part with the menu, the style cannot come later than what it styles.
    st.html(navigation.page_names(names) + Markup(f"<style>{css_variables()}{_css()}</style>"))
    if study is None:
        st.html(
            "<style>section[data-testid=stSidebar],[data-testid=stExpandSidebarButton]"
            "{display:none}.stApp .lens.pages{margin-left:110px}</style>"
        )
        return
    with st.sidebar:
        st.html(navigation.drawer(names))
        _controls(study, session.view(), current)


@cache
def _css() -> str:
    return "".join((_HERE / name).read_text("utf-8") for name in ("frame.css", "style.css"))


def nothing_in_view() -> bool:
    """Whether the filters leave no query; says so where the page would be."""
    study = session.study()
    if study is None or study.in_view(session.view()).any():
        return False
    st.html(markup.nothing("No query is in view.", "The filters at the left leave none."))
    st.button("Take back all filters", on_click=session.change, kwargs={"where": ()})
    return True


def lacking_data() -> bool:
    """Whether the open files lack what the chosen measure needs; says so where the page would
    be."""
    study = session.study()
    if study is None:
        return False
    measure = session.view().measure
    lacking = measure.lacks(study.judged[study.names[0]])
    if lacking is None:
        return False
    refuse(lacking)
    st.button("Show the usual measure", on_click=session.change, kwargs={"m": ""})
    return True


def refuse(error: RanklensError) -> None:
    """Show a user's mistake where the page would be."""
    st.html(data.error_card(error))


def _controls(study: Study, view: View, page: str) -> None:
    """The controls, read as a sentence: compare … with …"""
    names, styles = study.names, session.styles()
    session.widget(
        st.selectbox,
        "Compare",
        "run",
        value=view.focus,
        store=lambda name: {"run": name, "base": view.baseline},
        options=names,
        help="The run in focus: every sentence speaks about it.",
    )
    session.widget(
        st.selectbox,
        "with the baseline",
        "base",
        value=view.baseline,
        store=lambda name: _with_baseline(view, name),
        options=names,
        help="Differences are always: run minus baseline.",
    )
    others = [n for n in names if n not in (view.focus, view.baseline)]
    if others:
        session.widget(
            st.pills,
            "Also shown",
            "also",
            value=list(view.also),
            store=lambda chosen: {"also": tuple(chosen) or (NOBODY,)},
            options=others,
            selection_mode="multi",
            format_func=lambda name: _run_label(styles[name]),
        )
    picker.measure_controls(study, view, page)
    _query_controls(study, view)


def _with_baseline(view: View, name: str) -> dict[str, str]:
    """The new baseline; a run in focus that becomes it changes places with the old one."""
    focus = view.baseline if name == view.focus else view.focus
    return {"base": name, "run": focus}


def _run_label(style: RunStyle) -> str:
    color = _MARKDOWN_COLORS[style.slot] if style.slot < len(_MARKDOWN_COLORS) else "gray"
    return f":{color}[{style.glyph}] {literal(style.name)}"


def _query_controls(study: Study, view: View) -> None:
    groups = study.groups
    # Every column that narrows the view has its control, so that it can be taken back.
    narrowing = {column for column, _ in view.where}
    controlled = [c for i, c in enumerate(study.groupings) if i < _CONTROLS or c in narrowing]
    for number, column in enumerate(controlled):
        values = groups[column]
        chosen = list(view.narrowed_to(column))
        few = number > 0 and len(values) <= _FEW_VALUES
        session.widget(
            st.pills if few else st.multiselect,
            "Queries" if number == 0 else column,
            f"where_{number}",
            value=chosen,
            store=lambda picked, column=column: {"where": _where(view, column, picked)},
            options=values,
            **(
                {
                    "selection_mode": "multi",
                    "format_func": literal,
                    "label_visibility": "collapsed" if number else "visible",
                }
                if few
                else {
                    "placeholder": f"All {_plural_of(column)}",
                    "label_visibility": "collapsed" if number else "visible",
                }
            ),
        )
    in_view, total = int(study.in_view(view).sum()), len(study.query_ids)
    st.html(
        navigation.in_view(f"{w.count(in_view)} of {w.count(total)} queries in view", in_view == 0)
    )


def _where(view: View, column: str, picked: Sequence[str]) -> tuple[str, ...]:
    """The filters with this column's values replaced, as they stand in the address."""
    kept = [f"{name}={value}" for name, value in view.where if name != column]
    return (*kept, *(f"{column}={value}" for value in picked))


def _plural_of(column: str) -> str:
    word = column.replace("_", " ")
    if word.endswith("y") and not word.endswith(("ay", "ey", "oy")):
        return f"{word[:-1]}ies"
    return word if word.endswith("s") else f"{word}s"
