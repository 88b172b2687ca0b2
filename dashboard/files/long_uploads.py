"""Long files of a visit, each represented on the page by a short note.

A note is valid only in this process and for the visit whose file it represents; the same text from
elsewhere is just text. A visit holds its files until they are read or forgotten. Once nothing
refers to a visit, it is forgotten with its files.
"""

from __future__ import annotations

import secrets
from threading import Lock
from weakref import WeakValueDictionary

from dashboard.workspace.disk.scratch import ScratchFile
from metrics_core.base.errors import RanklensError

_NOTE = "a file that Ranklens holds on the disk: {}\n"
_LOCK = Lock()


class VisitUploads:
    """The long files of one visit that have arrived and are not read yet."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, ScratchFile]] = {}
        self._lost: dict[str, RanklensError] = {}

    def keep_upload(self, file_id: str, file: ScratchFile) -> bytes:
        """Hold an upload with this id, and return the note that represents it."""
        note = _NOTE.format(secrets.token_hex(32)).encode()
        with _LOCK:
            self._files[file_id] = note, file
        return note

    def find_upload(self, content: bytes) -> ScratchFile | None:
        """The file that these bytes represent. None if the bytes are not a note but the content of
        an upload."""
        with _LOCK:
            return next((file for note, file in self._files.values() if note == content), None)

    def forget_upload(self, file_id: str) -> None:
        """Release an upload; its file is removed once nothing else holds it."""
        with _LOCK:
            self._files.pop(file_id, None)

    def release_upload(self, file: ScratchFile) -> None:
        """Release a file that was read; does nothing if the file is not held."""
        with _LOCK:
            self._files = {i: upload for i, upload in self._files.items() if upload[1] is not file}

    def record_failure(self, name: str, error: RanklensError) -> None:
        """Remember why a file could not be stored, until the page asks for the reason."""
        with _LOCK:
            self._lost[name] = error

    def take_failure(self, name: str) -> RanklensError | None:
        """Return why a file of this name could not be stored, and forget the reason. Returns None
        if no reason is remembered."""
        with _LOCK:
            return self._lost.pop(name, None)


_VISITS: WeakValueDictionary[str, VisitUploads] = WeakValueDictionary()


def begin_visit(session: str) -> VisitUploads:
    """Return the visit of a session; create it if there is none. A visit lasts as long as something
    holds a reference to it."""
    with _LOCK:
        return _VISITS.setdefault(session, VisitUploads())


def find_visit(session: str) -> VisitUploads | None:
    """The visit of a session; None if its pages have not requested files."""
    with _LOCK:
        return _VISITS.get(session)
