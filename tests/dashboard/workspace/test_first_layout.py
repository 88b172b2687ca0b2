"""Folders that the first layout left: everything in them is taken over, whatever ends that."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dashboard.workspace import StorageError, Workspace, starting
from dashboard.workspace.disk import durable
from dashboard.workspace.long_runs.tables import as_arrow, content_of
from dashboard.workspace.starting import BESIDE_SAMPLE, OWN, start
from metrics_core import formats
from metrics_core.tables import Qrels, Queries, Run

FILES = {
    "a.run": b"001 Q0 d1 1 2.5 x\n1e5 Q0 <b>d2</b> 1 -1.0 x\n",
    "../../b\n<i>.run": b"001 Q0 d3 1 2.5 x\n",
    "j.qrels": b"001 0 d1 2\n001 0 d1 2\n",
    "diversity.qrels": b"1 1 d1 2\n1 2 d1 0\n1 2 d2 1\n",
    "café \u202e.csv": b"query_id,text,category\n001,caf\xc3\xa9,A\n1e5,,\n",
    "docs.jsonl": b'{"doc_id": "d1", "title": "T", "text": "x", "price": "3"}\n',
}
BESIDE = "j.qrels"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flushing takes most of the time, and no power is cut here."""
    monkeypatch.setattr("os.fsync", lambda handle: None)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder as the first layout was written."""
    folder, listed = tmp_path / "workspace", []
    folder.mkdir()
    for place, (file, content) in enumerate(FILES.items()):
        loaded = formats.read(content, name=file)
        rows = as_arrow(loaded.table)
        digest = content_of(rows, loaded.kind)
        pq.write_table(rows, folder / f"{digest}.parquet", compression="zstd")
        table = loaded.table
        listed.append(
            {
                "content": digest,
                "kind": loaded.kind,
                "name": table.name if isinstance(table, Run) else file,
                "file": file,
                "read_as": loaded.title,
                "rows": len(table),
                "slot": place,
                "with_sample": file == BESIDE,
                "notes": [asdict(note) for note in loaded.notes],
            }
        )
    text = json.dumps({"files": listed}, ensure_ascii=False, indent=1)
    (folder / "index.json").write_text(text, "utf-8")
    (folder / "index.json.part").write_text("{")
    (folder / f"{'0' * 64}.part").write_bytes(b"PAR1")
    return folder


def rows_of(table: Any) -> Any:
    if isinstance(table, Queries):
        return table.frame.to_dict("records")
    return (table.given if isinstance(table, Qrels) else table.table).to_pydict()


def taken(folder: Path) -> dict[str, str]:
    """File -> collection, everything read and compared with what was given."""
    workspace, found = Workspace(folder), {}
    for collection in workspace.collections():
        assert workspace.damaged(collection.id) == []
        for entry in workspace.entries(collection.id):
            loaded, table = formats.read(FILES[entry.file], name=entry.file), workspace.load(entry)
            assert rows_of(table) == rows_of(loaded.table)
            assert table.notes == entry.notes == loaded.notes
            assert (entry.kind, entry.read_as) == (loaded.kind, loaded.title)
            assert entry.slot == list(FILES).index(entry.file)
            found[entry.file] = collection.id
    return found


EVERYTHING = {file: BESIDE_SAMPLE if file == BESIDE else OWN for file in FILES}


def names_in(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir()} - {"lock", "writer"}


LEFT = {"workspace.json", "collections", "tables", "index-of-layout-1.json"}


def test_everything_is_taken_over(old: Path) -> None:
    start(Workspace(old))
    assert taken(old) == EVERYTHING
    assert names_in(old) == LEFT
    start(Workspace(old))
    assert taken(old) == EVERYTHING
    known = Workspace(old).add(OWN, formats.read(FILES["a.run"], name="again.run"))
    assert known.how == "known"


@pytest.mark.parametrize("call", ["write", "remove", "sync_folder", "make_folder"])
def test_whatever_ends_it_it_is_done_at_the_next_start(
    old: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """Ended before and after each thing that it does to the disk, as often as there are some."""

    class Killed(BaseException):
        pass

    real, done, ended = getattr(durable, call), [], 0

    def until(*arguments: Any) -> None:
        if len(done) == ended // 2:
            if ended % 2:
                real(*arguments)
            raise Killed
        done.append(arguments)
        real(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(durable, call, until)
        while True:
            done.clear()
            try:
                start(Workspace(old))
                break
            except Killed:
                ended += 1
                taken(old)  # what is shown by then is right
    assert ended > 1
    start(Workspace(old))
    assert taken(old) == EVERYTHING and names_in(old) == LEFT


def test_files_join_a_collection_that_is_there(old: Path, tmp_path: Path) -> None:
    """The folder was written before it could be started, or by the older version afterwards."""
    workspace = Workspace(old)
    workspace.new("Mine", OWN)
    mine = workspace.add(OWN, formats.read(b"1 Q0 d9 1 1.0 x\n", name="a.run")).entry
    start(Workspace(old))
    again = Workspace(old)
    entries = again.entries(OWN)
    assert entries[0] == mine and again.collection(OWN).name == "Mine"
    assert len(entries) == len(FILES) and len(again.entries(BESIDE_SAMPLE)) == 1
    runs = [e for e in entries if e.kind == "run"]
    assert len({e.slot for e in runs}) == len({e.name for e in runs}) == 3
    assert all(again.load(e) for e in entries) and names_in(old) == LEFT


@pytest.mark.parametrize("harm", ["flip", "cut", "missing", "other"])
def test_a_damaged_table_is_told_and_mended(old: Path, harm: str) -> None:
    told = json.loads((old / "index.json").read_bytes())["files"]
    path, other = (old / f"{told[i]['content']}.parquet" for i in (0, 1))
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    kept = {"flip": content, "cut": content[:60], "other": other.read_bytes()}
    path.unlink() if harm == "missing" else path.write_bytes(kept[harm])
    start(Workspace(old))
    workspace = Workspace(old)
    start(workspace)
    entry = workspace.entries(OWN)[0]
    assert [(d.number, d.file) for d in workspace.damaged(OWN)] == [(entry.number, "a.run")]
    with pytest.raises(StorageError, match=r"a\.run is missing"):
        workspace.load(entry)
    assert path.exists() == (harm != "missing")
    added = workspace.add(OWN, formats.read(FILES["a.run"], name="a.run"))
    assert (added.how, added.entry.number) == ("known", entry.number)
    assert taken(old) == EVERYTHING


@pytest.mark.parametrize("index", [b"", b"{", b"[]", b'{"files": 3}', b'{"files": [3, {}]}', b"\0"])
def test_a_damaged_list_costs_the_names_only(old: Path, index: bytes) -> None:
    (old / "index.json").write_bytes(index)
    start(Workspace(old))
    workspace = Workspace(old)
    entries = workspace.entries(OWN)
    given = [formats.read(content, name=file) for file, content in FILES.items()]
    found = {(e.kind, e.content): rows_of(workspace.load(e)) for e in entries}
    wanted = {(g.kind, content_of(as_arrow(g.table), g.kind)): rows_of(g.table) for g in given}
    assert found == wanted and workspace.damaged(OWN) == []
    assert len({e.slot for e in entries if e.kind == "run"}) == 2
    assert names_in(old) == LEFT


@pytest.mark.parametrize("field", ["kind", "name", "rows", "slot", "content", "notes"])
@pytest.mark.parametrize("value", [None, 3, -1, "../../x", [1], {}])
def test_a_damaged_line_of_the_list_costs_that_file_at_most(
    old: Path, field: str, value: object
) -> None:
    listed = json.loads((old / "index.json").read_bytes())
    listed["files"][0][field] = value
    (old / "index.json").write_text(json.dumps(listed))
    start(Workspace(old))
    workspace = Workspace(old)
    readable = [e for e in workspace.entries(OWN) if workspace.load(e)]
    assert len(readable) == len(FILES) - 1 and not list(old.glob("[0-9a-f]*.parquet"))


def test_a_folder_that_cannot_be_written_stays_as_it_is(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = names_in(old)
    with monkeypatch.context() as patched:
        patched.setattr(starting.Workspace, "trouble", lambda self: StorageError("no"))
        start(Workspace(old))
    assert names_in(old) == before
    start(Workspace(old))
    assert taken(old) == EVERYTHING


@pytest.mark.parametrize("is_missing", [True, False])
def test_a_table_goes_only_once_it_is_kept_anew(old: Path, is_missing: bool) -> None:
    """A copy of a folder that is being taken over may hold records whose tables it lacks."""
    first = {path.name: path.read_bytes() for path in old.iterdir()}
    start(Workspace(old))
    (entry, *_) = Workspace(old).entries(OWN)
    path = old / "tables" / f"{entry.table}.parquet"
    path.unlink() if is_missing else path.write_bytes(b"")
    for name, content in first.items():
        (old / name).write_bytes(content)
    again = Workspace(old)
    start(again)
    again.check()
    assert again.damaged(OWN) == [] and len(again.load(entry)) == entry.rows
