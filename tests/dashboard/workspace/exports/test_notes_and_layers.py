"""Notes and layers that are carried along as CSV: what is written is read, and taken in once."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.files.files import list_folder
from dashboard.files.query_zip import is_notes_or_layers, read_notes_or_layers
from dashboard.workspace import Comment, Layer, QueryNotes, Workspace
from dashboard.workspace.exports.notes_and_layers import (
    layers_csv,
    notes_csv,
    read_layers,
    read_notes,
)
from dashboard.workspace.layers import GradeRecord
from dashboard.workspace.notes import Tag
from metrics_core.base.errors import RanklensError

TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8) | st.sampled_from(
    ["=1+1", "'=x", "''", 'a"b,\r\nc', "\n", "<b>", "-5", "@"]
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "workspace")
    for identity in ("shop", "other"):
        made.get_or_create_collection(identity, identity)
    return made


@settings(max_examples=40, deadline=None)
@given(TEXT, TEXT, TEXT, TEXT, st.sampled_from([0, 3, -1.0, 0.1]))
def test_any_text_reads_back(query_id: str, text: str, tag: str, by: str, grade: float) -> None:
    noted = {query_id: QueryNotes((Comment("0a", text, by, "2026"),), (Tag(tag, by, "2025"),))}
    told = {"query_id": query_id, "by": by}
    assert read_notes(notes_csv(noted, [query_id])) == [
        {**told, "at": "2025", "tag": tag, "on": True},
        {**told, "at": "2026", "note": "0a", "text": text},
    ]
    pair = (query_id, tag)
    layer = Layer(
        "id", text, "2024", True, "", grade_records={pair: GradeRecord(grade, by, "2025")}
    )
    assert read_layers(layers_csv([layer], [query_id])) == [
        [
            {"name": text, "begun": "2024", "judged": True},
            {**told, "grades": [[tag, grade]], "at": "2025"},
        ]
    ]
    assert notes_csv(noted, [query_id + "x"]) == layers_csv([layer], []) == b""


def test_no_cell_is_a_formula() -> None:
    noted = {"=q": QueryNotes((Comment("0a", "=HYPERLINK()", "+me", "2026"),))}
    rows = list(csv.reader(io.StringIO(notes_csv(noted, ["=q"]).decode("utf-8-sig"))))
    assert rows[1] == ["'=q", "", "'=HYPERLINK()", "'+me", "2026", "0a"]


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"query_id,tag\nq,t\n", b'query_id,tag,note,by,when,id\n"q']
)
def test_another_file_is_refused(content: bytes) -> None:
    for read in (read_notes, read_layers):
        with pytest.raises(RanklensError):
            read(content)


def test_rows_that_say_nothing_are_left_out() -> None:
    head = b"layer,begun,judged_here,query_id,doc_id,grade,by,when\n"
    assert (
        read_layers(head + b"l,1,yes,q,d,nan,me,2\nl,1,yes,q,d,x,me,2\nl,1,yes,,d,1,me,2\n") == []
    )
    assert read_notes(b"query_id,tag,note,by,when,id\nq,,,me,2,\n,t,,me,2,\n") == []


def test_notes_are_taken_in_once_and_write_over_nothing(workspace: Workspace) -> None:
    notes = workspace.notes
    own = notes.write_note("shop", "q", "why", author="anna")
    notes.add_note_and_tag("shop", "q", "ask Bo", "cause: stemming", author="anna")
    lines = read_notes(notes_csv(notes.notes_by_query("shop"), ["q"]))
    assert notes.import_lines("shop", lines) == 0
    assert notes.import_lines("other", lines) == 3
    assert notes.notes_by_query("other") == notes.notes_by_query("shop"), "by whom and when, too"
    assert notes.import_lines("other", lines) == 0
    # The same note, written anew here: theirs stands beside it.
    notes.write_note("other", "q", "because", author="bo", edited_note_id=own)
    assert notes.import_lines("other", lines) == 1
    texts = {(note.text, note.author) for note in notes.notes_by_query("other")["q"].notes}
    assert texts == {("because", "bo"), ("ask Bo", "anna"), ("why", "anna")}
    assert notes.import_lines("other", [*lines, *lines]) == 0


def test_a_layer_comes_back_as_a_layer_and_once(workspace: Workspace) -> None:
    layers = workspace.layers
    layers.create_layer("shop", "anna", {("q", "a"): 1, ("q", "b"): 0.5, ("other", "c"): 1})
    layers.create_layer("shop", "theirs", {("q", "a"): 3}, is_judged_here=False)
    first, second = read_layers(layers_csv(layers.list_layers("shop"), ["q"]))
    assert layers.import_layer("shop", first) == layers.import_layer("shop", second) == ""
    made = layers.import_layer("other", first)
    (found,) = layers.list_layers("other")
    assert (found.id, found.name, found.judged) == (made, "anna", True)
    assert dict(found.grade_records) == {
        p: g for p, g in layers.list_layers("shop")[0].grade_records.items() if p[0] == "q"
    }
    assert layers.import_layer("other", first) == ""
    # Another one of that name has grades of its own.
    layers.create_layer("other", "theirs", {("q", "a"): 2})
    layers.import_layer("other", second)
    names = {v.name: (v.judged, v.grades) for v in layers.list_layers("other")}
    assert names["theirs"] == (True, {("q", "a"): 2})
    assert names["theirs (2)"] == (False, {("q", "a"): 3})


def test_neither_file_is_taken_for_a_table(workspace: Workspace, tmp_path: Path) -> None:
    workspace.layers.create_layer("shop", "anna", {("q", "a"): 1})
    workspace.notes.write_note("shop", "q", "why", author="anna")
    notes = notes_csv(workspace.notes.notes_by_query("shop"), ["q"])
    layers = layers_csv(workspace.layers.list_layers("shop"), ["q"])
    own = {"notes.csv": notes, "layers.csv": layers, "more/notes.csv": b"query_id,text\nq,a\n"}
    for name, content in own.items():
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_bytes(content)
    listed = [path.parent.name for path in list_folder(tmp_path / "data").read]
    assert listed == ["more"], "a file of queries may have such a name"
    assert (
        is_notes_or_layers(notes)
        and is_notes_or_layers(layers)
        and not is_notes_or_layers(own["more/notes.csv"])
    )
    assert read_notes_or_layers(layers).layers and read_notes_or_layers(notes).notes
