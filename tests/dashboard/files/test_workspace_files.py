"""The workspace's files in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.files.workspace_files import LoadedFiles
from dashboard.workspace import Workspace
from dashboard.workspace.startup import clean_workspace
from metrics_core import formats
from metrics_core.tables import Run


def told(files: LoadedFiles) -> tuple[list[str], list[str], list[str]]:
    """The documents of what is shown, the notes on it, and the errors."""
    found = files.list_files("own")
    shown = [f for f in found if f.error is None]
    documents = [str(f.table.table["doc_id"][0]) for f in shown if isinstance(f.table, Run)]
    notes = [note.message for f in shown for note in f.notes]
    return documents, notes, [f.error.message for f in found if f.error]


@pytest.mark.parametrize("is_missing", [True, False])
@pytest.mark.parametrize("is_started", [True, False])
def test_an_older_version_is_shown_in_place_of_one_that_cannot_be_read(
    tmp_path: Path, is_missing: bool, is_started: bool
) -> None:
    workspace = Workspace(tmp_path)
    workspace.get_or_create_collection("Mine", "own")
    for doc_id in ("d1", "d2"):
        content = f"q1 Q0 {doc_id} 1 1.0 x\n".encode()
        newer = workspace.add_table("own", formats.read(content, name="a.run")).entry
    path = tmp_path / "tables" / f"{newer.table}.parquet"
    whole = path.read_bytes()
    path.unlink() if is_missing else path.write_bytes(whole[:-9])
    again = Workspace(tmp_path)
    if is_started:
        clean_workspace(again)
    files = LoadedFiles(again)
    documents, notes, errors = told(files)
    assert documents == ["d1"]
    assert notes == ["an older version of a.run is in use, because the newer one cannot be read"]
    assert len(errors) == 1 and "The stored copy of a.run" in errors[0]
    path.write_bytes(whole)
    assert told(files) == (["d2"], [], [])
    path.write_bytes(whole[:-9])
    again.check_tables()
    documents, notes, errors = told(files)
    # What is in memory is as it was kept.
    assert (documents, notes) == (["d2"], []) and len(errors) == 1
