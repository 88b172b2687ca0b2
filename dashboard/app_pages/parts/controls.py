"""The sentence on top of every page, whose words are the controls: compare … with … on … over …"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.address import CONTROLS, Pair
from dashboard.address.measure_key import presets
from dashboard.address.page import Page
from dashboard.address.view import EVERYBODY, NOBODY, Comparison
from dashboard.answers.overview import SHOWN_IN_FULL
from dashboard.app_pages.parts import measure_picker, section
from dashboard.app_pages.parts.completeness import complete_switch
from dashboard.app_pages.parts.literal import literal
from dashboard.components.frame import watch_frame
from dashboard.drawing.blocks import navigation
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import RunStyle
from dashboard.session import Opened
from dashboard.session.open_collection import library_here
from dashboard.study.library import named_judgments
from metrics_core.base import wording as w
from metrics_core.slicing.breakdowns import ordered_groups

_FEW_VALUES = 4
_CONTROLS = 3
_NAME_LENGTH = 16
"""Characters of a run's name in the sentence: two such names have room in a window of 1440 px."""
_OF_TWO, _OF_ONE, _OF_ALL = "Compare", "Scores of", "All runs on"
_WITH, _ON, _OVER = "with", "on", "over"
_BEST = 5


def sentence(here: Opened, page: Page) -> None:
    """The controls that the page has a use for, read as a sentence; a narrow screen folds them."""
    view, short = here.comparison, _short(here)
    pair, counted = _pair(here, page), _counted(here)
    rest = f"{'' if pair else 'all runs '}· {view.name} · {counted}"
    st.html(navigation.folded(pair, short, rest))
    others = [n for n in here.study.names if n not in (view.focus, view.baseline)] if pair else []
    also = _also_counted(here, page) if others else ()
    names = [short[run.name] for run in pair]
    st.html(_folding(names, [view.name, counted, *also[:1]], also[1:]))
    with st.container(key="controls", horizontal=True, vertical_alignment="center", gap="small"):
        if pair:
            _compared(here, short)
        else:
            _word(_OF_ALL)
        with st.popover(literal(view.name), key="measure"):
            measure_picker.measure_controls(here.study, view, page.name)
            _judgments()
            complete_switch(here.study, "controls")
        _word(_OVER)
        with st.popover(counted, key="queries_in_view"):
            _query_controls(here, page)
        if also:
            # What it is stands in a span, which is only read aloud where there is little room.
            with st.popover(f"{also[0]} :gray[{also[1]}]", key="also_shown"):
                if len(others) > _BEST:
                    # Many scroll: those that are likely shown stand on top.
                    others.sort(key=here.study.best_first.index)
                _also_shown(here, others, short)


def _also_counted(here: Opened, page: Page) -> tuple[str, str]:
    """How many runs are shown besides the two compared, and what that counts."""
    also = here.comparison.also
    # The Overview's table of many holds all of them, whichever are shown.
    in_charts = page.name == "overview" and len(here.study.names) > SHOWN_IN_FULL
    what = "in charts" if in_charts else f"{w.plural(len(also), 'run')} shown"
    return f"+{w.count(len(also))}", what


def _folding(names: Sequence[str], buttons: Sequence[str], what: Sequence[str]) -> Markup:
    """The style that folds the sentence where these names and buttons have no room."""
    if not names:
        return navigation.folding(names, buttons, (_OF_ALL, _OVER))
    if len(names) == 1:
        return navigation.folding(names, buttons, (_OF_ONE, _ON, _OVER), what)
    return navigation.folding(names, buttons, (_WITH, _ON, _OVER), (_OF_TWO, *what))


def _pair(here: Opened, page: Page) -> list[RunStyle]:
    """The runs that a narrow screen names."""
    if page.controls != "pair":
        return []
    view, styles = here.comparison, here.look.styles
    return [styles[run] for run in dict.fromkeys((view.focus, view.baseline))]


def _counted(here: Opened) -> str:
    """How many queries are in view."""
    in_view, total = int(here.study.in_view(here.comparison).sum()), len(here.study.query_ids)
    queries = section.counted(total, "query", "queries")
    return f"all {queries}" if in_view == total > 1 else f"{w.count(in_view)} of {queries}"


def _word(text: str) -> None:
    st.html(navigation.word(text), width="content")


def _compared(here: Opened, short: Mapping[str, str]) -> None:
    """Who is compared with whom."""
    view, names, styles = here.comparison, here.study.names, here.look.styles
    _word(_OF_ONE if view.alone else _OF_TWO)
    session.widget(
        st.selectbox,
        "Compare",
        "run",
        value=view.focus,
        store=here.view.comparing,
        options=names,
        format_func=lambda name: short[name],
        label_visibility="collapsed",
        width=navigation.field_width(short[view.focus]),
    )
    marks = {"w_run": styles[view.focus]}
    if not view.alone:
        _word(_WITH)
        session.widget(
            st.selectbox,
            "with the baseline",
            "base",
            value=view.baseline,
            store=lambda name: _with_baseline(here, name),
            options=names,
            format_func=lambda name: short[name],
            label_visibility="collapsed",
            width=navigation.field_width(short[view.baseline]),
        )
        marks["w_base"] = styles[view.baseline]
    st.html(navigation.run_marks(marks))
    _word(_ON)


