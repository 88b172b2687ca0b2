"""Files page: the loaded files, and whether they fit together."""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st

from dashboard import session
from dashboard.answers import data as answers
from dashboard.answers import overview
from dashboard.answers.data import FileRow
from dashboard.answers.file_fields import KIND_WORDS, are_user_fields
from dashboard.answers.id_offers import id_maps_sentence
from dashboard.answers.own_documents import has_self_matches
from dashboard.app_pages.parts import add_files, file_fields, grading, section
from dashboard.app_pages.parts.completeness import show_completeness_switch
from dashboard.app_pages.parts.directions import show_score_files
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import data, markup
from dashboard.files.files import File
from dashboard.session import PageContext
from dashboard.session.actions.judgments import set_exclude_self
from dashboard.session.actions.refused_files import refusals
from dashboard.session.actions.uploads import change_kind, remove_file, restore_file
from dashboard.session.deferred_drawing import defer_drawing
from dashboard.session.open_collection import current_collection_id, current_library, workspace
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.base.notes import Note
from metrics_core.tables import Run

_HELP = (
    "For queries that are documents of the collection, as in a search for duplicates or similar"
    " items. The document with the query's id is removed from the results, so the top k contains"
    " only other documents. This setting is shown on every page and saved with the collection."
)


def show_exclusion_switch(study: Study) -> None:
    """Show the switch that excludes each query's own document, which is the document with the same
    id as the query."""
    session.draw_widget(
        st.toggle,
        "Leave out each query's own document",
        "exclude_self",
        value=study.settings.exclude_self,
        store=set_exclude_self,
        help=_HELP,
    )


_ALL_FILES = 20


def render() -> None:
    """Show the files, their problems, and the uploader. If there are no files yet, show how to get
    started."""
    library = current_library()
    context = session.page_context()
    if not library.files:
        add_files.show_getting_started()
        return
    cutoff, measure = answers.cutoff_and_measure(context.comparison if context else None)
    questions = file_fields.find_file_checks(library.files)
    unclear, of_two_kinds = add_files.names_of_files_with_questions(questions)
    answer = answers.files_page(library, len(refusals()), measure, cutoff, unclear, of_two_kinds)
    heading, uploader = st.columns([3, 2])
    heading.html(markup.draw_heading(*answer.finding.statement_and_rest, {}))
    with add_files.make_message_area():
        add_files.show_messages(answer.unread, questions)
        add_files.show_unused_judgments(library)
        if library.study is not None:
            score_files = (f.file for f in library.files if f.used and f.kind == "scores")
            show_score_files(library.study, [*score_files])
        for number, offer in enumerate(answer.offers):
            add_files.show_id_offer(offer, f"ids_{number}")
        if context and id_maps_sentence(context.study):
            add_files.show_id_maps(id_maps_sentence(context.study))
        for error in answer.errors:
            st.html(data.draw_error_card(error))
        for note in answer.notes:
            if not note.examples:  # not about single runs
                st.html(data.draw_action_message(f"{w.sentence_case(note.message)}."))
    if context and _has_result(context):
        placeholder = heading.empty()
        placeholder.html(data.draw_result(None, {}, ""))
        defer_drawing(lambda: _show_result(context), placeholder)
    with uploader:
        add_files.show_uploader()
    if answer.files:
        rows = [
            {
                **_describe_file(row, answer.notes, context),
                "preview": session.href("data", file=str(number)),
            }
            for number, row in enumerate(answer.files)
        ]
        is_user_data = any(
            are_user_fields(row.file.read_as.partition(": ")[2].split(", ")) for row in answer.files
        )
        st.html(data.draw_file_table(rows, cutoff, is_user_data=is_user_data))
        _show_preview_dialog(answer.files)
        _show_file_actions(answer.files)
    left, right = st.columns(2, gap="medium")
    with left:
        if answer.fit:
            section.show_heading("What the files cover", "Ids must match exactly, including case.")
            st.html(data.draw_file_fit_table(answer.fit))
        if library.study is not None and has_self_matches(library.study):
            show_exclusion_switch(library.study)
    with right:
        if context and context.study.judged:
            section.show_heading(
                "Judgments made here",
                "Made on “To judge” or on a query’s page, or imported. Your files are unchanged.",
            )
            show_completeness_switch(context.study, "files")
            grading.show_layers()


