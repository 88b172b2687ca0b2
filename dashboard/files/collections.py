"""Which collections there are: the example, the folder given at the start, the workspace's own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from dashboard.files.files import SAMPLE_FOLDER, list_folder
from dashboard.files.shape_choices import Answers, is_shape
from dashboard.workspace import DEFAULT_SETTINGS, Collection, Entry, Settings, Workspace
from dashboard.workspace.disk.durable import file_state
from dashboard.workspace.long_runs.cache import CachedValue
from dashboard.workspace.startup import OWN_COLLECTION

SAMPLE = "sample"
SAMPLE_NAME = "The example"

Origin = Literal["sample", "folder", "own"]


_OPENED, _PREVIEWS = "opened", "previews"


@dataclass(frozen=True)
class Preview:
    """What a collection's Overview said when it was shown last, by default: its best run but for
    the baseline, whose colour is `slot`, and the baseline, the same where there is no other;
    `clear` is None where nothing was tested."""

    measure: str
    run: str
    slot: int
    mean: float
    baseline: str
    baseline_mean: float
    difference: float
    clear: bool | None
    queries: int
    runs: int

    @property
    def best(self) -> str:
        """The run that scores highest."""
        return self.run if self.mean >= self.baseline_mean else self.baseline


@dataclass(frozen=True)
class ListedCollection:
    """A collection in the list. Numbers are those of the records, None where they are known only
    once its files are read. `changed` is in UTC, "" where nothing ever did; `opened` in seconds
    since 1970, 0 where nobody knows. `collection_preview` is None until somebody has looked at it,
    and `outdated` where the files have changed since. `folder` is where the records are of one that
    cannot be read, "" of all others, and `good` is when the state was copied that it can go back
    to, in UTC, "" where there is none."""

    id: str
    name: str
    origin: Origin
    runs: int | None = None
    queries: int | None = None
    files: int | None = None
    changed: str = ""
    damaged: int = 0
    opened: float = 0.0
    preview: Preview | None = None
    outdated: bool = False
    folder: str = ""
    good: str = ""


class CollectionCatalog:
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

    def choose_collection(self, requested: str) -> str:
        """The collection that an address asks for; where it asks for none the folder given at the
        start, else the reader's own that was opened last, or, where none was, changed last, else
        the example."""
        if (
            requested == OWN_COLLECTION
            and self.folder_id
            and not self._workspace.has_collection(OWN_COLLECTION)
        ):
            return self.folder_id
        if requested:
            return requested
        if self.folder_id:
            return self.folder_id
        # The first of those that tie is the one that changed last.
        return max((c.id for c in self._own_collections()), key=self._opened_time, default=SAMPLE)

    def has_collection(self, identity: str) -> bool:
        """Whether a collection of this id can be opened; the reader's own can before it is made."""
        if identity in (SAMPLE, OWN_COLLECTION, self.folder_id):
            return bool(identity)
        return (
            self._workspace.has_collection(identity)
            and not self._workspace.collection(identity).removed
        )

    def folder_of(self, identity: str) -> Path | None:
        """The folder whose files a collection shows, beside those that were added to it."""
        if identity == SAMPLE:
            return SAMPLE_FOLDER
        return self._folder if identity and identity == self.folder_id else None

    def read_choices(self, identity: str) -> Mapping[str, Mapping[str, Any]]:
        """How files of a collection's folder are read, by name, where that was chosen."""
        record = self._record(identity)
        return record.choices if record else {}

    def answers_by_shape(self, identity: str) -> Answers:
        """How files of each shape are read: as was said in this collection, else in another, last
        changed first."""
        other_choices = [c.choices for c in self._own_collections() if c.id != identity]
        all_choices = [*reversed(other_choices), self.read_choices(identity)]
        merged_choices = {key: value for choices in all_choices for key, value in choices.items()}
        return {key: value for key, value in merged_choices.items() if is_shape(key) and value}

    def chosen_judgments(self, identity: str) -> str:
        """Which judgments of a collection are used, by the key of their file; "" where nobody has
        said."""
        record = self._record(identity)
        return record.judgments if record else ""

    def read_settings(self, identity: str) -> Settings:
        """What readers have said of a collection."""
        record = self._record(identity)
        return record.settings if record else DEFAULT_SETTINGS

    def _record(self, identity: str) -> Collection | None:
        """What is written of a collection; the example and the folder have nothing until then."""
        return (
            self._workspace.collection(identity)
            if self._workspace.has_collection(identity)
            else None
        )

    def name_of(self, identity: str) -> str:
        """What a collection is called."""
        if identity == SAMPLE:
            return SAMPLE_NAME
        if self._workspace.has_collection(identity):
            return self._workspace.collection(identity).name
        if self._folder is not None and identity == self.folder_id:
            return self._folder.name or str(self._folder)
        return "My files"

    def list_collections(self) -> list[ListedCollection]:
        """All that can be opened, last opened first; what never was stands where it was made.
        Nothing but records is read for it."""
        rows = [
            *([self._list_with_preview(self.folder_id, "folder")] if self.folder_id else []),
            *(self._list_own(c) for c in self._own_collections() if c.id != self.folder_id),
            self._list_with_preview(SAMPLE, "sample"),
        ]
        return sorted(rows, key=lambda row: -(row.opened or _time_in_seconds(row.changed)))

    def mark_opened(self, identity: str) -> None:
        """Remember that a collection was opened now; its own record stays as it is."""
        self._workspace.cache.mark(_OPENED, identity)

    def keep_preview(self, identity: str, version: str, preview: Preview) -> None:
        """Keep what the list shows of a collection of this `version`."""
        cached = CachedValue(metadata={"version": version, **asdict(preview)})
        self._workspace.cache.put(_PREVIEWS, identity, value=cached)

    def version(self, identity: str) -> str:
        """What the files of a collection are and how they are read, told by their records; another
        one where any of it changed."""
        parts: list[Any] = [self.read_choices(identity), self.chosen_judgments(identity)]
        parts += [self.read_settings(identity)]
        folder = self.folder_of(identity)
        if folder is not None:
            listing = list_folder(folder, workspace=self._workspace.folder)
            parts += [(str(path), str(file_state(path))) for path in listing.read]
        if identity != SAMPLE:
            parts += [(e.number, e.changed) for e in self._workspace.entries(identity)]
        return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()

    def _own_collections(self) -> list[Collection]:
        """The reader's own collections, last changed first; what was judged in the example is kept
        beside them."""
        return [c for c in self._workspace.collections() if c.id != SAMPLE]

    def _opened_time(self, identity: str) -> float:
        return self._workspace.cache.mark_time(_OPENED, identity)

    def _list_own(self, collection: Collection) -> ListedCollection:
        try:
            return self._list_readable(collection)
        except Exception:  # whatever it holds, the others are listed
            folder = str(self._workspace.folder_of(collection.id))
            good_time = self._workspace.good_state_time(collection.id)
            return ListedCollection(
                collection.id,
                collection.name,
                "own",
                changed=collection.changed,
                folder=folder,
                good=good_time,
            )

    def _list_readable(self, collection: Collection) -> ListedCollection:
        entries = self._workspace.entries(collection.id)
        return self._list_with_preview(
            collection.id,
            "own",
            runs=sum(e.kind == "run" for e in entries),
            queries=_count_judged_queries(entries),
            files=len(entries),
            changed=collection.changed,
            damaged=len(self._workspace.damaged_records(collection.id)),
        )

    def _list_with_preview(self, identity: str, origin: Origin, **numbers: Any) -> ListedCollection:
        """A collection with what was kept of it."""
        cached, preview = self._workspace.cache.get(_PREVIEWS, identity), None
        metadata = {} if cached is None else dict(cached.metadata)
        version = metadata.pop("version", "")
        with suppress(TypeError):  # of a version that kept something else
            preview = Preview(**metadata)
        outdated = preview is not None and version != self.version(identity)
        name, opened_time = self.name_of(identity), self._opened_time(identity)
        return ListedCollection(
            identity,
            name,
            origin,
            opened=opened_time,
            preview=preview,
            outdated=outdated,
            **numbers,
        )


def _time_in_seconds(time_text: str) -> float:
    """A time of a record in seconds since 1970; 0 for "", as the example has it."""
    return datetime.fromisoformat(time_text).timestamp() if time_text else 0.0


def _count_judged_queries(entries: list[Entry]) -> int | None:
    """How many queries are judged; of several judgments the most."""
    return max((e.queries or 0 for e in entries if e.kind == "qrels"), default=None)
