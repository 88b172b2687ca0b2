"""Data: what is loaded, does it fit?"""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st

from dashboard import session
from dashboard.answers import data as answers
from dashboard.answers import overview
from dashboard.answers.data import FileRow
from dashboard.answers.file_fields import KIND_WORDS
from dashboard.answers.id_offers import maps_said
from dashboard.answers.own_documents import may_be_left_out
from dashboard.app_pages.parts import add_files, file_fields, grading, section
from dashboard.app_pages.parts.completeness import complete_switch
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import data, markup
from dashboard.files.files import File
from dashboard.session import Opened
from dashboard.session.actions.judgments import leave_out_own
from dashboard.session.actions.refused_files import refusals
from dashboard.session.actions.uploads import bring_back, read_as, remove_file
from dashboard.session.deferred_drawing import defer
from dashboard.session.open_collection import collection, library_here, workspace
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.base.notes import Note
from metrics_core.tables import Run

_MEANT = (
    "For queries that are documents of the collection, as in a search for duplicates or similar"
    " items. A document with the query's own id is removed from the lists before ranking, so k"
    " counts the others. Shown on every page and saved with the collection."
)


def own_switch(study: Study) -> None:
    """The switch."""
    session.widget(
        st.toggle,
        "Leave out each query's own document",
        "exclude_self",
        value=study.settings.exclude_self,
        store=leave_out_own,
        help=_MEANT,
    )


_ALL_FILES = 20


def render() -> None:
    """The files, what is odd about them, and the way to add more."""
    library = library_here()
    here = session.opened()
    if not library.files:
        add_files.first_run()
        return
    cutoff, measure = answers.looked_at(here.comparison if here else None)
    questions = file_fields.checks(library.files)
    unclear, of_two_kinds = add_files.asked_names(questions)
    shown = answers.data(library, len(refusals()), measure, cutoff, unclear, of_two_kinds)
    st.html(markup.answer(*shown.finding.parted, {}))
    with add_files.above_the_uploader():
        add_files.told(shown.unread, questions)
        add_files.beside(library)
        if here and _can_be_shown(here):
            room = st.empty()
            room.html(data.result(None, {}, ""))
            defer(lambda: _result(here), room)
        for number, offer in enumerate(shown.offers):
            add_files.id_offer(offer, f"ids_{number}")
        if here and maps_said(here.study):
            add_files.ids_mapped(maps_said(here.study))
        for error in shown.errors:
            st.html(data.error_card(error))
        for note in shown.notes:
            if not note.examples:  # of no single run
                st.html(data.receipt(f"{w.sentence_case(note.message)}."))
    add_files.uploader()
    if shown.files:
        rows = [_described(row, shown.notes, here) for row in shown.files]
        st.html(data.file_table(rows, cutoff))
        _look_and_remove(shown.files)
    left, right = st.columns(2, gap="large")
    with left:
        if shown.fit:
            section.heading("Do the ids match?", "Compared exactly, case-sensitive.")
            st.html(data.fit_table(shown.fit))
        if library.study is not None and may_be_left_out(library.study):
            own_switch(library.study)
    with right:
        if here:
            section.heading(
                "Judgment layers",
                "Judgments made here, separate from the files. Active layers count in all scores.",
            )
            complete_switch(here.study, "files")
            grading.layers_part()


def _can_be_shown(here: Opened) -> bool:
    """Whether these files have an answer: some query is in view, and nothing that the measure needs
    is lacking."""
    study, view = here.study, here.comparison
    lacking = view.measure.lacks(study.judged[study.names[0]])
    return lacking is None and bool(study.in_view(view).any())


def _result(here: Opened) -> None:
    """What the files say, and the way to it."""
    found = overview.overview(here.study, here.comparison).verdict
    alone = here.comparison.alone
    st.html(data.result(found, here.look.styles, session.href("overview"), alone=alone))


def _described(row: FileRow, all_notes: tuple[Note, ...], here: Opened | None) -> dict[str, Any]:
    styles = here.look.styles if here else {}
    own = [n for n in all_notes if row.run and row.run in n.examples]
    return {
        "file": row.file.file,
        "kind": row.kind,
        "use": _use(row.file),
        "correctable": _correctable(row.file),
        "read_as": row.file.read_as,
        "rows": row.rows,
        "queries": row.file.queries,
        "judged": row.judged,
        "notes": (*row.notes, *own),
        "style": styles.get(row.run or ""),
        "is_baseline": here is not None and row.run == here.comparison.baseline,
    }


def _use(file: File) -> str:
    """Whether a file counts, said of judgments, of which one file does, and where one does not."""
    if not file.used:
        return "not in use"
    return "in use" if file.kind == "qrels" else ""


def _look_and_remove(rows: list[FileRow]) -> None:
    """A look at a file's first rows; removal of what was uploaded, and the way back."""
    look = st.expander("Preview, correct or remove", key="look", on_change="rerun")
    if not look.open:
        return
    with look:
        for row in _chosen(rows):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{literal(row.file.file)}**")
                if row.file.number:
                    st.button(
                        "Remove",
                        key=f"remove_{row.file.number}",
                        on_click=remove_file,
                        args=(row.file.number, row.file.file),
                        type="tertiary",
                    )
                _read_as(row.file)
                if row.run:
                    st.button(
                        "Name and colour",
                        key=f"call_{row.file.key}",
                        on_click=session.change,
                        kwargs={"naming": row.run},
                        type="tertiary",
                    )
                choose = file_fields.changeable(row.file)
            if choose is not None:
                choose()
            else:
                st.html(data.preview(row.kind, answers.first_rows(row.file.table)))
        for entry in workspace().removed_entries(collection()):
            told = f"{literal(entry.file)} was removed."
            section.removed(told, f"back_{entry.number}", bring_back, entry.number)


def _read_as(file: File) -> None:
    """What the file is taken for, where it may be taken for something else: a run and judgments are
    both numbers of documents."""
    if not _correctable(file):
        return

    def taken(kind: Literal["run", "qrels"]) -> dict[str, Any]:
        if kind != file.kind:
            read_as(file, kind)
        return {}

    session.widget(
        st.selectbox,
        f"Read {literal(file.file)} as",
        f"read_as_{file.key}",
        value=file.kind,
        store=taken,
        options=list(file_fields.RANKED),
        format_func=lambda kind: f"read as {KIND_WORDS[kind]}",
        label_visibility="collapsed",
        width=190,
    )


def _correctable(file: File) -> bool:
    return file.kind in file_fields.RANKED and not (
        isinstance(file.table, Run) and not file.table.complete
    )


def _chosen(rows: list[FileRow]) -> list[FileRow]:
    """All files, or of many the one that is chosen."""
    if len(rows) <= _ALL_FILES:
        return rows
    name = st.selectbox("File", [row.file.file for row in rows], key="look_into")
    return [row for row in rows if row.file.file == name]


if __name__ == "__main__":
    render()
