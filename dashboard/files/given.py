"""A file that a reader gave: bytes in memory, a long one on the disk. No Streamlit here."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from dashboard.workspace.disk.scratch import ScratchFile
from metrics_core.formats.source.unpacking import Origin, opened_plain

_START = 512


@dataclass(frozen=True)
class UploadedFile:
    """A file, and what the reader calls it. What is on the disk is there as long as somebody holds
    this."""

    name: str
    content: bytes | ScratchFile

    @property
    def origin(self) -> Origin:
        """Its bytes, or where they are."""
        return self.content if isinstance(self.content, bytes) else self.content.path

    def __len__(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else self.content.size

    @property
    def start(self) -> bytes:
        """Its first bytes; none where it cannot be read, and reading it says why."""
        with suppress(OSError), opened_plain(self.origin) as file:
            return file.read(_START)
        return b""

    def whole(self) -> bytes:
        """All of its bytes."""
        with opened_plain(self.origin) as file:
            return file.read()
