"""The folder that remembers files between visits: tables as Parquet, named by their content.

    workspace/
      index.json          what is here, in the order in which it came
      <sha256>.parquet    a table; its kind and name stand in the index

A user's file name is only ever shown and written into the index, never used as a path.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock

from dashboard.opened.stored_tables import as_arrow, content_of, load_table, store_table
from metrics_core.errors import RanklensError
from metrics_core.formats import Kind, Loaded
from metrics_core.notes import Note
from metrics_core.tables import Run, Table
from metrics_core.tables.run_names import free_name

_INDEX = "index.json"
_LOCK = Lock()


@dataclass(frozen=True)
class Entry:
    """One remembered table. `slot` is the colour and shape of a run, kept for good; `read_as` and
    `notes` are what was said when the file was read; `with_sample` marks a file that was added to
    the example."""

    content: str
    kind: Kind
    name: str
    file: str
    read_as: str
    rows: int
    slot: int
    with_sample: bool = False
    notes: tuple[Note, ...] = ()


class Workspace:
    """Remembered tables in one folder; safe for several sessions of one server."""

    def __init__(self, folder: Path) -> None:
        """The folder is made when something is first added."""
        self.folder = folder

    def entries(self) -> list[Entry]:
        """What is remembered, oldest first; empty where nothing is."""
        path = self.folder / _INDEX
        if not path.exists():
            return []
        try:
            listed = json.loads(path.read_text(encoding="utf-8"))["files"]
        except (ValueError, KeyError) as error:
            raise RanklensError(
                f"The list of remembered files, {path}, cannot be read.",
                "Move that file away to start anew; the tables beside it stay.",
            ) from error
        return [
            Entry(**{**entry, "notes": tuple(_note(n) for n in entry["notes"])})
            for entry in listed
            if self._path(entry["content"]).exists()
        ]

    def add(
        self, loaded: Loaded, *, slot: int = 0, with_sample: bool = False
    ) -> tuple[Entry, bool]:
        """Remember a table; returns its entry, and whether it is new (False: it was here)."""
        table = as_arrow(loaded.table)
        content = content_of(table, loaded.kind)
        with self._writing() as entries:
            known = next((e for e in entries if e.content == content), None)
            if known is not None:
                return known, False
            store_table(table, self._path(content))
            name = loaded.table.name if isinstance(loaded.table, Run) else loaded.file
            entry = Entry(
                content=content,
                kind=loaded.kind,
                name=free_name(name, [e.name for e in entries if e.kind == loaded.kind]),
                file=loaded.file,
                read_as=loaded.title,
                rows=len(loaded.table),
                slot=slot,
                with_sample=with_sample,
                notes=loaded.notes,
            )
            entries.append(entry)
            return entry, True

    def remove(self, content: str) -> None:
        """Forget one table; nothing happens where it is not here."""
        with self._writing() as entries:
            here = [e for e in entries if e.content == content]
            entries[:] = [e for e in entries if e.content != content]
            for entry in here:
                self._path(entry.content).unlink(missing_ok=True)

    def clear(self) -> None:
        """Forget everything."""
        for entry in self.entries():
            self.remove(entry.content)

    def load(self, entry: Entry) -> Table:
        """The table of an entry."""
        return load_table(self._path(entry.content), entry.kind, name=entry.name, notes=entry.notes)

    def _path(self, content: str) -> Path:
        return self.folder / f"{content}.parquet"

    @contextmanager
    def _writing(self) -> Iterator[list[Entry]]:
        """The entries to change; they are written when the block ends without an error."""
        with _LOCK:
            self.folder.mkdir(parents=True, exist_ok=True)
            entries = self.entries()
            yield entries
            draft = self.folder / f"{_INDEX}.part"
            listed = [asdict(entry) for entry in entries]
            draft.write_text(json.dumps({"files": listed}, ensure_ascii=False, indent=1), "utf-8")
            draft.replace(self.folder / _INDEX)


def default_folder() -> Path:
    """Where files are remembered if nobody says otherwise: the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "ranklens"


def _note(stored: dict[str, object]) -> Note:
    note = Note(**stored)  # type: ignore[arg-type]
    return replace(note, examples=tuple(note.examples))
