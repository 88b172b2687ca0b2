"""Judgment layers of a collection: grades that were given here, each with who gave it and when.

A layer is a journal of its own. Its first line says whose it is; each further one says what became
of some documents of a query, the newest line for a pair counts, and a grade of null takes back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from dashboard.workspace.adding import free_id, now
from dashboard.workspace.disk import errors
from dashboard.workspace.disk.journal import Line, Read
from dashboard.workspace.disk.records import Damaged
from dashboard.workspace.disk.shelves import LAYOUT, Shelves
from metrics_core.tables.run_names import free_name

Pair = tuple[str, str]
"""A query_id and a doc_id."""

_PREFIX = "layer-"
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
    taken in from a file. `version` changes with each change of it; `lost` are the numbers of the
    lines that are not as they were written, `missing` says which are gone. `place` counts the
    layers that were begun here, because a clock may be set back; 0 of those of earlier versions."""

    id: str
    name: str
    begun: str
    judged: bool
    version: str
    removed: bool = False
    lost: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()
    place: int = 0
    given: Mapping[Pair, GivenGrade] = field(default_factory=dict, hash=False, compare=False)

    def __len__(self) -> int:
        return len(self.given)

    @property
    def order(self) -> tuple[int, str, str]:
        """Sorts layers by when they were begun: of two that grade one document the later counts."""
        return self.place, self.begun, self.id

    @property
    def journal(self) -> str:
        """The name of its journal."""
        return _PREFIX + self.id

    @property
    def grades(self) -> dict[Pair, float]:
        """(query_id, doc_id) -> grade, in the order in which they were first given."""
        return {pair: given.grade for pair, given in self.given.items()}


class Layers:
    """The layers of the collections of one folder; what is changed is on the disk when the method
    returns. Methods that change something raise StorageError, and then nothing is changed."""

    def __init__(
        self, shelves: Shelves, writing: Callable[[], AbstractContextManager[Shelves]]
    ) -> None:
        self._shelves, self._writing = shelves, writing
        self._made: dict[tuple[str, str], Layer] = {}

    def of(self, identity: str, *, removed: bool = False) -> list[Layer]:
        """The layers of a collection, or those that were removed since the start; first begun
        first."""
        wanted = [layer for layer in self._every(identity) if layer.removed == removed]
        return sorted(wanted, key=lambda layer: layer.order)

    def _every(self, identity: str) -> list[Layer]:
        return [
            self._layer(identity, name.removeprefix(_PREFIX), read)
            for name, read in self._shelves.journals.of(identity).items()
            if name.startswith(_PREFIX)
        ]

    def damaged(self, identity: str) -> list[Damaged]:
        """The lines of a collection's layers that are not as they were written."""
        return [
            Damaged(f"{layer.id} {number}", layer.name, f"has a damaged line, number {number}")
            for layer in self.of(identity)
            for number in layer.lost
        ]

    def missing(self, identity: str) -> list[Damaged]:
        """What is gone of a collection's layers: whole ones, and lines of some."""
        whole = [
            Damaged(name, called, "is missing")
            for name, called in self._shelves.journals.missing(identity).items()
            if name.startswith(_PREFIX)
        ]
        lines = [
            Damaged(layer.journal, layer.name, why)
            for layer in self.of(identity)
            for why in layer.missing
        ]
        return [*whole, *lines]

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
        with self._writing() as shelves:
            return self._begin(shelves, identity, name, grades or {}, by or name, judged)

    def judge(
        self, identity: str, name: str, grades: Mapping[Pair, float | None]
    ) -> tuple[str, bool]:
        """Grade documents in the layer in which `name` judges here, which is begun where there is
        none: its id, and whether it was begun now. Where that leaves
        nothing to grade, none is begun, and its id is ""."""
        with self._writing() as shelves:
            own = (v for v in self.of(identity) if v.judged and v.name == name[:_LONGEST_NAME])
            layer = next(own, None)
            if layer is not None:
                shelves.journals.append(identity, _PREFIX + layer.id, _lines(grades, name))
                return layer.id, False
            given = {pair: grade for pair, grade in grades.items() if grade is not None}
            if not given:
                return "", False
            return self._begin(shelves, identity, name, given, name, judged=True), True

    def _begin(
        self,
        shelves: Shelves,
        identity: str,
        name: str,
        grades: Mapping[Pair, float],
        by: str,
        judged: bool,
    ) -> str:
        if identity not in shelves.ids():
            raise errors.no_collection()
        made = free_id([layer.removeprefix(_PREFIX) for layer in shelves.journals.of(identity)])
        _tell_layout(shelves)
        place = max((v.place for v in self._every(identity)), default=0) + 1
        begun = {"name": name[:_LONGEST_NAME], "begun": now(), "judged": judged, "place": place}
        shelves.journals.append(identity, _PREFIX + made, [begun, *_lines(grades, by)])
        return made

    def take_in(self, identity: str, lines: Sequence[Line], *, behind: str = "") -> str:
        """Add a layer that was made elsewhere, its head first, each grade with its giver and its
        time; its id, "" where one of this name and beginning holds all of it already. Where only
        the name is taken, it gets another, and so stays a layer of its own. `behind` is the id of
        one that is known to have been begun before it."""
        with self._writing() as shelves:
            if identity not in shelves.ids():
                raise errors.no_collection()
            told, here = _made("", Read(tuple(lines))), self.of(identity)
            for v in here:
                same = (v.name, v.begun, v.judged) == (told.name, told.begun, told.judged)
                if same and told.given.items() <= v.given.items():
                    return ""
            name = free_name(told.name[:_LONGEST_NAME], [v.name for v in here])
            made = free_id([v.removeprefix(_PREFIX) for v in shelves.journals.of(identity)])
            _tell_layout(shelves)
            # Behind those that were begun before it, as far as clocks can tell.
            before = (v for v in self._every(identity) if v.begun <= told.begun)
            known = (v.place + 1 for v in here if v.id == behind and v.begun > told.begun)
            place = max((*(v.place for v in before), *known), default=0)
            head = {**lines[0], "name": name, "place": place}
            shelves.journals.append(identity, _PREFIX + made, [head, *lines[1:]])
            return made

    def give(
        self, identity: str, layer: str, grades: Mapping[Pair, float | None], *, by: str
    ) -> None:
        """Grade documents; None takes a grade back. Raises KeyError where the layer is gone."""
        self._append(identity, layer, _lines(grades, by))

    def remove(self, identity: str, layer: str) -> None:
        """Hide a layer; the next start removes it for good."""
        self._append(identity, layer, [{"removed": True, "at": now()}])

    def restore(self, identity: str, layer: str) -> None:
        """Undo a removal. Raises KeyError once it is for good."""
        self._append(identity, layer, [{"removed": False, "at": now()}])

    def _append(self, identity: str, layer: str, lines: Iterable[Line]) -> None:
        with self._writing() as shelves:
            if _PREFIX + layer not in shelves.journals.of(identity):
                raise KeyError(layer)
            shelves.journals.append(identity, _PREFIX + layer, lines)

    def _layer(self, identity: str, layer: str, read: Read) -> Layer:
        """Made once for each state of its journal."""
        known = self._made.get((identity, layer))
        if known is None or known.version != read.version:
            known = self._made[identity, layer] = _made(layer, read)
        return known


