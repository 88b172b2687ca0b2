"""A collection as one file: what comes out goes in, and nothing else does."""

from __future__ import annotations

import hashlib
import io
import os
import random
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dashboard.workspace import Collection, Entry, StorageError, Workspace
from dashboard.workspace.disk.journal_lines import Line, line_with_checksum
from dashboard.workspace.disk.records import decode_record, encode_record
from dashboard.workspace.exports.packing import (
    import_packed_collection,
    is_packed_collection,
    make_about_file,
    write_packed_collection,
)
from dashboard.workspace.long_runs.tables import as_arrow, hash_rows, table_bytes
from dashboard.workspace.startup import clean_workspace
from metrics_core import formats
from metrics_core.base.notes import Note
from tests.reliability.flips import FILES, given, rows_of
from tests.reliability.shown import left_over

COUNT = int(os.environ.get("RANKLENS_DAMAGED_ZIPS", "150"))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flushing takes most of the time, and no power is cut here."""
    monkeypatch.setattr("os.fsync", lambda handle: None)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A collection of one file of each kind, one that was replaced, and one that was removed."""
    made = Workspace(tmp_path / "workspace")
    made.get_or_create_collection("Mine <b>", "own")
    made.add_table("own", formats.read(b"001 Q0 d9 1 2.5 x\n", name="a.run"))
    for file in FILES:
        made.add_table("own", given(file))
    gone = made.add_table("own", formats.read(b"001 Q0 d8 1 2.5 x\n", name="gone.run")).entry
    made.remove_entry("own", gone.number)
    choices = {"x.run": {"duplicates": "best"}}
    made.change_record("own", lambda record: replace(record, choices=choices))
    return made


def packed(workspace: Workspace) -> bytes:
    out = io.BytesIO()
    write_packed_collection(workspace, "own", out)
    return out.getvalue()


def shown(workspace: Workspace, identity: str) -> list[Any]:
    told = ("kind", "name", "file", "read_as", "rows", "queries", "slot", "notes")
    return [
        ([getattr(e, name) for name in told], rows_of(workspace.load_table(e)))
        for e in workspace.entries(identity)
    ]


def test_what_comes_out_goes_in(workspace: Workspace, tmp_path: Path) -> None:
    content = packed(workspace)
    assert is_packed_collection(content) and content == packed(workspace)
    for other in (workspace, Workspace(tmp_path / "other")):
        made = import_packed_collection(other, content, file="mine.zip")
        assert (made.name, made.choices) == ("Mine <b>", {"x.run": {"duplicates": "best"}})
        assert shown(other, made.id) == shown(workspace, "own")
        clean_workspace(other)
        assert left_over(other.folder) == []
        assert shown(other, made.id) == shown(workspace, "own")
        assert other.add_table(made.id, given("a.run")).status == "known"


@pytest.mark.parametrize("of", ["table", "record"])
def test_a_collection_with_a_damaged_file_is_not_packed(workspace: Workspace, of: str) -> None:
    entry = workspace.entries("own")[0]
    path = workspace.folder / "tables" / f"{entry.table}.parquet"
    if of == "record":
        with sqlite3.connect(workspace.folder_of("own") / "state.db") as state:
            state.execute("UPDATE files SET record = record || ' '")
    else:
        path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StorageError, match="is corrupted"):
        packed(workspace)


def refused(workspace: Workspace, content: bytes, match: str = "is damaged or incomplete") -> None:
    """The file is refused in a sentence, and nothing of it is there."""
    before = sorted(p for p in workspace.folder.rglob("*") if p.name != "writer")
    is_packed_collection(content)
    with pytest.raises(StorageError, match=match):
        import_packed_collection(workspace, content, file="x.zip")
    assert sorted(p for p in workspace.folder.rglob("*") if p.name != "writer") == before


def test_damaged_files_are_refused_or_equal(workspace: Workspace, tmp_path: Path) -> None:
    """A bit, or a run of bytes, is changed, cut out, cut off or put in, anywhere."""
    content, same = packed(workspace), shown(workspace, "own")
    for number in range(COUNT):
        chance = random.Random(number)
        at, harmed = chance.randrange(len(content)), bytearray(content)
        if chance.random() < 0.3:  # where members are listed
            at = len(content) - chance.randrange(1, 900)
        end = at + chance.choice([1, 4, 100])
        how = chance.choice(["flip", "random", "cut out", "cut off", "put in"])
        if how == "flip":
            harmed[at] ^= 1 << chance.randrange(8)
        elif how == "cut off":
            del harmed[at:]
        else:
            harmed[at : at if how == "put in" else end] = (
                b"" if how == "cut out" else chance.randbytes(end - at)
            )
        is_packed_collection(bytes(harmed))
        try:
            made = import_packed_collection(workspace, bytes(harmed), file="x.zip")
        except StorageError as error:
            assert (
                "is damaged or incomplete" in error.message or "newer Ranklens" in error.message
            ), number
        else:
            assert shown(workspace, made.id) == same, number
            workspace.remove_collection(made.id)
    clean_workspace(workspace)
    assert left_over(workspace.folder) == [] and len(workspace.read_collections()) == 1