def _judgments() -> None:
    """Which judgments are used, where there are several."""
    library = library_here()
    several = named_judgments(library.files)
    if len(several) < 2:
        return
    used = next(name for name, file in several.items() if file is library.judgments)
    named = {
        name: f"{f.file} ({section.counted(f.queries or 0, 'query', 'queries')})"
        for name, f in several.items()
    }
    session.widget(
        st.selectbox,
        "Judgments",
        "qrels",
        value=used,
        store=lambda name: {"qrels": name},
        options=list(named),
        format_func=lambda name: named[name],
        help="All scores and findings use these judgments.",
    )


def watched(here: Opened | None, page: str) -> None:
    """What rail and controls need of the browser."""
    short = {} if here is None else _short(here)
    names = {text: name for name, text in short.items() if text != name}
    watch_frame(page, names, presets())


def _short(here: Opened) -> dict[str, str]:
    return short_names(here.study.names, _NAME_LENGTH)


def _also_shown(here: Opened, others: list[str], short: dict[str, str]) -> None:
    """A pill for each run that may be shown as well; of many, all, the best, or none at once."""
    view, styles = here.comparison, here.look.styles
    session.widget(
        st.pills,
        "Also shown",
        "also",
        value=list(view.also),
        store=lambda chosen: {"also": tuple(chosen) or (NOBODY,)},
        options=others,
        selection_mode="multi",
        format_func=lambda name: _run_label(styles[name], short[name]),
    )
    st.html(navigation.pill_colors("w_also", [styles[name] for name in others]))
    if len(others) <= _BEST:
        return
    best = others[:_BEST]
    at_once = {"all": (EVERYBODY,), f"best {w.number(_BEST)}": tuple(best), "none": (NOBODY,)}
    shown = {"all": others, f"best {w.number(_BEST)}": best, "none": []}
    session.widget(
        st.segmented_control,
        "Number of runs shown",
        "also_at_once",
        value=next((name for name, runs in shown.items() if set(runs) == set(view.also)), None),
        store=lambda name: {"also": at_once[name]} if name else {},
        options=list(at_once),
        label_visibility="collapsed",
    )


def _with_baseline(here: Opened, name: str) -> dict[str, Any]:
    """The new baseline; a run in focus that becomes it changes places with the old one."""
    view = here.comparison
    return here.view.comparing(view.baseline if name == view.focus else view.focus, name)


def _run_label(style: RunStyle, name: str) -> str:
    # Streamlit's Markdown has few colours: `pill_colors` gives the mark the run's own. And it looks
    # for an emoji in a first word that is not ASCII, with a list that takes long to load.
    return f":gray[&#{ord(style.glyph)};] {literal(name)}"


def _query_controls(here: Opened, page: Page) -> None:
    """What narrows the queries in view, and the ways back."""
    study, view = here.study, here.comparison
    st.html(navigation.narrowed(*_narrowed(here, page)))
    groups = dict(study.groups)
    # Every column that narrows the view has its control.
    narrowing = {column for column, _ in view.where}
    controlled = [c for i, c in enumerate(study.groupings) if i < _CONTROLS or c in narrowing]
    for column in sorted(narrowing - set(groups)):
        groups[column] = ordered_groups(study.columns(view)[column])
        controlled.append(column)
    derived = study.columns(view) if narrowing - set(study.groups) else study.own_columns
    for number, column in enumerate(controlled):
        values, sizes = groups[column], derived[column].value_counts()
        chosen = list(view.narrowed_to(column))
        few = number > 0 and len(values) <= _FEW_VALUES
        session.widget(
            st.pills if few else st.multiselect,
            literal(column),
            f"where_{number}",
            value=chosen,
            store=_narrowing(view, column),
            options=values,
            format_func=_with_size(sizes, literal if few else str),
            **(
                {"selection_mode": "multi"} if few else {"placeholder": f"All {_plural_of(column)}"}
            ),
        )
    if not controlled:
        st.html(navigation.word("The queries have no columns to filter by. Add a query file."))


def _with_size(sizes: pd.Series, shown: Callable[[str], str]) -> Callable[[str], str]:
    """A value with how many judged queries have it."""
    return lambda value: f"{shown(value)} ({w.count(int(sizes.get(value, 0)))})"


def _narrowed(here: Opened, page: Page) -> tuple[list[tuple[str, str]], str]:
    """Each filter with the link that takes it back, and the link that takes back all."""
    view, taken = here.comparison, []
    for column in dict.fromkeys(column for column, _ in view.where):
        values = w.listing(view.narrowed_to(column))
        back = session.href(page.name, where=view.narrowed({column: []}))
        taken.append((f"{column}: {values}", back))
    usual = {control.name: "" for control in CONTROLS if control.narrows and view.word(control)}
    if usual:
        taken.append(("only queries with results from both", session.href(page.name, **usual)))
    return taken, session.href(page.name, where=(), **usual)


def _narrowing(
    view: Comparison, column: str
) -> Callable[[Sequence[str]], dict[str, tuple[Pair, ...]]]:
    return lambda picked: {"where": view.narrowed({column: picked})}


def _plural_of(column: str) -> str:
    word = column.replace("_", " ")
    if word.endswith("y") and not word.endswith(("ay", "ey", "oy")):
        return f"{word[:-1]}ies"
    return word if word.endswith("s") else f"{word}s"
