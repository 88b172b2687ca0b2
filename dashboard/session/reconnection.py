"""The way back of a page to its server: a page that was cut off, or that another server drew.

The browser then has the page drawn anew, and sends what all its widgets hold. A session that knows
the page takes from this what the reader changed meanwhile. A new session, after a restart, knows no
widget yet, so Streamlit would drop the change: it draws the page as the address says, and then
takes the same widgets once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard.session.action_messages import tell
from dashboard.session.actions.uploaded_files import loss_error
from dashboard.session.address import address, forget
from dashboard.streamlit_internals import draw_again, page_run
from metrics_core.base import wording as w
from metrics_core.formats.source.limits import format_size


def handle_return(message: Mapping[str, Any] | None) -> None:
    """Hear what the browser says of a page that came back: when (`at`), the address that it shows
    (`drawn`), files whose upload was cut off (`cut`) or that are too large for one (`large`), and
    whether it was away (`again`)."""
    if not message:
        return
    # Widgets of another address, as after a step back meanwhile, are no change of this one.
    st.session_state["_drawn_before"] = message["drawn"] == address().query
    if message["at"] == st.session_state.get("_back_at"):
        return
    st.session_state["_back_at"] = message["at"]
    if message["large"]:
        tell(
            f"{w.join_words(message['large'])} {w.plural(len(message['large']), 'is', 'are')}"
            f" larger than {format_size(largest_upload())}, the limit for uploads in the browser.",
            "Compress it (.gz, .zst), or start Ranklens with its folder: make run DATA=folder.",
            alarming=True,
        )
    if message["cut"]:
        st.session_state["_cut_off"] = [
            *cut_off_uploads(),
            *(n for n in message["cut"] if not _tell_reason(n)),
        ]
        if message["again"]:
            # What the browser still holds of them belongs to a connection that is gone.
            forget("upload")


def _tell_reason(name: str) -> bool:
    """Whether it is known why an upload did not come through; then it is told."""
    error = loss_error(name)
    if error is not None:
        tell(f"{name} was not added. {error.message}", error.hint, alarming=True)
    return error is not None


def largest_upload() -> int:
    """Bytes that an uploaded file may have."""
    return int(st.get_option("server.maxUploadSize")) * 2**20


def cut_off_uploads() -> list[str]:
    """The files whose upload was cut off since the last one that came through."""
    names: list[str] = st.session_state.get("_cut_off", [])
    return names


def clear_cut_off() -> None:
    """Files arrived: what was cut off before is no longer told."""
    st.session_state.pop("_cut_off", None)


def note_page_drawn() -> None:
    """The page is drawn. The first time, in a page from before, its widgets count as changed."""
    if st.session_state.get("_drawn"):
        return
    st.session_state["_drawn"] = True
    run = page_run()
    if run is not None and st.session_state.get("_drawn_before"):
        draw_again(run)
