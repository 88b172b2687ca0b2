"""The folder that remembers files: what goes in comes out, once, under its content's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.opened.workspace import Workspace
from metrics_core import formats
from metrics_core.tables import Documents, Qrels, Queries, Run

FILES = {
    "a.run": b"001 Q0 d1 1 2.5 x\n1e5 Q0 <b>d2</b> 1 -1.0 x\n",
    "j.qrels": b"001 0 d1 2\n001 0 d1 2\n",
    "diversity.qrels": b"1 1 d1 2\n1 2 d1 0\n1 2 d2 1\n",
    "queries.csv": b"query_id,text,category\n001,caf\xc3\xa9,A\n1e5,,\n",
    "docs.jsonl": b'{"doc_id": "d1", "title": "T", "text": "x", "price": "3"}\n',
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "workspace")


@pytest.mark.parametrize("name", FILES)
def test_a_table_comes_back_as_it_was(workspace: Workspace, name: str) -> None:
    read = formats.read(FILES[name], name=name)
    entry, new = workspace.add(read)
    again = Workspace(workspace.folder)
    back = again.load(again.entries()[0])
    assert new and entry.file == name
    assert back.notes == read.table.notes
    if isinstance(back, Queries):
        assert isinstance(read.table, Queries)
        assert back.frame.to_dict("records") == read.table.frame.to_dict("records")
    else:
        assert not isinstance(read.table, Queries)
        assert back.table.to_pydict() == read.table.table.to_pydict()
    if isinstance(back, Qrels):
        assert isinstance(read.table, Qrels)
        assert back.given.to_pydict() == read.table.given.to_pydict()


def test_the_same_content_is_remembered_once(workspace: Workspace) -> None:
    first, _ = workspace.add(formats.read(FILES["a.run"], name="a.run"))
    second, new = workspace.add(formats.read(FILES["a.run"], name="copy.run"))
    assert not new and second.content == first.content
    assert len(workspace.entries()) == 1
    assert (workspace.folder / f"{first.content}.parquet").exists()


def test_two_runs_of_one_name_are_told_apart(workspace: Workspace) -> None:
    workspace.add(formats.read(b"q1 Q0 d1 1 1.0 x\n", name="a.run"))
    workspace.add(formats.read(b"q1 Q0 d2 1 1.0 x\n", name="a.run"))
    assert [e.name for e in workspace.entries()] == ["a", "a (2)"]
    loaded = [workspace.load(e) for e in workspace.entries()]
    assert [t.name for t in loaded if isinstance(t, Run)] == ["a", "a (2)"]


@pytest.mark.parametrize("name", ["../../x.run", "/etc/x.run", "a\\..\\b.run", "x\n.run"])
def test_a_name_is_never_a_path(workspace: Workspace, name: str) -> None:
    workspace.add(formats.read(FILES["a.run"], name=name))
    inside = {p.resolve().parent for p in workspace.folder.parent.rglob("*") if p.is_file()}
    assert inside == {workspace.folder.resolve()}
    assert workspace.entries()[0].file == name


def test_removing_and_clearing(workspace: Workspace) -> None:
    for name, content in FILES.items():
        workspace.add(formats.read(content, name=name))
    first = workspace.entries()[0]
    workspace.remove(first.content)
    assert first.content not in [e.content for e in workspace.entries()]
    workspace.remove("../index")
    assert len(workspace.entries()) == len(FILES) - 1
    workspace.clear()
    assert workspace.entries() == []
    assert not list(workspace.folder.glob("*.parquet"))


def test_a_run_keeps_its_colour(workspace: Workspace) -> None:
    entry, _ = workspace.add(formats.read(FILES["a.run"], name="a.run"), slot=2)
    workspace.add(formats.read(b"q1 Q0 d1 1 1.0 x\n", name="b.run"), slot=3)
    assert workspace.entries()[0].slot == entry.slot == 2


def test_documents_keep_their_other_columns(workspace: Workspace) -> None:
    workspace.add(formats.read(FILES["docs.jsonl"], name="docs.jsonl"))
    table = workspace.load(workspace.entries()[0])
    assert isinstance(table, Documents)
    assert table.lookup(["d1"]).loc["d1", "price"] == "3"
