"""The controls at the top of every page, in the form of a sentence: compare … with … on … over …"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from markupsafe import Markup

from dashboard import session
from dashboard.address.address import Pair
from dashboard.address.measure_key import trec_eval_presets
from dashboard.address.page import Page
from dashboard.address.view import ALL_RUNS, NO_OTHER_RUN, Comparison
from dashboard.answers.overview import SHOWN_IN_FULL
from dashboard.app_pages.parts import measure_picker
from dashboard.app_pages.parts.completeness import show_completeness_switch
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.components.frame import watch_frame
from dashboard.drawing.blocks import navigation
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import RunStyle
from dashboard.session import PageContext
from dashboard.session.open_collection import current_library
from dashboard.study.library import judgment_files_by_name
from metrics_core.base import wording as w
from metrics_core.slicing.breakdowns import order_groups

_FEW_VALUES = 4
_CONTROLS = 3
_NAME_LENGTH = 16
"""Maximum number of characters of a run's name in the sentence. Two names of this length fit in a
window that is 1440 px wide."""
_OF_TWO, _OF_ONE, _OF_ALL = "Compare", "Scores of", "All runs on"
_WITH, _ON, _OVER, _SWAP = "with", "on", "over", "⇄"
_BEST = 5


def show_control_sentence(context: PageContext, page: Page) -> None:
    """Show the controls that the page uses, as a sentence. On a narrow screen they are folded."""
    comparison, short = context.comparison, _short_names(context)
    pair, count_text = _styles_of_named_runs(context, page), _format_query_count(context)
    measured = f"top {comparison.cutoff}" if context.study.is_unjudged else comparison.name
    rest = f"{'' if pair else 'all runs '}· {measured} · {count_text}"
    st.html(navigation.draw_folded_controls(pair, short, rest))
    others = [n for n in context.study.names if n not in comparison.pair] if pair else []
    also = _other_runs_text(context, page) if others else ()
    names = [short[run.name] for run in pair]
    st.html(_folding_style(names, [measured, count_text, *also[:1]], also[1:]))
    with st.container(key="controls", horizontal=True, vertical_alignment="center", gap="small"):
        if pair:
            _compared_runs_controls(context, short)
        else:
            _show_text_between_controls(_OF_ALL)
        with st.popover(escape_markdown(measured), key="measure"):
            measure_picker.measure_controls(context.study, comparison, page.name)
            if context.study.judged:
                _judgments_picker()
                show_completeness_switch(context.study, "controls")
        _show_text_between_controls(_OVER)
        with st.popover(count_text, key="queries_in_view"):
            _query_controls(context, page)
        if also:
            # The noun is in a span that is only read aloud if there is little space.
            with st.popover(f"{also[0]} :gray[{also[1]}]", key="also_shown"):
                if len(others) > _BEST:
                    # Many runs scroll, so the likely choices come first.
                    others.sort(key=context.study.runs_by_score.index)
                _other_runs_controls(context, others, short)


def _other_runs_text(context: PageContext, page: Page) -> tuple[str, str]:
    """Return the number of runs that are shown besides the compared pair, and the words that follow
    the number."""
    also = context.comparison.other_runs
    # With many runs the Overview's table contains all of them, whichever are shown.
    in_charts = page.name == "overview" and len(context.study.names) > SHOWN_IN_FULL
    label = "in charts" if in_charts else f"other {w.plural(len(also), 'run')}"
    return f"+{w.format_count(len(also))}", label


def _folding_style(
    names: Sequence[str], buttons: Sequence[str], optional_words: Sequence[str]
) -> Markup:
    """Return CSS that folds the sentence of controls if these names and buttons do not fit."""
    if not names:
        return navigation.folding_style(names, buttons, (_OF_ALL, _OVER))
    if len(names) == 1:
        return navigation.folding_style(names, buttons, (_OF_ONE, _ON, _OVER), optional_words)
    return navigation.folding_style(
        names, buttons, (_SWAP, _WITH, _ON, _OVER), (_OF_TWO, *optional_words)
    )


def _styles_of_named_runs(context: PageContext, page: Page) -> list[RunStyle]:
    """Return the styles of the runs that are named on a narrow screen: the compared runs. The
    result is empty if the page has no choice of the compared runs."""
    if page.controls != "pair":
        return []
    comparison, styles = context.comparison, context.look.styles
    return [styles[run] for run in dict.fromkeys(comparison.pair)]


def _format_query_count(context: PageContext) -> str:
    """Return the number of queries in view, as text."""
    in_view = context.study.n_in_view(context.comparison)
    total = len(context.study.query_ids)
    queries = w.format_query_count(total)
    return f"all {queries}" if in_view == total > 1 else f"{w.format_count(in_view)} of {queries}"


def _show_text_between_controls(text: str) -> None:
    st.html(navigation.draw_control_text(text), width="content")


def _compared_runs_controls(context: PageContext, shortened_names: Mapping[str, str]) -> None:
    """Show the controls for choosing the two runs to compare."""
    comparison, names, styles = context.comparison, context.study.names, context.look.styles
    _show_text_between_controls(_OF_ONE if comparison.is_single_run else _OF_TWO)
    session.draw_widget(
        st.selectbox,
        "Compare",
        "run",
        value=comparison.focus,
        store=context.view.address_changes_to_compare,
        options=names,
        format_func=lambda name: shortened_names[name],
        label_visibility="collapsed",
        width=navigation.field_width(shortened_names[comparison.focus]),
    )
    marks = {"w_run": styles[comparison.focus]}
    if not comparison.is_single_run:
        st.button(
            f"{_SWAP} :gray[Swap the two runs]",
            key="swap",
            on_click=session.change_address,
            kwargs=context.view.address_changes_to_compare(comparison.baseline, comparison.focus),
            type="tertiary",
            help="Swap the two runs",
        )
        _show_text_between_controls(_WITH)
        session.draw_widget(
            st.selectbox,
            "with the baseline",
            "base",
            value=comparison.baseline,
            store=lambda name: _address_changes_for_baseline(context, name),
            options=names,
            format_func=lambda name: shortened_names[name],
            label_visibility="collapsed",
            width=navigation.field_width(shortened_names[comparison.baseline]),
        )
        marks["w_base"] = styles[comparison.baseline]
    st.html(navigation.draw_run_marks(marks))
    _show_text_between_controls(_ON)


def _judgments_picker() -> None:
    """Show a control for choosing the judgments, if there are several files of judgments."""
    library = current_library()
    files = judgment_files_by_name(library.files)
    if len(files) < 2:
        return
    current_name = next(name for name, file in files.items() if file is library.judgments)
    labels = {
        name: f"{f.file} ({w.format_query_count(f.queries or 0)})" for name, f in files.items()
    }
    session.draw_widget(
        st.selectbox,
        "Judgments",
        "qrels",
        value=current_name,
        store=lambda name: {"qrels": name},
        options=list(labels),
        format_func=lambda name: labels[name],
        help="All scores and findings use these judgments.",
    )


def watch_controls(context: PageContext | None, page: str) -> None:
    """Start the browser component on which the rail and the controls depend."""
    short = {} if context is None else _short_names(context)
    names = {text: name for name, text in short.items() if text != name}
    watch_frame(page, names, trec_eval_presets())


def _short_names(context: PageContext) -> dict[str, str]:
    return short_names(context.study.names, _NAME_LENGTH)


def _other_runs_controls(
    context: PageContext, others: list[str], shortened_names: dict[str, str]
) -> None:
    """Show a pill for each run that can be shown besides the compared pair. If there are many, also
    show buttons for all of them, the best of them, or none."""
    comparison, styles = context.comparison, context.look.styles
    session.draw_widget(
        st.pills,
        "Also shown",
        "also",
        value=list(comparison.other_runs),
        store=lambda chosen: {"also": tuple(chosen) or (NO_OTHER_RUN,)},
        options=others,
        selection_mode="multi",
        # Streamlit's Markdown has few colours, so `pill_colors` sets the run's colour. A character
        # reference, because Streamlit loads a slow emoji list if the first word is not ASCII.
        format_func=lambda name: (
            f":gray[&#{ord(styles[name].glyph)};] {escape_markdown(shortened_names[name])}"
        ),
    )
    st.html(navigation.pill_colors("w_also", [styles[name] for name in others]))
    if len(others) <= _BEST:
        return
    best = others[:_BEST]
    at_once = {
        "all": (ALL_RUNS,),
        f"best {w.number_word(_BEST)}": tuple(best),
        "none": (NO_OTHER_RUN,),
    }
    runs_by_choice = {"all": others, f"best {w.number_word(_BEST)}": best, "none": []}
    session.draw_widget(
        st.segmented_control,
        "Number of runs shown",
        "also_at_once",
        value=next(
            (
                name
                for name, runs in runs_by_choice.items()
                if set(runs) == set(comparison.other_runs)
            ),
            None,
        ),
        store=lambda name: {"also": at_once[name]} if name else {},
        options=list(at_once),
        label_visibility="collapsed",
    )


def _address_changes_for_baseline(context: PageContext, name: str) -> dict[str, Any]:
    """Return the changes to the address that make a run the baseline. If this run is in focus, the
    former baseline comes into focus in its place."""
    comparison = context.comparison
    return context.view.address_changes_to_compare(
        comparison.baseline if name == comparison.focus else comparison.focus, name
    )


def _query_controls(context: PageContext, page: Page) -> None:
    """Show the filters of the queries in view, with links that clear them."""
    study, comparison = context.study, context.comparison
    st.html(navigation.draw_filter_list(*_filter_links(context, page)))
    groups = dict(study.groups)
    # Every column with an active filter has its control.
    narrowing = {column for column, _ in comparison.filters}
    controlled = [c for i, c in enumerate(study.groupings) if i < _CONTROLS or c in narrowing]
    for column in sorted(narrowing - set(groups)):
        groups[column] = order_groups(study.columns(comparison)[column])
        controlled.append(column)
    derived = study.columns(comparison) if narrowing - set(study.groups) else study.file_columns
    for number, column in enumerate(controlled):
        values, sizes = groups[column], derived[column].value_counts()
        selected = list(comparison.filter_values(column))
        few = number > 0 and len(values) <= _FEW_VALUES
        session.draw_widget(
            st.pills if few else st.multiselect,
            escape_markdown(column),
            f"where_{number}",
            value=selected,
            store=_store_filter(comparison, column),
            options=values,
            format_func=_formatter_with_counts(sizes, escape_markdown if few else str),
            **(
                {"selection_mode": "multi"}
                if few
                else {"placeholder": f"All {_pluralise_column(column)}"}
            ),
        )
    if not controlled:
        st.html(
            navigation.draw_control_text(
                "The queries have no columns to filter by. Add a query file."
            )
        )


def _formatter_with_counts(
    query_counts: pd.Series, format_value: Callable[[str], str]
) -> Callable[[str], str]:
    """Return a function that formats a value and adds the number of judged queries with this
    value."""
    return lambda value: (
        f"{format_value(value)} ({w.format_count(int(query_counts.get(value, 0)))})"
    )


def _filter_links(context: PageContext, page: Page) -> tuple[list[tuple[str, str]], str]:
    """Return the active filters, each with a link that clears it, and a link that clears all
    filters."""
    comparison, links = context.comparison, []
    for column in dict.fromkeys(column for column, _ in comparison.filters):
        values = w.join_words(comparison.filter_values(column))
        back = session.href(page.name, where=comparison.replace_filters({column: []}))
        links.append((f"{column}: {values}", back))
    cleared = {"missing": ""} if comparison.is_limited_to_shared_queries else {}
    if cleared:
        links.append(
            ("only queries with results from both runs", session.href(page.name, **cleared))
        )
    return links, session.href(page.name, where=(), **cleared)


def _store_filter(
    comparison: Comparison, column: str
) -> Callable[[Sequence[str]], dict[str, tuple[Pair, ...]]]:
    return lambda picked: {"where": comparison.replace_filters({column: picked})}


def _pluralise_column(column: str) -> str:
    word = column.replace("_", " ")
    if word.endswith("y") and not word.endswith(("ay", "ey", "oy")):
        return f"{word[:-1]}ies"
    return word if word.endswith("s") else f"{word}s"
