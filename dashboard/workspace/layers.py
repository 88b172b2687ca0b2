"""The judgment layers of a collection, which contain grades with their grader and time.

A layer is a row of the table `layers`. Each row of the table `grades` is a change for one document
of a query. The newest row for a query and document is valid; a grade of NULL withdraws the
grade."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from dashboard.workspace.adding import current_time, make_free_id
from dashboard.workspace.disk import database
from dashboard.workspace.disk.contents import Contents
from dashboard.workspace.disk.database import Connection, Row, format_damaged_row
from dashboard.workspace.disk.folder_store import FolderStore
from dashboard.workspace.disk.journal_lines import Line, read_grades, read_layer_facts
from metrics_core.tables.run_names import find_free_name

Pair = tuple[str, str]
"""A query id and a document id."""

_LONGEST_NAME = 80


@dataclass(frozen=True)
class GradeRecord:
    """A grade with its grader and the time in UTC."""

    grade: float
    grader: str
    time: str


@dataclass(frozen=True)
class Layer:
    """The current state of a layer.

    `begun` is the time in UTC when the layer was created. `judged` is true if the layer was made in
    Ranklens, and not imported from a file. `version` changes when the grades change. `lost` is the
    readable text of damaged rows. `position` increases with each layer that is created here, so
    that the order is known even if a clock is set back. It is 0 for layers of earlier versions."""

    id: str
    name: str
    begun: str
    judged: bool
    version: str
    removed: bool = False
    lost: tuple[str, ...] = ()
    position: int = 0
    grade_records: Mapping[Pair, GradeRecord] = field(
        default_factory=dict, hash=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.grade_records)

    @property
    def creation_sort_key(self) -> tuple[int, str, str]:
        """Key that sorts layers by the time when they were begun. If two layers grade the same
        document, the grade of the later layer is used."""
        return self.position, self.begun, self.id

    @property
    def grades(self) -> dict[Pair, float]:
        """The grade of each (query_id, doc_id), in the order in which they were first graded."""
        return {pair: record.grade for pair, record in self.grade_records.items()}


class LayerStore:
    """The layers of the collections in one folder. Changes are on disk when a method returns. If a
    method raises StorageError, nothing is changed."""

    def __init__(
        self,
        folder_store: FolderStore,
        change_collection: Callable[[str], AbstractContextManager[Connection]],
    ) -> None:
        """Create the store. `change_collection` opens the database of an existing collection for
        changes."""
        self._folder_store, self._change_collection = folder_store, change_collection
        self._layer_cache: dict[str, tuple[Contents, list[Layer]]] = {}

    def list_layers(self, collection_id: str) -> list[Layer]:
        """List the layers of a collection that are not removed, oldest first. Raises StorageError
        if the collection's database cannot be read."""
        remaining = [layer for layer in self._all_layers(collection_id) if not layer.removed]
        return sorted(remaining, key=lambda layer: layer.creation_sort_key)

    def _all_layers(self, collection_id: str) -> list[Layer]:
        contents = self._folder_store.contents(collection_id)
        cached_contents, layers = self._layer_cache.get(collection_id, (None, []))
        if cached_contents is not contents:
            layers = _build_layers(contents)
            self._layer_cache[collection_id] = contents, layers
        return layers

    def create_layer(
        self,
        collection_id: str,
        name: str,
        grades: Mapping[Pair, float] | None = None,
        *,
        is_judged_here: bool = True,
    ) -> str:
        """Create a layer with these grades in an existing collection, and return its id.
        `is_judged_here` is false if the grades were imported, not given in Ranklens."""
        with self._change_collection(collection_id) as state:
            return self._insert_layer(state, collection_id, name, grades or {}, is_judged_here)

    def grade_documents(
        self, collection_id: str, name: str, grades: Mapping[Pair, float | None]
    ) -> tuple[str, bool]:
        """Grade documents in the layer of the judge `name`. If the judge has no layer yet, a new
        layer is created.

        Returns the id of the layer, and whether the layer was created by this call. If the judge
        has no layer and all grades are None, no layer is created, and the id is empty."""
        with self._change_collection(collection_id) as state:
            own_layers = (
                v
                for v in self.list_layers(collection_id)
                if v.judged and v.name == name[:_LONGEST_NAME]
            )
            layer = next(own_layers, None)
            if layer is not None:
                _append_grades(state, layer.id, grades, name)
                return layer.id, False
            new_grades = {pair: grade for pair, grade in grades.items() if grade is not None}
            if not new_grades:
                return "", False
            return self._insert_layer(state, collection_id, name, new_grades, True), True

    def _insert_layer(
        self,
        connection: Connection,
        collection_id: str,
        name: str,
        grades: Mapping[Pair, float],
        is_judged_here: bool,
    ) -> str:
        all_layers = self._all_layers(collection_id)
        layer_id = make_free_id([layer.id for layer in all_layers])
        position = max((v.position for v in all_layers), default=0) + 1
        head = (layer_id, name[:_LONGEST_NAME], current_time(), int(is_judged_here), position, 0)
        database.append_rows(connection, "layers", [head])
        _append_grades(connection, layer_id, grades, name)
        return layer_id

    def import_layer(
        self, collection_id: str, lines: Sequence[Line], *, earlier_layer: str = ""
    ) -> str:
        """Import a layer with the graders and times of its grades, and return its id.

        The first of the `lines` has the name and other facts. If a layer with the same name, begun
        at the same time, already has all these grades, nothing is imported, and the id is empty. If
        another layer has only the same name, the imported layer gets a new name and is kept
        separate. `earlier_layer` is the id of a layer that is known to have been begun before this
        one."""
        with self._change_collection(collection_id) as state:
            head = read_layer_facts(lines)
            rows = list(read_grades(lines))
            layers = self.list_layers(collection_id)
            original_name, begun = head.get("name", ""), head.get("begun", "")
            judged, grade_records = head.get("judged", False), _latest_grades(rows)
            for v in layers:
                is_same = (v.name, v.begun, v.judged) == (original_name, begun, judged)
                if is_same and grade_records.items() <= v.grade_records.items():
                    return ""
            name = find_free_name(original_name[:_LONGEST_NAME], [v.name for v in layers])
            all_layers = self._all_layers(collection_id)
            layer_id = make_free_id([v.id for v in all_layers])
            # After those that were begun before it, as far as the clocks show.
            earlier_positions = (v.position for v in all_layers if v.begun <= begun)
            later_positions = (
                v.position + 1 for v in layers if v.id == earlier_layer and v.begun > begun
            )
            position = max((*earlier_positions, *later_positions), default=0)
            database.append_rows(
                state, "layers", [(layer_id, name, begun, int(judged), position, 0)]
            )
            database.append_rows(state, "grades", [(layer_id, *row) for row in rows])
            return layer_id

    def remove_layer(self, collection_id: str, layer_id: str) -> None:
        """Mark a layer as removed. It is deleted when Ranklens is next started."""
        self._set_removed(collection_id, layer_id, is_removed=1)

    def restore_layer(self, collection_id: str, layer_id: str) -> None:
        """Restore a removed layer. Raises KeyError if the layer is already deleted for good."""
        self._set_removed(collection_id, layer_id, is_removed=0)

    def _set_removed(self, collection_id: str, layer_id: str, *, is_removed: int) -> None:
        with self._change_collection(collection_id) as state:
            database.put_rows(
                state, "layers", [(*self._find_row(collection_id, layer_id)[:-1], is_removed)]
            )

    def _find_row(self, collection_id: str, layer_id: str) -> Row:
        contents = self._folder_store.contents(collection_id)
        row_lists = (contents.intact["layers"], contents.layers())
        row = next((row for rows in row_lists for row in rows if row[1] == layer_id), None)
        if row is None:
            raise KeyError(layer_id)
        return row


