"""The question whether higher or lower values of a given measure are better. The answer is stored
with the collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.answers.score_columns import score_columns
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import card_head, data
from dashboard.session.actions.judgments import declare_direction
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.measures import Measure
from metrics_core.measures.declaring.given_measures import PREFIX

_IN_ROW = 8
"""Number of columns beside each other in the card of a file."""
_HIGHER, _LOWER, _SCORE, _UNUSED = "Higher", "Lower", "Score", "Not used"
_CHOICES = {1: _HIGHER, -1: _LOWER, 0: None}


def ask_directions(study: Study) -> None:
    """For each given measure without a direction, ask whether higher or lower is better. If all
    measures have a direction, show nothing."""
    measures = [m for m in study.given_measures if m.declaration.direction == 0]
    if not measures:
        return
    with st.container(key="directions", horizontal=True, border=True, vertical_alignment="center"):
        st.html(
            card_head.draw_card_heading(
                w.sentence_case(data.direction_question([*map(str, measures)]))
            )
            + card_head.draw_card_remark("Until you choose, there are no colours and no verdict.")
        )
        for measure in measures:
            _show_direction(measure)


def show_score_files(study: Study, files: Sequence[str]) -> None:
    """Show a card for each file of scores. It shows what each column contains. For each measure,
    the user can choose whether it is used and whether higher or lower is better. `files` are the
    names of the files."""
    unused = [name for name, is_higher in study.settings.directions if is_higher is None]
    measures = {str(measure).removeprefix(PREFIX): measure for measure in study.given_measures}
    for number, file in enumerate(files):
        columns = score_columns(study, number)
        own_measures = {c.name: measures.pop(c.name) for c in columns if c.name in measures}
        open_names = [name for name, m in own_measures.items() if m.declaration.direction == 0]
        with st.container(border=True, key=f"score_file_{number}"):
            st.html(data.draw_score_file_heading(file, open_names))
            for first in range(0, len(columns), _IN_ROW):
                row = columns[first : first + _IN_ROW]
                areas = st.columns(min(len(columns), _IN_ROW), gap="xsmall")
                for area, column in zip(areas, row, strict=False):
                    with area:
                        is_used = column.name in own_measures
                        has_choice = is_used or column.name in unused
                        role = "" if has_choice else column.role
                        st.html(data.draw_score_column(column.name, role))
                        if has_choice:
                            _show_use(column.name, is_used=is_used)
                        if is_used:
                            _show_direction(own_measures[column.name], label_visibility="collapsed")
                        st.html(data.draw_cells(column))


def _show_use(name: str, *, is_used: bool) -> None:
    """Show a field in which the user chooses whether the measure in the column of scores `name` is
    used."""

    def store(choice: str) -> dict[str, Any]:
        declare_direction(name, None, is_default=choice == _SCORE)
        return {}

    session.draw_widget(
        st.selectbox,
        f"What {escape_markdown(name)} holds",
        f"holds_{name}",
        value=_SCORE if is_used else _UNUSED,
        store=store,
        options=[_SCORE, _UNUSED],
        label_visibility="collapsed",
    )


def _show_direction(measure: Measure, **options: Any) -> None:
    name = str(measure)

    def store(choice: str | None) -> dict[str, Any]:
        if choice is not None:
            declare_direction(name.removeprefix(PREFIX), choice == _HIGHER)
        return {}

    session.draw_widget(
        st.segmented_control,
        escape_markdown(name),
        f"better_{name}",
        value=_CHOICES[measure.declaration.direction],
        store=store,
        options=[_HIGHER, _LOWER],
        width="content",
        **options,
    )
