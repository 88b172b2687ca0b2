"""Damage to every stored file: it costs that file only, and is told.

    python -m tests.reliability.flips --count 1000 [--only flip]

One file of a workspace has a bit flipped, is cut, emptied, replaced by another one, taken away, or
has a folder in its place. Then the workspace is read, started and looked through: only what that
file held may be missing, it is told to be damaged, and nothing that is shown is wrong. The same
file, added again, is there again. Of a journal only the lines that were harmed are missing, each
is told with its number, and what is judged and noted from then on is kept. What is gone of a
journal is told as well.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from dashboard.workspace import Entry, StorageError, Workspace
NOTES = "notes"
from dashboard.workspace.notes import Noted
from dashboard.workspace.starting import start
from metrics_core import formats
from metrics_core.formats import Loaded
from metrics_core.tables import Qrels, Queries, Table

FILES = {
    "a.run": b"001 Q0 d1 1 2.5 x\n1e5 Q0 <b>d2</b> 1 -1.0 x\n",
    "large.run": b"".join(b"q%d Q0 d%d 1 %d.5 x\n" % (i // 9, i, -i) for i in range(1500)),
    "j.qrels": b"001 0 d1 2\n001 0 d1 2\n",
    "diversity.qrels": b"1 1 d1 2\n1 2 d1 0\n1 2 d2 1\n",
    "queries.csv": b"query_id,text,category\n001,caf\xc3\xa9,A\n1e5,,\n",
    "docs.jsonl": b'{"doc_id": "d1", "title": "T", "text": "x", "price": "3"}\n',
}
"""One file of each kind, with and without notes."""
_LINES, _WHO = 9, "ann"


@dataclass(frozen=True)
class Held:
    """A whole workspace: what each collection is called, and each file's record and rows."""

    folder: Path
    names: dict[str, str]
    files: dict[tuple[str, str], tuple[Entry, Any]]
    """Collection and number -> record and rows."""
    lines: dict[str, tuple[bytes, ...]]
    """Name of a journal of the collection "own" -> its lines."""


def held(folder: Path) -> Held:
    """A workspace with three collections, one of which shares all tables with another one."""
    workspace = Workspace(folder)
    for identity, some in {"own": FILES, "other": ["j.qrels", "docs.jsonl"]}.items():
        workspace.new(f"The {identity} é", identity)
        for file in some:
            workspace.add(identity, given(file))
    workspace.duplicate("other", "A copy")
    for number in range(_LINES):
        workspace.layers.judge("own", _WHO, {("001", f"d{number}"): number % 3})
        workspace.notes.write("own", "001", f"note {number}", by=_WHO)
    journals = dict(workspace.journals.contents("own"))
    every = workspace.collections()
    return Held(
        folder,
        {c.id: c.name for c in every},
        {
            (c.id, e.number): (e, rows_of(workspace.load(e)))
            for c in every
            for e in workspace.entries(c.id)
        },
        {name: tuple(content.splitlines()) for name, content in journals.items()},
    )


def given(file: str) -> Loaded:
    """A file of `FILES`, read."""
    return formats.read(FILES[file], name=file)


def rows_of(table: Table) -> Any:
    """The rows of a table as plain data."""
    if isinstance(table, Queries):
        return table.frame.to_dict("records")
    return (table.given if isinstance(table, Qrels) else table.table).to_pydict()


Harm = Callable[[Path, random.Random, Held], None]


def _flip(path: Path, chance: random.Random, whole: Held) -> None:
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def _cut(path: Path, chance: random.Random, whole: Held) -> None:
    path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])


def _empty(path: Path, chance: random.Random, whole: Held) -> None:
    path.write_bytes(b"")


def _zeros(path: Path, chance: random.Random, whole: Held) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def _random(path: Path, chance: random.Random, whole: Held) -> None:
    path.write_bytes(chance.randbytes(chance.randrange(1, 3000)))


def _neighbour(path: Path, chance: random.Random, whole: Held) -> None:
    """Another file of the same folder; a record of another collection could be this one's."""
    others = [p for p in sorted(path.parent.iterdir()) if p.is_file() and p != path]
    path.write_bytes(chance.choice(others).read_bytes())


