"""Judgment layers of a collection: grades that were given here, each with who gave it and when.

A layer is a row of `layers`; each row of `grades` says what became of one document of a query. The
newest row for a pair counts, and a grade of NULL takes back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import MappingProxyType

from dashboard.workspace.adding import free_id, now
from dashboard.workspace.disk import database
from dashboard.workspace.disk.contents import NOTHING, Contents
from dashboard.workspace.disk.database import Connection, Row, damaged_text
from dashboard.workspace.disk.lines import Line, grades_in, head_of
from dashboard.workspace.disk.shelves import Shelves
from metrics_core.tables.run_names import free_name

Pair = tuple[str, str]
"""A query_id and a doc_id."""

_LONGEST_NAME = 80


@dataclass(frozen=True)
class GivenGrade:
    """A grade: by whom, and when in UTC."""

    grade: float
    by: str
    at: str


@dataclass(frozen=True)
class Layer:
    """A layer as it stands: whose it is, when it was begun, and whether it was `judged` here or
    taken in from a file. `version` changes with each change of its grades; `lost` is what is
    legible of the rows that are not as they were written. `place` counts the layers that were begun
    here, because a clock may be set back; 0 of those of earlier versions."""

    id: str
    name: str
    begun: str
    judged: bool
    version: str
    removed: bool = False
    lost: tuple[str, ...] = ()
    place: int = 0
    given: Mapping[Pair, GivenGrade] = field(default_factory=dict, hash=False, compare=False)

    def __len__(self) -> int:
        return len(self.given)

    @property
    def order(self) -> tuple[int, str, str]:
        """Sorts layers by when they were begun: of two that grade one document the later counts."""
        return self.place, self.begun, self.id

    @property
    def grades(self) -> dict[Pair, float]:
        """(query_id, doc_id) -> grade, in the order in which they were first given."""
        return {pair: given.grade for pair, given in self.given.items()}


class Layers:
    """The layers of the collections of one folder; what is changed is on the disk when the method
    returns. Methods that change something raise StorageError, and then nothing is changed."""

    def __init__(
        self,
        shelves: Shelves,
        changing: Callable[[str], AbstractContextManager[Connection]],
    ) -> None:
        """`changing` gives the database of a collection that is there, to be changed."""
        self._shelves, self._changing = shelves, changing
        self._made: dict[str, tuple[Contents, list[Layer]]] = {}

    def of(self, identity: str, *, removed: bool = False) -> list[Layer]:
        """The layers of a collection, or those that were removed since the start; first begun
        first. Raises StorageError where its database cannot be read."""
        wanted = [layer for layer in self._every(identity) if layer.removed == removed]
        return sorted(wanted, key=lambda layer: layer.order)

    def _every(self, identity: str) -> list[Layer]:
        contents = self._shelves.contents(identity)
        known, layers = self._made.get(identity, (NOTHING, []))
        if known is not contents:
            layers = _layers(contents, known, layers)
            self._made[identity] = contents, layers
        return layers

    def begin(
        self,
        identity: str,
        name: str,
        grades: Mapping[Pair, float] | None = None,
        *,
        by: str = "",
        judged: bool = True,
    ) -> str:
        """A new layer of a collection that is there, with these grades; its id."""
        with self._changing(identity) as state:
            return self._begin(state, identity, name, grades or {}, by or name, judged)

    def judge(
        self, identity: str, name: str, grades: Mapping[Pair, float | None]
    ) -> tuple[str, bool]:
        """Grade documents in the layer in which `name` judges here, which is begun where there is
        none: its id, and whether it was begun now. Where that leaves
        nothing to grade, none is begun, and its id is ""."""
        with self._changing(identity) as state:
            own = (v for v in self.of(identity) if v.judged and v.name == name[:_LONGEST_NAME])
            layer = next(own, None)
            if layer is not None:
                _give(state, layer.id, grades, name)
                return layer.id, False
            given = {pair: grade for pair, grade in grades.items() if grade is not None}
            if not given:
                return "", False
            return self._begin(state, identity, name, given, name, judged=True), True

    def _begin(
        self,
        state: Connection,
        identity: str,
        name: str,
        grades: Mapping[Pair, float],
        by: str,
        judged: bool,
    ) -> str:
        every = self._every(identity)
        made = free_id([layer.id for layer in every])
        place = max((v.place for v in every), default=0) + 1
        head = (made, name[:_LONGEST_NAME], now(), int(judged), place, 0)
        database.append(state, "layers", [head])
        _give(state, made, grades, by)
        return made

    def take_in(self, identity: str, lines: Sequence[Line], *, behind: str = "") -> str:
        """Add a layer that was made elsewhere, its head first, each grade with its giver and its
        time; its id, "" where one of this name and beginning holds all of it already. Where only
        the name is taken, it gets another, and so stays a layer of its own. `behind` is the id of
        one that is known to have been begun before it."""
        with self._changing(identity) as state:
            head, rows, here = head_of(lines), list(grades_in(lines)), self.of(identity)
            told, begun = head.get("name", ""), head.get("begun", "")
            judged, given = head.get("judged", False), _given(rows)
            for v in here:
                same = (v.name, v.begun, v.judged) == (told, begun, judged)
                if same and given.items() <= v.given.items():
                    return ""
            name = free_name(told[:_LONGEST_NAME], [v.name for v in here])
            every = self._every(identity)
            made = free_id([v.id for v in every])
            # Behind those that were begun before it, as far as clocks can tell.
            before = (v.place for v in every if v.begun <= begun)
            known = (v.place + 1 for v in here if v.id == behind and v.begun > begun)
            place = max((*before, *known), default=0)
            database.append(state, "layers", [(made, name, begun, int(judged), place, 0)])
            database.append(state, "grades", [(made, *row) for row in rows])
            return made

    def give(
        self, identity: str, layer: str, grades: Mapping[Pair, float | None], *, by: str
    ) -> None:
        """Grade documents; None takes a grade back. Raises KeyError where the layer is gone."""
        with self._changing(identity) as state:
            self._row(identity, layer)
            _give(state, layer, grades, by)

    def remove(self, identity: str, layer: str) -> None:
        """Hide a layer; the next start removes it for good."""
        self._mark(identity, layer, removed=1)

    def restore(self, identity: str, layer: str) -> None:
        """Undo a removal. Raises KeyError once it is for good."""
        self._mark(identity, layer, removed=0)

    def _mark(self, identity: str, layer: str, *, removed: int) -> None:
        with self._changing(identity) as state:
            database.put(state, "layers", [(*self._row(identity, layer)[:-1], removed)])

    def _row(self, identity: str, layer: str) -> Row:
        contents = self._shelves.contents(identity)
        every = (contents.whole["layers"], contents.layers())
        row = next((row for rows in every for row in rows if row[1] == layer), None)
        if row is None:
            raise KeyError(layer)
        return row


def sweep(shelves: Shelves, identity: str) -> None:
    """Remove a collection's layers that were removed before this start. Raises OSError and
    StorageError."""
    gone = [row[:2] for row in shelves.contents(identity).layers() if row[-1]]
    if gone:
        with shelves.changing(identity) as state:
            database.drop(state, "layers", [number for number, _ in gone])
            for _, layer in gone:
                state.execute("DELETE FROM grades WHERE layer_id = ?", (layer,))


def _give(state: Connection, layer: str, grades: Mapping[Pair, float | None], by: str) -> None:
    for (query_id, doc_id), grade in grades.items():
        if not (query_id and doc_id and (grade is None or math.isfinite(grade))):
            raise ValueError("a grade is a finite number for a query and a document")
    at = now()
    rows = [(layer, *pair, grade, by, at) for pair, grade in grades.items()]
    database.append(state, "grades", rows)


def _layers(contents: Contents, known: Contents, made: Sequence[Layer]) -> list[Layer]:
    """The layers that these rows tell of; of those that were `made` of what is `known` only what is
    new is worked out."""
    grades, before = contents.whole["grades"], known.whole["grades"]
    if len(grades) < len(before) or (before and grades[len(before) - 1] is not before[-1]):
        before, made = (), ()
    rows: dict[str, list[Row]] = {}
    last = {layer.id: layer.version.rpartition("-")[0] for layer in made}
    for number, layer, *own in grades[len(before) :]:
        rows.setdefault(layer, []).append(tuple(own))
        last[layer] = f"{number} {own[-1]}"
    lost: dict[str, list[str]] = {}
    for row in contents.damaged["grades"]:
        lost.setdefault(str(row[1]), []).append(damaged_text(row))
    earlier, heads = {layer.id: layer.given for layer in made}, contents.whole["layers"]
    if last.keys() - {row[1] for row in heads}:
        heads = contents.layers()
    return [
        Layer(
            id=layer,
            name=name,
            begun=begun,
            judged=bool(judged),
            version=f"{last.get(layer, '')}-{len(lost.get(layer, ()))}",
            removed=bool(removed),
            lost=tuple(lost.get(layer, ())),
            place=place,
            given=_given(rows.get(layer, ()), earlier.get(layer, {})),
        )
        for _, layer, name, begun, judged, place, removed in heads
    ]


def _given(
    rows: Iterable[Row], earlier: Mapping[Pair, GivenGrade] = MappingProxyType({})
) -> Mapping[Pair, GivenGrade]:
    """The grades that count of rows of query_id, doc_id, grade, grader and time, behind `earlier`
    ones."""
    if not rows:
        return earlier
    given = dict(earlier)
    for query_id, doc_id, grade, by, at in rows:
        if grade is None:
            given.pop((query_id, doc_id), None)
        else:
            given[query_id, doc_id] = GivenGrade(grade, by, at)
    return given
