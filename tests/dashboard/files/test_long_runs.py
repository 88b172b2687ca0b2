"""Long runs that are kept and judged in one pass are what reading them whole gives; those of a
folder are read once, and again where they are others."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from dashboard.files import judged_places, long_runs
from dashboard.files.files import File
from dashboard.files.judged_places import CachedRanks
from dashboard.files.long_runs import ConvertedFiles
from dashboard.workspace import Workspace
from dashboard.workspace.disk import durable
from dashboard.workspace.disk.durable import file_state
from dashboard.workspace.long_runs import run_writer
from dashboard.workspace.long_runs.stored_run import StoredRun
from dashboard.workspace.startup import clean_workspace
from metrics_core.base.errors import RanklensError
from metrics_core.judging import join_judgments
from metrics_core.judging.documents import ListedDocuments
from metrics_core.judging.while_reading import rows as rows_module
from metrics_core.tables import Qrels, Run
from tests.collections_of import qrels_of
from tests.dashboard.workspace.stored_runs import short_are_long
from tests.metrics_core.judging.while_reading.test_judged import (
    ODD,
    PLAIN,
    QRELS,
    READ_WHOLE,
    REFUSED,
    same,
)


@pytest.fixture(autouse=True)
def _few_bytes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Files of a few lines are long, and read in pieces of fewer."""
    monkeypatch.setattr(long_runs, "SMALLEST", 10)
    monkeypatch.setattr(rows_module, "BLOCK", 64)
    with short_are_long(rows=0):
        yield


def read(folder: Path, path: Path, *judgments: Qrels, **given: Any) -> File:
    files = ConvertedFiles(Workspace(folder).cache)
    told = {"display_name": path.name, "origin": "folder", "choices": {}, "judgments": judgments}
    (file,) = files.read(path, file_state(path), **(told | given))
    return file


def of(run: Run) -> tuple[object, ...]:
    """All that is known of a run."""
    frame = run.to_pandas()
    columns = (frame[name].tolist() for name in ("query_id", "doc_id", "score"))
    known = (run.query_ids, run.first_ties().tolist(), len(run), run.name, run.notes, run.plain)
    return (*columns, *known, [repr(score) for score in frame["score"]])


