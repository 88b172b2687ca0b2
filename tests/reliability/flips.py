"""Damage to every stored file: it costs that file only, and is told.

    python -m tests.reliability.flips --count 1000 [--only flip]

One file of a workspace has a bit flipped, is cut, emptied, replaced by another one, taken away, or
has a folder in its place. Then the workspace is read, started and looked through: only what that
file held may be missing, it is told to be damaged, and nothing that is shown is wrong. What is lost
can be added again, or goes back to the last good state, and what is judged and noted from then on
is kept. A row that is gone without a word is counted: SQLite keeps no checksums of pages, so a bit
in what lists the rows of a page can leave pages that fit together.
"""

from __future__ import annotations

import argparse
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
from dashboard.workspace.disk.errors import DamagedDatabaseError
from dashboard.workspace.notes import QueryNotes
from dashboard.workspace.startup import clean_workspace
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
_LINES, _WHO = 60, "ann"
GRADES = {f"d{number}": number % 3 for number in range(_LINES)}
NOTES = {f"note {number}" for number in range(_LINES)}


@dataclass(frozen=True)
class Held:
    """A whole workspace: what each collection is called, and each file's record and rows."""

    folder: Path
    names: dict[str, str]
    files: dict[tuple[str, str], tuple[Entry, Any]]
    """Collection and number -> record and rows."""


def held(folder: Path) -> Held:
    """A workspace with three collections, one of which shares all tables with another one."""
    workspace = Workspace(folder)
    for identity, some in {"own": FILES, "other": ["j.qrels", "docs.jsonl"]}.items():
        workspace.get_or_create_collection(f"The {identity} é", identity)
        for file in some:
            workspace.add_table(identity, given(file))
    workspace.duplicate_collection("other", "A copy")
    for document, grade in GRADES.items():
        workspace.layers.grade_documents("own", _WHO, {("001", document): grade})
    for text in sorted(NOTES):
        workspace.notes.write_note("own", "001", text, author=_WHO)
    clean_workspace(workspace)
    every = workspace.read_collections()
    return Held(
        folder,
        {c.id: c.name for c in every},
        {
            (c.id, e.number): (e, rows_of(workspace.load_table(e)))
            for c in every
            for e in workspace.entries(c.id)
        },
    )


def given(file: str) -> Loaded:
    """A file of `FILES`, read."""
    return formats.read(FILES[file], name=file)