def _has_result(context: PageContext) -> bool:
    """Return whether these files have a result: there are queries in view, and the measure has the
    data it needs."""
    study, comparison = context.study, context.comparison
    if study.is_unjudged:
        return False
    measure = comparison.measure
    is_lacking = study.is_computed(measure) and measure.find_missing_data(
        study.judged[study.names[0]]
    )
    return not is_lacking and bool(study.view_mask(comparison).any())


def _show_result(context: PageContext) -> None:
    """Show the verdict and a link to the Overview."""
    verdict = overview.overview(context.study, context.comparison).verdict
    is_alone = context.comparison.is_single_run
    st.html(
        data.draw_result(
            verdict, context.look.styles, session.href("overview"), is_single_run=is_alone
        )
    )


def _describe_file(
    row: FileRow, all_notes: tuple[Note, ...], context: PageContext | None
) -> dict[str, Any]:
    styles = context.look.styles if context else {}
    run_notes = [n for n in all_notes if row.run and row.run in n.examples]
    is_baseline = context and row.run == context.comparison.baseline
    return {
        "file": row.file.file,
        "kind": row.kind,
        "use": "not in use" if not row.file.used else "baseline" if is_baseline else "",
        "read_as": row.file.read_as,
        "rows": row.rows,
        "queries": row.file.queries,
        "judged": row.judged,
        "notes": (*row.notes, *run_notes),
        "style": styles.get(row.run or ""),
    }


def _show_preview_dialog(rows: list[FileRow]) -> None:
    """Show a dialog with the first rows of a file. The address identifies the file by its position,
    because several files may have the same name."""
    row = {str(number): row for number, row in enumerate(rows)}.get(session.address()["file"])
    if row is None:
        return

    @st.dialog(
        escape_markdown(row.file.file),
        width="large",
        on_dismiss=lambda: session.change_address(file=""),
    )
    def show_preview(row: FileRow) -> None:
        st.html(data.draw_preview(row.kind, answers.first_rows(row.file.table)))

    show_preview(row)


def _show_file_actions(rows: list[FileRow]) -> None:
    """Show the actions on each file: remove, correct or, if it was removed, restore. Files without
    an action are omitted."""
    look = st.expander("Change or remove files", key="look", on_change="rerun")
    if not look.open:
        return
    with look:
        for row in _choose_files(
            [row for row in rows if row.file.number or row.file.kind in file_fields.RANKED]
        ):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{escape_markdown(row.file.file)}**", width=220)
                if row.file.number:
                    st.button(
                        "Remove",
                        key=f"remove_{row.file.number}",
                        on_click=remove_file,
                        args=(row.file.number, row.file.file),
                        type="tertiary",
                    )
                _kind_picker(row.file)
                if row.run:
                    st.button(
                        "Name and colour",
                        key=f"call_{row.file.key}",
                        on_click=session.change_address,
                        kwargs={"naming": row.run},
                        type="tertiary",
                    )
                choose = file_fields.field_editor(row.file)
            if choose is not None:
                choose()
        for entry in workspace().removed_entries(current_collection_id()):
            message = f"{escape_markdown(entry.file)} was removed."
            section.show_restore_row(message, f"back_{entry.number}", restore_file, entry.number)


def _kind_picker(file: File) -> None:
    """Let the user choose whether a file is read as a run or as judgments. Some files could be
    either, because both kinds assign numbers to documents. If the kind cannot be changed, show
    nothing."""
    is_partial = isinstance(file.table, Run) and not file.table.complete
    if file.kind not in file_fields.RANKED or is_partial:
        return

    key = file.key

    def store_kind(kind: Literal["run", "qrels"]) -> dict[str, Any]:
        # Streamlit keeps the callbacks of removed widgets; a file in one would stay in memory.
        for listed in current_library().files:
            if listed.key == key and listed.kind != kind:
                change_kind(listed, kind)
        return {}

    session.draw_widget(
        st.selectbox,
        f"Read {escape_markdown(file.file)} as",
        f"read_as_{file.key}",
        value=file.kind,
        store=store_kind,
        options=list(file_fields.RANKED),
        format_func=lambda kind: f"read as {KIND_WORDS[kind]}",
        label_visibility="collapsed",
        width=190,
    )


def _choose_files(rows: list[FileRow]) -> list[FileRow]:
    """Return all files or, if there are many, only the file that the user chooses."""
    if len(rows) <= _ALL_FILES:
        return rows
    name = st.selectbox("File", [row.file.file for row in rows], key="look_into")
    return [row for row in rows if row.file.file == name]


if __name__ == "__main__":
    render()
