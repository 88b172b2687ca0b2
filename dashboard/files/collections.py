"""Which collections there are: the example, the folder given at the start, the workspace's own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dashboard.files.files import SAMPLE_FOLDER
from dashboard.workspace import NOTHING_SAID, Collection, Entry, Settings, Workspace
from dashboard.workspace.starting import OWN

SAMPLE = "sample"
SAMPLE_NAME = "The example"

Origin = Literal["sample", "folder", "own"]


@dataclass(frozen=True)
class Listed:
    """A collection in the list. Numbers are those of the records, None where they are known only
    once its files are read. `changed` is in UTC, "" where nothing ever did."""

    id: str
    name: str
    origin: Origin
    runs: int | None = None
    queries: int | None = None
    files: int | None = None
    changed: str = ""
    damaged: int = 0


class Collections:
    """The collections of one server."""

    def __init__(self, workspace: Workspace, folder: Path | None) -> None:
        """`folder` is the one given at the start, if any."""
        self._workspace, self._folder = workspace, folder

    @property
    def folder_id(self) -> str:
        """The id of the folder's collection; "" where none was given."""
        if self._folder is None:
            return ""
        return f"folder-{hashlib.sha256(str(self._folder).encode()).hexdigest()[:8]}"

    def chosen(self, asked: str) -> str:
        """The collection that an address asks for; where it asks for none the folder given at the
        start, else the reader's own that changed last, else the example."""
        if asked == OWN and self.folder_id and not self._workspace.has(OWN):
            return self.folder_id
        if asked:
            return asked
        if self.folder_id:
            return self.folder_id
        own = self._own_ones()
        return own[0].id if own else SAMPLE

    def has(self, identity: str) -> bool:
        """Whether a collection of this id can be opened; the reader's own can before it is made."""
        if identity in (SAMPLE, OWN, self.folder_id):
            return bool(identity)
        return self._workspace.has(identity) and not self._workspace.collection(identity).removed

    def folder_of(self, identity: str) -> Path | None:
        """The folder whose files a collection shows, beside those that were added to it."""
        if identity == SAMPLE:
            return SAMPLE_FOLDER
        return self._folder if identity and identity == self.folder_id else None

    def choices_of(self, identity: str) -> Mapping[str, Mapping[str, Any]]:
        """How files of a collection's folder are read, by name, where that was chosen."""
        told = self._record(identity)
        return told.choices if told else {}

    def judgments_of(self, identity: str) -> str:
        """Which judgments of a collection are used, by the key of their file; "" where nobody has
        said."""
        told = self._record(identity)
        return told.judgments if told else ""

    def settings_of(self, identity: str) -> Settings:
        """What readers have said of a collection."""
        told = self._record(identity)
        return told.settings if told else NOTHING_SAID

    def _record(self, identity: str) -> Collection | None:
        """What is written of a collection; the example and the folder have nothing until then."""
        return self._workspace.collection(identity) if self._workspace.has(identity) else None

    def name_of(self, identity: str) -> str:
        """What a collection is called."""
        if identity == SAMPLE:
            return SAMPLE_NAME
        if self._workspace.has(identity):
            return self._workspace.collection(identity).name
        if self._folder is not None and identity == self.folder_id:
            return self._folder.name or str(self._folder)
        return "My files"

    def listed(self) -> list[Listed]:
        """All that can be opened: the folder, the reader's own, last changed first, the example."""
        own = [c for c in self._own_ones() if c.id != self.folder_id]
        folder = [Listed(self.folder_id, self.name_of(self.folder_id), "folder")]
        return [
            *(folder if self.folder_id else []),
            *(self._own(c) for c in own),
            Listed(SAMPLE, SAMPLE_NAME, "sample"),
        ]

    def _own_ones(self) -> list[Collection]:
        """The reader's own collections; what was judged in the example is kept beside them."""
        return [c for c in self._workspace.collections() if c.id != SAMPLE]

    def _own(self, told: Collection) -> Listed:
        entries = self._workspace.entries(told.id)
        return Listed(
            told.id,
            told.name,
            "own",
            runs=sum(e.kind == "run" for e in entries),
            queries=_queries(entries),
            files=len(entries),
            changed=told.changed,
            damaged=len(self._workspace.damaged(told.id)),
        )


def _queries(entries: list[Entry]) -> int | None:
    """How many queries are judged; of several judgments the most."""
    return max((e.queries or 0 for e in entries if e.kind == "qrels"), default=None)
