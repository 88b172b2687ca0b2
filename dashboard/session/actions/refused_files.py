"""Uploaded files that could not be read: listed on every page and after a reload, until
dismissed."""

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
    """An uploaded file that could not be read with these `choices`; `key` identifies its
    widgets."""

    error: RanklensError
    key: int
    choices: Mapping[str, Any]
    _file: ref[UploadedFile]

    @property
    def upload(self) -> UploadedFile | None:
        """The file, for another attempt; None once the visit that uploaded it has ended."""
        return self._file()


@st.cache_resource(show_spinner=False)
def _all_refusals() -> dict[str, dict[str, Refusal]]:
    """Refusals by collection and name. Shared by all visits, because a reload begins a new
    visit."""
    return {}


def refusals() -> dict[str, Refusal]:
    """The refused files of the open collection, by name."""
    return _all_refusals().setdefault(collection_id(), {})


def add_refusal(
    error: RanklensError, upload: UploadedFile, choices: Mapping[str, Any] = _NONE
) -> None:
    """List a file that could not be read. The file itself is held until the visit ends."""
    dismiss_refusals(upload.name)
    # The frames of the traceback hold the file, too.
    error.__cause__ = error.__context__ = error.__traceback__ = None
    refusal = Refusal(error, next(_KEYS), choices, ref(upload))
    _held_uploads()[refusal.key] = upload
    refusals()[upload.name] = refusal


def dismiss_refusals(*names: str) -> None:
    """Forget refused files; names that are not listed are ignored."""
    for name in names:
        refusal = refusals().pop(name, None)
        if refusal is not None:
            _held_uploads().pop(refusal.key, None)


def _held_uploads() -> dict[int, UploadedFile]:
    uploads: dict[int, UploadedFile] = st.session_state.setdefault("_refused_files", {})
    return uploads
