"""Backups that are made of a folder while it is in use: what was acknowledged before a backup began
is there after a start on it.

    python -m tests.reliability.backups --count 200

Two processes add, replace and remove files, grade and note through the workspace's own methods, and
tell each change on a pipe; meanwhile backups are made, and now and then the folder is started as a
second server would. Each file, grade and note of an unpacked backup must be as it was when the
backup began, or as it once was later, and nothing of it damaged.
"""

from __future__ import annotations

import argparse
import io
import random
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path

from dashboard.workspace import Workspace
from dashboard.workspace.exports.backup import write_backup
from dashboard.workspace.startup import clean_workspace
from metrics_core import formats
from metrics_core.tables import Run
from tests.reliability.killing import READY, preload
from tests.reliability.shown import left_over

_HERE, _QUERY = "shop", "q"
_WRITERS, _FILES, _DOCUMENTS = 2, 8, 6
_BACKUPS_A_FOLDER = 10
_PAUSE = 0.006

Act = tuple[str, str, int]
"""What was done, to which file or document, and which rows or grade that has now."""


@dataclass
class History:
    """What each file, grade and note of one writer was, and after how many changes; None where it
    was not there."""

    count: int = 0
    begun: Act | None = None
    states: dict[tuple[str, str], list[tuple[int, int | None]]] = field(default_factory=dict)

    def hear(self, word: str, act: Act) -> None:
        """One message more."""
        self.begun = act if word == "begun" else None
        if word == "done":
            self.count += 1
            key, now = _became(act)
            self.states.setdefault(key, [(0, None)]).append((self.count, now))

    def since(self, key: tuple[str, str], count: int) -> set[int | None]:
        """What it was after so many changes, and whatever it became later."""
        states = self.states.get(key, [(0, None)])
        first = max(place for place, (at, _) in enumerate(states) if at <= count)
        found = {now for _, now in states[first:]}
        if self.begun and _became(self.begun)[0] == key:
            found.add(_became(self.begun)[1])
        return found


def _became(act: Act) -> tuple[tuple[str, str], int | None]:
    word, what, value = act
    if word in ("add", "remove"):
        return ("file", what), value if word == "add" else None
    return (word, what), value


def backed_up(count: int, seed: int, folder: Path) -> Counter[str]:
    """Make so many backups; what was done meanwhile. Fails where something is lost that was
    acknowledged before."""
    preload(["dashboard.workspace"])
    found: Counter[str] = Counter()
    for first in range(0, count, _BACKUPS_A_FOLDER):
        here = folder / f"in-use-{first}"
        Workspace(here).get_or_create_collection("Shop", _HERE)
        with _in_use(here, seed + first) as writers:
            for number in range(first, min(count, first + _BACKUPS_A_FOLDER)):
                try:
                    _back_up(here, folder / f"backup-{number}", writers, number, found)
                except AssertionError as error:
                    raise AssertionError(f"backup {number} of seed {seed}: {error}") from error
    return found


Writers = list[tuple[Connection, History]]


@contextmanager
def _in_use(folder: Path, seed: int) -> Iterator[Writers]:
    writers: Writers = []
    with ExitStack() as ends:
        for writer in range(_WRITERS):
            ours, its = Pipe(duplex=False)
            child = get_context("forkserver").Process(
                target=_work, args=(its, folder, writer, seed), daemon=True
            )
            child.start()
            ends.callback(child.join)
            ends.callback(child.kill)
            its.close()
            assert ours.recv() == READY
            writers.append((ours, History()))
        yield writers


def _hear(writers: Writers) -> None:
    for pipe, history in writers:
        while pipe.poll():
            history.hear(*pipe.recv())


