"""Reconnection of a page to its server, after the connection was lost or the server was restarted.

The browser then requests the page again and sends the values of all its widgets. A session that
knows the page recognises the user's changes in these values. A new session, after a restart, knows
no widgets yet, so Streamlit would drop the changes. A new session therefore draws the page from the
address first, and then applies the same values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard.session.action_messages import add_message
from dashboard.session.actions.uploaded_files import pop_upload_error
from dashboard.session.address import address, reset_widget
from dashboard.streamlit_internals import current_page_run, redraw_page
from metrics_core.base import wording as w
from metrics_core.formats.source.limits import format_size


def handle_reconnection(message: Mapping[str, Any] | None) -> None:
    """Handle a message from the browser: its page has reconnected, or uploads have failed.

    The message has the time (`at`), the address that the browser shows (`drawn`), the files whose
    upload was interrupted (`cut`) or that are too large (`large`), and whether the page has
    reconnected (`again`)."""
    if not message:
        return
    # Widgets of another address, as after Back, do not change this one.
    st.session_state["_drawn_before"] = message["drawn"] == address().query_string
    if message["at"] == st.session_state.get("_back_at"):
        return
    st.session_state["_back_at"] = message["at"]
    if message["large"]:
        add_message(
            f"{w.join_words(message['large'])} {w.plural(len(message['large']), 'is', 'are')}"
            f" larger than {format_size(max_upload_size())}, the limit for uploads in the browser.",
            "Compress large files (.gz, .zst), or start Ranklens with their folder: ranklens"
            " --data folder.",
            is_warning=True,
        )
    if message["cut"]:
        st.session_state["_cut_off"] = [
            *interrupted_uploads(),
            *(n for n in message["cut"] if not _report_upload_error(n)),
        ]
        if message["again"]:
            # The browser's copies of them belong to a lost connection.
            reset_widget("upload")


def _report_upload_error(name: str) -> bool:
    """Add a message with the reason why an upload failed, if it is known. Return whether it is
    known."""
    error = pop_upload_error(name)
    if error is not None:
        add_message(f"{name} was not added. {error.message}", error.hint, is_warning=True)
    return error is not None


def max_upload_size() -> int:
    """Return the maximum size of an uploaded file in bytes."""
    return int(st.get_option("server.maxUploadSize")) * 2**20


def interrupted_uploads() -> list[str]:
    """Return the files whose upload was interrupted since the last successful upload."""
    names: list[str] = st.session_state.get("_cut_off", [])
    return names


def forget_interrupted_uploads() -> None:
    """Forget which uploads were interrupted, after a successful upload."""
    st.session_state.pop("_cut_off", None)


def mark_page_drawn() -> None:
    """Store that the page is drawn. If the browser drew this page in an earlier session, the page
    is drawn once more, so that the values of its widgets are applied."""
    if st.session_state.get("_drawn"):
        return
    st.session_state["_drawn"] = True
    run = current_page_run()
    if run is not None and st.session_state.get("_drawn_before"):
        redraw_page(run)
