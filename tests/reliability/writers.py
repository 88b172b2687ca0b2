"""Several processes write into one folder at once: everything is there, once.

python -m tests.reliability.writers --count 500
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dashboard.workspace import Workspace
from dashboard.workspace.startup import clean_workspace
from metrics_core import formats
from metrics_core.formats import Loaded
from metrics_core.tables import Run
from tests.reliability.shown import left_over

_COLLECTIONS = ("one", "two")


def _a_run(writer: int, number: int, file: str) -> Loaded:
    return formats.read(f"q1 Q0 d{writer}-{number} 1 1.0 x\n".encode(), name=file)


def _write(folder: Path, writer: int, count: int) -> None:
    """Add `count` runs, some under a name that others use too; remove some, name and copy
    collections, start the folder as a second server would, and read all the while."""
    workspace, chance = Workspace(folder), random.Random(writer)
    for number in range(count):
        identity = _COLLECTIONS[number % len(_COLLECTIONS)]
        added = workspace.add_table(identity, _a_run(writer, number, "same.run"), keep_both=True)
        assert added.status == "new"
        assert workspace.load_table(added.entry)
        if number % 10 == 3:
            gone = workspace.add_table(
                identity, _a_run(writer, -number, "gone.run"), keep_both=True
            )
            workspace.remove_entry(identity, gone.entry.number)
        if number % 20 == 5:
            workspace.rename_collection(identity, f"{identity} {writer} {number}")
        if number % 40 == 7:
            made = workspace.get_or_create_collection(f"new {writer} {number}").id
            workspace.add_table(made, _a_run(writer, number, "a.run"))
        if number % 40 == 9:
            workspace.remove_collection(
                workspace.duplicate_collection("few", f"copy {writer} {number}").id
            )
        if number % 40 == 11:
            clean_workspace(workspace)
        for collection in chance.sample(every := workspace.read_collections(), min(2, len(every))):
            assert workspace.damaged_records(collection.id) == []


def together(count: int, folder: Path, writers: int = 2) -> None:
    """Let `writers` processes add `count` runs each. Fails where one of them is not there, two have
    one number, name or colour in a collection, or something is left over."""
    workspace = Workspace(folder)
    for identity in (*_COLLECTIONS, "few"):
        workspace.get_or_create_collection(identity, identity)
    workspace.add_table("few", _a_run(0, 0, "few.run"))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.reliability.acts"])
    processes = [context.Process(target=_write, args=(folder, w, count)) for w in range(writers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [p.exitcode for p in processes] == [0] * writers
    clean_workspace(workspace)
    _all_there(Workspace(folder), count, range(writers))


def _all_there(workspace: Workspace, count: int, writers: Sequence[int]) -> None:
    for place, identity in enumerate(_COLLECTIONS):
        entries = workspace.entries(identity)
        for told in ("number", "name", "slot", "content"):
            values = [getattr(e, told) for e in entries]
            assert len(set(values)) == len(values), f"two of one {told} in {identity}"
        rows = [_doc_id(workspace, identity, e.number) for e in entries]
        wanted = {
            f"d{w}-{n}" for w in writers for n in range(count) if n % len(_COLLECTIONS) == place
        }
        assert set(rows) == wanted and len(rows) == len(wanted)
    names = {c.name for c in workspace.read_collections()}
    made = {f"new {w} {n}" for w in writers for n in range(count) if n % 40 == 7}
    assert made <= names and not any(name.startswith("copy") for name in names)
    assert left_over(workspace.folder) == []


def _doc_id(workspace: Workspace, identity: str, number: str) -> str:
    entry = next(e for e in workspace.entries(identity) if e.number == number)
    table = workspace.load_table(entry)
    assert isinstance(table, Run)
    return str(table.table["doc_id"][0])


def main() -> None:
    """Write as often as asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--writers", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        together(asked.count, Path(folder) / "workspace", asked.writers)
    print(f"{asked.writers} processes with {asked.count} writes each: all there, each once")


if __name__ == "__main__":
    main()
