"""Taking files in: the uploader, what could not be read, and the screen of a first visit."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import session
from dashboard.answers.collections import file_name
from dashboard.answers.data import data as files_loaded
from dashboard.answers.data import looked_at
from dashboard.answers.file_formats import tools_for
from dashboard.answers.id_offers import IdOffer
from dashboard.app_pages.parts import file_fields
from dashboard.app_pages.parts.file_fields import FileCheck
from dashboard.app_pages.parts.literal import literal
from dashboard.drawing.blocks import data, markup, navigation
from dashboard.drawing.blocks.help_page import FORMATS
from dashboard.files.collections import SAMPLE
from dashboard.files.files import File
from dashboard.session.action_messages import put_away, receipts, take_offer
from dashboard.session.actions.arrival import arrived, put_arrival_away
from dashboard.session.actions.collections import example_files, packed_collection
from dashboard.session.actions.judgments import read_ids, use_judgments
from dashboard.session.actions.refused_files import Refusal, dismiss, refusals
from dashboard.session.actions.uploaded_files import expect_files, uploaded
from dashboard.session.actions.uploads import read_again, read_as, read_uploads, remove_file
from dashboard.session.memory import give_memory_back
from dashboard.session.open_collection import (
    all_collections,
    collection,
    library_here,
    open_collection,
    read_again_with,
    workspace,
)
from dashboard.session.reading import compiling
from dashboard.session.reconnection import cut_off, largest_upload
from dashboard.study.library import Library, may_be_a_run
from metrics_core.base import wording as w
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.formats.source.limits import size_text

_NAMED_FILES = 3
"""Files that the line on those that could not be read names."""

_OFFERS = {
    "duplicates=best": "Keep the best score of each",
    "duplicates=first": "Keep the first of each",
    "encoding=latin-1": "Read as Latin-1",
    "grades=real": "Read grades with decimals",
    "kind=run": "Read as a run",
    "kind=qrels": "Read as judgments",
    "doc=retrieved_contexts": "Match documents by text",
}


def bar() -> None:
    """What the bar of the Files page offers: its uploader, and all of a collection as one file."""
    here = collection()
    if all_collections().folder_of(here) is None and workspace().has(here):
        st.download_button(
            "Download all",
            data=lambda: packed_collection(here),
            file_name=f"{file_name(all_collections().name_of(here))}.zip",
            mime="application/zip",
            key="download_all",
            on_click="ignore",
            help="Downloads the whole collection as one Zip file, to keep or to import elsewhere.",
        )
    st.html(navigation.add_files(), width="content")


def first_run() -> None:
    """What to load, the uploader, and the example; if some of it is loaded, what is missing."""
    library = library_here()
    questions = file_fields.checks(library.files)
    if library.files:
        cutoff, measure = looked_at(None)
        unclear, of_two_kinds = asked_names(questions)
        so_far = files_loaded(library, len(refusals()), measure, cutoff, unclear, of_two_kinds)
        st.html(markup.answer(*so_far.finding.parted, {}))
    else:
        st.html(
            markup.answer(
                "Compare two systems: upload their results and your judgments",
                "Files stay on this computer. File types are detected; change them under Files.",
                {},
            )
        )
    with above_the_uploader():
        told(library.files, questions)
    uploader()
    audience = _audience()
    st.html(data.first_run_steps(audience, tools_for(audience)))
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Open the example: a help centre, four runs"):
            open_collection(SAMPLE)
            session.goto("overview")
        st.download_button(
            "Download small example files",
            data=example_files,
            file_name="ranklens-example.zip",
            mime="application/zip",
            key="example_files",
            on_click="ignore",
            help="Downloads the files of the example, so that you can see their formats.",
        )
        st.html(data.all_formats(session.href("help", about=FORMATS)), width="content")


def _audience() -> str:
    """What the reader evaluates, by whose words the page speaks; the address keeps it."""
    return str(
        session.widget(
            st.pills,
            "What do you evaluate?",
            "for",
            value=data.audience(session.address()["for"]),
            store=lambda chosen: {"for": chosen or ""},
            options=list(data.AUDIENCES),
            format_func=data.AUDIENCES.__getitem__,
            required=True,
            label_visibility="collapsed",
        )
    )


def above_the_uploader() -> DeltaGenerator:
    """Room for what comes and goes before the uploader.

    Were the uploader itself to move down when a sentence appears, the browser would make it anew,
    and an upload under way would end nowhere.
    """
    return st.container()


def uploader(
    label: str = "Add files",
    shown: DeltaGenerator | None = None,
    *,
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """Take files in, many at once; each is read, remembered and reported, in the place where that
    is `shown`, by default beside the uploader."""
    with shown or above_the_uploader():
        cut = cut_off()
        if cut:
            st.html(
                data.receipt(
                    f"The upload of {w.listing(cut)} was interrupted.",
                    "Add it again. Files that did arrive are not added twice.",
                    alarming=True,
                )
            )
    expect_files()
    drawn = session.generation("upload")
    with st.container(key="drop" if width == "stretch" else None):
        if width == "stretch":
            st.html(data.how_large(size_text(largest_upload())))
        given = st.file_uploader(
            label,
            accept_multiple_files=True,
            key=f"upload_{drawn}",
            width=width,
            label_visibility="collapsed",
        )
    if not given:
        return
    files = [uploaded(file) for file in given]
    with (
        shown or st.container(),
        st.status(f"Reading {len(files)} {w.plural(len(files), 'file')} …") as status,
    ):
        bar = st.progress(0.0)
        for read in read_uploads(files, drawn):
            place = min(int(read) + 1, len(files))
            status.update(label=f"Reading {place} of {len(files)}{compiling()}")
            bar.progress(read / len(files))
        bar.progress(1.0)
        status.update(label="Read", state="complete")
    del files
    give_memory_back()
    st.rerun()


def asked_names(questions: Sequence[FileCheck]) -> tuple[list[str], list[str]]:
    """The files whose fields are asked about, and those that may be two kinds of table."""
    names = [(own.of_two_kinds, own.names or [own.original.name]) for own in questions]
    unclear, either = ([n for of, own in names if of is two for n in own] for two in (False, True))
    return unclear, either


def told(files: Sequence[File] = (), questions: Sequence[FileCheck] | None = None) -> None:
    """What became of what was done, with the ways back, the questions about files, and a card for
    each other file that could not be read, with the choices that would mend it."""
    trouble = workspace().trouble()
    if trouble is not None:
        st.html(data.receipt(trouble.message, trouble.hint, alarming=True))
    _receipts()
    questions = file_fields.checks(files) if questions is None else questions
    file_fields.ask(questions)
    asked = {name for own in questions for name in own.names}
    _refused(
        {n: own for n, own in refusals().items() if n not in asked or "columns" in own.choices}
    )
    _unread(files, {own.key for own in questions})


def landed() -> None:
    """On the page that an upload led to: what became of each of its files."""
    loaded = arrived()
    if loaded is None:
        return
    if loaded:
        with st.container(horizontal=True, vertical_alignment="top", key="told_arrived"):
            st.html(data.arrived(loaded, session.href("data")))
            st.button("OK", key="arrived", on_click=put_arrival_away, type="tertiary")
    _receipts()


def _receipts() -> None:
    for receipt in receipts():
        with st.container(horizontal=True, vertical_alignment="center", key=f"told_{receipt.key}"):
            st.html(data.receipt(receipt.message, receipt.hint, alarming=receipt.alarming))
            for number, (label, action) in enumerate(receipt.offers):
                st.button(
                    label,
                    key=f"receipt_{receipt.key}_{number}",
                    on_click=take_offer,
                    args=(receipt, action),
                )
            st.button(
                "OK" if not receipt.offers else "Dismiss",
                key=f"receipt_{receipt.key}",
                on_click=put_away,
                args=(receipt,),
                type="tertiary",
            )


def _refused(refused: dict[str, Refusal]) -> None:
    """A card for each uploaded file that could not be read; several are one folded line."""
    if len(refused) < 2:
        for name, refusal in refused.items():
            _card(name, refusal)
        return
    with st.container(horizontal=True, vertical_alignment="top", key="refused"):
        some = w.listing(list(refused)[:_NAMED_FILES])
        more = len(refused) - _NAMED_FILES
        named = f"{some} and {w.count(more)} more" if more > 0 else some
        told = f"{w.sentence_case(w.number(len(refused)))} files could not be read: {named}"
        with st.expander(literal(told)):
            for name, refusal in refused.items():
                _card(name, refusal)
        st.button("Dismiss all", key="dismiss_all", on_click=dismiss, args=tuple(refused))


def _card(name: str, refusal: Refusal) -> None:
    st.html(data.error_card(refusal.error))
    key = f"{refusal.key}"
    with st.container(horizontal=True, key=f"offers_{key}"):
        if refusal.given is not None:
            _offered(refusal.error, key, partial(read_again, name))
        st.button("Dismiss", key=f"dismiss_{key}", on_click=dismiss, args=(name,))


def _unread(files: Sequence[File], asked: Collection[str]) -> None:
    """A card for each file of the open collection that cannot be read, with what would mend it, but
    for those that are asked about."""
    for file in files:
        if file.error is None or file.key in asked:
            continue
        st.html(data.error_card(file.error))
        key = file.key
        with st.container(horizontal=True, key=f"unread_{key}"):
            if file.origin == "folder":
                _offered(file.error, key, partial(read_again_with, file.file))
            if file.number:
                st.button(
                    "Remove",
                    key=f"remove_{key}",
                    on_click=remove_file,
                    args=(file.number, file.file),
                )


def id_offer(offer: IdOffer, key: str) -> None:
    """Ids that do not meet, and the button that reads them so that they do."""
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        st.html(data.receipt(offer.text, offer.examples, alarming=True))
        st.button(
            "Map these ids",
            key=f"{key}_read",
            on_click=read_ids,
            args=(offer.queries, offer.docs),
            help="Saved with the collection and shown on every page. You can undo it here.",
        )


def ids_mapped(said: str) -> None:
    """How ids are read, and the way back."""
    with st.container(horizontal=True, vertical_alignment="center", key="ids_mapped"):
        st.html(data.receipt(f"Ids are mapped. {w.sentence_case(said)}."))
        st.button("Undo the mapping", key="ids_back", on_click=read_ids, args=("", ""))


def beside(library: Library) -> None:
    """A line for each file of judgments that is not used, with what else it may be."""
    used = library.judgments
    for file in library.of_kind("qrels"):
        if used is None or file is used:
            continue
        doubtful = may_be_a_run(file)
        with st.container(horizontal=True, vertical_alignment="center", key=f"beside_{file.key}"):
            st.html(
                data.receipt(
                    f"{file.file} was read as judgments but is not in use, because {used.file} is.",
                    "Its values are small whole numbers, so they could also be scores. Which is it?"
                    if doubtful
                    else "",
                )
            )
            if doubtful:
                st.button(
                    "It is a run",
                    key=f"run_{file.key}",
                    on_click=read_as,
                    args=(file, "run"),
                )
            st.button(
                "It contains judgments: use them" if doubtful else "Use it instead",
                key=f"use_{file.key}",
                on_click=use_judgments,
                args=(file,),
            )


def _offered(error: RanklensError, key: str, read: Callable[..., None]) -> None:
    """A button for each choice with which a file can be read."""
    for offer, label in _offers(error):
        st.button(label, key=f"{offer}_{key}", on_click=partial(read, **_choice(offer)))


def _offers(error: RanklensError) -> list[tuple[str, str]]:
    said = f"{error.hint} {error.offer}" if isinstance(error, FileFormatError) else error.hint
    return [(offer, label) for offer, label in _OFFERS.items() if re.search(rf"\b{offer}\b", said)]


def _choice(offer: str) -> dict[str, Any]:
    name, _, value = offer.partition("=")
    return {"columns": {name: value}} if name == "doc" else {name: value}