def _back_up(folder: Path, into: Path, writers: Writers, number: int, found: Counter[str]) -> None:
    """One backup, and a start on it."""
    time.sleep(0.05)
    if number % 3 == 2:
        clean_workspace(Workspace(folder))
    _hear(writers)
    before = [history.count for _, history in writers]
    out = io.BytesIO()
    assert write_backup(folder, out) == []
    _hear(writers)
    found["changes meanwhile"] += sum(h.count for _, h in writers) - sum(before)
    with zipfile.ZipFile(out) as packed:
        packed.extractall(into)
    for _ in range(2):
        workspace = Workspace(into)
        clean_workspace(workspace)
        workspace.check_tables()
        for writer, (_, history) in enumerate(writers):
            _is_there(workspace, writer, history, before[writer])
        assert (
            workspace.damaged_records(_HERE) == [] == workspace.contents(_HERE).damaged_row_texts()
        )
        assert all(layer.lost == () for layer in workspace.layers.list_layers(_HERE))
    found["files"] += len(workspace.entries(_HERE))
    assert left_over(into) == []


def _is_there(workspace: Workspace, writer: int, history: History, before: int) -> None:
    files = _shown(workspace, writer)
    grades: dict[str, int | None] = {}
    for layer in workspace.layers.list_layers(_HERE):
        if layer.name == f"w{writer}":
            grades = {doc_id: int(grade) for (_, doc_id), grade in layer.grades.items()}
    noted = workspace.notes.notes_by_query(_HERE).get(f"{_QUERY}{writer}")
    notes = {note.text for note in noted.notes} if noted else set[str]()
    for kind, what in history.states:
        now = {"file": files.get(what), "grade": grades.get(what)}.get(kind)
        if kind == "note":
            now = 1 if what in notes else None
        possible = history.since((kind, what), before)
        assert now in possible, f"{kind} {what} is {now}, not one of {possible}"


def _shown(workspace: Workspace, writer: int) -> dict[str, int | None]:
    """The rows of each file of a writer."""
    files: dict[str, int | None] = {}
    for entry in workspace.entries(_HERE):
        if entry.file.startswith(f"{writer}-"):
            table = workspace.load_table(entry)
            assert isinstance(table, Run) and entry.file not in files
            files[entry.file] = int(str(table.table["doc_id"][0]).removeprefix("d"))
    return files


def _work(pipe: Connection, folder: Path, writer: int, seed: int) -> None:
    """Change the folder until killed."""
    workspace, chance = Workspace(folder), random.Random(f"{seed} {writer}")
    pipe.send(READY)
    count = 0
    while True:
        count += 1
        act = _proposed(workspace, chance, writer, count)
        pipe.send(("begun", act))
        _do(workspace, act, writer)
        pipe.send(("done", act))
        time.sleep(_PAUSE)


def _proposed(workspace: Workspace, chance: random.Random, writer: int, count: int) -> Act:
    word = chance.choices(["add", "remove", "grade", "note"], [6, 1, 3, 1])[0]
    if word in ("add", "remove"):
        return word, f"{writer}-{chance.randrange(_FILES)}.run", 2 * count + writer
    what = f"d{chance.randrange(_DOCUMENTS)}" if word == "grade" else f"note {count}"
    return word, what, count if word == "grade" else 1


def _do(workspace: Workspace, act: Act, writer: int) -> None:
    word, what, value = act
    if word == "add":
        workspace.add_table(_HERE, formats.read(f"q Q0 d{value} 1 1.0 x\n".encode(), name=what))
    elif word == "remove":
        for entry in workspace.entries(_HERE):
            if entry.file == what:
                workspace.remove_entry(_HERE, entry.number)
    elif word == "grade":
        workspace.layers.grade_documents(_HERE, f"w{writer}", {(_QUERY, what): value})
    else:
        workspace.notes.write_note(_HERE, f"{_QUERY}{writer}", what, author=f"w{writer}")


def main() -> None:
    """Back up as often as asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = backed_up(asked.count, asked.seed, Path(folder))
    told = ", ".join(f"{what} {times}" for what, times in found.items())
    print(f"{asked.count} backups ({told}): nothing acknowledged lost")


if __name__ == "__main__":
    main()
