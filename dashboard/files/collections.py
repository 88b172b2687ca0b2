"""The available collections: the example, the folder given at the start, and the collections of the
workspace."""

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
from dashboard.files.shape_choices import Answers, is_shape_key
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
    """The last result shown by a collection's Overview, in its default view.

    `run` is the best run other than the baseline (the baseline itself if there is none), and `slot`
    determines its colour. `clear` says whether the difference is significant; None if nothing was
    tested.
    """

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
    def best_run(self) -> str:
        """The run that scores highest."""
        return self.run if self.mean >= self.baseline_mean else self.baseline


@dataclass(frozen=True)
class ListedCollection:
    """A collection in the list.

    The numbers come from the records; they are None if they are known only after reading the files.
    `changed` is in UTC, empty if it never changed; `opened` is in seconds since 1970, 0 if unknown.
    `preview` is None until the Overview has been shown. `outdated` is true if the files have
    changed since then. If the collection cannot be read, `folder` is the folder of its records, and
    `good` is the time in UTC of the state that can be restored (empty if there is none); otherwise
    both are empty.
    """

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
        """`folder` is the folder given at the start, if any."""
        self._workspace, self._folder = workspace, folder

    @property
    def folder_id(self) -> str:
        """The id of the folder's collection; empty without a folder."""
        if self._folder is None:
            return ""
        return f"folder-{hashlib.sha256(str(self._folder).encode()).hexdigest()[:8]}"

    def choose_collection(self, requested: str) -> str:
        """Return the id of the collection that a URL requests.

        If the URL requests none, this is the folder given at the start. Without such a folder, it
        is the collection of the user that was opened last, or changed last if none was opened. If
        the user has no collections, it is the example.
        """
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
        # If several tie, the first is the one that changed last.
        return max((c.id for c in self._user_collections()), key=self._opened_time, default=SAMPLE)

    def has_collection(self, identity: str) -> bool:
        """Whether a collection with this id can be opened. The user's first collection can be
        opened before it exists."""
        if identity in (SAMPLE, OWN_COLLECTION, self.folder_id):
            return bool(identity)
        return (
            self._workspace.has_collection(identity)
            and not self._workspace.collection(identity).removed
        )

    def folder_of(self, identity: str) -> Path | None:
        """The folder whose files a collection shows, in addition to the files added to the
        collection; None if it has no folder."""
        if identity == SAMPLE:
            return SAMPLE_FOLDER
        return self._folder if identity and identity == self.folder_id else None

    def reading_choices(self, identity: str) -> Mapping[str, Mapping[str, Any]]:
        """The choices for reading files of a collection's folder, by file name."""
        record = self._record(identity)
        return record.choices if record else {}

    def choices_by_shape(self, identity: str) -> Answers:
        """The choices for reading files, by the shape of the file. Choices made in this collection
        take precedence over choices made in another collection. Among other collections, the most
        recently changed takes precedence."""
        other_choices = [c.choices for c in self._user_collections() if c.id != identity]
        all_choices = [*reversed(other_choices), self.reading_choices(identity)]
        merged_choices = {key: value for choices in all_choices for key, value in choices.items()}
        return {key: value for key, value in merged_choices.items() if is_shape_key(key) and value}

    def chosen_judgments(self, identity: str) -> str:
        """The key of the file whose judgments a collection uses; empty if none was chosen."""
        record = self._record(identity)
        return record.judgments if record else ""

    def read_settings(self, identity: str) -> Settings:
        """The settings of a collection."""
        record = self._record(identity)
        return record.settings if record else DEFAULT_SETTINGS

    def _record(self, identity: str) -> Collection | None:
        """The record of a collection; the example and the folder have none until something is
        stored."""
        return (
            self._workspace.collection(identity)
            if self._workspace.has_collection(identity)
            else None
        )

    def name_of(self, identity: str) -> str:
        """The name of a collection."""
        if identity == SAMPLE:
            return SAMPLE_NAME
        if self._workspace.has_collection(identity):
            return self._workspace.collection(identity).name
        if self._folder is not None and identity == self.folder_id:
            return self._folder.name or str(self._folder)
        return "My files"

    def list_collections(self) -> list[ListedCollection]:
        """List the collections that can be opened, last opened first. A collection that was never
        opened is sorted by the time of its last change. Reads records only."""
        rows = [
            *([self._describe_with_preview(self.folder_id, "folder")] if self.folder_id else []),
            *(
                self._describe_user_collection(c)
                for c in self._user_collections()
                if c.id != self.folder_id
            ),
            self._describe_with_preview(SAMPLE, "sample"),
        ]
        return sorted(rows, key=lambda row: -(row.opened or _time_in_seconds(row.changed)))

    def record_opening(self, identity: str) -> None:
        """Remember that a collection was opened now, without changing its record."""
        self._workspace.cache.record_time(_OPENED, identity)

    def store_preview(self, identity: str, version: str, preview: Preview) -> None:
        """Store the preview of a collection at this `version`."""
        cached = CachedValue(metadata={"version": version, **asdict(preview)})
        self._workspace.cache.put(_PREVIEWS, identity, value=cached)

    def version(self, identity: str) -> str:
        """A hash of a collection's files and of the choices for reading them, computed from
        records. It changes if a file or a choice changes."""
        parts: list[Any] = [self.reading_choices(identity), self.chosen_judgments(identity)]
        parts += [self.read_settings(identity)]
        folder = self.folder_of(identity)
        if folder is not None:
            listing = list_folder(folder, workspace=self._workspace.folder)
            parts += [(str(path), str(file_state(path))) for path in listing.read]
        if identity != SAMPLE:
            parts += [(e.number, e.changed) for e in self._workspace.entries(identity)]
        return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()

    def _user_collections(self) -> list[Collection]:
        """The collections of the user, last changed first. The record that stores judgments of the
        example is not included."""
        return [c for c in self._workspace.read_collections() if c.id != SAMPLE]

    def _opened_time(self, identity: str) -> float:
        return self._workspace.cache.recorded_time(_OPENED, identity)

    def _describe_user_collection(self, collection: Collection) -> ListedCollection:
        try:
            return self._describe_readable_collection(collection)
        except Exception:  # whatever is wrong with it, the others are listed
            folder = str(self._workspace.folder_of(collection.id))
            good_time = self._workspace.last_good_state_time(collection.id)
            return ListedCollection(
                collection.id,
                collection.name,
                "own",
                changed=collection.changed,
                folder=folder,
                good=good_time,
            )

    def _describe_readable_collection(self, collection: Collection) -> ListedCollection:
        entries = self._workspace.entries(collection.id)
        return self._describe_with_preview(
            collection.id,
            "own",
            runs=sum(e.kind == "run" for e in entries),
            queries=_count_judged_queries(entries),
            files=len(entries),
            changed=collection.changed,
            damaged=len(self._workspace.damaged_records(collection.id)),
        )

    def _describe_with_preview(
        self, identity: str, origin: Origin, **numbers: Any
    ) -> ListedCollection:
        """A collection with its stored preview."""
        cached, preview = self._workspace.cache.get(_PREVIEWS, identity), None
        metadata = {} if cached is None else dict(cached.metadata)
        version = metadata.pop("version", "")
        with suppress(TypeError):  # stored by another version with other fields
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
    """Convert a record's time to seconds since 1970. Returns 0 for an empty text, such as the time
    of the example."""
    return datetime.fromisoformat(time_text).timestamp() if time_text else 0.0


def _count_judged_queries(entries: list[Entry]) -> int | None:
    """Return the number of judged queries. With several judgment files, this is the largest of
    their numbers. Return None if there is no judgment file."""
    return max((e.queries or 0 for e in entries if e.kind == "qrels"), default=None)
