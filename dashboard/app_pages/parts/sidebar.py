"""The controls, the same on every page, read as a sentence: compare … with …"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.address.address import Pair
from dashboard.address.view import EVERYBODY, NOBODY, Comparison
from dashboard.app_pages.parts import measure_picker, section
from dashboard.app_pages.parts.literal import literal
from dashboard.components.sidebar import watch_sidebar
from dashboard.drawing.blocks import navigation
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import RunStyle
from dashboard.session import Opened
from dashboard.session.open_collection import all_collections, collection, library_here
from dashboard.study.library import named_judgments
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.slicing.breakdowns import ordered_groups

_FEW_VALUES = 4
_CONTROLS = 3
_NAME_LENGTH = 24
"""Characters of a run's name in the sidebar."""
_BEST = 5


def controls(here: Opened, page: str) -> None:
    """The controls, read as a sentence: compare … with …"""
    view, names = here.comparison, here.study.names
    short = _short(here)
    st.html(
        navigation.collection(
            all_collections().name_of(collection()),
            session.href("collections"),
        )
    )
    _judgments()
    session.widget(
        st.selectbox,
        "Compare",
        "run",
        value=view.focus,
        store=here.view.comparing,
        options=names,
        format_func=lambda name: short[name],
        help="The run in focus: every sentence speaks about it.",
    )
    session.widget(
        st.selectbox,
        "with the baseline",
        "base",
        value=view.baseline,
        store=lambda name: _with_baseline(here, name),
        options=names,
        format_func=lambda name: short[name],
        help="Differences are always: run minus baseline.",
    )
    others = [n for n in names if n not in (view.focus, view.baseline)]
    if len(others) > _BEST:
        # Many scroll: those that are likely shown stand on top.
        others.sort(key=here.study.best_first.index)
    if others:
        _also_shown(here, others, short)
    measure_picker.measure_controls(here.study, view, page)
    _query_controls(here.study, view)


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
        help="Every score and every sentence is by these judgments.",
    )


def watched(here: Opened, page: str) -> None:
    """What the sidebar needs of the browser, drawn outside it: a closed drawer holds nothing."""
    view = here.comparison
    names = {text: name for name, text in _short(here).items() if text != name}
    watch_sidebar([page, view.focus, view.baseline, view.chosen.key], names)


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
        "How many are shown",
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


def _query_controls(study: Study, view: Comparison) -> None:
    groups = dict(study.groups)
    # Every column that narrows the view has its control, so that it can be taken back.
    narrowing = {column for column, _ in view.where}
    controlled = [c for i, c in enumerate(study.groupings) if i < _CONTROLS or c in narrowing]
    for column in sorted(narrowing - set(groups)):
        groups[column] = ordered_groups(study.columns(view)[column])
        controlled.append(column)
    for number, column in enumerate(controlled):
        values = groups[column]
        chosen = list(view.narrowed_to(column))
        few = number > 0 and len(values) <= _FEW_VALUES
        session.widget(
            st.pills if few else st.multiselect,
            "Queries" if number == 0 else column,
            f"where_{number}",
            value=chosen,
            store=_narrowing(view, column),
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
        navigation.in_view(
            f"{w.count(in_view)} of {section.counted(total, 'query', 'queries')} in view",
            in_view == 0,
        )
    )


def _narrowing(
    view: Comparison, column: str
) -> Callable[[Sequence[str]], dict[str, tuple[Pair, ...]]]:
    return lambda picked: {"where": view.narrowed({column: picked})}


def _plural_of(column: str) -> str:
    word = column.replace("_", " ")
    if word.endswith("y") and not word.endswith(("ay", "ey", "oy")):
        return f"{word[:-1]}ies"
    return word if word.endswith("s") else f"{word}s"
