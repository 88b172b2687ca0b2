"""Numbers that describe a file if it is read with the chosen columns, and two choices that affect
them: the lowest relevant grade, and how unjudged documents count."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import session
from dashboard.address.measure_key import (
    ChosenMeasure,
    key_with_lowest_relevant_grade,
    lowest_relevant_grade,
    read_measure,
)
from dashboard.answers.file_fields import format_offered_grade
from dashboard.answers.file_numbers import (
    Words,
    combine_with_loaded_tables,
    file_numbers,
    offered_grades,
)
from dashboard.drawing.blocks import data
from dashboard.session.actions.judgments import set_judgments_complete
from dashboard.session.open_collection import (
    all_collections,
    current_collection_id,
    current_library,
)
from dashboard.workspace import Settings
from metrics_core.tables import Qrels, Table

_DEFAULT_K = 10


def ask_lowest_relevant_grade(tables: Sequence[Table], words: Words, key: str) -> float:
    """Ask for the lowest relevant grade and for how unjudged documents count, and return the lowest
    relevant grade. If the tables are not judgments, return it without asking. The answer is stored
    in the address if the measure in the address has a parameter for it; otherwise it only affects
    the numbers shown here."""
    measure_choice = _current_measure()
    current, qrels = lowest_relevant_grade(measure_choice), tables[0] if tables else None
    if not isinstance(qrels, Qrels):
        return 1.0 if current is None else current
    grades = offered_grades(qrels, current)

    def format_grade(grade: float) -> str:
        return format_offered_grade(grade, grades, words.grade)

    with st.container(horizontal=True, key=f"relevance_{key}"):
        if current is None:
            selected_grade: float = st.pills(
                "Relevant from",
                grades,
                default=grades[0],
                required=True,
                format_func=format_grade,
                key=f"relevant_{key}",
            )
        else:
            selected_grade = session.draw_widget(
                st.pills,
                "Relevant from",
                f"limit_{key}",
                value=current,
                store=lambda grade: {"m": key_with_lowest_relevant_grade(measure_choice, grade)},
                options=grades,
                required=True,
                format_func=format_grade,
            )
        if current_library().files:
            _ask_completeness(words, key)
    return selected_grade


def _ask_completeness(words: Words, key: str) -> None:
    """Ask whether the judgments are complete. The answer is stored in the settings of the
    collection."""
    session.draw_widget(
        st.pills,
        f"Not {words.judged}",
        f"unjudged_{key}",
        value=_collection_settings().complete,
        store=lambda complete: set_judgments_complete(bool(complete)),
        options=[False, True],
        required=True,
        format_func=lambda complete: "not relevant" if complete else "unknown",
    )


def show_numbers(tables: Sequence[Table], file: str, words: Words, relevant_from: float) -> None:
    """Combine a file's tables with the loaded tables that they need, and show the numbers that
    describe the result."""
    measure_choice, settings = _current_measure(), _collection_settings()
    cutoff = measure_choice.measure.cutoff or _DEFAULT_K
    pair = combine_with_loaded_tables(tables, file, current_library(), settings)
    counts = file_numbers(pair, words, cutoff, relevant_from)
    st.html(data.draw_file_numbers(counts.counts, "" if settings.complete else counts.warning))
    table = tables[0]
    if lowest_relevant_grade(measure_choice) is not None or not isinstance(table, Qrels):
        return
    if relevant_from > offered_grades(table, None)[0]:
        other = key_with_lowest_relevant_grade(read_measure("R@k", cutoff), relevant_from)
        link = session.href("overview", m=other)
        st.html(
            data.draw_missing_grade_parameter_note(
                str(measure_choice.measure), words.judgments, other, link
            )
        )


def _current_measure() -> ChosenMeasure:
    """Return the measure in the address. This also works if there is nothing to compare yet."""
    context = session.page_context()
    return (
        context.comparison.chosen_measure
        if context
        else read_measure(session.address()["m"], _DEFAULT_K)
    )


def _collection_settings() -> Settings:
    return all_collections().record(current_collection_id()).settings