def members(workspace: Workspace) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(packed(workspace))) as there:
        return {name: there.read(name) for name in there.namelist()}


def zipped(given: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """A file of these members, which all fit to each other."""
    out = io.BytesIO()
    if given.get("ranklens.json", b"").startswith(b'{"layout": 2, "check"'):
        records = {n: c for n, c in given.items() if n.startswith("records/")}
        given |= {"ranklens.json": make_about_file(given.get("collection.json", b""), records)}
    with zipfile.ZipFile(out, "w", compression) as made:
        for name, content in given.items():
            made.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("lacking", ["records/00003.json", "records/00007.json"])
def test_a_file_that_is_not_listed_any_more_is_noticed(workspace: Workspace, lacking: str) -> None:
    every = members(workspace)
    assert every.pop(lacking)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in every.items():
            made.writestr(name, content)
    refused(workspace, out.getvalue())


def test_a_packing_of_a_newer_version_says_so(workspace: Workspace) -> None:
    newer = members(workspace) | {"ranklens.json": b'{"layout": 4}'}
    refused(workspace, zipped(newer), r"newer Ranklens \(layout 4")


@pytest.mark.parametrize(
    "about", [b"", b"{", b"[]", b'{"layout": "2"}', b'{"layout": null}', b"[" * 200_000]
)
def test_what_tells_of_no_version_is_refused(workspace: Workspace, about: bytes) -> None:
    refused(workspace, zipped(members(workspace) | {"ranklens.json": about}))


@pytest.mark.parametrize("lacking", ["ranklens.json", "collection.json", "tables/"])
def test_a_file_without_a_part_is_refused(workspace: Workspace, lacking: str) -> None:
    left = {n: c for n, c in members(workspace).items() if not n.startswith(lacking)}
    refused(workspace, zipped(left))


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"x" * 1000])
def test_other_files_are_not_packed_collections(workspace: Workspace, content: bytes) -> None:
    assert not is_packed_collection(content)
    refused(workspace, content)


def test_names_of_members_are_never_paths(workspace: Workspace, tmp_path: Path) -> None:
    hostile = {
        "../outside.json": b"x",
        "/outside.json": b"x",
        "tables/../../outside.parquet": b"x",
        "records/../../../outside.json": members(workspace)["records/00002.json"],
    }
    kept = {n: c for n, c in members(workspace).items() if n != "records/00002.json"}
    import_packed_collection(workspace, zipped(kept | hostile), file="x.zip")
    clean_workspace(workspace)
    assert left_over(workspace.folder) == []
    assert [p.name for p in tmp_path.iterdir()] == ["workspace"]


def test_packed_members_are_refused_before_they_are_unpacked(workspace: Workspace) -> None:
    bomb = members(workspace) | {"records/99999.json": bytes(1 << 26)}
    refused(workspace, zipped(bomb, zipfile.ZIP_DEFLATED))


def test_encrypted_members_are_refused(workspace: Workspace) -> None:
    content = bytearray(packed(workspace))
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark)
        while at >= 0:
            content[at + flags] |= 1
            at = content.find(mark, at + 4)
    refused(workspace, bytes(content))