def _folder(path: Path, chance: random.Random, whole: Held) -> None:
    path.unlink()
    (path / "something").mkdir(parents=True)


def _missing(path: Path, chance: random.Random, whole: Held) -> None:
    path.unlink()


def _loop(path: Path, chance: random.Random, whole: Held) -> None:
    path.unlink()
    path.symlink_to(path.name)


_HARMS: dict[Harm, int] = {
    _flip: 60, _cut: 8, _empty: 4, _zeros: 4, _random: 6, _neighbour: 8, _folder: 4, _missing: 4,
    _loop: 2,
}  # fmt: skip


def harm(whole: Held, folder: Path, chance: random.Random, only: str = "") -> str:
    """Damage one file of a copy of a workspace and look. Fails where more is lost than it held, or
    something wrong is shown. The word for what was done."""
    shutil.copytree(whole.folder, folder)
    try:
        path = chance.choice(sorted(p for p in folder.rglob("*") if p.is_file()))
        possible = {h: often for h, often in _HARMS.items() if only in h.__name__}
        done = chance.choices(list(possible), list(possible.values()))[0]
        if done is _missing and path.stem.isdigit():
            done = _flip  # a record that is gone was never there
        if path.name == "lock":
            done = chance.choice([_random, _missing])  # it is empty
        done(path, chance, whole)
        _look(whole, folder, path.relative_to(folder))
        return done.__name__.strip("_")
    except Exception as error:
        told = f"{done.__name__} {path.relative_to(folder)}: {type(error).__name__}: {error}"
        raise AssertionError(told) from error
    finally:
        shutil.rmtree(folder)


def _look(whole: Held, folder: Path, path: Path) -> None:
    lost = {key for key, (entry, _) in whole.files.items() if path.stem == entry.table}
    left = _left(folder, whole)
    if path.parts[0] == "collections" and path.stem.isdigit():
        lost = {(path.parts[1], path.stem)}
    unnamed = path.parts[1] if path.name == "collection.json" else ""
    workspace = Workspace(folder)
    _shows(whole, workspace, lost, unnamed)
    _journals_show(workspace, left)
    workspace.check()
    _tells(whole, workspace, lost, unnamed)
    start(workspace)
    again = Workspace(folder)
    start(again)
    _shows(whole, again, lost, unnamed)
    _journals_show(again, left)
    again.check()
    _tells(whole, again, lost, unnamed)
    _mended(whole, again, lost, path)
    if path.stem in whole.lines:
        _goes_on(again)


@dataclass(frozen=True)
class _Left:
    """What the journals of a folder must show: documents and notes by their numbers, how many
    lines are damaged, whether some are gone, and whether none is as it was."""

    grades: set[str]
    notes: set[str]
    damaged: int
    missing: bool
    other: bool


def _left(folder: Path, whole: Held) -> _Left:
    """What must be there still, told from the bytes alone: the lines that are as they were."""
    grades, notes, damaged, missing, other = set(), set(), 0, False, False
    known = {line for lines in whole.lines.values() for line in lines}
    for name in whole.lines:
        path = folder / "collections" / "own" / f"{name}.journal"
        if path.is_symlink() or path.is_dir():
            damaged, missing = damaged + 1, True
            continue
        lines = _lines(path.read_bytes() if path.exists() else b"", known)
        damaged += sum(line not in known for line in lines)
        missing |= len(lines) < len(whole.lines[name])
        other |= not set(whole.lines[name]) & set(lines)
        own = [json.loads(line)["change"] for line in lines if line in known]
        if name == NOTES:
            notes |= {line["text"] for line in own if "text" in line}
        else:
            grades |= {doc_id for line in own for doc_id, _ in line.get("grades", ())}
    return _Left(grades, notes, damaged, missing, other)


def _lines(content: bytes, known: set[bytes]) -> list[bytes]:
    """The lines of a journal. What is whole but for its end is one, too."""
    *lines, tail = content.split(b"\n")
    apart: list[bytes] = []
    for line in lines:
        pair = ((line[:i], line[j:]) for i in range(len(line)) for j in (i, i + 1))
        apart += next((two for two in pair if set(two) <= known), (line,))
    return apart + [line for line in (tail, tail[:-1]) if line in known]


