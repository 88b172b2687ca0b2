"""Long files uploaded in a visit. On the page, each of them is represented by a short note.

A note is valid only in this process and only for the visit in which its file was uploaded;
elsewhere, the same text is ordinary text. A visit keeps its files until they are read or forgotten.
If no other object refers to a visit, the visit is removed together with its files."""

from __future__ import annotations

import secrets
from threading import Lock
from weakref import WeakValueDictionary

from dashboard.workspace.disk.scratch import ScratchFile
from metrics_core.base.errors import RanklensError

_NOTE = "a file that Ranklens holds on the disk: {}\n"
_LOCK = Lock()


class VisitUploads:
    """The long files that one user uploaded during a visit (one session in the browser), and that
    were not read yet."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, ScratchFile]] = {}
        self._lost: dict[str, RanklensError] = {}

    def keep_upload(self, file_id: str, file: ScratchFile) -> bytes:
        """Store an upload under this id. Return a short note that takes the place of the file's
        content."""
        note = _NOTE.format(secrets.token_hex(32)).encode()
        with _LOCK:
            self._files[file_id] = note, file
        return note

    def find_upload(self, content: bytes) -> ScratchFile | None:
        """Return the file for which the page holds a short note with this content. Returns None if
        the content is that of an uploaded file, not a note."""
        with _LOCK:
            return next((file for note, file in self._files.values() if note == content), None)

    def forget_upload(self, file_id: str) -> None:
        """Forget an upload. Its file is removed when no other object refers to it."""
        with _LOCK:
            self._files.pop(file_id, None)

    def release_upload(self, file: ScratchFile) -> None:
        """Forget the upload of a file that was read. Nothing happens if there is no such upload."""
        with _LOCK:
            self._files = {i: upload for i, upload in self._files.items() if upload[1] is not file}

    def record_failure(self, name: str, error: RanklensError) -> None:
        """Store the reason why a file could not be stored, until the page asks for it."""
        with _LOCK:
            self._lost[name] = error

    def pop_failure(self, name: str) -> RanklensError | None:
        """Return the reason why a file with this name could not be stored, and forget the reason.
        Returns None if there is no reason."""
        with _LOCK:
            return self._lost.pop(name, None)


_VISITS: WeakValueDictionary[str, VisitUploads] = WeakValueDictionary()


def get_or_create_uploads(session_id: str) -> VisitUploads:
    """Return the uploads of a session's visit. If there are none, a new `VisitUploads` is created.
    It exists as long as another object refers to it."""
    with _LOCK:
        return _VISITS.setdefault(session_id, VisitUploads())


def find_uploads(session_id: str) -> VisitUploads | None:
    """Return the uploads of a session's visit. Returns None if no page of the session has requested
    files."""
    with _LOCK:
        return _VISITS.get(session_id)
