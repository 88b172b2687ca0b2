"""What is done to a workspace at random, and what the workspace must hold afterwards.

A `State` is told only what was done, in plain data, and never looks at the folder: it is what the
folder is compared with.
"""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache

from dashboard.workspace import Collection, Workspace
from dashboard.workspace.disk.records import decode_record, encode_record
from dashboard.workspace.exports.packing import (
    import_packed_collection,
    make_about_file,
    write_packed_collection,
)
from dashboard.workspace.startup import clean_workspace
from metrics_core import formats
from metrics_core.formats import Loaded
from metrics_core.tables.run_names import find_free_name

Act = tuple[str, ...]
"""What is done: a word, and to which collection (by its name), file or record."""

MOST_COLLECTIONS, MOST_FILES, KEYS = 5, 7, 40
QUERY = "q1"
"""The query that is judged and noted."""
_WHO, _DOCUMENTS = "ann", 6
_LARGE_EVERY, _LARGE_ROWS = 8, 6_000


@dataclass(frozen=True)
class File:
    """A record as it must be. `key` says which rows it holds, see `given`."""

    number: str
    file: str
    key: int
    name: str
    slot: int
    replaces: str = ""
    removed: bool = False


@dataclass
class Shelf:
    """A collection as it must be: its files, and what was judged and noted of its query. Whether it
    was removed."""

    id: str
    files: list[File] = field(default_factory=list)
    removed: bool = False
    grades: dict[str, int] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def shown(self, removed: bool = False) -> list[File]:
        """The files that are shown, or those that were removed."""
        hidden = {f.replaces for f in self.files}
        return [f for f in self.files if f.removed == removed and f.number not in hidden]

    def add(self, file: str, key: int, beside: bool) -> None:
        """What becomes of a file that is added."""
        known = next((f for f in (*self.shown(), *self.shown(True)) if _same(f, file, key)), None)
        if known:
            self.put(replace(known, removed=False))
            return
        older = None if beside else next((f for f in self.shown() if f.file == file), None)
        base = file.removesuffix(".run")
        name = find_free_name(
            base, [f.name for f in self.files if kind_of(f.file) == kind_of(file)]
        )
        self.files.append(
            File(
                number=f"{max((int(f.number) for f in self.files), default=0) + 1:05}",
                file=file,
                key=key,
                name=older.name if older else name,
                slot=older.slot if older else self._free_slot(),
                replaces=older.number if older else "",
            )
        )

    def put(self, file: File) -> None:
        """Write a record anew."""
        self.files = [file if f.number == file.number else f for f in self.files]

    def beside(self, file: File) -> None:
        """A file that replaced another stands beside it."""
        others = [f for f in self.files if f.number != file.number]
        same = [f.name for f in others if kind_of(f.file) == kind_of(file.file)]
        slots = {f.slot for f in others if kind_of(f.file) == "run"}
        slot = next(i for i in range(len(slots) + 1) if i not in slots)
        self.put(replace(file, replaces="", name=find_free_name(file.name, same), slot=slot))

    def _free_slot(self) -> int:
        slots = {f.slot for f in self.files if kind_of(f.file) == "run"}
        return next(i for i in range(len(slots) + 1) if i not in slots)


State = dict[str, Shelf]
"""The collections that must be there, by their names, which are never given twice."""


def given(file: str, key: int) -> bytes:
    """The content of a file: different rows for each key, some of them many."""
    rows = _LARGE_ROWS if key % _LARGE_EVERY == 0 else 1
    if kind_of(file) == "qrels":
        return "".join(f"q{i} 0 d{key} {key % 3}\n" for i in range(rows)).encode()
    return "".join(f"q{i} Q0 d{key} 1 {i}.5 x\n" for i in range(rows)).encode()


@cache
def loaded(file: str, key: int) -> Loaded:
    """The same, read."""
    return formats.read(given(file, key), name=file)


def kind_of(file: str) -> str:
    """What a file holds, by its ending."""
    return file.rpartition(".")[2]


def _same(here: File, file: str, key: int) -> bool:
    """Whether it is the same file once more; of two names, identical runs are two."""
    if kind_of(file) == "run" and here.file != file:
        return False
    return here.key == key and kind_of(here.file) == kind_of(file)


def propose(chance: random.Random, state: State, count: int) -> Act:
    """Something that can be done to this state; `count` tells it apart from all others."""
    here = [name for name, shelf in state.items() if not shelf.removed]
    gone = [name for name, shelf in state.items() if shelf.removed]
    if not here:
        return "new", f"c{count}"
    name = chance.choice(here)
    shelf, most = state[name], len(state) >= MOST_COLLECTIONS
    full = len(shelf.files) >= MOST_FILES
    possible: list[Act] = [("rename", name, f"r{count}")]
    if not most:
        possible += [("new", f"c{count}"), ("duplicate", name, f"d{count}")]
        possible += [("packing", name, f"p{count}")]
    if len(here) > 1 or most:
        possible += [("remove", name)]
    possible += [("restore", other) for other in gone]
    if not full:
        for _ in range(5):
            file = chance.choice(["a.run", "b.run", "c.run", "j.qrels"])
            key, beside = str(chance.randrange(KEYS)), chance.choice(["", "beside"])
            possible.append(("add", name, file, key, beside))
    for f in shelf.shown():
        possible.append(("remove file", name, f.number))
        if f.replaces and any(o.number == f.replaces for o in shelf.files):
            possible += [("take back", name, f.number), ("keep both", name, f.number)]
    possible += [("restore file", name, f.number) for f in shelf.shown(removed=True)]
    document, tag = f"d{chance.randrange(_DOCUMENTS)}", f"t{chance.randrange(4)}"
    long = "é" * chance.choice([0, 40, 3000])
    possible += [("grade", name, document, chance.choice(["", "0", "1", "2"])) for _ in range(3)]
    possible += [("tag", name, tag, chance.choice(["on", ""])), ("note", name, f"n{count}{long}")]
    return chance.choice(possible)


