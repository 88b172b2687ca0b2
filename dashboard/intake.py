"""Taking files in: the uploader, what could not be read, and the screen of a first visit."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.blocks import data, markup
from metrics_core import wording as w
from metrics_core.errors import FileFormatError, RanklensError
from metrics_core.findings import Sentence
from metrics_core.findings.sentence import muted, strong

_QUESTION = Sentence() + (
    strong("Which run is better, is the difference real, and where does it come from? ")
    + muted("Load judgments and two runs to find out.")
)
_OFFERS = {
    "duplicates=best": "Keep the best score of each",
    "duplicates=first": "Keep the first of each",
    "encoding=latin-1": "Read as Latin-1",
    "grades=real": "Read grades with decimals",
    "kind=run": "Read as a run",
    "kind=qrels": "Read as judgments",
}


def first_run() -> None:
    """What to load, the uploader, and the example."""
    st.html(markup.sentence(_QUESTION, {}))
    st.html(data.first_run_steps())
    refused()
    uploader()
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Open the example", type="primary"):
            session.open_collection(session.SAMPLE)
            session.goto("overview")
        st.html(
            '<p class="lens explained">Questions to a help centre, four runs.'
            " Nothing leaves this computer.</p>"
        )


def uploader() -> None:
    """Take files in, many at once; each is read, remembered and reported."""
    given = st.file_uploader(
        "Add files",
        accept_multiple_files=True,
        key=f"upload_{session.generation('upload')}",
        label_visibility="collapsed",
    )
    if not given:
        return
    with st.status(f"Reading {len(given)} {w.plural(len(given), 'file')} …") as status:
        bar = st.progress(0.0)
        for number in session.read_uploads((f.name, f.getvalue()) for f in given):
            status.update(label=f"Reading {number + 1} of {len(given)}")
            bar.progress(number / len(given))
        bar.progress(1.0)
        status.update(label="Read", state="complete")
    del given
    session.forget("upload")
    session.give_memory_back()
    st.rerun()


def refused() -> None:
    """A card for each uploaded file that could not be read, with the choices that would mend it."""
    for name, refusal in list(session.refusals().items()):
        st.html(data.error_card(refusal.error))
        with st.container(horizontal=True, key=f"offers_{refusal.key}"):
            for offer, label in _offers(refusal.error):
                st.button(
                    label,
                    key=f"{offer}_{refusal.key}",
                    on_click=session.read_again,
                    args=(name,),
                    kwargs=_choice(offer),
                )
            st.button(
                "Dismiss",
                key=f"dismiss_{refusal.key}",
                on_click=session.dismiss,
                args=(name,),
            )


def _offers(error: RanklensError) -> list[tuple[str, str]]:
    said = f"{error.hint} {error.offer}" if isinstance(error, FileFormatError) else error.hint
    return [(offer, label) for offer, label in _OFFERS.items() if re.search(rf"\b{offer}\b", said)]


def _choice(offer: str) -> dict[str, Any]:
    name, _, value = offer.partition("=")
    return {name: value}