def _goes_on(workspace: Workspace) -> None:
    """What is judged and noted from now on is kept."""
    workspace.layers.judge("own", _WHO, {("001", "later"): 1})
    workspace.notes.write("own", "001", "later", by=_WHO)
    again = Workspace(workspace.folder)
    assert any(("001", "later") in layer.grades for layer in again.layers.of("own"))
    assert any(note.text == "later" for note in again.notes.of("own")["001"].notes)


def _journals_show(workspace: Workspace, left: _Left) -> None:
    layers = workspace.layers.of("own")
    given = {d: grade for layer in layers for (_, d), grade in layer.grades.items()}
    assert given == {d: int(d.removeprefix("d")) % 3 for d in left.grades}
    noted = workspace.notes.of("own").get("001", Noted())
    assert {note.text for note in noted.notes} == left.notes
    told = [*workspace.layers.damaged("own"), *workspace.notes.damaged("own")]
    assert len(told) == left.damaged, f"{told}, not {left.damaged}"
    gone = [*workspace.layers.missing("own"), *workspace.notes.missing("own")]
    assert left.missing <= bool(gone) <= (left.missing or left.other), f"{gone}, not {left}"


def _shows(whole: Held, workspace: Workspace, lost: set[tuple[str, str]], unnamed: str) -> None:
    """Everything but what is lost is there, under its name, in its colour, with its rows."""
    names = {c.id: c.name for c in workspace.collections()}
    assert names == whole.names | ({unnamed: f"Unnamed collection {unnamed}"} if unnamed else {})
    for (identity, number), (entry, rows) in whole.files.items():
        here = {e.number: e for e in workspace.entries(identity)}
        try:
            assert here[number] == entry
            assert rows_of(workspace.load(entry)) == rows
        except (KeyError, StorageError):
            assert (identity, number) in lost


def _tells(whole: Held, workspace: Workspace, lost: set[tuple[str, str]], unnamed: str) -> None:
    told = {(i, d.number) for i in whole.names for d in workspace.damaged(i)}
    # A bit that is flipped in a place that nobody reads costs nothing, but there is none.
    assert told == lost | ({(unnamed, "collection")} if unnamed else set())


def _mended(whole: Held, workspace: Workspace, lost: set[tuple[str, str]], path: Path) -> None:
    """The same files are added again, a collection is named again."""
    for identity, number in sorted(lost):
        entry, rows = whole.files[identity, number]
        added = workspace.add(identity, given(entry.file)).entry
        assert rows_of(workspace.load(added)) == rows
        assert (added.kind, added.notes) == (entry.kind, entry.notes)
        if path.parts[0] == "tables":
            assert (added.number, added.name, added.slot) == (number, entry.name, entry.slot)
        else:
            workspace.remove_entry(identity, number)
    if path.name == "collection.json":
        workspace.rename(path.parts[1], "Named again")
    workspace.check()
    assert [workspace.damaged(i) for i in whole.names] == [[]] * len(whole.names)
    workspace.new("One more", "more")
    assert workspace.add("more", given("a.run")).how == "new"
    start(workspace)
    assert len(workspace.entries("own")) == len(FILES)


def harms(count: int, seed: int, folder: Path, only: str = "") -> Counter[str]:
    """So many damages; how many of each. Fails where more is lost than the file held."""
    whole, done = held(folder / "whole"), Counter[str]()
    with mock.patch("os.fsync"):  # takes most of the time, and no power is cut here
        for number in range(count):
            try:
                chance = random.Random(f"{seed} {number}")
                done[harm(whole, folder / "harmed", chance, only)] += 1
            except AssertionError as error:
                raise AssertionError(f"damage {number} of seed {seed}: {error}") from error
    return done


def main() -> None:
    """Damage as often as asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", choices=["", "flip"])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        done = harms(asked.count, asked.seed, Path(folder), asked.only)
    kinds = ", ".join(f"{name} {times}" for name, times in done.most_common())
    print(f"{asked.count} damages ({kinds}): none cost more than its file, nothing wrong was shown")


if __name__ == "__main__":
    main()