def done(state: State, act: Act, identity: str = "") -> State:
    """The state after an act; `identity` is the id that a new collection got."""
    after = deepcopy(state)
    word, *rest = act
    name = rest[0] if rest else ""
    if word == "start":
        return _started(after)
    if word == "new":
        after[name] = Shelf(identity)
    elif word in ("duplicate", "packing"):
        copies = [
            replace(f, number=f"{place:05}", replaces="")
            for place, f in enumerate(after[name].shown(), start=1)
        ]
        after[rest[1]] = replace(after[name], id=identity, files=copies, removed=False)
    elif word == "rename":
        after[rest[1]] = after.pop(name)
    elif word in ("remove", "restore"):
        after[name].removed = word == "remove"
    elif word == "add":
        after[name].add(rest[1], int(rest[2]), bool(rest[3]))
    elif word in ("grade", "tag", "note"):
        _told(after[name], word, rest[1], rest[-1])
    else:
        _changed(after[name], word, rest[1])
    return after


def _changed(shelf: Shelf, word: str, number: str) -> None:
    here = next(f for f in shelf.files if f.number == number)
    if word in ("remove file", "restore file"):
        shelf.put(replace(here, removed=word == "remove file"))
    elif word == "take back":
        shelf.files.remove(here)
    elif word == "keep both":
        shelf.beside(here)


def _told(shelf: Shelf, word: str, what: str, value: str) -> None:
    """What becomes of a grade or a tag, which "" takes back, and of a note."""
    if word == "note":
        shelf.notes = [*shelf.notes, what]
    elif word == "grade":
        rest = {doc_id: grade for doc_id, grade in shelf.grades.items() if doc_id != what}
        shelf.grades = rest | ({what: int(value)} if value else {})
    else:
        shelf.tags = [t for t in shelf.tags if t != what] + ([what] if value else [])


def _started(state: State) -> State:
    """What a start leaves: nothing that was removed or replaced."""
    for shelf in state.values():
        shelf.files = shelf.shown()
    return {name: shelf for name, shelf in state.items() if not shelf.removed}


def do(workspace: Workspace, state: State, act: Act) -> str:
    """Do it through the workspace's own methods; the id of a new collection, "" for others."""
    word, *rest = act
    identity = state[rest[0]].id if rest and rest[0] in state else ""
    if word == "new":
        return workspace.get_or_create_collection(rest[0]).id
    if word == "duplicate":
        return workspace.duplicate_collection(identity, rest[1]).id
    if word == "packing":
        return import_packed_collection(
            workspace, _packed(workspace, identity, rest[1]), file="packed.zip"
        ).id
    simple: dict[str, Callable[[], object]] = {
        "start": lambda: clean_workspace(workspace),
        "rename": lambda: workspace.rename_collection(identity, rest[1]),
        "remove": lambda: workspace.remove_collection(identity),
        "restore": lambda: workspace.restore_collection(identity),
        "add": lambda: workspace.add_table(
            identity, loaded(rest[1], int(rest[2])), keep_both=bool(rest[3])
        ),
        "remove file": lambda: workspace.remove_entry(identity, rest[1]),
        "restore file": lambda: workspace.restore_entry(identity, rest[1]),
        "take back": lambda: workspace.undo_replacement(identity, rest[1]),
        "keep both": lambda: workspace.keep_both_files(identity, rest[1]),
        "grade": lambda: workspace.layers.grade_documents(
            identity, _WHO, {(QUERY, rest[1]): int(rest[2]) if rest[2] else None}
        ),
        "tag": lambda: workspace.notes.set_tag(
            identity, QUERY, rest[1], author=_WHO, is_set=bool(rest[2])
        ),
        "note": lambda: workspace.notes.write_note(identity, QUERY, rest[1], author=_WHO),
    }
    simple[word]()
    return ""


def _packed(workspace: Workspace, identity: str, name: str) -> bytes:
    """A collection packed, under another name."""
    out, renamed = io.BytesIO(), io.BytesIO()
    write_packed_collection(workspace, identity, out)
    with zipfile.ZipFile(out) as there:
        members = {name: there.read(name) for name in there.namelist()}
    told = encode_record(replace(decode_record(members["collection.json"], Collection), name=name))
    records = {n: c for n, c in members.items() if n.startswith(("records/", "journals/"))}
    members |= {"collection.json": told, "ranklens.json": make_about_file(told, records)}
    with zipfile.ZipFile(renamed, "w") as again:
        for member, content in members.items():
            again.writestr(member, content)
    return renamed.getvalue()
