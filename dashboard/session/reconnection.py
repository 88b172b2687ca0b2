"""Reconnection of a page to its server, after it was cut off or drawn by another server.

The browser then has the page drawn again and sends the values of all its widgets. A session that
knows the page takes the user's changes from these values. A new session, after a restart, knows no
widgets yet, so Streamlit would drop the change: a new session therefore draws the page from the
address and then takes the same values once more.
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
    """Handle a message of the browser: its page has reconnected, or uploads have failed.

    The message has the time (`at`), the address shown (`drawn`), the files whose upload was cut off
    (`cut`) or that are too large (`large`), and whether the page has reconnected (`again`).
    """
    if not message:
        return
    # Widgets of another address, as after Back, do not change this one.
    st.session_state["_drawn_before"] = message["drawn"] == address().query
    if message["at"] == st.session_state.get("_back_at"):
        return
    st.session_state["_back_at"] = message["at"]
    if message["large"]:
        tell(
            f"{w.join_words(message['large'])} {w.plural(len(message['large']), 'is', 'are')}"
            f" larger than {format_size(largest_upload())}, the limit for uploads in the browser.",
            "Compress it (.gz, .zst), or start Ranklens with the folder of the file: ranklens"
            " --data folder.",
            alarming=True,
        )
    if message["cut"]:
        st.session_state["_cut_off"] = [
            *cut_off_uploads(),
            *(n for n in message["cut"] if not _tell_reason(n)),
        ]
        if message["again"]:
            # The browser's copies of them belong to a lost connection.
            forget("upload")


def _tell_reason(name: str) -> bool:
    """Add a message on why an upload failed, if known; return whether it is known."""
    error = loss_error(name)
    if error is not None:
        tell(f"{name} was not added. {error.message}", error.hint, alarming=True)
    return error is not None


def largest_upload() -> int:
    """The maximum size of an uploaded file, in bytes."""
    return int(st.get_option("server.maxUploadSize")) * 2**20


def cut_off_uploads() -> list[str]:
    """The files whose upload was cut off since the last successful upload."""
    names: list[str] = st.session_state.get("_cut_off", [])
    return names


def clear_cut_off() -> None:
    """Forget the uploads that were cut off, after a successful upload."""
    st.session_state.pop("_cut_off", None)


def note_page_drawn() -> None:
    """Note that the page is drawn. When this is first noted for a page of an earlier session, the
    widgets of the page count as changed."""
    if st.session_state.get("_drawn"):
        return
    st.session_state["_drawn"] = True
    run = page_run()
    if run is not None and st.session_state.get("_drawn_before"):
        draw_again(run)
