"""Uploaded files that could not be read: listed until somebody dismisses them, on every page and
after a reload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from types import MappingProxyType
from typing import Any
from weakref import ref

import streamlit as st

from dashboard.files.uploaded_file import UploadedFile
from dashboard.session.open_collection import collection_id
from metrics_core.base.errors import RanklensError

_KEYS = count(1)
_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Refusal:
    """An uploaded file that could not be read by these `choices`; `key` names its widgets."""

    error: RanklensError
    key: int
    choices: Mapping[str, Any]
    _file: ref[UploadedFile]

    @property
    def upload(self) -> UploadedFile | None:
        """The file, for another try; None once the visit that brought it has ended."""
        return self._file()


@st.cache_resource(show_spinner=False)
def _all_refusals() -> dict[str, dict[str, Refusal]]:
    """Collection -> name -> refusal. All visits share it, for a reload begins a new one."""
    return {}


def refusals() -> dict[str, Refusal]:
    """Files that were added to the open collection and could not be read, by name."""
    return _all_refusals().setdefault(collection_id(), {})


def list_refusal(
    error: RanklensError, upload: UploadedFile, choices: Mapping[str, Any] = _NONE
) -> None:
    """List a file that could not be read. The file itself is held as long as this visit lasts."""
    dismiss(upload.name)
    # Its frames hold the file, too.
    error.__cause__ = error.__context__ = error.__traceback__ = None
    refusal = Refusal(error, next(_KEYS), choices, ref(upload))
    _held_uploads()[refusal.key] = upload
    refusals()[upload.name] = refusal


def dismiss(*names: str) -> None:
    """Forget refused files; nothing happens where that is done already."""
    for name in names:
        refusal = refusals().pop(name, None)
        if refusal is not None:
            _held_uploads().pop(refusal.key, None)


def _held_uploads() -> dict[int, UploadedFile]:
    uploads: dict[int, UploadedFile] = st.session_state.setdefault("_refused_files", {})
    return uploads
