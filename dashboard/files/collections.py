"""The available collections: the example, the folder named at the start, and the collections of the
workspace."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from dashboard.files.files import SAMPLE_FOLDER, list_folder
from dashboard.files.shape_choices import Answers, is_shape_key
from dashboard.workspace import Collection, Workspace
from dashboard.workspace.disk.durable import file_state
from dashboard.workspace.disk.records import BASELINE_RULE
from dashboard.workspace.long_runs.cache import CachedValue
from dashboard.workspace.startup import OWN_COLLECTION

SAMPLE = "sample"
SAMPLE_NAME = "The example"

Origin = Literal["sample", "folder", "own"]


_OPENED, _PREVIEWS = "opened", "previews"


@dataclass(frozen=True)
class Preview:
    """The result that a collection's Overview showed when it was last opened with its default
    choices.

    `run` is the best run other than the baseline, or the baseline itself if there is no other run.
    `slot` is the number of the run's colour. `clear` says whether the difference is significant; it
    is None if nothing was tested."""

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
        """The run with the higher mean."""
        return self.run if self.mean >= self.baseline_mean else self.baseline


@dataclass(frozen=True)
class ListedCollection:
    """A collection in the list of collections.

    The numbers come from the records of the workspace; they are None if they are known only after
    reading the files. `changed` is in UTC, empty if the collection never changed; `opened` is in
    seconds since 1970, 0 if unknown. `preview` is None until the Overview has been shown.
    `outdated` is true if the files have changed since then.

    If the collection cannot be read, `folder` is the folder of its records, and `good` is the time
    in UTC of an earlier state that can be restored (empty if there is none). Otherwise, both are
    empty."""

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
    """The collections that a server offers."""

    def __init__(self, workspace: Workspace, folder: Path | None) -> None:
        """Create the catalog. `folder` is the folder that was named when Ranklens was started, None
        if none was named."""
        self._workspace, self._folder = workspace, folder

    @property
    def folder_id(self) -> str:
        """The id of the collection made from the folder that was named when Ranklens was started,
        "" if none was named."""
        if self._folder is None:
            return ""
        return f"folder-{hashlib.sha256(str(self._folder).encode()).hexdigest()[:8]}"

    def choose_collection(self, requested_id: str) -> str:
        """Return the id of the collection that a URL requests.

        If the URL requests none, return the collection of the folder that was named when Ranklens
        was started. If no folder was named, return the user's collection that was opened last. If
        none was opened, return the one that was changed last. If the user has no collections,
        return the example."""
        if (
            requested_id == OWN_COLLECTION
            and self.folder_id
            and not self._workspace.has_collection(OWN_COLLECTION)
        ):
            return self.folder_id
        if requested_id:
            return requested_id
        if self.folder_id:
            return self.folder_id
        # If several tie, the first is the one that changed last.
        return max((c.id for c in self._user_collections()), key=self._opened_time, default=SAMPLE)

    def has_collection(self, collection_id: str) -> bool:
        """Return whether a collection with this id can be opened. The user's first collection can
        be opened even before it exists."""
        if collection_id in (SAMPLE, OWN_COLLECTION, self.folder_id):
            return bool(collection_id)
        return (
            self._workspace.has_collection(collection_id)
            and not self._workspace.collection(collection_id).removed
        )

    def folder_of(self, collection_id: str) -> Path | None:
        """Return the folder whose files belong to a collection, in addition to the files that were
        added to it. Returns None if the collection has no folder."""
        if collection_id == SAMPLE:
            return SAMPLE_FOLDER
        return self._folder if collection_id and collection_id == self.folder_id else None

    def record(self, collection_id: str) -> Collection:
        """Return the record of a collection. It is empty for the example, the folder and the user's
        first collection until something is stored for them."""
        if self._workspace.has_collection(collection_id):
            return self._workspace.collection(collection_id)
        name = "My files"
        if self._folder is not None and collection_id == self.folder_id:
            name = self._folder.name or str(self._folder)
        return Collection(collection_id, name, "", baseline_rule=BASELINE_RULE)

    def choices_by_shape(self, collection_id: str) -> Answers:
        """Return the choices for reading files by the shape of the file, which is the same for
        files with the same fields. Choices made in this collection take precedence over those made
        in other collections. Among other collections, the one that was changed most recently takes
        precedence."""
        other_choices = [c.choices for c in self._user_collections() if c.id != collection_id]
        all_choices = [*reversed(other_choices), self.record(collection_id).choices]
        merged_choices = {key: value for choices in all_choices for key, value in choices.items()}
        return {key: value for key, value in merged_choices.items() if is_shape_key(key) and value}

    def name_of(self, collection_id: str) -> str:
        """The name of a collection."""
        return SAMPLE_NAME if collection_id == SAMPLE else self.record(collection_id).name

    def list_collections(self) -> list[ListedCollection]:
        """List the collections that can be opened, most recently opened first. A collection that
        was never opened is sorted by the time of its last change. Only records are read, not
        files."""
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

    def record_opening(self, collection_id: str) -> None:
        """Store the current time as the time when a collection was last opened. The record of the
        collection does not change."""
        self._workspace.cache.record_time(_OPENED, collection_id)

    def store_preview(self, collection_id: str, version: str, preview: Preview) -> None:
        """Store the preview of a collection. `version` is the version of the collection from which
        the preview was made."""
        cached = CachedValue(metadata={"version": version, **asdict(preview)})
        self._workspace.cache.put(_PREVIEWS, collection_id, value=cached)

    def version(self, collection_id: str) -> str:
        """Return a hash of a collection's files, settings and choices for reading files. It changes
        if one of these changes. It is computed from records, without reading the files."""
        record = self.record(collection_id)
        parts: list[Any] = [record.choices, record.judgments, record.settings]
        folder = self.folder_of(collection_id)
        if folder is not None:
            listing = list_folder(folder, workspace=self._workspace.folder)
            parts += [(str(path), str(file_state(path))) for path in listing.read]
        if collection_id != SAMPLE:
            parts += [(e.number, e.changed) for e in self._workspace.entries(collection_id)]
        return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()

    def _user_collections(self) -> list[Collection]:
        """Return the user's own collections, latest change first. The record that stores the
        judgments of the example is not included."""
        return [c for c in self._workspace.read_collections() if c.id != SAMPLE]

    def _opened_time(self, collection_id: str) -> float:
        return self._workspace.cache.recorded_time(_OPENED, collection_id)

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
            # The largest number, if there are several judgment files.
            queries=max((e.queries or 0 for e in entries if e.kind == "qrels"), default=None),
            files=len(entries),
            changed=collection.changed,
            damaged=len(self._workspace.damaged_records(collection.id)),
        )

    def _describe_with_preview(
        self, collection_id: str, origin: Origin, **numbers: Any
    ) -> ListedCollection:
        """Return the entry of a collection in the list, with its stored preview."""
        cached, preview = self._workspace.cache.get(_PREVIEWS, collection_id), None
        metadata = {} if cached is None else dict(cached.metadata)
        version = metadata.pop("version", "")
        with suppress(TypeError):  # stored by another version with other fields
            preview = Preview(**metadata)
        outdated = preview is not None and version != self.version(collection_id)
        name, opened_time = self.name_of(collection_id), self._opened_time(collection_id)
        return ListedCollection(
            collection_id,
            name,
            origin,
            opened=opened_time,
            preview=preview,
            outdated=outdated,
            **numbers,
        )


def _time_in_seconds(time_text: str) -> float:
    """Convert the time in a record to seconds since 1970. An empty string becomes 0. (The time of
    the example is empty.)"""
    return datetime.fromisoformat(time_text).timestamp() if time_text else 0.0