@pytest.mark.parametrize(
    "text",
    [*ODD.values(), *REFUSED.values(), *READ_WHOLE.values()],
    ids=[*ODD, *REFUSED, *READ_WHOLE],
)
def test_both_ways_say_the_same(text: str, tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    path.write_bytes(text.encode())
    found = read(tmp_path / "w", path, QRELS)
    with mock.patch.object(long_runs, "convert_run", return_value=None):
        wanted = read(tmp_path / "v", path)
    assert str(found.error) == str(wanted.error)
    assert (found.key, found.read_as, found.notes) == (wanted.key, wanted.read_as, wanted.notes)
    if not isinstance(found.table, Run) or not isinstance(wanted.table, Run):
        assert found.table is wanted.table is None
        return
    assert of(found.table) == of(wanted.table)
    assert isinstance(found.table, StoredRun) and found.table.has_same_rows(wanted.table)
    assert of(found.table.select_top(2)) == of(wanted.table.select_top(2))
    judging = CachedRanks(Workspace(tmp_path / "w").cache)
    try:
        ranks = join_judgments(wanted.table, QRELS)
    except RanklensError as error:
        with pytest.raises(RanklensError) as own:
            judging(found.table, QRELS)
        assert str(own.value) == str(error)
        return
    same(judging(found.table, QRELS), ranks)


def test_what_was_judged_while_it_was_read_is_not_judged_again(tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    path.write_text(PLAIN)
    other = qrels_of({"of another collection": {"d1": 1}})
    with mock.patch.object(long_runs, "read_file", side_effect=AssertionError):
        run = read(tmp_path / "w", path, QRELS, other).table
    assert isinstance(run, StoredRun)
    judging = CachedRanks(Workspace(tmp_path / "w").cache)
    with mock.patch.object(judged_places, "find_judged_document_ranks", side_effect=AssertionError):
        ranks = judging(run, QRELS)
    assert isinstance(ranks.listed, ListedDocuments)
    same(ranks, join_judgments(run.read_whole(), QRELS))


def test_the_bytes_that_were_read_are_told(tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    path.write_text(PLAIN)
    told: list[int] = []
    read(tmp_path / "w", path, progress=told.append)
    assert len(told) > 2 and told == sorted(told) and told[-1] == len(PLAIN)


@pytest.mark.parametrize("how", [OSError(28, "No space left"), KeyboardInterrupt()])
def test_what_ends_in_the_middle_leaves_nothing(tmp_path: Path, how: BaseException) -> None:
    path = tmp_path / "one.run"
    path.write_text(PLAIN)
    with mock.patch.object(run_writer, "put_rows", side_effect=[None, how, how]):
        if isinstance(how, OSError):
            file = read(tmp_path / "w", path)
            assert type(file.table) is Run and len(file.table) == PLAIN.count("\n")
        else:
            with pytest.raises(KeyboardInterrupt):
                read(tmp_path / "w", path)
    assert not [p for p in (tmp_path / "w").rglob("*") if p.is_file()]
    assert isinstance(read(tmp_path / "w", path).table, StoredRun)


def test_a_draft_of_one_who_was_killed_is_swept_away(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.get_or_create_collection("Mine")
    with workspace.cache.open_draft() as draft:
        assert draft is not None
        draft.write(b"PAR1")
        assert len(list((tmp_path / "cache" / "tables").iterdir())) == 1
        clean_workspace(Workspace(tmp_path))
        assert not list((tmp_path / "cache" / "tables").iterdir())


def test_two_who_want_it_at_once_have_it_read_once(tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    path.write_text(PLAIN)
    at_once = mock.patch.object(long_runs, "convert_run", wraps=long_runs.convert_run)
    with at_once as reading, ThreadPoolExecutor(4) as pool:
        files = list(pool.map(lambda _: read(tmp_path / "w", path, QRELS), range(4)))
    assert reading.call_count == 1
    assert len({file.table.rows.table for file in files if isinstance(file.table, StoredRun)}) == 1


# Files of a folder that were read before

TEXT = "".join(f"q{i // 3} Q0 d{i} {i % 3 + 1} {9 - i}.0 x\n" for i in range(9))


def read_or_known(folder: Path, path: Path, **choices: str) -> tuple[File, bool]:
    """The file, and whether it was read."""
    files = ConvertedFiles(Workspace(folder).cache)
    told = {"display_name": path.name, "origin": "folder", "choices": choices}
    with (
        short_are_long(),
        mock.patch.object(long_runs, "SMALLEST", 10),
        mock.patch.object(long_runs, "read_file", wraps=long_runs.read_file) as reading,
        mock.patch.object(long_runs, "convert_run", wraps=long_runs.convert_run) as at_once,
    ):
        (file,) = files.read(path, file_state(path), **told)  # type: ignore[arg-type]
    return file, reading.called or at_once.called


def test_a_long_run_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(TEXT)
    first, was_read = read_or_known(tmp_path / "w", path)
    assert was_read and isinstance(first.table, StoredRun)
    again, was_read = read_or_known(tmp_path / "w", path)
    assert not was_read and isinstance(again.table, StoredRun)
    assert (again.key, again.file, again.read_as) == (first.key, first.file, first.read_as)
    assert (again.table.name, again.notes) == ("a", first.notes)
    assert again.table.to_pandas()["doc_id"].tolist() == [f"d{i}" for i in range(9)]


def test_the_same_bytes_are_known_where_only_the_state_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(TEXT)
    read_or_known(tmp_path / "w", path)
    (tmp_path / "b").mkdir()
    shutil.copy(path, tmp_path / "b" / "a.run")
    assert not read_or_known(tmp_path / "w", tmp_path / "b" / "a.run")[1]


def test_another_content_or_choice_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(TEXT)
    read_or_known(tmp_path / "w", path)
    assert read_or_known(tmp_path / "w", path, encoding="latin-1")[1]
    path.write_text(TEXT.replace("d4", "d44"))
    file, was_read = read_or_known(tmp_path / "w", path)
    assert was_read and isinstance(file.table, Run)
    assert "d44" in file.table.to_pandas()["doc_id"].tolist()


def test_a_copy_that_is_gone_or_damaged_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(TEXT)
    for harm in (b"", b"PAR1 no more"):
        read_or_known(tmp_path / "w", path)
        (table,) = (tmp_path / "w" / "cache" / "tables").iterdir()
        table.write_bytes(harm) if harm else table.unlink()
        file, was_read = read_or_known(tmp_path / "w", path)
        assert was_read and isinstance(file.table, Run) and len(file.table) == 9


def test_a_file_that_is_no_run_is_read_each_time(tmp_path: Path) -> None:
    path = tmp_path / "j.qrels"
    path.write_text("q1 0 d1 1\n" * 3)
    for _ in range(2):
        assert read_or_known(tmp_path / "w", path)[1]
    shutil.rmtree(tmp_path / "w", ignore_errors=True)
    path.write_text("q1\n" * 9)
    assert read_or_known(tmp_path / "w", path)[0].error is not None


def test_the_bytes_of_a_copy_are_looked_at_once_a_start(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(TEXT)
    read_or_known(tmp_path / "w", path)
    with mock.patch.object(durable, "file_sha256", wraps=durable.file_sha256) as hashed:
        file, was_read = read_or_known(tmp_path / "w", path)
        assert not was_read and isinstance(file.table, StoredRun)
        assert hashed.call_count == 1
        assert len(file.table.select_queries(["q1"])) == 3
    assert hashed.call_count == 1