def rows_of(table: Table) -> Any:
    """The rows of a table as plain data."""
    if isinstance(table, Queries):
        return table.frame.to_dict("records")
    return (table.input_table if isinstance(table, Qrels) else table.table).to_pydict()


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
    something wrong is shown. The word for what was done, "silent" where a row is gone untold."""
    shutil.copytree(whole.folder, folder)
    try:
        path = chance.choice(sorted(p for p in folder.rglob("*") if p.is_file()))
        possible = {h: often for h, often in _HARMS.items() if only in h.__name__}
        done = chance.choices(list(possible), list(possible.values()))[0]
        if not path.stat().st_size:  # a lock
            done = chance.choice([_random, _missing])
        done(path, chance, whole)
        try:
            silent = _look(whole, folder, path.relative_to(folder))
        except StorageError as error:
            # A bit of the version: what seems to be of a newer one is read and not changed.
            assert path.suffix == ".db" and "newer Ranklens" in error.message
            return "newer"
        return "silent" if silent else done.__name__.strip("_")
    except Exception as error:
        told = f"{done.__name__} {path.relative_to(folder)}: {type(error).__name__}: {error}"
        raise AssertionError(told) from error
    finally:
        shutil.rmtree(folder)


@dataclass(frozen=True)
class Lost:
    """What may be missing after a damage: files by collection and number, whole collections whose
    database is gone, and whether rows of `own` are damaged and told to be."""

    files: set[tuple[str, str]]
    databases: set[str]


def _look(whole: Held, folder: Path, path: Path) -> bool:
    """Whether a row is gone that nothing tells of."""
    lost = Lost({key for key, (entry, _) in whole.files.items() if path.stem == entry.table}, set())
    of = path.parts[1] if path.name == "state.db" else ""
    workspace = Workspace(folder)
    silent = _shows(whole, workspace, lost, of)
    workspace.check_tables()
    clean_workspace(workspace)
    again = Workspace(folder)
    clean_workspace(again)
    silent |= _shows(whole, again, lost, of)
    again.check_tables()
    _mended(whole, again, lost, of)
    return silent


def _shows(whole: Held, workspace: Workspace, lost: Lost, of: str) -> bool:
    """Everything but what is lost is there, under its name, in its colour, with its rows, and what
    is not is told; whether a row of the damaged database `of` a collection is gone untold."""
    silent = False
    named = {c.id: c.name for c in workspace.read_collections()}
    assert named == whole.names, named
    for identity in whole.names:
        try:
            here = {e.number: e for e in workspace.entries(identity)}
            told = {d.number for d in workspace.damaged_records(identity)}
            workspace.contents(identity).damaged_row_texts()
            lost.databases.discard(identity)
        except StorageError as error:
            assert identity == of and isinstance(error, DamagedDatabaseError), error
            lost.databases.add(identity)
            continue
        for (collection, number), (entry, table) in whole.files.items():
            if collection != identity:
                continue
            if number in here:
                assert here[number] == entry
                try:
                    assert rows_of(workspace.load_table(entry)) == table
                except StorageError:
                    assert (identity, number) in lost.files
            else:
                assert identity == of
                silent |= number not in told
        if identity == "own":
            silent |= _state_shows(whole, workspace, of=bool(of == "own"))
    return silent


def _state_shows(whole: Held, workspace: Workspace, *, of: bool) -> bool:
    """No grade and no note is another one; whether one is gone untold."""
    layers, noted = (
        workspace.layers.list_layers("own"),
        workspace.notes.notes_by_query("own").get("001", QueryNotes()),
    )
    given = {d: grade for layer in layers for (_, d), grade in layer.grades.items()}
    texts = {note.text for note in noted.notes}
    assert given.items() <= GRADES.items() and texts <= NOTES
    told = [
        *workspace.contents("own").damaged_row_texts(),
        *(text for layer in layers for text in layer.lost),
    ]
    gone = len(GRADES) - len(given) + len(NOTES) - len(texts)
    named = [layer.name == _WHO for layer in layers] == [True]
    assert of or (not gone and named and not told)
    return gone + (not named) > len(told)


def _mended(whole: Held, workspace: Workspace, lost: Lost, of: str) -> None:
    """What is lost can be brought back or removed, and everything goes on."""
    for identity in sorted(lost.databases):
        if workspace.last_good_state_time(identity):
            workspace.restore_last_good_state(identity)
            assert workspace.paths_moved_aside() or not lost.files
        else:
            workspace.remove_collection(identity)
            assert identity not in {c.id for c in workspace.read_collections()}
            workspace.restore_collection(identity)
    for identity, number in sorted(lost.files):
        entry, rows = whole.files[identity, number]
        added = workspace.add_table(identity, given(entry.file)).entry
        assert rows_of(workspace.load_table(added)) == rows
        assert (added.number, added.name, added.slot) == (number, entry.name, entry.slot)
        assert (added.kind, added.notes) == (entry.kind, entry.notes)
    if of:
        for damaged in workspace.damaged_records(of):
            workspace.remove_entry(of, damaged.number)
        workspace.drop_damaged(
            of, [*workspace.contents(of).damaged_row_texts(), *_lost_grades(workspace, of)]
        )
        workspace.rename_collection(of, "Named again")
    workspace.check_tables()
    for identity in whole.names:
        assert (
            workspace.damaged_records(identity)
            == []
            == workspace.contents(identity).damaged_row_texts()
        )
        assert _lost_grades(workspace, identity) == []
    workspace.get_or_create_collection("One more", "more")
    assert workspace.add_table("more", given("a.run")).status == "new"
    workspace.layers.grade_documents("own", _WHO, {("001", "later"): 1})
    workspace.notes.write_note("own", "001", "later", author=_WHO)
    clean_workspace(workspace)
    again = Workspace(workspace.folder)
    assert any(("001", "later") in layer.grades for layer in again.layers.list_layers("own"))
    assert any(note.text == "later" for note in again.notes.notes_by_query("own")["001"].notes)
    assert again.collection("more").name == "One more"


def _lost_grades(workspace: Workspace, identity: str) -> list[str]:
    return [text for layer in workspace.layers.list_layers(identity) for text in layer.lost]


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