def sweep(shelves: Shelves, identity: str) -> None:
    """Remove a collection's layers that were removed before this start. Raises OSError."""
    for name, read in shelves.journals.of(identity).items():
        if name.startswith(_PREFIX) and _made(name, read).removed:
            shelves.journals.drop(identity, name)


def _tell_layout(shelves: Shelves) -> None:
    """A folder of an older layout has no journals; with one it is of this layout."""
    if (shelves.layout() or LAYOUT) < LAYOUT:
        shelves.say_layout()


def _lines(grades: Mapping[Pair, float | None], by: str) -> list[Line]:
    """A line for each query, so that what is taken in at once is no longer than it needs."""
    by_query: dict[str, dict[str, float | None]] = {}
    for (query_id, doc_id), grade in grades.items():
        if not (query_id and doc_id and (grade is None or math.isfinite(grade))):
            raise ValueError("a grade is a finite number for a query and a document")
        by_query.setdefault(query_id, {})[doc_id] = grade
    at = now()
    return [
        {"query_id": query_id, "grades": list(own.items()), "by": by, "at": at}
        for query_id, own in by_query.items()
    ]


def _made(layer: str, read: Read) -> Layer:
    """The layer that these lines tell of; what they hold may come from anybody."""
    given: dict[Pair, GivenGrade] = {}
    told: dict[str, Any] = {}
    for line in read.lines:
        if "grades" in line:
            _take(given, line)
        else:
            told |= {k: v for k, v in line.items() if type(v) is _HEAD.get(k)}
    return Layer(
        id=layer,
        name=told.get("name", f"Unnamed layer {layer}"),
        begun=told.get("begun", ""),
        judged=told.get("judged", False),
        version=read.version,
        removed=told.get("removed", False),
        lost=read.damaged,
        missing=read.missing,
        place=told.get("place", 0),
        given=given,
    )


_HEAD = {"name": str, "begun": str, "judged": bool, "removed": bool, "place": int}


def _take(given: dict[Pair, GivenGrade], line: Line) -> None:
    """Take in what became of documents of a query, as far as that is what a line holds."""
    query_id, by, at = (line.get(name) for name in ("query_id", "by", "at"))
    if not (isinstance(query_id, str) and isinstance(by, str) and isinstance(at, str)):
        return
    for row in line["grades"] if query_id and isinstance(line["grades"], list) else ():
        if not (isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) and row[0]):
            continue
        doc_id, grade = row
        if grade is None:
            given.pop((query_id, doc_id), None)
        elif type(grade) in (int, float) and math.isfinite(grade):
            given[query_id, doc_id] = GivenGrade(grade, by, at)
