"""A run that is read while it arrives is what reading it afterwards gives, or is read again."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import sleep
from unittest import mock

import pytest

from dashboard.files import growing, judged_places
from dashboard.files.converting import ONE_AT_A_TIME, converted
from dashboard.files.growing import EarlyReading
from dashboard.files.judged_places import KeptRanks
from dashboard.workspace import Workspace
from dashboard.workspace.disk.scratch import Scratch, ScratchFile
from dashboard.workspace.long_runs.stored_run import StoredRun
from metrics_core.formats import Loaded
from metrics_core.formats.source.opening import open_source
from metrics_core.judging import judge
from metrics_core.judging.while_reading import rows as rows_module
from tests.dashboard.files.test_converting import of
from tests.dashboard.workspace.stored_runs import short_are_long
from tests.metrics_core.judging.while_reading.test_judged_run import (
    ODD,
    PLAIN,
    QRELS,
    READ_WHOLE,
    REFUSED,
    same,
)


@pytest.fixture(autouse=True)
def _few_bytes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Runs of a few lines are long, and read in steps of fewer."""
    monkeypatch.setattr(rows_module, "BLOCK", 64)
    monkeypatch.setattr(growing, "_STEP", 20)
    monkeypatch.setattr(growing, "_PATIENCE", 5.0)
    monkeypatch.setattr(growing, "_LOOK", 0.01)
    with short_are_long(rows=0):
        yield


@pytest.fixture
def file(tmp_path: Path) -> ScratchFile:
    return Scratch(tmp_path).new()


def early(folder: Path, file: ScratchFile) -> EarlyReading:
    return EarlyReading("one.run", file, Workspace(folder / "w").cache, [QRELS])


def read_while(folder: Path, file: ScratchFile, content: bytes, size: int) -> Loaded | None:
    """What comes in pieces of this size, and is read meanwhile."""
    file.write(content[:size])
    begun = early(folder, file)
    for at in range(size, len(content), size):
        file.write(content[at : at + size])
    file.close()
    return begun.result(lambda _: None)


@pytest.mark.parametrize("size", [7, 50, 10_000])
@pytest.mark.parametrize("kind", [*ODD, *REFUSED, *READ_WHOLE])
def test_it_is_what_reading_it_afterwards_gives(
    kind: str, size: int, tmp_path: Path, file: ScratchFile
) -> None:
    content = (ODD | REFUSED | READ_WHOLE)[kind].encode()
    found = read_while(tmp_path, file, content, size)
    source = open_source(file.path, "one.run")
    wanted = converted(source, Workspace(tmp_path / "v").cache, [QRELS])
    assert (found is None) == (wanted is None)
    if found is None or wanted is None:
        return
    assert isinstance(found.table, StoredRun) and isinstance(wanted.table, StoredRun)
    assert of(found.table) == of(wanted.table) and found.table.has_rows_of(wanted.table)
    assert (found.file, found.title, found.format) == (wanted.file, wanted.title, wanted.format)
    if kind == "plain":
        with mock.patch.object(judged_places, "places", side_effect=AssertionError):
            ranks = KeptRanks(Workspace(tmp_path / "w").cache)(found.table, QRELS)
        same(ranks, judge(wanted.table.whole(), QRELS))


def test_what_is_packed_is_read_afterwards(tmp_path: Path, file: ScratchFile) -> None:
    assert read_while(tmp_path, file, gzip.compress(PLAIN.encode()), 50) is None


def test_what_stops_coming_keeps_nobody_waiting(tmp_path: Path, file: ScratchFile) -> None:
    with mock.patch.object(growing, "_PATIENCE", 0.01):
        file.write(PLAIN.encode())
        assert early(tmp_path, file).result(lambda _: None) is None
    with ONE_AT_A_TIME:
        pass


def test_what_is_broken_off_is_no_run(tmp_path: Path, file: ScratchFile) -> None:
    file.write(PLAIN.encode())
    begun = early(tmp_path, file)
    file.remove()
    assert begun.result(lambda _: None) is None and not file.path.exists()


def test_it_gives_way_to_a_file_that_is_here(tmp_path: Path, file: ScratchFile) -> None:
    file.write(PLAIN.encode())
    begun = early(tmp_path, file)
    other = Thread(target=lambda: ONE_AT_A_TIME.__enter__())
    other.start()
    while not ONE_AT_A_TIME.wanted:
        sleep(0.001)
    file.write(PLAIN.encode())
    assert begun.result(lambda _: None) is None
    other.join()
    assert early(tmp_path, file).result(lambda _: None) is None, "nor begins while one is read"
    ONE_AT_A_TIME.release()


def test_who_waits_is_told_how_much_was_read(tmp_path: Path, file: ScratchFile) -> None:
    file.write(PLAIN.encode())
    begun, told = early(tmp_path, file), list[int]()

    def close(read: int) -> None:
        told.append(read)
        if not file.is_whole:
            file.close()

    assert begun.result(close) is not None
    assert told == sorted(told) and told[0] >= 0 and told[-1] <= len(PLAIN)


def test_the_size_of_what_still_comes_is_not_known(file: ScratchFile) -> None:
    """How lines that stand apart are sorted follows from it: they wait until the file is here."""
    source = growing.GrowingSource("one.run", file.path, file=file)
    file.write(PLAIN.encode())
    with pytest.raises(OSError, match="not all here"):
        source.size()
    file.close()
    assert source.size() == len(PLAIN)