def test_members_that_share_their_bytes_are_refused(workspace: Workspace) -> None:
    """A list of members that are one and the same would take a hundred times the file's bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in members(workspace).items():
            made.writestr(name, content)
        made.writestr("records/50000.json", bytes(100_000))
        shared = made.filelist[-1]
        for number in range(1000):
            again = zipfile.ZipInfo(f"records/{60000 + number}.json")
            for told in ("header_offset", "file_size", "compress_size", "CRC"):
                setattr(again, told, getattr(shared, told))
            made.filelist.append(again)
    refused(workspace, out.getvalue())


def test_thousands_of_members_are_refused(workspace: Workspace) -> None:
    many = {f"records/{i}.json": b"" for i in range(20_001)}
    refused(workspace, zipped(members(workspace) | many))


Changes = Callable[[Entry], Entry]
HOSTILE: dict[str, Changes] = {
    "kind": lambda e: replace(e, kind="virus"),  # type: ignore[arg-type]
    "another kind": lambda e: replace(e, kind="documents"),
    "name": lambda e: replace(e, name=5),  # type: ignore[arg-type]
    "slot": lambda e: replace(e, slot="x"),  # type: ignore[arg-type]
    "below 0": lambda e: replace(e, slot=-1),
    "yes": lambda e: replace(e, slot=True),
    "number": lambda e: replace(e, number="../../x"),
    "table": lambda e: replace(e, table="../../../etc/passwd"),
    "rows": lambda e: replace(e, rows=10**9),
    "queries": lambda e: replace(e, queries=3000),
    "content": lambda e: replace(e, content="0" * 64),
    "notes": lambda e: replace(e, notes=(replace(given("j.qrels").notes[0], count="x"),)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_records_that_no_workspace_writes_are_refused(
    workspace: Workspace, change: Changes
) -> None:
    """Their check fits: whoever writes one can work it out."""
    every = members(workspace)
    entry = change(decode_record(every["records/00002.json"], Entry))
    refused(workspace, zipped(every | {"records/00002.json": encode_record(entry)}))


def test_two_files_of_one_name_or_colour_are_refused(workspace: Workspace) -> None:
    every = members(workspace)
    for told in ("name", "slot"):
        first, second = (decode_record(every[f"records/0000{i}.json"], Entry) for i in (2, 3))
        same = encode_record(replace(second, **{told: getattr(first, told)}))
        refused(workspace, zipped(every | {"records/00003.json": same}))


def test_choices_that_are_none_are_refused(workspace: Workspace) -> None:
    every = members(workspace)
    told = decode_record(every["collection.json"], Collection)
    for choices in (3, {"x.run": 3}, None):
        hostile = encode_record(replace(told, choices=choices))  # type: ignore[arg-type]
        refused(workspace, zipped(every | {"collection.json": hostile}))


def resealed(given: dict[str, bytes]) -> bytes:
    """A file of these members whose hashes all fit."""
    head = {n: c for n, c in given.items() if n.startswith(("records/", "journals/"))}
    return zipped(given | {"ranklens.json": make_about_file(given["collection.json"], head)})


HALF, DIGITS = "\ud800", 10**400
DEEP: Any = {}
for _ in range(100):
    DEEP = {"x": DEEP}
COLLECTIONS: dict[str, dict[str, Any]] = {
    "name": {"name": HALF},
    "run": {"run_names": {"a": HALF}},
    "slot": {"run_slots": {"a": DIGITS}},
    "no time": {"changed": "yesterday"},
    "choices": {"choices": {"a": {"b": HALF}}},
    "nested": {"choices": {"a": DEEP}},
    "rule": {"baseline_rule": DIGITS},
}
ENTRIES: dict[str, dict[str, Any]] = {
    "name": {"name": HALF},
    "file": {"file": HALF},
    "slot": {"slot": DIGITS},
    "no time": {"added": "x"},
    "note": {"notes": (Note("x", HALF),)},
}
GRADED = {"query_id": "001", "by": "x", "at": "x"}
LINES: dict[str, Line] = {
    "grade": GRADED | {"grades": [["d1", DIGITS]]},
    "below": GRADED | {"grades": [["d1", -DIGITS]]},
    "document": GRADED | {"grades": [[HALF, 1]]},
    "query": GRADED | {"query_id": HALF, "grades": [["d1", 1]]},
    "name": {"name": HALF, "begun": "x", "judged": True},
    "place": {"name": "x", "begun": "x", "judged": True, "place": DIGITS},
    "note": GRADED | {"note": "1", "text": HALF},
    "tag": GRADED | {"tag": HALF, "on": True},
    "nested": {"x": DEEP},
}


@pytest.mark.parametrize("change", COLLECTIONS.values(), ids=COLLECTIONS)
def test_a_collection_with_values_that_no_reader_lets_pass_is_refused(
    workspace: Workspace, change: dict[str, Any]
) -> None:
    every = members(workspace)
    told = encode_record(replace(decode_record(every["collection.json"], Collection), **change))
    refused(workspace, resealed(every | {"collection.json": told}))


@pytest.mark.parametrize("change", ENTRIES.values(), ids=ENTRIES)
def test_a_record_with_values_that_no_reader_lets_pass_is_refused(
    workspace: Workspace, change: dict[str, Any]
) -> None:
    every = members(workspace)
    entry = encode_record(replace(decode_record(every["records/00002.json"], Entry), **change))
    refused(workspace, resealed(every | {"records/00002.json": entry}))


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
@pytest.mark.parametrize("journal", ["notes", "layer-abc"])
def test_a_journal_with_values_that_no_reader_lets_pass_is_refused(
    workspace: Workspace, line: Line, journal: str
) -> None:
    refused(
        workspace, resealed(members(workspace) | {f"journals/{journal}": line_with_checksum(line)})
    )


def test_a_table_of_half_characters_is_refused(workspace: Workspace) -> None:
    """Arrow does not look at the bytes of its texts."""
    half = pa.Array.from_buffers(
        pa.string(), 1, [None, *map(pa.py_buffer, (b"\0\0\0\0\3\0\0\0", b"\xed\xa0\x80"))]
    )
    qrels = {"query_id": ["q"], "doc_id": ["d"], "relevance": [1]}
    for kind, columns in (
        ("qrels", qrels | {"query_id": half}),
        ("qrels", qrels | {"doc_id": half}),
        ("queries", {"query_id": half}),
        ("queries", {"query_id": ["q"], "text": half}),
        ("documents", {"doc_id": ["d"], "text": half}),
    ):
        rows = pa.table(columns)
        content = table_bytes(rows).to_pybytes()
        refused(workspace, with_table(workspace, rows, content, kind))


def with_table(workspace: Workspace, rows: pa.Table, content: bytes, kind: str) -> bytes:
    """A packing with one file more, whose hashes all fit."""
    every = members(workspace)
    name = hashlib.sha256(content).hexdigest()
    entry = replace(
        decode_record(every["records/00002.json"], Entry),
        number="00099",
        kind=kind,  # type: ignore[arg-type]
        name="hostile",
        slot=99,
        rows=len(rows),
        queries=1,
        table=name,
        content=hash_rows(rows, kind),
    )
    return zipped(
        every | {"records/00099.json": encode_record(entry), f"tables/{name}.parquet": content}
    )


TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "no score": ("run", {"query_id": ["q"], "doc_id": ["d"]}),
    "text score": ("run", {"query_id": ["q"], "doc_id": ["d"], "score": ["1"]}),
    "no number": ("run", {"query_id": ["q"], "doc_id": ["d"], "score": [float("nan")]}),
    "twice": ("run", {"query_id": ["q"] * 2, "doc_id": ["d"] * 2, "score": [1.0, 2.0]}),
    "no id": ("run", {"query_id": ["q"], "doc_id": [None], "score": [1.0]}),
    "more": ("run", {"query_id": ["q"], "doc_id": ["d"], "score": [1.0], "more": [1]}),
    "none": ("run", {}),
    "no grade": ("qrels", {"query_id": ["q"], "doc_id": ["d"]}),
    "grades differ": ("qrels", {"query_id": ["q"] * 2, "doc_id": ["d"] * 2, "relevance": [1, 2]}),
    "no query": ("queries", {"text": ["x"]}),
    "query twice": ("queries", {"query_id": ["q", "q"], "text": ["x", "y"]}),
    "no document": ("documents", {"title": ["x"], "text": ["x"]}),
}


@pytest.mark.parametrize(("kind", "columns"), TABLES.values(), ids=TABLES)
def test_tables_that_no_reader_makes_are_refused(
    workspace: Workspace, kind: str, columns: dict[str, Any]
) -> None:
    rows = pa.table(columns)
    content = table_bytes(rows).to_pybytes()
    refused(workspace, with_table(workspace, rows, content, kind))
    run = as_arrow(given("a.run").table)
    refused(workspace, with_table(workspace, run, b"PAR1 no table at all PAR1", "run"))


@pytest.mark.parametrize("bomb", ["rows", "texts"])
def test_a_table_that_unpacks_to_far_more_is_refused(workspace: Workspace, bomb: str) -> None:
    """Its columns are written once for all rows; the 4 GB of texts are never held together."""
    count = 20_000_000 if bomb == "rows" else 400_000
    text = "d" if bomb == "rows" else "d" * 10_000
    ids = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), count), [text])
    out = pa.BufferOutputStream()
    stored = pa.schema([("query_id", pa.string()), ("doc_id", pa.string())])
    with pq.ParquetWriter(out, stored, compression="zstd") as writer:
        coded = pa.table({"query_id": ids, "doc_id": ids})
        for start_at in range(0, count, 1 << 20):
            part = coded.slice(start_at, 1 << 20)
            if bomb == "texts":
                part = part.slice(0, 2000).cast(stored)
            writer.write_table(part.cast(stored) if bomb == "rows" else part)
    content = out.getvalue().to_pybytes()
    before = pa.total_allocated_bytes()
    few = pa.table({"query_id": ["q"], "doc_id": ["d"]})
    refused(workspace, with_table(workspace, few, content, "run"))
    assert pa.total_allocated_bytes() - before < 1 << 20


def test_a_disk_that_is_full_keeps_nothing_of_it(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, other = packed(workspace), Workspace(tmp_path / "other")
    other.get_or_create_collection("Before")
    real, calls = os.write, []

    def full(handle: int, given: bytes) -> int:
        calls.append(handle)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return real(handle, given)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(StorageError, match="is full"):
            import_packed_collection(other, content, file="x.zip")
    assert len(other.read_collections()) == 1 and not list(other.folder.rglob("*.part"))
    clean_workspace(other)
    assert left_over(other.folder) == []
    assert shown(other, import_packed_collection(other, content, file="x.zip").id) == shown(
        workspace, "own"
    )
