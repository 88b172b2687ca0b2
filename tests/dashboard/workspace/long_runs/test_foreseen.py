"""A start looks at the tables that the one before opened, and only at those that are there."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.workspace.disk import durable
from dashboard.workspace.long_runs import foreseen
from dashboard.workspace.long_runs.cache import Cache
from dashboard.workspace.long_runs.foreseen import foresee, look_ahead


def cache(folder: Path) -> Cache:
    return Cache(folder / "cache", lambda: True)


def table(folder: Path, content: bytes) -> Path:
    path = folder / "tables" / f"{hashlib.sha256(content).hexdigest()}.parquet"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def at_hand(path: Path) -> bool:
    return (path, durable.state_of(path)) in durable._HASHES


def test_what_one_start_opened_is_hashed_by_the_next_like_it(tmp_path: Path) -> None:
    opened, other, gone = (table(tmp_path, content) for content in (b"a", b"b", b"c"))
    foresee(cache(tmp_path), "", [opened, gone])
    foresee(cache(tmp_path), "/data", [other])
    gone.unlink()
    looking = look_ahead(tmp_path, "")
    assert looking is not None
    looking.join()
    assert at_hand(opened) and not at_hand(other) and not at_hand(gone)
    assert look_ahead(tmp_path, "/elsewhere") is None


def test_what_changed_since_is_hashed_again(tmp_path: Path) -> None:
    path = table(tmp_path, b"a")
    foresee(cache(tmp_path), "", [path])
    looking = look_ahead(tmp_path, "")
    assert looking is not None
    looking.join()
    path.write_bytes(b"b")
    assert durable.sha256_of(path) == hashlib.sha256(b"b").hexdigest() != path.stem


def test_what_is_opened_no_more_is_forgotten_and_the_same_is_not_written_again(
    tmp_path: Path,
) -> None:
    path = table(tmp_path, b"a")
    foresee(cache(tmp_path), "", [])
    assert look_ahead(tmp_path, "") is None
    foresee(cache(tmp_path), "", [path])
    (record,) = (tmp_path / "cache" / "foreseen").iterdir()
    kept = record.stat().st_ino
    foresee(cache(tmp_path), "", [path])
    assert record.stat().st_ino == kept
    foresee(cache(tmp_path), "", [])
    looking = look_ahead(tmp_path, "")
    assert looking is not None
    looking.join()
    assert not at_hand(path)


def test_a_table_that_is_replaced_while_it_is_looked_at_is_hashed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = table(tmp_path, b"a"), table(tmp_path, b"b")

    def elsewhere(paths: list[Path]) -> Iterator[str]:
        first.write_bytes(b"other")
        assert durable.sha256_of(second) == second.stem  # who needs it is quicker
        yield from ("of before", "of nobody")

    monkeypatch.setattr(foreseen, "_hashed_elsewhere", elsewhere)
    foreseen._look_at([first, tmp_path / "gone", second])
    assert durable.sha256_of(first) == hashlib.sha256(b"other").hexdigest()
    assert durable.sha256_of(second) == second.stem


@pytest.mark.parametrize("program", ["no such program", "false"])
def test_where_no_process_tells_it_is_worked_out_here(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table(tmp_path, b"a")
    monkeypatch.setattr(sys, "executable", program)
    foreseen._look_at([path])
    assert at_hand(path)
