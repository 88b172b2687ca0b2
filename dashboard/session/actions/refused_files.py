"""Uploaded files that could not be read. Every page lists them, even after a reload, until the user
dismisses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any
from weakref import ref

import streamlit as st

from dashboard.files.uploaded_file import UploadedFile
from dashboard.session.open_collection import current_collection_id
from metrics_core.base.errors import RanklensError

_KEYS = count(1)


@dataclass(frozen=True)
class Refusal:
    """An uploaded file that could not be read with these `choices`, and the error. `key` identifies
    its widgets."""

    error: RanklensError
    key: int
    choices: Mapping[str, Any]
    _file: ref[UploadedFile]

    @property
    def upload(self) -> UploadedFile | None:
        """The file, so that it can be read again. It is None after the end of the visit in which it
        was uploaded."""
        return self._file()


@st.cache_resource(show_spinner=False)
def _all_refusals() -> dict[str, dict[str, Refusal]]:
    """Return the refused files by collection and name. They are shared by all sessions, so that
    they are still known after a reload, which begins a new session."""
    return {}


def refusals() -> dict[str, Refusal]:
    """Return the refused files of the open collection by name."""
    return _all_refusals().setdefault(current_collection_id(), {})


def add_refusal(error: RanklensError, upload: UploadedFile, choices: Mapping[str, Any]) -> None:
    """Add a file that could not be read to the list of refused files. The file itself is kept in
    memory until the browser session ends."""
    dismiss_refusals(upload.name)
    # The frames of the traceback hold the file, too.
    error.__cause__ = error.__context__ = error.__traceback__ = None
    refusal = Refusal(error, next(_KEYS), choices, ref(upload))
    _kept_uploads()[refusal.key] = upload
    refusals()[upload.name] = refusal


def dismiss_refusals(*names: str) -> None:
    """Remove the files with these names from the list of refused files. Names that are not in the
    list are ignored."""
    for name in names:
        refusal = refusals().pop(name, None)
        if refusal is not None:
            _kept_uploads().pop(refusal.key, None)


def _kept_uploads() -> dict[int, UploadedFile]:
    uploads: dict[int, UploadedFile] = st.session_state.setdefault("_refused_files", {})
    return uploads