def sweep_layers(folder_store: FolderStore, collection_id: str) -> None:
    """Delete the layers of a collection that were removed before this start. Raises OSError and
    StorageError."""
    removed_rows = [row[:2] for row in folder_store.contents(collection_id).layers() if row[-1]]
    if removed_rows:
        with folder_store.change_collection(collection_id) as state:
            database.delete_rows(state, "layers", [number for number, _ in removed_rows])
            for _, layer in removed_rows:
                state.execute("DELETE FROM grades WHERE layer_id = ?", (layer,))


def _append_grades(
    connection: Connection, layer_id: str, grades: Mapping[Pair, float | None], grader: str
) -> None:
    for (query_id, doc_id), grade in grades.items():
        if not (query_id and doc_id and (grade is None or math.isfinite(grade))):
            raise ValueError("a grade must be a finite number for a query and a document")
    time = current_time()
    rows = [(layer_id, *pair, grade, grader, time) for pair, grade in grades.items()]
    database.append_rows(connection, "grades", rows)


def _build_layers(contents: Contents) -> list[Layer]:
    rows: dict[str, list[Row]] = {}
    last: dict[str, str] = {}
    for number, layer, *values in contents.intact["grades"]:
        rows.setdefault(layer, []).append(tuple(values))
        last[layer] = f"{number} {values[-1]}"
    damaged_texts: dict[str, list[str]] = {}
    for row in contents.damaged["grades"]:
        damaged_texts.setdefault(str(row[1]), []).append(format_damaged_row(row))
    return [
        Layer(
            id=layer,
            name=name,
            begun=begun,
            judged=bool(judged),
            version=f"{last.get(layer, '')}-{len(damaged_texts.get(layer, ()))}",
            removed=bool(removed),
            lost=tuple(damaged_texts.get(layer, ())),
            position=position,
            grade_records=_latest_grades(rows.get(layer, ())),
        )
        for _, layer, name, begun, judged, position, removed in contents.layers()
    ]


def _latest_grades(rows: Iterable[Row]) -> dict[Pair, GradeRecord]:
    """Return the valid grades. The rows have the columns query_id, doc_id, grade, grader and time.
    A grade of None withdraws a grade."""
    latest: dict[Pair, GradeRecord] = {}
    for query_id, doc_id, grade, grader, time in rows:
        if grade is None:
            latest.pop((query_id, doc_id), None)
        else:
            latest[query_id, doc_id] = GradeRecord(grade, grader, time)
    return latest
