"""Adding files: the uploader, the errors of files that could not be read, and the screen that
explains how to get started."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import session
from dashboard.answers.collections import file_name
from dashboard.answers.data import cutoff_and_measure
from dashboard.answers.data import files_page as files_loaded
from dashboard.answers.file_formats import tools_for
from dashboard.answers.id_offers import IdOffer
from dashboard.app_pages.parts import file_fields
from dashboard.app_pages.parts.file_fields import FileCheck
from dashboard.app_pages.parts.markdown import escape_markdown
from dashboard.drawing.blocks import data, markup
from dashboard.drawing.blocks.help_page import FORMATS
from dashboard.files.collections import SAMPLE
from dashboard.files.files import File
from dashboard.session.action_messages import action_messages, dismiss_message, run_action_once
from dashboard.session.actions.arrival import dismiss_upload_message, files_of_last_upload
from dashboard.session.actions.collections import pack_collection, pack_example
from dashboard.session.actions.judgments import set_id_maps, use_judgments
from dashboard.session.actions.refused_files import Refusal, dismiss_refusals, refusals
from dashboard.session.actions.uploaded_files import accept_long_files, read_uploader_file
from dashboard.session.actions.uploads import (
    change_kind,
    read_uploads,
    remove_file,
    reread_refused_file,
)
from dashboard.session.file_reading import compilation_note
from dashboard.session.memory import request_release
from dashboard.session.open_collection import (
    all_collections,
    current_collection_id,
    current_library,
    open_collection,
    reread_with_choices,
    workspace,
)
from dashboard.session.reconnection import interrupted_uploads, max_upload_size
from dashboard.study.library import Library, may_be_a_run
from metrics_core.base import wording as w
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.formats.source.limits import format_size

_NAMED_FILES = 3
"""Maximum number of file names in the message about files that could not be read."""

_OFFERS = {
    "duplicates=best": "Keep the best score of each document",
    "duplicates=first": "Keep the first row of each document",
    "encoding=latin-1": "Read as Latin-1",
    "grades=real": "Read grades with decimals",
    "kind=run": "Read as a run",
    "kind=qrels": "Read as judgments",
    "doc=retrieved_contexts": "Match documents by text",
}


def show_files_bar() -> None:
    """Show the download of the collection in the top bar of the Files page."""
    identity = current_collection_id()
    if all_collections().folder_of(identity) is None and workspace().has_collection(identity):
        st.download_button(
            "Download all",
            data=lambda: pack_collection(identity),
            file_name=f"{file_name(all_collections().name_of(identity))}.zip",
            mime="application/zip",
            key="download_all",
            on_click="ignore",
            help="Downloads the whole collection as one Zip file, to keep or to import elsewhere.",
        )


def show_getting_started() -> None:
    """Show which files to load, the uploader, and the example. If some files are already loaded,
    show which ones are still missing."""
    library = current_library()
    questions = file_fields.find_file_checks(library.files)
    if library.files:
        cutoff, measure = cutoff_and_measure(None)
        unclear, of_two_kinds = names_of_files_with_questions(questions)
        so_far = files_loaded(library, len(refusals()), measure, cutoff, unclear, of_two_kinds)
        st.html(markup.draw_heading(*so_far.finding.statement_and_rest, {}))
    else:
        st.html(
            markup.draw_heading(
                "Compare two systems: see which ranks better, and why",
                "Drop the results of your search, RAG or recommender systems, and your relevance"
                " judgments. Files stay on this computer.",
                {},
            )
        )
    with make_message_area():
        show_messages(library.files, questions)
    show_uploader()
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Open the example: search in a help centre"):
            open_collection(SAMPLE)
            session.goto("overview")
        st.download_button(
            "Download the example’s files",
            data=pack_example,
            file_name="ranklens-example.zip",
            mime="application/zip",
            key="example_files",
            on_click="ignore",
            type="tertiary",
            help="Downloads the files of the example, so that you can see their formats.",
        )
    audience = _choose_audience()
    formats_link = session.href("help", about=FORMATS)
    st.html(data.draw_getting_started(audience, tools_for(audience), formats_link))


def _choose_audience() -> str:
    """Ask which kind of system the user evaluates, and return the answer. It determines the terms
    on the page, and is stored in the address."""
    return str(
        session.draw_widget(
            st.pills,
            "What do you evaluate?",
            "for",
            value=data.audience_or_default(session.address()["for"]),
            store=lambda chosen: {"for": chosen or ""},
            options=list(data.AUDIENCES),
            format_func=data.AUDIENCES.__getitem__,
            required=True,
        )
    )


def make_message_area() -> DeltaGenerator:
    """Return a container for messages above the uploader.

    The container must always exist: otherwise, a new message would move the uploader down, and the
    browser would create the uploader again and abort a running upload."""
    return st.container()


def show_uploader(
    label: str = "Add files",
    message_area: DeltaGenerator | None = None,
    *,
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """Show the uploader, which accepts any number of files. Each file is read and stored, and the
    result is shown in `message_area`. If `message_area` is None, the results are shown above the
    uploader."""
    with message_area or make_message_area():
        cut = interrupted_uploads()
        if cut:
            st.html(
                data.draw_action_message(
                    f"The upload of {w.join_words(cut)} was interrupted.",
                    "Upload again. Files that were uploaded completely are not added twice.",
                    is_warning=True,
                )
            )
    accept_long_files()
    upload_generation = session.widget_generation("upload")
    with st.container(key="drop" if width == "stretch" else None):
        if width == "stretch":
            st.html(data.draw_upload_note(format_size(max_upload_size())))
        uploads = st.file_uploader(
            label,
            accept_multiple_files=True,
            key=f"upload_{upload_generation}",
            width=width,
            label_visibility="collapsed",
        )
    if not uploads:
        return
    files = [read_uploader_file(file) for file in uploads]
    with (
        message_area or st.container(),
        st.status(f"Reading {len(files)} {w.plural(len(files), 'file')} …") as status,
    ):
        bar = st.progress(0.0)
        for read in read_uploads(files, upload_generation):
            file_number = min(int(read) + 1, len(files))
            status.update(label=f"Reading {file_number} of {len(files)}{compilation_note()}")
            bar.progress(read / len(files))
        bar.progress(1.0)
        status.update(label="Read", state="complete")
    del files
    request_release()
    st.rerun()


def names_of_files_with_questions(questions: Sequence[FileCheck]) -> tuple[list[str], list[str]]:
    """Return the names of the files that have questions: files whose fields are unclear, and files
    that could be two kinds of table."""
    names = [(entry.of_two_kinds, entry.names or [entry.original.name]) for entry in questions]
    unclear, either = (
        [n for is_ambiguous, entry in names if is_ambiguous is two for n in entry]
        for two in (False, True)
    )
    return unclear, either


def show_messages(files: Sequence[File] = (), questions: Sequence[FileCheck] | None = None) -> None:
    """Show the results of past actions with buttons to undo them, and the questions about files.
    Every other file that could not be read gets a card with the reading choices that would fix
    it."""
    trouble = workspace().find_write_problem()
    if trouble is not None:
        st.html(data.draw_action_message(trouble.message, trouble.hint, is_warning=True))
    show_action_messages()
    questions = file_fields.find_file_checks(files) if questions is None else questions
    file_fields.show_checks(questions)
    asked_names = {name for entry in questions for name in entry.names}
    _show_refused_files(
        {
            n: entry
            for n, entry in refusals().items()
            if n not in asked_names or "columns" in entry.choices
        }
    )
    _show_unreadable_files(files, {entry.key for entry in questions})


def show_upload_result() -> None:
    """Show the result of an upload, file by file, on the page that opens after the upload."""
    loaded = files_of_last_upload()
    if loaded is None:
        return
    if loaded:
        with st.container(horizontal=True, vertical_alignment="top", key="told_arrived"):
            st.html(data.draw_uploaded_files(loaded, session.href("data")))
            st.button("OK", key="arrived", on_click=dismiss_upload_message, type="tertiary")
    show_action_messages()


def show_action_messages() -> None:
    """Show the results of past actions, with buttons that undo them."""
    for receipt in action_messages():
        with st.container(horizontal=True, vertical_alignment="center", key=f"told_{receipt.key}"):
            st.html(
                data.draw_action_message(receipt.message, receipt.hint, is_warning=receipt.alarming)
            )
            for number, (label, action) in enumerate(receipt.offers):
                st.button(
                    label,
                    key=f"receipt_{receipt.key}_{number}",
                    on_click=run_action_once,
                    args=(receipt, action),
                )
            st.button(
                "OK" if not receipt.offers else "Dismiss",
                key=f"receipt_{receipt.key}",
                on_click=dismiss_message,
                args=(receipt,),
                type="tertiary",
            )


def _show_refused_files(refusals_by_name: dict[str, Refusal]) -> None:
    """Show a card for each uploaded file that could not be read. If there are several, they are
    folded into one line."""
    if len(refusals_by_name) < 2:
        for name, refusal in refusals_by_name.items():
            _show_refusal(name, refusal)
        return
    with st.container(horizontal=True, vertical_alignment="top", key="refused"):
        some = w.join_words(list(refusals_by_name)[:_NAMED_FILES])
        more = len(refusals_by_name) - _NAMED_FILES
        file_names = f"{some} and {w.format_count(more)} more" if more > 0 else some
        count = w.sentence_case(w.number_word(len(refusals_by_name)))
        summary = f"{count} files could not be read: {file_names}"
        with st.expander(escape_markdown(summary)):
            for name, refusal in refusals_by_name.items():
                _show_refusal(name, refusal)
        st.button(
            "Dismiss all",
            key="dismiss_all",
            on_click=dismiss_refusals,
            args=tuple(refusals_by_name),
        )


def _show_refusal(name: str, refusal: Refusal) -> None:
    st.html(data.draw_error_card(refusal.error))
    key = f"{refusal.key}"
    with st.container(horizontal=True, key=f"offers_{key}"):
        if refusal.upload is not None:
            _offer_buttons(refusal.error, key, partial(reread_refused_file, name))
        st.button("Dismiss", key=f"dismiss_{key}", on_click=dismiss_refusals, args=(name,))


def _show_unreadable_files(files: Sequence[File], keys_with_question: Collection[str]) -> None:
    """Show a card for each file of the open collection that cannot be read, with the reading
    choices that would fix it. Files with a question (`keys_with_question`) are left out."""
    for file in files:
        if file.error is None or file.key in keys_with_question:
            continue
        st.html(data.draw_error_card(file.error))
        key = file.key
        with st.container(horizontal=True, key=f"unread_{key}"):
            if file.origin == "folder":
                _offer_buttons(file.error, key, partial(reread_with_choices, file.file))
            if file.number:
                st.button(
                    "Remove",
                    key=f"remove_{key}",
                    on_click=remove_file,
                    args=(file.number, file.file),
                )


def show_id_offer(offer: IdOffer, key: str) -> None:
    """Show the ids that do not match, with a button that maps them."""
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        st.html(data.draw_action_message(offer.text, offer.examples, is_warning=True))
        st.button(
            "Map these ids",
            key=f"{key}_read",
            on_click=set_id_maps,
            args=(offer.queries, offer.docs),
            help="Saved with the collection and shown on every page. You can undo it here.",
        )


def show_id_maps(sentence: str) -> None:
    """Show the id maps in use, with a button that undoes them."""
    with st.container(horizontal=True, vertical_alignment="center", key="ids_mapped"):
        st.html(data.draw_action_message(f"Ids are mapped. {w.sentence_case(sentence)}."))
        st.button("Undo the mapping", key="ids_back", on_click=set_id_maps, args=("", ""))


def show_unused_judgments(library: Library) -> None:
    """Show a line for each judgment file that is not in use, with buttons to use it as judgments or
    as a run."""
    current_file = library.judgments
    for file in library.files_of_kind("qrels"):
        if current_file is None or file is current_file:
            continue
        doubtful = may_be_a_run(file)
        with st.container(horizontal=True, vertical_alignment="center", key=f"beside_{file.key}"):
            st.html(
                data.draw_action_message(
                    f"{file.file} was read as judgments but is not in use, because"
                    f" {current_file.file} is in use.",
                    (
                        "The values are small whole numbers, so they could also be scores of a"
                        " run. Choose what the file contains."
                        if doubtful
                        else ""
                    ),
                )
            )
            if doubtful:
                st.button(
                    "It is a run",
                    key=f"run_{file.key}",
                    on_click=change_kind,
                    args=(file, "run"),
                )
            st.button(
                "It contains judgments: use them" if doubtful else "Use it instead",
                key=f"use_{file.key}",
                on_click=use_judgments,
                args=(file,),
            )


def _offer_buttons(error: RanklensError, key: str, read_again: Callable[..., None]) -> None:
    """Show the other ways of reading the file that the error suggests, each as a button."""
    for offer, label in _find_matching_offers(error):
        st.button(label, key=f"{offer}_{key}", on_click=partial(read_again, **_parse_choice(offer)))


def _find_matching_offers(error: RanklensError) -> list[tuple[str, str]]:
    text = f"{error.hint} {error.offer}" if isinstance(error, FileFormatError) else error.hint
    return [(offer, label) for offer, label in _OFFERS.items() if re.search(rf"\b{offer}\b", text)]


def _parse_choice(offer: str) -> dict[str, Any]:
    name, _, value = offer.partition("=")
    return {"columns": {name: value}} if name == "doc" else {name: value}
