"""Long runs of a folder are read once, and again where they are others."""

from __future__ import annotations

import shutil
from pathlib import Path
from unittest import mock

from dashboard.files import converted
from dashboard.files.converted import ConvertedFiles
from dashboard.files.files import File
from dashboard.workspace import Workspace
from dashboard.workspace.disk import durable
from dashboard.workspace.disk.durable import state_of
from dashboard.workspace.long_runs.stored_run import StoredRun
from metrics_core.tables import Run
from tests.dashboard.workspace.stored_runs import short_are_long

TEXT = "".join(f"q{i // 3} Q0 d{i} {i % 3 + 1} {9 - i}.0 x\n" for i in range(9))


def read(folder: Path, path: Path, **choices: str) -> tuple[File, bool]:
    """The file, and whether it was read."""
    files = ConvertedFiles(Workspace(folder).cache)
    told = {"shown": path.name, "origin": "folder", "choices": choices}
    with (
        short_are_long(),
        mock.patch.object(converted, "SMALLEST", 10),
        mock.patch.object(converted, "read_files", wraps=converted.read_files) as reading,
        mock.patch.object(converted, "converted", wraps=converted.converted) as at_once,
    ):
        (file,) = files.read(path, state_of(path), **told)  # type: ignore[arg-type]
    return file, reading.called or at_once.called


def test_a_long_run_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(TEXT)
    first, was_read = read(tmp_path / "w", path)
    assert was_read and isinstance(first.table, StoredRun)
    again, was_read = read(tmp_path / "w", path)
    assert not was_read and isinstance(again.table, StoredRun)
    assert (again.key, again.file, again.read_as) == (first.key, first.file, first.read_as)
    assert (again.table.name, again.notes) == ("a", first.notes)
    assert again.table.to_pandas()["doc_id"].tolist() == [f"d{i}" for i in range(9)]


def test_the_same_bytes_are_known_where_only_the_state_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(TEXT)
    read(tmp_path / "w", path)
    (tmp_path / "b").mkdir()
    shutil.copy(path, tmp_path / "b" / "a.run")
    assert not read(tmp_path / "w", tmp_path / "b" / "a.run")[1]


def test_another_content_or_choice_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(TEXT)
    read(tmp_path / "w", path)
    assert read(tmp_path / "w", path, encoding="latin-1")[1]
    path.write_text(TEXT.replace("d4", "d44"))
    file, was_read = read(tmp_path / "w", path)
    assert was_read and isinstance(file.table, Run)
    assert "d44" in file.table.to_pandas()["doc_id"].tolist()


def test_a_copy_that_is_gone_or_damaged_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(TEXT)
    for harm in (b"", b"PAR1 no more"):
        read(tmp_path / "w", path)
        (table,) = (tmp_path / "w" / "cache" / "tables").iterdir()
        table.write_bytes(harm) if harm else table.unlink()
        file, was_read = read(tmp_path / "w", path)
        assert was_read and isinstance(file.table, Run) and len(file.table) == 9


def test_a_file_that_is_no_run_is_read_each_time(tmp_path: Path) -> None:
    path = tmp_path / "j.qrels"
    path.write_text("q1 0 d1 1\n" * 3)
    for _ in range(2):
        assert read(tmp_path / "w", path)[1]
    shutil.rmtree(tmp_path / "w", ignore_errors=True)
    path.write_text("q1\n" * 9)
    assert read(tmp_path / "w", path)[0].error is not None


def test_the_bytes_of_a_copy_are_looked_at_once_a_start(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(TEXT)
    read(tmp_path / "w", path)
    with mock.patch.object(durable, "sha256_of", wraps=durable.sha256_of) as hashed:
        file, was_read = read(tmp_path / "w", path)
        assert not was_read and isinstance(file.table, StoredRun)
        assert hashed.call_count == 1
        assert len(file.table.holding(["q1"])) == 3
    assert hashed.call_count == 1
