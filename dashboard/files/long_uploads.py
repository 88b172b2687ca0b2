"""Long files of a visit. A page is given a note in place of a long file it asked for.

A note is known to the visit whose file it stands for, in this process: the same text from anywhere
else is just a text. A visit holds its files until they are read or forgotten; a visit that nobody
holds is forgotten, and its files with it.
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
    """The long files of one visit that arrived and are not read yet."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, ScratchFile]] = {}
        self._lost: dict[str, RanklensError] = {}

    def keep(self, file_id: str, file: ScratchFile) -> bytes:
        """Hold an upload of this id; the note that stands for it."""
        note = _NOTE.format(secrets.token_hex(32)).encode()
        with _LOCK:
            self._files[file_id] = note, file
        return note

    def find(self, content: bytes) -> ScratchFile | None:
        """The file for which these bytes stand; None where they are what was uploaded."""
        with _LOCK:
            return next((file for note, file in self._files.values() if note == content), None)

    def forget(self, file_id: str) -> None:
        """Hold an upload no longer; its file is removed once nobody else holds it."""
        with _LOCK:
            self._files.pop(file_id, None)

    def release(self, file: ScratchFile) -> None:
        """Hold a file no longer that was read; nothing happens where none is held."""
        with _LOCK:
            self._files = {i: upload for i, upload in self._files.items() if upload[1] is not file}

    def record_failure(self, name: str, error: RanklensError) -> None:
        """Remember why a file could not be kept, until the page asks."""
        with _LOCK:
            self._lost[name] = error

    def take_failure(self, name: str) -> RanklensError | None:
        """Why a file of this name could not be kept; told once."""
        with _LOCK:
            return self._lost.pop(name, None)


_VISITS: WeakValueDictionary[str, VisitUploads] = WeakValueDictionary()


def begin_visit(session: str) -> VisitUploads:
    """The visit of a session, which lasts as long as somebody holds it."""
    with _LOCK:
        return _VISITS.setdefault(session, VisitUploads())


def find_visit(session: str) -> VisitUploads | None:
    """The visit of a session; None where its pages have not asked for files."""
    with _LOCK:
        return _VISITS.get(session)
