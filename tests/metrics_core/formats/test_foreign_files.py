"""What is no table at all is named for what it is, with the way out, by whichever way it comes."""

from __future__ import annotations

import io
import pickle
import sqlite3
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dashboard.files.uploaded_file import UploadedFile, read_tables
from metrics_core.base.errors import FileFormatError
from metrics_core.formats import guess_file_kind, is_set, read, read_all_tables


class _Harmful:
    """What would run if a pickle were loaded."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("a pickle was loaded",)


def _zip(*members: str) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for member in members:
            archive.writestr(member, "x")
    return sink.getvalue()


def _numpy(*, archive: bool) -> bytes:
    sink = io.BytesIO()
    np.savez(sink, scores=np.zeros(3)) if archive else np.save(sink, np.zeros((2, 3)))
    return sink.getvalue()


def _sqlite() -> bytes:
    database = sqlite3.connect(":memory:")
    database.execute("create table runs(query_id)")
    return database.serialize()


PICKLE = ("a Python pickle", "pickles are not read")
STRANGERS: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "results.xlsx": (
        _zip("[Content_Types].xml", "xl/workbook.xml"),
        ("an Excel workbook", "Save the sheet as CSV"),
    ),
    "results.xls": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
        ("an old Excel or Office document", "CSV"),
    ),
    "results.ods": (_zip("mimetype", "META-INF/manifest.xml"), ("an OpenDocument file", "CSV")),
    "run.yaml": (b"q1:\n  doc-7: 14.2\n  doc-3: 11.9\n", ("YAML", "Save it as JSON")),
    "qrels.yml": (b"---\n# judged\nqueries:\n- id: q1\n  docs: [d1, d2]\n", ("YAML", "JSON")),
    "x.run": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        ("a Git LFS pointer", "git lfs pull"),
    ),
    "y.run": (b"\n<!-- saved -->\n<!DOCTYPE html>\n<html>", ("a web page", "Download")),
    "z.run": (
        b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>',
        ("a web page", "Download"),
    ),
    "paper.pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", ("a PDF document", "as CSV")),
    "scores.npy": (_numpy(archive=False), ("a NumPy array", "has no ids")),
    "scores.npz": (_numpy(archive=True), ("NumPy arrays (.npz)", "has no ids")),
    **{
        f"run{protocol}.pkl": (pickle.dumps({"q1": _Harmful()}, protocol), PICKLE)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
    "model.pt": (_zip("model/data.pkl", "model/data/0"), ("PyTorch", "pickles are not read")),
    "runs.db": (_sqlite(), ("an SQLite database", "Export the table as CSV")),
    "predictions": (
        b"0.5\n-1.25\n1e-3\n",
        ("one number per line", "The query and the document of each prediction"),
    ),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_it_is_named_with_the_way_out(name: str, tmp_path: Path) -> None:
    content, words = STRANGERS[name]
    path = tmp_path / name
    path.write_bytes(content)
    for attempt in (
        lambda: read_all_tables(content, name=name),
        lambda: read(path),
        lambda: read(path, kind="qrels"),
        lambda: read_tables(UploadedFile(name, content)),
    ):
        with pytest.raises(FileFormatError) as refused:
            attempt()
        assert not [word for word in words if word not in str(refused.value)]
        assert not refused.value.offer
    assert guess_file_kind(path) is None


@pytest.mark.parametrize("name", ["run.yaml", "x.run", "y.run", "run2.pkl", "results.xlsx"])
def test_nor_does_it_hold_texts(name: str) -> None:
    content, words = STRANGERS[name]
    for kind in ("queries", "documents"):
        with pytest.raises(FileFormatError, match=words[0]):
            read(content, name=name, kind=kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content",
    [
        b"q: 0 d1 1\nq: 0 d2 0\n",  # TREC, of a query with a colon
        b"- Q0 d1 1 2.5 run\n- Q0 d2 2 1.5 run\n",
        b"query_id,text\nq1,what: this\n",
        b"(dp Q0 d1 1 2.5 run\n",
        b"cnumpy Q0 d1 1 2.5 run\n",
    ],
)
def test_what_looks_alike_is_read(content: bytes) -> None:
    assert read(content, name="x").table


@pytest.mark.parametrize(
    "content", [b"9" * 60_000, b'{"a": ' + b"[" * 60_000, b"- " * 30_000, b"name" + b",1" * 4_000]
)
def test_looking_takes_no_longer_than_the_beginning_is_long(content: bytes) -> None:
    begun = time.perf_counter()
    guess_file_kind(content)
    assert not is_set(content)
    assert time.perf_counter() - begun < 1
